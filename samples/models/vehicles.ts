import type { Mesh } from '../../scene/index.js'
import { circle, deck, merge, type Point, stack } from './surface.js'

const TRACKED_SIDES = 24

/** Outline of a body that is alike from side to side: corners (x, z) at -y and +y [m]. */
const across = (corners: [x: number, z: number][], y0: number, y1: number): Mesh =>
  stack([y0, y1].map((y) => corners.map(([x, z]): Point => [x, y, z])))

const track = (y0: number, y1: number): Mesh =>
  across([[-1.2, 0], [1.15, 0], [1.45, 0.3], [1.35, 0.46], [-1.4, 0.46], [-1.5, 0.25]], y0, y1) // prettier-ignore

/**
 * Small tracked vehicle, 2.95 x 1.6 x 1.1 m, front +x: it stands with its tracks on z = 0. Hull with sloping front, turret and barrel. Several
 * intersecting closed shells.
 */
export function vehicle(): Mesh {
  const hull = across([[-1.4, 0.25], [1.1, 0.25], [1.42, 0.5], [0.8, 0.75], [-1.35, 0.75]], -0.55, 0.55) // prettier-ignore
  const turret = stack([
    circle([-0.15, 0, 0.7], 0.46, 2, TRACKED_SIDES),
    circle([-0.15, 0, 0.98], 0.42, 2, TRACKED_SIDES),
    circle([-0.15, 0, 1.1], 0.25, 2, TRACKED_SIDES),
  ])
  const barrel = stack([0.1, 1.4].map((x) => circle([x, 0, 0.86], 0.04, 0, TRACKED_SIDES)))
  return merge([hull, track(-0.8, -0.57), track(0.57, 0.8), turret, barrel])
}

/** Sides of wheels, guns and tanks: neighbouring facets meet at 18 degrees, so that their edges do not diffract. */
const SIDES = 20

/** Prism between two planes of constant y, of an outline of (x, z) that the mean of its points sees. */
function prism(outline: [x: number, z: number][], from: number, to: number): Mesh {
  return stack([from, to].map((y) => outline.map(([x, z]): Point => [x, y, z])))
}

const box = (low: Point, high: Point): Mesh =>
  prism(
    [
      [low[0], low[2]],
      [high[0], low[2]],
      [high[0], high[2]],
      [low[0], high[2]],
    ],
    low[1],
    high[1],
  )

/** Cylinder along x (0), y (1) or z (2) between two points on one such line. */
const rod = (from: Point, to: Point, axis: 0 | 1 | 2, radius: number): Mesh =>
  stack([circle(from, radius, axis, SIDES), circle(to, radius, axis, SIDES)])

/** Wheels on both sides, of the given radius and width, their outer faces at +-y, on the ground. */
const wheels = (stations: number[], radius: number, width: number, y: number): Mesh[] =>
  stations.flatMap((x) =>
    [1, -1].map((side) => rod([x, side * (y - width), radius], [x, side * y, radius], 1, radius)),
  )

/** Tracked vehicle, 6.9 x 3.3 x 1.6 m without its turret: sloped hull between two tracks with five road wheels each. */
function tankHull(): Mesh {
  const hull = prism(
    [
      [-3.2, 0.55],
      [2.6, 0.45],
      [3.35, 0.95],
      [1.9, 1.35],
      [-3.3, 1.45],
    ],
    -1.05,
    1.05,
  )
  const track = (side: 1 | -1): Mesh =>
    prism(
      [
        [-2.6, 0],
        [2.5, 0],
        [3.35, 0.5],
        [3.4, 0.85],
        [-3.35, 0.9],
        [-3.4, 0.55],
      ],
      Math.min(side * 1.1, side * 1.6),
      Math.max(side * 1.1, side * 1.6),
    )
  const fender = (side: 1 | -1): Mesh =>
    box([-3.3, side > 0 ? 1.0 : -1.65, 1.0], [3.1, side > 0 ? 1.65 : -1.0, 1.08])
  const boxes = [-2.4, -0.6].map((x) => box([x, 1.2, 1.08], [x + 1.4, 1.62, 1.4]))
  const roadWheels = [-2.2, -1.1, 0, 1.1, 2.2].flatMap((x) =>
    [1, -1].map((side) => rod([x, side * 1.55, 0.36], [x, side * 1.64, 0.36], 1, 0.32)),
  )
  const drums = [0.6, -0.6].map((y) => rod([-3.55, y - 0.45, 1.2], [-3.55, y + 0.45, 1.2], 1, 0.22))
  return merge([hull, track(1), track(-1), fender(1), fender(-1), ...boxes, ...roadWheels, ...drums])
}

