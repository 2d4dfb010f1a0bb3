import {
  type Aspect,
  type Band,
  direction,
  dot,
  type Mesh,
  prepareTarget,
  type Target,
  type Vec3,
} from '../../scene/index.js'
import {
  buildEdgeScene,
  createEdgeEngine,
  type EdgeOptions,
  type EdgeResult,
  type EdgeScene,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { mechanismsOf } from '../../cpu-diffraction/engine/job.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import type { RayScene, SbrOptions } from '../../rays/index.js'
import { sbrJob, testScene } from '../helpers/sbr.js'
import { meshOf, prism, rows } from '../scene/shapes.js'
import { circle, stack } from '../../samples/models/surface.js'

export const target = (mesh: Mesh): Target => prepareTarget(mesh, { smoothAngleDeg: 20 })

export function scenes(
  mesh: Mesh,
  maxWedgeAngleDeg = 160,
): { edges: EdgeScene; rays: RayScene; area: number } {
  const { target: t, scene, area } = testScene(mesh)
  return { edges: buildEdgeScene(t, maxWedgeAngleDeg), rays: scene, area }
}

/** Options of edges with these mechanisms of second order. */
export const edgeOptions = (...secondOrder: SecondOrder[]): EdgeOptions => ({
  diffraction: 'tw-ildc',
  secondOrder,
})

/** Rays and edges of a mesh in double precision, on this thread. Fields are 8 numbers a frequency [m]. */
export function engines(mesh: Mesh) {
  const { edges: scene, rays, area } = scenes(mesh)
  const sbr = createCpuEngine(rays, area, 0)
  const edges = createEdgeEngine(scene, rays, { workers: 0 })
  const fieldOf = async (aspect: Aspect, band: Band, options = edgeOptions()) =>
    (await edges.field({ aspect, band, options })).field
  const apart = async (aspect: Aspect, band: Band, options: EdgeOptions) =>
    (await edges.field({ aspect, band, options: { ...options, apart: true } })) as Required<EdgeResult>
  return {
    sbr,
    edges,
    edgeCount: scene.count,
    /** The edges, of first order where no options say otherwise. */
    fieldOf,
    /** What one mechanism adds to first order and the others. */
    partOf: async (aspect: Aspect, band: Band, options: EdgeOptions, name = options.secondOrder![0]) =>
      (await apart(aspect, band, options)).parts[1 + mechanismsOf(options).indexOf(name)],
    /** What the mechanisms together add to first order. */
    addedOf: async (aspect: Aspect, band: Band, options: EdgeOptions) => {
      const { field, parts } = await apart(aspect, band, options)
      return field.map((x, i) => x - parts[0][i])
    },
    /** Rays and edges. */
    wholeOf: async (
      aspect: Aspect,
      band: Band,
      options?: EdgeOptions,
      rayOptions: Partial<SbrOptions> = {},
    ) => {
      const { field } = await sbr.field(sbrJob(aspect, band, rayOptions))
      const edge = await fieldOf(aspect, band, options)
      return field.map((x, i) => x + edge[i])
    },
  }
}

/** Sheet in z = 0, 0 <= x <= nx, 0 <= y <= ny, of nx x ny squares; squares for which `keep` is false are left out. */
export function grid(nx: number, ny: number, keep: (i: number, j: number) => boolean = () => true): Mesh {
  const points: number[][] = []
  for (let j = 0; j <= ny; j++) for (let i = 0; i <= nx; i++) points.push([i, j, 0])
  const facets: number[][] = []
  for (let j = 0; j < ny; j++)
    for (let i = 0; i < nx; i++) {
      const a = j * (nx + 1) + i
      if (keep(i, j)) facets.push([a, a + 1, a + nx + 2], [a, a + nx + 2, a + nx + 1])
    }
  return meshOf(points, facets)
}

/** Sheet in z = 0 about the origin, a x b, of nx x ny rectangles. */
export const centredSheet = (a: number, b: number, nx = 1, ny = 1): Mesh =>
  mapped(grid(nx, ny), ([x, y, z]) => [a * (x / nx - 0.5), b * (y / ny - 0.5), z])

export const regular = (n: number, radius = 1): number[][] =>
  Array.from({ length: n }, (_, i) => {
    const a = (2 * Math.PI * i) / n
    return [radius * Math.cos(a), radius * Math.sin(a)]
  })

/** Triangles of a convex polygon from its first corner. */
export const fan = (n: number): number[][] => Array.from({ length: n - 2 }, (_, i) => [0, i + 1, i + 2])

export const regularPrism = (n: number, h: number, radius = 1): Mesh => prism(regular(n, radius), fan(n), h)

/** L-shaped block: 2 x 2 less the quarter x > 1, y > 1. */
export const lBlock = (h = 1): Mesh =>
  prism(rows('0 0, 2 0, 2 1, 1 1, 1 2, 0 2'), rows('0 1 2, 0 2 3, 0 3 4, 0 4 5'), h)

/** Two unit sheets that meet at the z axis at a right angle, fronts towards +x +y. */
export const dihedral = (): Mesh =>
  meshOf('0 0 0, 0 0 1, 1 0 0, 1 0 1, 0 1 0, 0 1 1', '0 1 3, 0 3 2, 0 5 1, 0 4 5')

export const mapped = (mesh: Mesh, move: (p: number[]) => number[]): Mesh => {
  const positions = new Float64Array(mesh.positions.length)
  for (let v = 0; v < positions.length; v += 3)
    positions.set(move([mesh.positions[v], mesh.positions[v + 1], mesh.positions[v + 2]]), v)
  return { ...mesh, positions }
}

/** Every facet in four by the middles of its sides, in its plane. */
export function quartered({ positions, triangles }: Mesh): Mesh {
  const points = [...positions]
  const numbers = new Map<string, number>()
  const middle = (a: number, b: number): number => {
    const key = [Math.min(a, b), Math.max(a, b)].join()
    const found = numbers.get(key) ?? points.length / 3
    if (!numbers.has(key))
      for (let c = 0; c < 3; c++) points.push((positions[3 * a + c] + positions[3 * b + c]) / 2)
    numbers.set(key, found)
    return found
  }
  const facets: number[] = []
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.subarray(t, t + 3)
    const [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)]
    facets.push(a, d, f, d, b, e, f, e, c, d, e, f)
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(facets) }
}

