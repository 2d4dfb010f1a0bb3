import type { Mesh } from '../../scene/index.js'
import { circle, deck, fitBox, merge, type Point, stack } from './surface.js'

/** Sides of the body: neighbouring facets meet at less than 20 degrees. */
const BODY_SIDES = 24
/** Where the wings are hinged: a line along x at this |y| and z [m]. */
const HINGE: [y: number, z: number] = [0.03, 0.02]

/** Tail to beak: x, radius [m]. */
const body = (): Mesh =>
  stack(
    (
      [
        [-0.2, 0.012],
        [-0.12, 0.03],
        [-0.03, 0.045],
        [0.05, 0.045],
        [0.11, 0.03],
        [0.14, 0.025],
        [0.17, 0.022],
        [0.19, 0.008],
        [0.22, 0.003],
      ] as const
    ).map(([x, radius]) => circle([x, 0, 0], radius, 0, BODY_SIDES)),
  )

/** A wing of 4 mm, its chord and sweep by the distance from its hinge. */
const wing = (side: 1 | -1): Mesh =>
  stack(
    (
      [
        [0.02, 0.06, -0.08],
        [0.14, 0.075, -0.07],
        [0.26, 0.03, -0.08],
        [0.36, -0.04, -0.08],
      ] as const
    ).map(([y, fore, aft]): Point[] => {
      const at = (x: number, z: number): Point => [x, side * (HINGE[0] + y), HINGE[1] + z]
      return [at(aft, -0.002), at(fore, -0.002), at(fore, 0.002), at(aft, 0.002)]
    }),
  )

/** A bird of a gull's size, 0.42 m long and 0.78 m across, forward +x, in groups `body`, `wing-left` (+y) and `wing-right`. */
export function bird(): Mesh {
  const shells: [string, Mesh][] = [
    ['body', body()],
    ['wing-left', wing(1)],
    ['wing-right', wing(-1)],
  ]
  return {
    ...merge(shells.map(([, mesh]) => mesh)),
    facetGroup: Uint32Array.from(shells.flatMap(([, { triangles }], g) => Array.from({ length: triangles.length / 3 }, () => g))), // prettier-ignore
    groupNames: shells.map(([name]) => name),
  }
}

/** Sides of round parts: neighbouring facets meet at less than 20 degrees, so that their edges do not diffract. */
const SIDES = 24
/** From the middle to a motor's axis along x and y [m]: 350 mm from motor to motor across. */
const ARM = 0.124
/** Angle of each rotor's first blade from +x [degrees], at an arbitrary instant. */
const ROTORS: [x: 1 | -1, y: 1 | -1, angle: number][] = [
  [1, 1, 25],
  [1, -1, 70],
  [-1, 1, 115],
  [-1, -1, 160],
]

/** Closed cylinder between two points. */
function tube(from: Point, to: Point, radius: number): Mesh {
  const along = [0, 1, 2].map((c) => to[c] - from[c])
  const horizontal = Math.hypot(along[0], along[1])
  const length = Math.hypot(horizontal, along[2])
  // Square to the axis: u lies in the horizontal plane, v = axis x u.
  const u: Point = [-along[1] / horizontal, along[0] / horizontal, 0]
  const v: Point = [(-along[2] * u[1]) / length, (along[2] * u[0]) / length, horizontal / length]
  const ring = (at: Point): Point[] =>
    Array.from({ length: SIDES }, (_, k) => {
      const [c, s] = [Math.cos, Math.sin].map((f) => radius * f((2 * Math.PI * k) / SIDES))
      return [at[0] + c * u[0] + s * v[0], at[1] + c * u[1] + s * v[1], at[2] + s * v[2]]
    })
  return stack([ring(from), ring(to)])
}

/** Motor and hub: two cylinders on one axis. */
const motor = (x: number, y: number): Mesh =>
  stack(
    (
      [
        [-0.014, 0.014],
        [0.02, 0.014],
        [0.02, 0.006],
        [0.033, 0.006],
      ] as const
    ).map(([z, radius]) => circle([x, y, z], radius, 2, SIDES)),
  )

