import type { Target } from '../../scene/index.js'

/** Unit normal n and offset d: n·x = d [wavelengths]. */
export type Plane = [number, number, number, number]

/** The target's facets in wavelengths about the box's centre, ordered by place, so that neither its place nor the order of facets matters. */
export interface InputSurface {
  /** x, y, z of each vertex [wavelengths]. */
  positions: Float64Array
  triangles: Uint32Array
  /** Group and material of each facet as one number: a border between two is kept. */
  region: Uint32Array
  /** Unit normals; that of a sliver is its neighbour's. */
  normals: Float64Array
  /** The surface is on one side of these planes and goes on with its mirror images: an edge of one facet in one is no border. */
  mirrors: Plane[]
  /** What was taken off the positions [m]. */
  centre: [number, number, number]
}

/** Positions are rounded to this part of a wavelength: rounding errors of a far place disappear. */
export const QUANTUM = 2 ** -34

/** @param wavelength  [m] */
export function inputSurface(target: Target, wavelength: number): InputSurface {
  const { positions: p, triangles: tri, box } = target
  const centre = [0, 1, 2].map((c) => (box.min[c] + box.max[c]) / 2) as [number, number, number]
  const count = p.length / 3
  const all = new Float64Array(p.length)
  for (let i = 0; i < p.length; i++)
    all[i] = Math.round((p[i] - centre[i % 3]) / wavelength / QUANTUM) * QUANTUM
  const byPlace = Uint32Array.from({ length: count }, (_, v) => v).sort(
    (a, b) => all[3 * a] - all[3 * b] || all[3 * a + 1] - all[3 * b + 1] || all[3 * a + 2] - all[3 * b + 2],
  )
  const number = new Uint32Array(count)
  const positions = new Float64Array(p.length)
  for (let v = 0; v < count; v++) {
    number[byPlace[v]] = v
    for (let c = 0; c < 3; c++) positions[3 * v + c] = all[3 * byPlace[v] + c]
  }
  const facets = tri.length / 3
  /** Each facet from its lowest vertex on, its orientation kept. */
  const first = new Uint32Array(tri.length)
  for (let t = 0; t < facets; t++) {
    const v = [number[tri[3 * t]], number[tri[3 * t + 1]], number[tri[3 * t + 2]]]
    const low = v.indexOf(Math.min(...v))
    for (let i = 0; i < 3; i++) first[3 * t + i] = v[(low + i) % 3]
  }
  const facetOf = Uint32Array.from({ length: facets }, (_, t) => t).sort(
    (a, b) =>
      first[3 * a] - first[3 * b] ||
      first[3 * a + 1] - first[3 * b + 1] ||
      first[3 * a + 2] - first[3 * b + 2],
  )
  const triangles = new Uint32Array(tri.length)
  const region = new Uint32Array(facets)
  const normals = new Float64Array(tri.length)
  const materials = target.materials.length
  for (let t = 0; t < facets; t++) {
    const from = facetOf[t]
    region[t] = (target.facetGroup?.[from] ?? 0) * materials + (target.facetMaterial?.[from] ?? 0)
    for (let i = 0; i < 3; i++) {
      triangles[3 * t + i] = first[3 * from + i]
      normals[3 * t + i] = target.normals[3 * from + i]
    }
  }
  return { positions, triangles, region, normals, mirrors: [], centre }
}
