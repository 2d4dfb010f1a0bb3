import type { Mesh } from '../../scene/index.js'
import { curve } from './jet.js'
import { fitBox, merge, mix, type Point, Surface } from './surface.js'

/** A stand-in for a mesh as found on the web. */
export interface FoundMesh {
  seed: number
  /** Length over all [m]. */
  length: number
  /** Rings along the fuselage and facets around it. */
  rows: number
  sides: number
  /** Stores under each wing. */
  stores: number
  /** Small closed boxes in and on the body, and single sheets a few millimetres off it. */
  boxes: number
  panels: number
  /** Size of boxes and panels relative to the length. */
  detailSize: number
}

/**
 * Stand-ins by name, with about the facets, open and diffracting edges of three meshes from the web: 12,000 facets
 * (7,600 diffracting edges, 1,400 open), 8,000 (6,800, 3,300) and 43,000 (26,700, 7,100).
 */
export const foundMeshes: Record<string, FoundMesh> = {
  'found-a': {
    seed: 1,
    length: 25,
    rows: 170,
    sides: 16,
    stores: 2,
    boxes: 270,
    panels: 20,
    detailSize: 0.01,
  },
  'found-b': {
    seed: 2,
    length: 45,
    rows: 50,
    sides: 12,
    stores: 2,
    boxes: 290,
    panels: 400,
    detailSize: 0.005,
  },
  'found-c': {
    seed: 3,
    length: 35,
    rows: 460,
    sides: 17,
    stores: 10,
    boxes: 1150,
    panels: 590,
    detailSize: 0.011,
  },
}

const radius = curve({ 0: 0.004, 0.05: 0.02, 0.18: 0.04, 0.4: 0.05, 0.8: 0.045, 1: 0.03 })

/** Reproducible numbers in [0, 1): the minimal standard generator of Park and Miller. */
export function random(seed: number): () => number {
  let s = seed * 7919
  return () => (s = (s * 48271) % 2147483647) / 2147483647
}

/** Sheet spanned by four corners, n by m quads, bulging by `camber` along z in the middle; open at its borders. */
function sheet([a, b, c, d]: Point[], n: number, m: number, camber = 0): Mesh {
  const surface = new Surface()
  surface.loft(
    Array.from({ length: n + 1 }, (_, i) =>
      Array.from({ length: m + 1 }, (__, k): Point => {
        const p = mix(mix(a, b, i / n), mix(d, c, i / n), k / m)
        return [p[0], p[1], p[2] + (4 * camber * k * (m - k)) / (m * m)]
      }),
    ),
  )
  return surface.mesh()
}

/** Wall through rings of `sides` points about the given centres along x or z; open at both ends. */
function tube(centres: Point[], radii: number[], sides: number, axis: 0 | 2, squash = 1): Mesh {
  const [u, v] = axis === 0 ? [1, 2] : [0, 1]
  const surface = new Surface()
  surface.loft(
    centres.map((centre, i) =>
      Array.from({ length: sides }, (_, k): Point => {
        const p: Point = [...centre]
        p[u] += radii[i] * Math.cos((2 * Math.PI * (k + 0.5)) / sides)
        p[v] += squash * radii[i] * Math.sin((2 * Math.PI * (k + 0.5)) / sides)
        return p
      }),
    ),
    true,
  )
  return surface.mesh()
}

/** Closed box with the given half sides, turned about z. */
function box(at: Point, half: Point, angle: number): Mesh {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const ring = (z: number): Point[] =>
    [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ].map(([i, k]) => [
      at[0] + c * i * half[0] - s * k * half[1],
      at[1] + s * i * half[0] + c * k * half[1],
      at[2] + z * half[2],
    ])
  const surface = new Surface()
  const [low, high] = [ring(-1), ring(1)]
  surface.strip(low, high, true)
  surface.quad(low[0], low[1], low[2], low[3])
  surface.quad(high[0], high[1], high[2], high[3])
  return surface.mesh()
}

/** Point of the fuselage at fraction t of its length, angle a from +y, raised by `above`. */
const skin = (t: number, a: number, above = 0): Point => {
  const r = radius(t) + above
  return [-t, r * Math.cos(a), r * Math.sin(a)]
}