/** Every facet in three about its centroid, in its plane. */
export function inThrees({ positions, triangles }: Mesh): Mesh {
  const points = [...positions]
  const facets: number[] = []
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.subarray(t, t + 3)
    const v = points.length / 3
    for (let i = 0; i < 3; i++)
      points.push((positions[3 * a + i] + positions[3 * b + i] + positions[3 * c + i]) / 3)
    facets.push(a, b, v, b, c, v, c, a, v)
  }
  return { positions: Float64Array.from(points), triangles: Uint32Array.from(facets) }
}

/** A random right-handed frame x, y, z as nine numbers. */
export function randomFrame(next: () => number): Float64Array {
  const q = Array.from({ length: 4 }, () => next() + next() + next() - 1.5)
  const n = Math.hypot(...q)
  const [w, x, y, z] = q.map((v) => v / n)
  const first = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
  const second = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]
  const third = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
  return Float64Array.from([first, second, third].flat())
}

/** An aspect with these directions of incidence and observation and some polarisation basis across each. */
export function aspectAlong(ki: Vec3, s: Vec3): Aspect {
  const toRadar: Vec3 = [-ki[0], -ki[1], -ki[2]]
  const towards = (r: Vec3) => {
    const theta = (Math.acos(Math.max(-1, Math.min(1, r[2]))) * 180) / Math.PI
    return { ...direction(theta, (Math.atan2(r[1], r[0]) * 180) / Math.PI), r }
  }
  return { tx: towards(toRadar), rx: towards(s) }
}

/** Phase path (s - ki).r [m] of a point. */
export const phasePath = ({ tx, rx }: Aspect, r: Vec3): number => dot(rx.r, r) + dot(tx.r, r)

/** Direction with components along the axes of a frame. */
export const inFrame = (f: Float64Array, x: number, y: number, z: number): Vec3 => [
  x * f[0] + y * f[3] + z * f[6],
  x * f[1] + y * f[4] + z * f[7],
  x * f[2] + y * f[5] + z * f[8],
]

/** A random direction of unit length. */
export function randomDirection(next: () => number): Vec3 {
  const z = 2 * next() - 1
  const phi = 2 * Math.PI * next()
  const r = Math.sqrt(1 - z * z)
  return [r * Math.cos(phi), r * Math.sin(phi), z]
}

/** Body of revolution about z through the points (radius, z). */
export const revolve = (profile: [number, number][], n: number): Mesh =>
  stack(profile.map(([rho, z]) => circle([0, 0, z], rho, 2, n)))

/** Tips at z = +-3 of half angle 22.6 degrees, greatest radius 0.6. */
export function ogive(rings: number, n: number): Mesh {
  const arc = (9 + 0.36) / 1.2
  return revolve(
    Array.from({ length: rings + 1 }, (_, i) => {
      const z = -3 * Math.cos((Math.PI * i) / rings)
      return [Math.max(0, Math.sqrt(arc * arc - z * z) - (arc - 0.6)), z]
    }),
    n,
  )
}

export const spheroid = (rings: number, n: number): Mesh =>
  revolve(
    Array.from({ length: rings + 1 }, (_, i) => {
      const t = (Math.PI * i) / rings
      return [i % rings === 0 ? 0 : Math.sin(t), -3 * Math.cos(t)]
    }),
    n,
  )

/** Cone with its tip at z = 3, on a flat base at z = 0. */
export const cone = (radius: number, n: number): Mesh => revolve([[radius, 0], [0, 3]], n) // prettier-ignore