/** A blade of 1.6 mm: tapered, and twisted from 28 degrees of pitch at its root to 9 at its tip. */
function blade(x: number, y: number, angleDeg: number): Mesh {
  const [c, s] = [Math.cos, Math.sin].map((f) => f((angleDeg * Math.PI) / 180))
  const section = (r: number, chord: number, pitchDeg: number): Point[] => {
    const pitch = (pitchDeg * Math.PI) / 180
    return [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ].map(([a, b]) => {
      const [across, up] = [(a * chord) / 2, b * 0.0008]
      const t = across * Math.cos(pitch) - up * Math.sin(pitch)
      const z = across * Math.sin(pitch) + up * Math.cos(pitch)
      return [x + r * c - t * s, y + r * s + t * c, 0.0265 + z]
    })
  }
  return stack([
    section(0.003, 0.009, 28),
    section(0.035, 0.026, 22),
    section(0.07, 0.02, 15),
    section(0.119, 0.009, 9),
  ])
}

/** Camera ball that hangs from the body's front. */
const camera = (): Mesh =>
  stack(
    Array.from({ length: SIDES / 2 }, (_, k) => {
      const a = 0.05 + ((Math.PI - 0.1) * k) / (SIDES / 2 - 1)
      return circle([0.07, 0, -0.044 + 0.022 * Math.cos(a)], 0.022 * Math.sin(a), 2, SIDES)
    }),
  )

/** Landing rail on one side, with its two struts. */
const skid = (side: 1 | -1): Mesh[] => [
  tube([-0.09, side * 0.07, -0.088], [0.09, side * 0.07, -0.088], 0.005),
  ...[-0.05, 0.05].map((x) => tube([x, side * 0.03, -0.02], [x, side * 0.07, -0.088], 0.004)),
]

/** Its shells with their groups, in the order of facets. */
function shells(): [group: string, mesh: Mesh][] {
  const body = stack([
    deck(-0.03, -0.085, 0.095, 0.034, 0.012),
    deck(-0.012, -0.105, 0.115, 0.048, 0.016),
    deck(0.012, -0.105, 0.115, 0.048, 0.016),
    deck(0.034, -0.08, 0.08, 0.03, 0.01),
  ])
  const rotors = ROTORS.flatMap(([sx, sy, angle], i): [string, Mesh][] => {
    const [x, y] = [sx * ARM, sy * ARM]
    return [
      ['body', tube([sx * 0.06, sy * 0.03, 0], [x, y, 0], 0.009)],
      ['body', motor(x, y)],
      [`rotor-${i + 1}`, blade(x, y, angle)],
      [`rotor-${i + 1}`, blade(x, y, angle + 180)],
    ]
  })
  const others = [camera(), ...skid(1), ...skid(-1)]
  return [['body', body], ...rotors, ...others.map((mesh): [string, Mesh] => ['body', mesh])]
}

/**
 * Quadcopter, 0.471 x 0.471 x 0.127 m with its rotors, forward +x, z up: faceted body, round arms, motors, two-bladed
 * propellers at rest, camera ball and landing skids. Several intersecting closed shells.
 */
export const drone = (): Mesh => fitBox(merge(shells().map(([, mesh]) => mesh)), [0.471, 0.471, 0.127])

/** The same before it is fitted to that box, so that rotors turn about (±0.124, ±0.124), in groups `body` and `rotor-1` to `rotor-4`. */
export function droneWithGroups(): Mesh {
  const all = shells()
  const groupNames = [...new Set(all.map(([group]) => group))]
  const facetGroup = all.flatMap(([group, mesh]) =>
    Array.from({ length: mesh.triangles.length / 3 }, () => groupNames.indexOf(group)),
  )
  return { ...merge(all.map(([, mesh]) => mesh)), facetGroup: Uint32Array.from(facetGroup), groupNames }
}