/** The large parts in lengths of the target, nose at the origin, x forward: none shares a vertex with another. */
function* largeParts({ rows, sides, stores }: FoundMesh): Generator<Mesh> {
  const along = Array.from({ length: rows + 1 }, (_, i) => i / rows)
  yield tube(
    along.map((t): Point => [-t, 0, 0]),
    along.map(radius),
    sides,
    0,
  )
  // Nozzle: a second wall inside, a hair narrower, open at its end.
  const inside = along.filter((t) => t > 0.85)
  yield tube(
    inside.map((t): Point => [-t, 0, 0]),
    inside.map((t) => 0.9 * radius(t)),
    sides,
    0,
  )
  const halfRows = Math.ceil(rows / 4)
  for (const side of [-1, 1]) {
    const at = (x: number, y: number, z: number): Point => [-x, side * y, z]
    // Wing: upper and lower sheet from the centre line, through the fuselage; flaps and slats meet its long edges with others.
    const [root, tip] = [at(0.42, 0, -0.01), at(0.56, 0.42, 0.005)]
    const [tipEnd, rootEnd] = [at(0.63, 0.42, 0.005), at(0.66, 0, -0.01)]
    yield sheet([root, tip, tipEnd, rootEnd], halfRows, 8, 0.006)
    yield sheet([root, tip, tipEnd, rootEnd], 3, 2, -0.003)
    for (let k = 0; k < 7; k++) {
      const [p, q] = [mix(rootEnd, tipEnd, (k + 1) / 8), mix(rootEnd, tipEnd, (k + 2) / 8)]
      yield sheet([p, q, [q[0] - 0.02, q[1], q[2] - 0.006], [p[0] - 0.02, p[1], p[2] - 0.006]], 1, 1)
      const [f, g] = [mix(root, tip, (k + 1) / 8), mix(root, tip, (k + 2) / 8)]
      yield sheet([f, g, [g[0] + 0.01, g[1], g[2] - 0.003], [f[0] + 0.01, f[1], f[2] - 0.003]], 1, 1)
    }
    yield sheet([at(0.86, 0, 0.01), at(0.93, 0.17, 0.02), at(0.97, 0.17, 0.02), at(0.98, 0, 0.01)], 6, 3)
    yield sheet([at(0.8, 0.02, 0), at(0.9, 0.05, 0.15), at(0.95, 0.05, 0.15), at(0.96, 0.02, 0)], 6, 4)
    // Intake: lip and duct of one sheet, its rear inside the fuselage.
    yield tube(
      [0.3, 0.33, 0.4, 0.5].map((x) => at(x, 0.045, -0.02)),
      [0.024, 0.026, 0.027, 0.01],
      8,
      0,
      1.3,
    )
    for (let k = 0; k < stores; k++) {
      const y = 0.1 + (0.28 * (k + 0.5)) / stores
      const x = 0.45 + 0.33 * y
      yield sheet(
        [at(x + 0.02, y, 0.01), at(x + 0.08, y, 0.01), at(x + 0.07, y, -0.03), at(x + 0.03, y, -0.03)],
        2,
        2,
      )
      const shape = [0, 0.012, 0.03, 0.06, 0.09, 0.1]
      yield tube(
        shape.map((s) => at(x + s, y, -0.034)),
        [0.0005, 0.005, 0.008, 0.008, 0.006, 0.004],
        12,
        0,
      )
      for (let f = 0; f < 4; f++) {
        const [c, s] = [Math.cos, Math.sin].map((g) => 0.018 * g((Math.PI * (2 * f + 1)) / 4))
        const [near, far] = [x + 0.08, x + 0.1]
        yield sheet(
          [
            at(near, y, -0.034),
            at(near + 0.01, y + c, s - 0.034),
            at(far, y + c, s - 0.034),
            at(far, y, -0.034),
          ],
          1,
          1,
        )
      }
    }
  }
  // Canopy: a sheet of its own over the fuselage, its frames boxes.
  const canopy = new Surface()
  canopy.loft(
    [0.12, 0.14, 0.17, 0.2, 0.23, 0.25].map((t, i) =>
      Array.from({ length: 9 }, (_, k) =>
        skin(t, 0.6 + (k * (Math.PI - 1.2)) / 8, [0, 0.012, 0.02, 0.02, 0.012, 0][i]),
      ),
    ),
  )
  yield canopy.mesh()
  for (const [x, y] of [
    [0.2, 0],
    [0.55, 0.06],
    [0.55, -0.06],
  ]) {
    // Landing gear: strut into the body, wheels, a door.
    yield tube(
      [
        [-x, y, 0],
        [-x, y, -0.09],
      ],
      [0.004, 0.003],
      6,
      2,
    )
    for (const side of [-0.012, 0.012]) yield box([-x, y + side, -0.095], [0.015, 0.004, 0.015], 0)
    yield sheet(
      [
        [-x, y + 0.02, -0.03],
        [-x - 0.06, y + 0.02, -0.03],
        [-x - 0.06, y + 0.03, -0.07],
        [-x, y + 0.03, -0.07],
      ],
      1,
      1,
    )
  }
}