/** Turret with a gun of 5 m towards +x, a cupola and a stowage rack; it turns about the z axis. */
function tankTurret(): Mesh {
  const dome = stack([
    deck(1.36, -1.1, 1.2, 1.05, 0.45),
    deck(1.7, -1.2, 1.25, 1.1, 0.5),
    deck(2.2, -0.9, 0.55, 0.7, 0.35),
  ])
  return merge([
    dome,
    rod([0.9, 0, 1.8], [5.2, 0, 1.8], 0, 0.07),
    rod([2.6, 0, 1.8], [3.3, 0, 1.8], 0, 0.12),
    rod([-0.2, -0.4, 2.1], [-0.2, -0.4, 2.38], 2, 0.3),
    box([-1.7, -0.8, 1.5], [-1.15, 0.8, 1.95]),
  ])
}

/** Eight-wheeled carrier, 7.2 x 2.9 x 1.9 m without its turret: hull with sloped sides, nose and tail. */
function carrierHull(): Mesh {
  const sides = stack([
    deck(0.55, -3.2, 3.0, 0.95, 0.15),
    deck(1.15, -3.55, 3.55, 1.35, 0.3),
    deck(1.85, -3.1, 1.7, 1.05, 0.25),
  ])
  const step = (side: 1 | -1): Mesh =>
    box([-1.2, side > 0 ? 1.25 : -1.42, 0.62], [1.2, side > 0 ? 1.42 : -1.25, 0.7])
  return merge([
    sides,
    ...wheels([-2.5, -1.1, 0.9, 2.3], 0.52, 0.34, 1.42),
    step(1),
    step(-1),
    box([-2.9, -0.6, 1.85], [-1.7, 0.6, 1.98]),
    rod([2.4, -0.5, 1.5], [2.4, -0.5, 1.75], 2, 0.22),
  ])
}

/** Small turret with a light cannon towards +x; it turns about (0.2, 0, z). */
function carrierTurret(): Mesh {
  const top = stack([
    circle([0.2, 0, 1.86], 0.65, 2, SIDES),
    circle([0.2, 0, 2.0], 0.65, 2, SIDES),
    circle([0.2, 0, 2.3], 0.4, 2, SIDES),
  ])
  return merge([top, rod([0.6, 0, 2.1], [2.5, 0, 2.1], 0, 0.045), box([-0.2, 0.5, 1.95], [0.6, 0.75, 2.2])])
}

/** Truck, 7.3 x 2.5 x 2.9 m: ladder frame, bonnet and cab, box body on six wheels, spare wheel and fuel tanks. */
function truck(): Mesh {
  const cab = prism(
    [
      [1.35, 0.95],
      [2.7, 0.95],
      [2.7, 1.75],
      [2.35, 2.55],
      [1.35, 2.6],
    ],
    -1.1,
    1.1,
  )
  const bonnet = prism(
    [
      [2.7, 0.75],
      [3.6, 0.75],
      [3.6, 1.5],
      [2.7, 1.7],
    ],
    -0.75,
    0.75,
  )
  const frame = [0.42, -0.42].map((y) => box([-3.6, y - 0.06, 0.72], [3.4, y + 0.06, 0.95]))
  const body = box([-3.6, -1.22, 1.15], [1.1, 1.22, 2.9])
  const tanks = [1, -1].map((side) => rod([0.2, side * 0.85, 0.78], [1.2, side * 0.85, 0.78], 0, 0.28))
  const mudguards = [1, -1].map((side) =>
    box([2.75, side > 0 ? 0.78 : -1.15, 1.12], [3.55, side > 0 ? 1.15 : -0.78, 1.2]),
  )
  return merge([
    cab,
    bonnet,
    ...frame,
    body,
    ...tanks,
    ...mudguards,
    ...wheels([-2.7, -1.4, 3.1], 0.5, 0.35, 1.18),
    box([3.6, -1.1, 0.55], [3.75, 1.1, 0.8]),
    rod([1.2, 0, 1.5], [1.2, 0, 1.5 + 0.3], 2, 0.4),
  ])
}

/**
 * Ground vehicles standing on z = 0, forward +x, in metres: several intersecting closed shells, of shapes that are nobody's. Turrets are
 * meshes of their own, which `articulation` of a dataset turns.
 */
export const vehicles: Record<string, () => Mesh> = {
  tank: tankHull,
  'tank-turret': tankTurret,
  carrier: carrierHull,
  'carrier-turret': carrierTurret,
  truck,
}
