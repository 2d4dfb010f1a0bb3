// `DelaySum` of rays/ for the nodes of a band: amplitudes are spread by their delay onto a grid, one FFT gives all frequencies.
// A row of the grid holds, per node, four channels as pairs: 64 bytes a node.
import { add, mul, rotated, same, splat, sub } from './functions'

let grid: usize = 0
let rows: i32 = 0
let rowBytes: usize = 0
let twiddle: usize = 0
let kernel: usize = 0
let weight: usize = 0
let width: i32 = 0
let lanes: i32 = 0
let degree: i32 = 0

/** Where grid and twiddles stand: exp(2 pi j i / rows), half as many as rows. */
export function setGrid(at: usize, rowCount: i32, nodes: i32, twiddles: usize): void {
  grid = at
  rows = rowCount
  rowBytes = 64 * nodes
  twiddle = twiddles
}

/** The spreading kernel (`SpreadingKernel` of math/): coefficients, and room for the values at `lanes` grid points. */
export function setKernel(
  coefficients: usize,
  values: usize,
  widthInRows: i32,
  laneCount: i32,
  degreeOfEach: i32,
): void {
  kernel = coefficients
  weight = values
  width = widthInRows
  lanes = laneCount
  degree = degreeOfEach
}

/** Adds amplitudes, rotated by cos + j sin, at a position of 0 to `rows` on the grid. */
export function addAt(position: f64, cos: f64, sin: f64, amplitudes: usize): void {
  const first = kernelAt(position)
  const c = splat(cos)
  const s = f64x2(-sin, sin)
  for (let at: usize = 0; at < rowBytes; at += 64) {
    const from = amplitudes + at
    const a = rotated(v128.load(from), c, s)
    const b = rotated(v128.load(from, 16), c, s)
    const d = rotated(v128.load(from, 32), c, s)
    const e = rotated(v128.load(from, 48), c, s)
    for (let i = 0; i < width; i++) {
      const w = same(weight + 8 * i)
      const to = grid + at + rowBytes * ((first + i) & (rows - 1))
      v128.store(to, add(v128.load(to), mul(w, a)))
      v128.store(to, add(v128.load(to, 16), mul(w, b)), 16)
      v128.store(to, add(v128.load(to, 32), mul(w, d)), 32)
      v128.store(to, add(v128.load(to, 48), mul(w, e)), 48)
    }
  }
}

/** Computes the kernel's values about a position and returns the first row. */
function kernelAt(position: f64): i32 {
  const first = ceil(position - 0.5 * <f64>width)
  const z = splat(2 * (first - position + 0.5 * <f64>width) - 1)
  for (let i = 0; i < lanes; i += 2) {
    let a = splat(0)
    for (let n = 0, at = kernel + 8 * i; n <= degree; n++, at += 8 * lanes) a = add(mul(a, z), v128.load(at))
    v128.store(weight + 8 * i, a)
  }
  return <i32>first
}

/**
 * Transforms the grid and writes the amplitudes of all frequencies: of each the sum over the nodes of its row times its `factors`
 * (nodes a frequency). Frequency i is in row i - middle, modulo the rows.
 */
export function transform(frequencies: i32, middle: i32, factors: usize, out: usize): void {
  transformRows()
  for (let i = 0, f = factors; i < frequencies; i++) {
    let a = splat(0)
    let b = splat(0)
    let c = splat(0)
    let d = splat(0)
    const row = grid + rowBytes * ((i - middle) & (rows - 1))
    for (let at = row; at < row + rowBytes; at += 64, f += 8) {
      const factor = same(f)
      a = add(a, mul(factor, v128.load(at)))
      b = add(b, mul(factor, v128.load(at, 16)))
      c = add(c, mul(factor, v128.load(at, 32)))
      d = add(d, mul(factor, v128.load(at, 48)))
    }
    const to = out + 64 * i
    v128.store(to, a)
    v128.store(to, b, 16)
    v128.store(to, c, 32)
    v128.store(to, d, 48)
  }
}

/** In-place FFT over the rows with exp(+2 pi j i n / rows), two stages at a time. */
function transformRows(): void {
  reverseBits()
  let half = 1
  if (ctz(rows) & 1) {
    for (let p = grid; p < grid + rowBytes * rows; p += 2 * rowBytes)
      for (let at = p; at < p + rowBytes; at += 16) {
        const a = v128.load(at)
        const b = v128.load(at + rowBytes)
        v128.store(at, add(a, b))
        v128.store(at + rowBytes, sub(a, b))
      }
    half = 2
  }
  for (; half < rows; half *= 4) {
    const step = rows / (4 * half)
    for (let i = 0; i < half; i++)
      for (let start = i; start < rows; start += 4 * half)
        quarter(grid + rowBytes * start, rowBytes * half, twiddle + 32 * i * step, twiddle + 16 * i * step)
  }
}

/** Four rows, `stride` apart from `first` on, through two stages of the twiddles w1 and w2; that of the second half is j w2. */
function quarter(first: usize, stride: usize, w1: usize, w2: usize): void {
  const r1 = same(w1)
  const r2 = same(w2)
  const i1 = f64x2(-load<f64>(w1, 8), load<f64>(w1, 8))
  const i2 = f64x2(-load<f64>(w2, 8), load<f64>(w2, 8))
  const j = f64x2(-1, 1)
  for (let p = first; p < first + rowBytes; p += 16) {
    const q = p + stride
    const r = q + stride
    const s = r + stride
    const y = rotated(v128.load(q), r1, i1)
    const w = rotated(v128.load(s), r1, i1)
    const x = v128.load(p)
    const z = v128.load(r)
    const u = rotated(add(z, w), r2, i2)
    const t = rotated(sub(z, w), r2, i2)
    const v = mul(v128.shuffle<f64>(t, t, 1, 0), j)
    const a = add(x, y)
    const b = sub(x, y)
    v128.store(p, add(a, u))
    v128.store(r, sub(a, u))
    v128.store(q, add(b, v))
    v128.store(s, sub(b, v))
  }
}

/** Moves every row to where its number's bits in reverse say. */
function reverseBits(): void {
  for (let i = 1, j = 0; i < rows; i++) {
    let bit = rows >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j |= bit
    if (i >= j) continue
    const a = grid + rowBytes * i
    const b = grid + rowBytes * j
    for (let at: usize = 0; at < rowBytes; at += 16) {
      const t = v128.load(a + at)
      v128.store(a + at, v128.load(b + at))
      v128.store(b + at, t)
    }
  }
}
