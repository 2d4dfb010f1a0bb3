import { InputError } from '../scene/index.js'
import type { Target } from '../scene/index.js'
import type { CurrentMesh } from './current-mesh.js'

export interface CurrentMeshOptions {
  /** Triangle edges a wavelength, away from edges; default 8. */
  elementsPerWavelength?: number
  /** Width of the first row of triangles at an edge [wavelengths]; default 1/64. */
  firstRow?: number
  /** Limit of the number of triangles; default 1,000,000. */
  mostTriangles?: number
}

/** A target's surface meshed again for one wavelength [m]. */
export function meshForCurrents(
  target: Target,
  wavelength: number,
  options: CurrentMeshOptions = {},
): CurrentMesh {
  const size = (1.3 * wavelength) / (options.elementsPerWavelength ?? 8)
  const most = options.mostTriangles ?? 1e6
  const p = [...target.positions]
  let tri = [...target.triangles]
  let facets = tri.length / 3 > 0 ? Array.from({ length: tri.length / 3 }, (_, t) => t) : []
  for (;;) {
    const middle = new Map<number, number>()
    const next: number[] = []
    const from: number[] = []
    const length = (a: number, b: number): number =>
      Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2])
    // An edge is split where it is the longest of one of its triangles and too long.
    const longest = tri.map(() => 0).slice(0, tri.length / 3)
    const key = (a: number, b: number): number => Math.min(a, b) * 2 ** 26 + Math.max(a, b)
    for (let t = 0; t < longest.length; t++) {
      const l = [0, 1, 2].map((i) => length(tri[3 * t + i], tri[3 * t + ((i + 1) % 3)]))
      const i = l.indexOf(Math.max(...l))
      if (l[i] <= size) continue
      const a = tri[3 * t + i]
      const b = tri[3 * t + ((i + 1) % 3)]
      if (middle.has(key(a, b))) continue
      middle.set(key(a, b), p.length / 3)
      p.push((p[3 * a] + p[3 * b]) / 2, (p[3 * a + 1] + p[3 * b + 1]) / 2, (p[3 * a + 2] + p[3 * b + 2]) / 2)
    }
    if (middle.size === 0) break
    const emit = (a: number, b: number, c: number, facet: number): void => {
      const edges = [
        [a, b, c],
        [b, c, a],
        [c, a, b],
      ].filter(([u, v]) => middle.has(key(u, v)))
      if (edges.length === 0) {
        next.push(a, b, c)
        from.push(facet)
        return
      }
      edges.sort((x, y) => length(y[0], y[1]) - length(x[0], x[1]))
      const [u, v, w] = edges[0]
      const m = middle.get(key(u, v))!
      emit(u, m, w, facet)
      emit(m, v, w, facet)
    }
    for (let t = 0; t < longest.length; t++) emit(tri[3 * t], tri[3 * t + 1], tri[3 * t + 2], facets[t])
    tri = next
    facets = from
    if (facets.length > most)
      throw new InputError(
        `the mesh for currents has more than ${most} triangles; lower the frequency, or take --method sbr`,
      )
  }
  return {
    positions: Float64Array.from(p),
    triangles: Uint32Array.from(tri),
    facets: Uint32Array.from(facets),
  }
}
