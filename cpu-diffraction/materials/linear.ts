/**
 * Solves A X = B by elimination with row pivots, in place: n rows of A and then B's columns, complex, re and im in turn. Leaves X where B was.
 *
 * @param columns  of B
 */
export function solveInPlace(a: Float64Array, n: number, columns: number): void {
  const width = 2 * (n + columns)
  for (let i = 0; i < n; i++) {
    let best = i
    let most = -1
    for (let r = i; r < n; r++) {
      const o = r * width + 2 * i
      const size = a[o] * a[o] + a[o + 1] * a[o + 1]
      if (size > most) {
        most = size
        best = r
      }
    }
    const top = i * width
    if (best !== i) {
      const row = a.slice(top + 2 * i, top + width)
      a.copyWithin(top + 2 * i, best * width + 2 * i, (best + 1) * width)
      a.set(row, best * width + 2 * i)
    }
    const pRe = a[top + 2 * i] / most
    const pIm = a[top + 2 * i + 1] / most
    for (let r = i + 1; r < n; r++) {
      const row = r * width
      const x = a[row + 2 * i]
      const y = a[row + 2 * i + 1]
      if (x === 0 && y === 0) continue
      const re = x * pRe + y * pIm
      const im = y * pRe - x * pIm
      for (let c = 2 * i + 2; c < width; c += 2) {
        a[row + c] -= re * a[top + c] - im * a[top + c + 1]
        a[row + c + 1] -= re * a[top + c + 1] + im * a[top + c]
      }
    }
  }
  for (let c = 2 * n; c < width; c += 2)
    for (let i = n - 1; i >= 0; i--) {
      const row = i * width
      let re = a[row + c]
      let im = a[row + c + 1]
      for (let k = i + 1; k < n; k++) {
        const x = a[k * width + c]
        const y = a[k * width + c + 1]
        re -= a[row + 2 * k] * x - a[row + 2 * k + 1] * y
        im -= a[row + 2 * k] * y + a[row + 2 * k + 1] * x
      }
      const pRe = a[row + 2 * i]
      const pIm = a[row + 2 * i + 1]
      const size = pRe * pRe + pIm * pIm
      a[row + c] = (re * pRe + im * pIm) / size
      a[row + c + 1] = (im * pRe - re * pIm) / size
    }
}
