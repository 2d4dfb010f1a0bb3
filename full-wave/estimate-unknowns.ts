import type { Target } from '../scene/index.js'
import type { CurrentMeshOptions } from './mesh-for-currents.js'

/** RWG functions a square of the size, away from edges: measured on spheres and wide plates. */
const PER_SQUARE = 3.5
/** Edges bent by more than this are graded [rad]; see `findFeatures`. */
const SINGULAR = (40 * Math.PI) / 180

/**
 * About how many RWG functions `meshForCurrents` gives, without meshing: by area, and by the length of borders, junctions and sharp edges.
 * Within some 20 %; small curved parts can add more.
 *
 * @returns the estimate of a wavelength [m]
 */
export function estimateUnknowns(
  target: Target,
  { elementsPerWavelength = 8, firstRow = 1 / 64, growth = 1.5 }: CurrentMeshOptions = {},
): (wavelength: number) => number {
  const size = 1 / elementsPerWavelength
  const { positions: p, triangles: tri, normals: n } = target
  const rows = Math.max(0, Math.log(size / firstRow) / Math.log(growth))
  // Rows up to the plain size, less those that the same strip had of that size; three functions for two triangles.
  const width = (size - firstRow) / (growth - 1)
  const perLength = firstRow < size ? 3 * (rows / size - width / (size * size)) : 0
  const bordering = new Map<number, number[]>()
  for (let h = 0; h < tri.length; h++) {
    const [a, b] = [tri[h], tri[h % 3 === 2 ? h - 2 : h + 1]]
    const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b)
    const list = bordering.get(key)
    if (list) list.push(h)
    else bordering.set(key, [h])
  }
  let length = 0
  for (const halves of bordering.values()) {
    const h = halves[0]
    const [i, j] = [3 * ((h / 3) | 0), 3 * (((halves[1] ?? 0) / 3) | 0)]
    const bend = Math.acos(Math.max(-1, Math.min(1, n[i] * n[j] + n[i + 1] * n[j + 1] + n[i + 2] * n[j + 2])))
    if (halves.length === 2 && bend < SINGULAR) continue
    const a = 3 * tri[h]
    const b = 3 * tri[h % 3 === 2 ? h - 2 : h + 1]
    length += halves.length * Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
  }
  return (wavelength) =>
    Math.round((PER_SQUARE * target.area) / (wavelength * size) ** 2 + (perLength * length) / wavelength)
}