/** Boxes inside and on the fuselage, and panels and antennas millimetres off it. */
function* smallParts({ boxes, panels, detailSize, length }: FoundMesh, next: () => number): Generator<Mesh> {
  for (let k = 0; k < boxes; k++) {
    const half = [0, 1, 2].map(() => detailSize * (0.1 + 0.9 * next() ** 2)) as Point
    const on = next() < 0.3
    yield box(skin(0.08 + 0.88 * next(), 2 * Math.PI * next(), on ? 0 : -0.03 * next()), half, 3 * next())
  }
  for (let k = 0; k < panels; k++) {
    const [t, a] = [0.1 + 0.8 * next(), 2 * Math.PI * next()]
    const above = next() < 0.6 ? -0.02 * next() : (0.002 + 0.008 * next()) / length
    const [w, h] = [detailSize * (0.3 + 2 * next()), 0.1 + 0.5 * next()]
    if (next() < 0.15) {
      // Antenna: a blade that stands in the skin.
      const [p, q] = [skin(t, a, -0.002), skin(t + w, a, -0.002)]
      yield sheet([p, q, skin(t + w, a, 0.6 * w), skin(t + 0.4 * w, a, 0.6 * w)], 1, 1)
    } else
      yield sheet(
        [skin(t, a, above), skin(t + w, a, above), skin(t + w, a + h, above), skin(t, a + h, above)],
        1,
        2,
      )
  }
}

/** Facets turned over one by one, repeated as they are or turned over, and bisected without their neighbours (T-junctions). */
function spoil({ positions, triangles }: Mesh, next: () => number): Mesh {
  const points = [...positions]
  const out: number[] = []
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.subarray(t, t + 3)
    const pick = next()
    if (pick < 0.02) {
      const middle = points.length / 3
      for (let i = 0; i < 3; i++) points.push((positions[3 * a + i] + positions[3 * b + i]) / 2)
      out.push(a, middle, c, middle, b, c)
    } else if (pick < 0.07) out.push(a, c, b)
    else out.push(a, b, c)
    if (pick > 0.98) out.push(...(pick > 0.99 ? [a, b, c] : [a, c, b]))
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(out) }
}

const turned = ({ positions, triangles }: Mesh): Mesh => ({ positions, triangles: triangles.toReversed() })

/**
 * An aircraft as meshes from the web are: wings, fins, intakes and panels single sheets with open borders; parts that go
 * through each other; facets twice, also with opposite orientation; T-junctions; no common orientation; parts hidden
 * inside others. Made by a seeded generator: the same options give the same mesh. Nose +x, box centred at the origin.
 */
export function foundMesh(options: FoundMesh): Mesh {
  const next = random(options.seed)
  const parts = [...largeParts(options), ...smallParts(options, next)]
  const mesh = spoil(merge(parts.map((part) => (next() < 0.3 ? turned(part) : part))), next)
  const { length } = options
  const [width, height] = [1, 2].map((axis) => {
    const along = mesh.positions.filter((_, k) => k % 3 === axis)
    return along.reduce((m, x) => Math.max(m, x)) - along.reduce((m, x) => Math.min(m, x))
  })
  return fitBox(mesh, [length, length * width, length * height])
}
