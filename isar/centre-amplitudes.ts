import type { Atom, Sector } from './centre-sector.js'

/** Added to the diagonal of the normal equations, against their own diagonal: keeps amplitudes of centres close together bounded. */
const RIDGE = 1e-4

/** Amplitudes of all atoms together by least squares, channel by channel. @param fields  as in `SectorHistory` */
export function solveAmplitudes(sector: Sector, atoms: Atom[], fields: Float64Array[]): void {
  const n = atoms.length
  const { count } = sector
  const gram = new Float64Array(2 * n * n)
  const right = fields.map(() => new Float64Array(2 * n))
  const gains = atoms.map((atom) => sector.gains(atom.exponent))
  const seen = atoms.map((atom) => {
    const { aspects, weights } = sector.seen(atom)
    return new Map(Array.from(aspects, (a, i) => [a, weights[i]]))
  })
  const columns = atoms.map(() => new Float64Array(2 * count))
  for (let a = 0; a < sector.aspects; a++) {
    const active: number[] = []
    for (let i = 0; i < n; i++) {
      const w = seen[i].get(a)
      if (w === undefined) continue
      sector.phasors(sector.range(atoms[i], a), gains[i], columns[i])
      for (let m = 0; m < 2 * count; m++) columns[i][m] *= w
      active.push(i)
    }
    for (const i of active) {
      for (const j of active) {
        if (j > i) break
        addInner(columns[i], columns[j], 0, gram, 2 * (i * n + j))
      }
      fields.forEach((field, c) => addInner(columns[i], field, 2 * count * a, right[c], 2 * i))
    }
  }
  for (let i = 0; i < n; i++) gram[2 * (i * n + i)] *= 1 + RIDGE
  factor(gram, n)
  fields.forEach((_, c) => {
    solve(gram, n, right[c])
    atoms.forEach(({ amplitude }, i) => amplitude.set(right[c].subarray(2 * i, 2 * i + 2), 2 * c))
  })
}

/** Adds sum conj(a) b to out[at]; b begins at `from`. */
function addInner(a: Float64Array, b: Float64Array, from: number, out: Float64Array, at: number): void {
  let re = 0
  let im = 0
  for (let m = 0; m < a.length; m += 2) {
    re += a[m] * b[from + m] + a[m + 1] * b[from + m + 1]
    im += a[m] * b[from + m + 1] - a[m + 1] * b[from + m]
  }
  out[at] += re
  out[at + 1] += im
}

/** Cholesky factor L of a Hermitian matrix, in the lower half of it: A = L L^H. */
function factor(a: Float64Array, n: number): void {
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let re = a[2 * (i * n + j)]
      let im = a[2 * (i * n + j) + 1]
      for (let k = 0; k < j; k++) {
        const [p, q] = [2 * (i * n + k), 2 * (j * n + k)]
        re -= a[p] * a[q] + a[p + 1] * a[q + 1]
        im -= a[p + 1] * a[q] - a[p] * a[q + 1]
      }
      const at = 2 * (i * n + j)
      if (i === j) {
        a[at] = Math.sqrt(Math.max(re, Number.MIN_VALUE))
        a[at + 1] = 0
      } else {
        const d = a[2 * (j * n + j)]
        a[at] = re / d
        a[at + 1] = im / d
      }
    }
  }
}

/** Solves L L^H x = b in place. */
function solve(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let [re, im] = [b[2 * i], b[2 * i + 1]]
    for (let k = 0; k < i; k++) {
      const p = 2 * (i * n + k)
      re -= l[p] * b[2 * k] - l[p + 1] * b[2 * k + 1]
      im -= l[p] * b[2 * k + 1] + l[p + 1] * b[2 * k]
    }
    b[2 * i] = re / l[2 * (i * n + i)]
    b[2 * i + 1] = im / l[2 * (i * n + i)]
  }
  for (let i = n - 1; i >= 0; i--) {
    let [re, im] = [b[2 * i], b[2 * i + 1]]
    for (let k = i + 1; k < n; k++) {
      const p = 2 * (k * n + i)
      re -= l[p] * b[2 * k] + l[p + 1] * b[2 * k + 1]
      im -= l[p] * b[2 * k + 1] - l[p + 1] * b[2 * k]
    }
    b[2 * i] = re / l[2 * (i * n + i)]
    b[2 * i + 1] = im / l[2 * (i * n + i)]
  }
}
