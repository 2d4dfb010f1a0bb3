/**
 * A complex number [re, im], for formulas written as their source has them. Hot loops keep real and imaginary parts in variables or
 * arrays instead.
 */
export type Complex = readonly [re: number, im: number]

export const multiply = (a: Complex, b: Complex): Complex => [
  a[0] * b[0] - a[1] * b[1],
  a[0] * b[1] + a[1] * b[0],
]

export const add = (a: Complex, b: Complex): Complex => [a[0] + b[0], a[1] + b[1]]
export const subtract = (a: Complex, b: Complex): Complex => [a[0] - b[0], a[1] - b[1]]
export const scale = (x: number, a: Complex): Complex => [x * a[0], x * a[1]]

export function divide(a: Complex, b: Complex): Complex {
  const size = b[0] * b[0] + b[1] * b[1]
  return [(a[0] * b[0] + a[1] * b[1]) / size, (a[1] * b[0] - a[0] * b[1]) / size]
}

export const magnitude = (a: Complex): number => Math.hypot(a[0], a[1])

export function exp(a: Complex): Complex {
  const size = Math.exp(a[0])
  return [size * Math.cos(a[1]), size * Math.sin(a[1])]
}

export const sin = ([re, im]: Complex): Complex => [
  Math.sin(re) * Math.cosh(im),
  Math.cos(re) * Math.sinh(im),
]
export const cos = ([re, im]: Complex): Complex => [
  Math.cos(re) * Math.cosh(im),
  -Math.sin(re) * Math.sinh(im),
]

/** The principal value, with a real part of at least 0. */
export function sqrt([re, im]: Complex): Complex {
  const size = Math.hypot(re, im)
  if (size === 0) return [0, 0]
  const larger = Math.sqrt((size + Math.abs(re)) / 2)
  const smaller = Math.abs(im) / (2 * larger)
  const [x, y] = re >= 0 ? [larger, smaller] : [smaller, larger]
  return [x, im < 0 ? -y : y]
}

/** The principal value, -j log(jz + sqrt(1 - z^2)), with a real part between -pi/2 and pi/2. */
export function asin(z: Complex): Complex {
  const root = multiply(sqrt([1 - z[0], -z[1]]), sqrt([1 + z[0], z[1]]))
  // Of jz + root and root - jz, whose product is 1, the larger one has all its digits.
  const plus: Complex = [root[0] - z[1], root[1] + z[0]]
  const minus: Complex = [root[0] + z[1], root[1] - z[0]]
  const isPlus = magnitude(plus) >= magnitude(minus)
  const [re, im] = isPlus ? plus : minus
  const sign = isPlus ? 1 : -1
  return [sign * Math.atan2(im, re), -sign * Math.log(Math.hypot(re, im))]
}

/**
 * Solves A X = B by elimination with row pivots, in place: n rows of A, an even number, and then B's columns, complex, re and im in turn. Leaves X
 * where B was. Two pivots are taken off two rows at a time, which halves the numbers read.
 *
 * @param columns  of B
 */
export function solveInPlace(a: Float64Array, n: number, columns: number): void {
  const width = 2 * (n + columns)
  for (let i = 0; i < n; i += 2) {
    const top = i * width
    const low = top + width
    pivot(a, n, width, i, 2 * i)
    for (let row = low; row < n * width; row += width) subtractRow(a, row, top, 2 * i, 2 * i + 2, 2 * i + 4)
    pivot(a, n, width, i + 1, 2 * i)
    subtractRow(a, low, top, 2 * i, 2 * i + 4, width)
    for (let row = low + width; row < n * width; row += 2 * width) subtractPairs(a, row, top, 2 * i, width)
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

/** Brings the largest number of column i from row i on into row i, with what is from a position of the row on, and divides those below by it. */
function pivot(a: Float64Array, n: number, width: number, i: number, from: number): void {
  const at = 2 * i
  let best = i
  let most = -1
  for (let r = i; r < n; r++) {
    const o = r * width + at
    const size = a[o] * a[o] + a[o + 1] * a[o + 1]
    if (size > most) {
      most = size
      best = r
    }
  }
  const top = i * width
  if (best !== i) {
    const row = a.slice(top + from, top + width)
    a.copyWithin(top + from, best * width + from, (best + 1) * width)
    a.set(row, best * width + from)
  }
  const pRe = a[top + at] / most
  const pIm = a[top + at + 1] / most
  for (let o = top + width + at; o < n * width; o += width) {
    const x = a[o]
    const y = a[o + 1]
    a[o] = x * pRe + y * pIm
    a[o + 1] = y * pRe - x * pIm
  }
}

/** Takes off a row another one times its number at a position, from one position up to another. */
function subtractRow(
  a: Float64Array,
  row: number,
  other: number,
  at: number,
  from: number,
  to: number,
): void {
  const re = a[row + at]
  const im = a[row + at + 1]
  for (let c = from; c < to; c += 2) {
    const x = a[other + c]
    const y = a[other + c + 1]
    a[row + c] -= re * x - im * y
    a[row + c + 1] -= re * y + im * x
  }
}

/** Takes two rows, times the numbers at a position, off two others, after that position. */
function subtractPairs(a: Float64Array, row: number, top: number, at: number, width: number): void {
  const next = row + width
  const low = top + width
  const pRe = a[row + at]
  const pIm = a[row + at + 1]
  const qRe = a[row + at + 2]
  const qIm = a[row + at + 3]
  const rRe = a[next + at]
  const rIm = a[next + at + 1]
  const sRe = a[next + at + 2]
  const sIm = a[next + at + 3]
  for (let c = at + 4; c < width; c += 2) {
    const u = a[top + c]
    const v = a[top + c + 1]
    const x = a[low + c]
    const y = a[low + c + 1]
    a[row + c] -= pRe * u - pIm * v + (qRe * x - qIm * y)
    a[row + c + 1] -= pRe * v + pIm * u + (qRe * y + qIm * x)
    a[next + c] -= rRe * u - rIm * v + (sRe * x - sIm * y)
    a[next + c + 1] -= rRe * v + rIm * u + (sRe * y + sIm * x)
  }
}

/** Multiplies both pairs of four complex numbers by a 2x2 matrix, in place. */
export function applyTo(m: Float64Array, f: Float64Array): void {
  for (let o = 0; o < 8; o += 4) {
    const a = f[o]
    const b = f[o + 1]
    const c = f[o + 2]
    const d = f[o + 3]
    f[o] = m[0] * a - m[1] * b + m[2] * c - m[3] * d
    f[o + 1] = m[0] * b + m[1] * a + m[2] * d + m[3] * c
    f[o + 2] = m[4] * a - m[5] * b + m[6] * c - m[7] * d
    f[o + 3] = m[4] * b + m[5] * a + m[6] * d + m[7] * c
  }
}

/** Inverts a complex 2x2 matrix in place. */
export function invert(m: Float64Array): void {
  const re = m[0] * m[6] - m[1] * m[7] - (m[2] * m[4] - m[3] * m[5])
  const im = m[0] * m[7] + m[1] * m[6] - (m[2] * m[5] + m[3] * m[4])
  const size = re * re + im * im
  const a = m[0]
  const b = m[1]
  m[0] = (m[6] * re + m[7] * im) / size
  m[1] = (m[7] * re - m[6] * im) / size
  m[6] = (a * re + b * im) / size
  m[7] = (b * re - a * im) / size
  for (let i = 2; i < 6; i += 2) {
    const x = m[i]
    m[i] = -(x * re + m[i + 1] * im) / size
    m[i + 1] = -(m[i + 1] * re - x * im) / size
  }
}
