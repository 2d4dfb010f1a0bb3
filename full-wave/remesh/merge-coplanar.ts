import { findFeatures } from './features.js'
import type { InputSurface } from './input-surface.js'
import { collapseEdge, flipEdge } from './operations.js'
import { SizeField } from './size-field.js'
import { SurfaceMesh } from './surface-mesh.js'

/** Triangles of a lower quality do not come of a collapse. */
const LEAST_QUALITY = 1e-3
/** Sines of angles that count as zero. */
const ANGLE = 1e-9
const ROUNDS = 64

/** Parts of the tolerance: regions of many small bends are no planes at the first, and are divided at the next. */
const STRICTER = [1, 1 / 30, 1 / 1000]

/**
 * The same surface without what does not shape it: vertices within plane regions and on straight borders of them are removed, and
 * regions divided by Delaunay's rule, so that sizes depend on the shape and not on how its planes were divided.
 *
 * @param tolerance  deviation from a plane or a line that counts as none [wavelengths]
 * @param mostWork   see `SurfaceMesh`
 */
export function mergeCoplanar(surface: InputSurface, tolerance: number, mostWork: number): InputSurface {
  for (const part of STRICTER) {
    const off = part * tolerance
    const features = findFeatures(surface, Infinity, off, off)
    const uniform = new SizeField({ size: 1, firstRow: 1, growth: 1.5, chord: off }, surface, features)
    const mesh = new SurfaceMesh(surface, features, uniform, off, Infinity, mostWork)
    makeDelaunay(mesh)
    for (let round = 0; round < ROUNDS && removeVertices(mesh) > 0; round++) makeDelaunay(mesh)
    surface = surfaceOf(surface, mesh)
    if (features.planes.every((plane) => plane)) break
  }
  return surface
}

/** Removes vertices that are not neighbours of each other; returns how many. */
function removeVertices(mesh: SurfaceMesh): number {
  let count = 0
  const waits = new Uint8Array(mesh.at.length)
  for (let v = 0; v < mesh.at.length; v++) {
    const list = mesh.at[v]
    if (mesh.kind[v] === 2 || waits[v] === 1 || list.length === 0) continue
    if (!list.every((t) => mesh.isPlane(mesh.patch[t]))) continue
    const around = new Set(list.flatMap((t) => mesh.t.slice(3 * t, 3 * t + 3)))
    around.delete(v)
    for (const w of around)
      if (collapseEdge(mesh, v, w, Infinity, LEAST_QUALITY)) {
        for (const u of around) waits[u] = 1
        count++
        break
      }
  }
  return count
}

/** Flips diagonals of plane regions until the circle about each triangle is empty; of vertices on one circle the lowest has the diagonal. */
function makeDelaunay(mesh: SurfaceMesh): void {
  for (let round = 0, flips = 1; round < ROUNDS && flips > 0; round++) {
    flips = 0
    for (let t = 0; t < mesh.patch.length; t++) {
      if (mesh.changed[t] === 0 || mesh.t[3 * t] < 0) continue
      mesh.changed[t] = 0
      if (!mesh.isPlane(mesh.patch[t])) continue
      for (let i = 0; i < 3; i++)
        if (flipEdge(mesh, mesh.t[3 * t + i], mesh.t[3 * t + ((i + 1) % 3)], isBetterTurned)) {
          flips++
          break
        }
    }
  }
}

/** Whether c d is Delaunay's diagonal of the quadrangle a d b c rather than a b. */
function isBetterTurned({ p }: SurfaceMesh, a: number, b: number, c: number, d: number): boolean {
  const angle = (v: number): [cos: number, sin: number] => {
    const u = [0, 1, 2].map((i) => p[3 * a + i] - p[3 * v + i])
    const w = [0, 1, 2].map((i) => p[3 * b + i] - p[3 * v + i])
    const size = Math.hypot(...u) * Math.hypot(...w)
    const cross = Math.hypot(u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0])
    return [(u[0] * w[0] + u[1] * w[1] + u[2] * w[2]) / size, cross / size]
  }
  const [cosC, sinC] = angle(c)
  const [cosD, sinD] = angle(d)
  const sine = sinC * cosD + cosC * sinD
  return sine < -ANGLE || (sine <= ANGLE && Math.min(c, d) < Math.min(a, b))
}

/** The mesh as a surface, vertices in their order. */
function surfaceOf(surface: InputSurface, mesh: SurfaceMesh): InputSurface {
  const number = new Int32Array(mesh.at.length).fill(-1)
  const kept: number[] = []
  for (let v = 0; v < mesh.at.length; v++) if (mesh.at[v].length > 0) number[v] = kept.push(v) - 1
  const facets: { corners: number[]; from: number }[] = []
  for (let t = 0; t < mesh.patch.length; t++) {
    if (mesh.t[3 * t] < 0) continue
    const v = [0, 1, 2].map((i) => number[mesh.t[3 * t + i]])
    const low = v.indexOf(Math.min(...v))
    facets.push({ corners: [0, 1, 2].map((i) => v[(low + i) % 3]), from: t })
  }
  facets.sort(({ corners: a }, { corners: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  return {
    positions: Float64Array.from(kept.flatMap((v) => [0, 1, 2].map((c) => mesh.p[3 * v + c]))),
    triangles: Uint32Array.from(facets.flatMap(({ corners }) => corners)),
    region: Uint32Array.from(facets, ({ from }) => surface.region[mesh.facet[from]]),
    normals: Float64Array.from(facets.flatMap(({ from }) => [...mesh.normalOn(from)])),
    mirrors: surface.mirrors,
    centre: surface.centre,
  }
}
