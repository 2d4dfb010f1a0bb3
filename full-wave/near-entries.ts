import { shared } from '../parallel/shared-memory.js'
import type { Functions } from './functions.js'
import type { PairIntegrals } from './pair-integrals.js'

/** Distances of centroids, in longest edges of the pair, from which on a rule in single precision serves a pair. */
const APART = 1.5

/** Entries of the matrix whose functions have triangles close together, by rows: those of row i from `starts[i]` on. */
export interface NearEntries {
  starts: Int32Array
  columns: Int32Array
  /** Complex, re and im interleaved. */
  values: Float64Array
}

/** Triangles, corners and factors of each function, two of each; of one with a single triangle that one twice, the second time with 0. */
export function functionParts({ count, triangles, first, functions, factors }: Functions): {
  triangles: Int32Array
  corners: Int32Array
  factors: Float64Array
} {
  const parts = {
    triangles: new Int32Array(2 * count),
    corners: new Int32Array(2 * count),
    factors: new Float64Array(2 * count),
  }
  const seen = new Uint8Array(count)
  for (let c = 0; c < 3 * triangles; c++)
    for (let a = first[c]; a < first[c + 1]; a++) {
      const at = 2 * functions[a] + seen[functions[a]]++
      parts.triangles[at] = Math.trunc(c / 3)
      parts.corners[at] = c % 3
      parts.factors[at] = factors[a]
    }
  for (let f = 0; f < count; f++) if (seen[f] === 1) parts.triangles[2 * f + 1] = parts.triangles[2 * f]
  return parts
}

/** Where the entries are that the rules for triangles apart do not serve; their values are zeros. The arrays are in shared memory. */
export function nearPattern(f: Functions): NearEntries {
  const { first, functions, count, triangles } = f
  const { triangles: parts } = functionParts(f)
  const near = neighbours(f)
  const starts = shared(Int32Array, count + 1)
  const rows: Int32Array[] = []
  /** The last row that had each function. */
  const seen = new Int32Array(count).fill(-1)
  for (let row = 0; row < count; row++) {
    const found: number[] = []
    for (let p = 0; p < 2; p++)
      for (const image of near[parts[2 * row + p]]) {
        const n = image % triangles
        for (let a = first[3 * n]; a < first[3 * n + 3]; a++) {
          if (seen[functions[a]] === row) continue
          seen[functions[a]] = row
          found.push(functions[a])
        }
      }
    rows.push(Int32Array.from(found).sort())
    starts[row + 1] = starts[row] + found.length
  }
  const columns = shared(Int32Array, starts[count])
  rows.forEach((row, i) => columns.set(row, starts[i]))
  return { starts, columns, values: shared(Float64Array, 2 * columns.length) }
}

/**
 * Computes the values of rows `from` to `to`, whole: over all pairs of triangles of the two functions. The order of additions to an entry
 * does not depend on which rows are computed together.
 */
export function fillNear(
  f: Functions,
  integrals: PairIntegrals,
  { starts, columns, values }: NearEntries,
  from: number,
  to: number,
): void {
  const { triangles, signs, first, functions, factors } = f
  const { triangles: parts } = functionParts(f)
  values.fill(0, 2 * starts[from], 2 * starts[to])
  for (let m = 0; m < triangles; m++) {
    const sources = new Set<number>()
    for (let a = first[3 * m]; a < first[3 * m + 3]; a++) {
      const row = functions[a]
      if (row < from || row >= to) continue
      for (let e = starts[row]; e < starts[row + 1]; e++) {
        sources.add(parts[2 * columns[e]])
        sources.add(parts[2 * columns[e] + 1])
      }
    }
    for (const n of Int32Array.from(sources).sort())
      for (let image = 0; image < signs.length; image++) {
        integrals.compute(m, image * triangles + n)
        for (let i = 0; i < 3; i++)
          for (let a = first[3 * m + i]; a < first[3 * m + i + 1]; a++) {
            const row = functions[a]
            if (row < from || row >= to) continue
            for (let j = 0; j < 3; j++)
              for (let b = first[3 * n + j]; b < first[3 * n + j + 1]; b++) {
                const at = placeOf(columns, starts[row], starts[row + 1], functions[b])
                if (at < 0) continue
                const scale = signs[image] * factors[a] * factors[b]
                values[2 * at] += scale * integrals.values[2 * (3 * i + j)]
                values[2 * at + 1] += scale * integrals.values[2 * (3 * i + j) + 1]
              }
          }
      }
  }
}

/** Place of a number in the sorted part of a list from `from` to `to`, or -1. */
function placeOf(list: Int32Array, from: number, to: number, x: number): number {
  let [low, high] = [from, to - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    if (list[middle] === x) return middle
    if (list[middle] < x) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Triangles and images with functions that are near each triangle, itself with them, ascending: centres in cells of a grid. */
function neighbours({ triangles, corners, areas, first }: Functions): number[][] {
  const count = areas.length
  const centres = new Float64Array(3 * count)
  const sizes = new Float64Array(count)
  for (let t = 0; t < count; t++) {
    const c = corners.subarray(9 * t, 9 * t + 9)
    for (let a = 0; a < 3; a++) centres[3 * t + a] = (c[a] + c[a + 3] + c[a + 6]) / 3
    for (let v = 0; v < 3; v++) {
      const w = (v + 1) % 3
      sizes[t] = Math.max(sizes[t], Math.hypot(c[3 * v] - c[3 * w], c[3 * v + 1] - c[3 * w + 1], c[3 * v + 2] - c[3 * w + 2])) // prettier-ignore
    }
  }
  const cell = APART * sizes.reduce((most, s) => Math.max(most, s), 0)
  const cells = new Map<string, number[]>()
  const place = (t: number): number[] => [0, 1, 2].map((a) => Math.floor(centres[3 * t + a] / cell))
  for (let t = 0; t < count; t++) {
    const own = t % triangles
    if (first[3 * own] === first[3 * own + 3]) continue
    const key = place(t).join()
    const there = cells.get(key)
    if (there) there.push(t)
    else cells.set(key, [t])
  }
  return Array.from({ length: triangles }, (_, m) => {
    const [x, y, z] = place(m)
    const out: number[] = []
    for (let i = -1; i <= 1; i++)
      for (let j = -1; j <= 1; j++)
        for (let l = -1; l <= 1; l++)
          for (const n of cells.get(`${x + i},${y + j},${z + l}`) ?? []) {
            const far = Math.hypot(centres[3 * m] - centres[3 * n], centres[3 * m + 1] - centres[3 * n + 1], centres[3 * m + 2] - centres[3 * n + 2]) // prettier-ignore
            if (far < APART * Math.max(sizes[m], sizes[n])) out.push(n)
          }
    return out.sort((a, b) => a - b)
  })
}
