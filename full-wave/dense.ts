/**
 * A dense complex matrix in double precision, row by row, re and im interleaved, and its LU factors in place (right-looking, partial
 * pivoting by |re| + |im|, panels of `PANEL` columns). Steps are apart so that threads can share them; the order of operations on an
 * element is that of one thread.
 */
export const PANEL = 48
/** Columns that stay in the cache while a panel's rows are subtracted. */
const BLOCK = 256

/**
 * Factors columns k0 to k1 of rows k0 to n, exchanges whole rows, and solves the panel's rows of U.
 * @param pivots  row exchanged with row i, written for the panel's rows
 * @returns whether a pivot was zero
 */
export function factorPanel(a: Float64Array, n: number, k0: number, k1: number, pivots: Int32Array): boolean {
  for (let p = k0; p < k1; p++) {
    let best = -1
    let row = p
    for (let i = p; i < n; i++) {
      const at = 2 * (i * n + p)
      const size = Math.abs(a[at]) + Math.abs(a[at + 1])
      if (size > best) {
        best = size
        row = i
      }
    }
    if (!(best > 0)) return true
    pivots[p] = row
    if (row !== p) {
      const [one, other] = [2 * p * n, 2 * row * n]
      const kept = a.slice(one, one + 2 * n)
      a.copyWithin(one, other, other + 2 * n)
      a.set(kept, other)
    }
    const at = 2 * (p * n + p)
    const size = a[at] * a[at] + a[at + 1] * a[at + 1]
    const re = a[at] / size
    const im = -a[at + 1] / size
    for (let i = p + 1; i < n; i++) {
      const to = 2 * (i * n + p)
      const x = a[to]
      const lRe = x * re - a[to + 1] * im
      const lIm = x * im + a[to + 1] * re
      a[to] = lRe
      a[to + 1] = lIm
      if (lRe === 0 && lIm === 0) continue
      for (let j = p + 1; j < k1; j++) {
        const c = 2 * (i * n + j)
        const u = 2 * (p * n + j)
        a[c] -= lRe * a[u] - lIm * a[u + 1]
        a[c + 1] -= lRe * a[u + 1] + lIm * a[u]
      }
    }
  }
  for (let i = k0 + 1; i < k1; i++) subtractRows(a, 2 * i * n, a, n, i * n, k0, i, k1, n)
  return false
}

/** Subtracts the panel's part from rows `from` to `to`, right of the panel. */
export function updateRows(
  a: Float64Array,
  n: number,
  k0: number,
  k1: number,
  from: number,
  to: number,
): void {
  for (let j0 = k1; j0 < n; j0 += BLOCK)
    for (let i = from; i < to; i++)
      subtractRows(a, 2 * i * n, a, n, i * n, k0, k1, j0, Math.min(n, j0 + BLOCK))
}

/**
 * c[j] −= Σ_p l[p] b[p][j] for p from p0 to p1 and columns j0 to j1: l at `2 (lAt + p)` of `a`, rows of `b` of `width` complex numbers, c
 * from number `cAt` of `b`.
 */
function subtractRows(
  a: Float64Array,
  cAt: number,
  b: Float64Array,
  width: number,
  lAt: number,
  p0: number,
  p1: number,
  j0: number,
  j1: number,
): void {
  let p = p0
  for (; p + 3 < p1; p += 4) {
    const l = 2 * (lAt + p)
    const ar = a[l]
    const ai = a[l + 1]
    const br = a[l + 2]
    const bi = a[l + 3]
    const cr = a[l + 4]
    const ci = a[l + 5]
    const dr = a[l + 6]
    const di = a[l + 7]
    const u0 = 2 * p * width
    const u1 = u0 + 2 * width
    const u2 = u1 + 2 * width
    const u3 = u2 + 2 * width
    for (let j = 2 * j0; j < 2 * j1; j += 2) {
      const x0 = b[u0 + j]
      const y0 = b[u0 + j + 1]
      const x1 = b[u1 + j]
      const y1 = b[u1 + j + 1]
      const x2 = b[u2 + j]
      const y2 = b[u2 + j + 1]
      const x3 = b[u3 + j]
      const y3 = b[u3 + j + 1]
      b[cAt + j] -= ar * x0 - ai * y0 + (br * x1 - bi * y1) + (cr * x2 - ci * y2) + (dr * x3 - di * y3)
      b[cAt + j + 1] -= ar * y0 + ai * x0 + (br * y1 + bi * x1) + (cr * y2 + ci * x2) + (dr * y3 + di * x3)
    }
  }
  for (; p < p1; p++) {
    const re = a[2 * (lAt + p)]
    const im = a[2 * (lAt + p) + 1]
    const u = 2 * p * width
    for (let j = 2 * j0; j < 2 * j1; j += 2) {
      b[cAt + j] -= re * b[u + j] - im * b[u + j + 1]
      b[cAt + j + 1] -= re * b[u + j + 1] + im * b[u + j]
    }
  }
}

/** Solves A x = b in place by the factors: `width` right-hand sides, row by row. */
export function substitute(
  a: Float64Array,
  n: number,
  pivots: Int32Array,
  b: Float64Array,
  width: number,
): void {
  for (let i = 0; i < n; i++) {
    const row = pivots[i]
    if (row === i) continue
    for (let j = 0; j < 2 * width; j++) {
      const x = b[2 * i * width + j]
      b[2 * i * width + j] = b[2 * row * width + j]
      b[2 * row * width + j] = x
    }
  }
  for (let i = 1; i < n; i++) subtractRows(a, 2 * i * width, b, width, i * n, 0, i, 0, width)
  for (let i = n - 1; i >= 0; i--) {
    subtractRows(a, 2 * i * width, b, width, i * n, i + 1, n, 0, width)
    const at = 2 * (i * n + i)
    const size = a[at] * a[at] + a[at + 1] * a[at + 1]
    const re = a[at] / size
    const im = -a[at + 1] / size
    for (let j = 2 * i * width; j < 2 * (i + 1) * width; j += 2) {
      const x = b[j]
      b[j] = x * re - b[j + 1] * im
      b[j + 1] = x * im + b[j + 1] * re
    }
  }
}
