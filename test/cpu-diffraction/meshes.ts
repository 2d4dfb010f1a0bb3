import { type Mesh, prepareTarget, type Target } from '../../scene/index.js'
import {
  buildEdgeScene,
  type EdgeScene,
  createEdgeEngine,
  type EdgeEngine,
  type EdgeJob,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { mechanismsOf } from '../../cpu-diffraction/engine/job.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import type { RayScene, SbrEngine } from '../../rays/index.js'
import { testScene } from '../helpers/sbr.js'
import { meshOf, prism, rows } from '../scene/shapes.js'

export const target = (mesh: Mesh): Target => prepareTarget(mesh, { smoothAngleDeg: 20 })

export function scenes(
  mesh: Mesh,
  maxWedgeAngleDeg = 160,
): { edges: EdgeScene; rays: RayScene; area: number } {
  const { target: t, scene, area } = testScene(mesh)
  return { edges: buildEdgeScene(t, maxWedgeAngleDeg), rays: scene, area }
}

/** Rays and edges in double precision, on this thread. */
export function engines(mesh: Mesh): { sbr: SbrEngine; edges: EdgeEngine; edgeCount: number } {
  const { edges, rays, area } = scenes(mesh)
  return {
    sbr: createCpuEngine(rays, area, 0),
    edges: createEdgeEngine(edges, rays, { workers: 0 }),
    edgeCount: edges.count,
  }
}

/** What one mechanism adds to the others and first order. */
export async function partOf(engine: EdgeEngine, job: EdgeJob, name: SecondOrder): Promise<Float64Array> {
  const { parts } = await engine.field({ ...job, options: { ...job.options, apart: true } })
  return parts![1 + mechanismsOf(job.options).indexOf(name)]
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
