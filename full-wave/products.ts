/** Columns that are factored one by one, and depth of a product. */
export const PANEL = 64
/** Columns of a strip: what a task updates. */
export const STRIP = 32

/** Products of complex matrices in column-major order, re and im interleaved. */
export class Products {
  private left = new Float64Array(0)
  private readonly right = new Float64Array(2 * PANEL * STRIP)
  private readonly sums = new Float64Array(16)

  /**
   * C −= A B, with A of `rows` x `depth` from `a`, B of `depth` x `columns` from `b`, C of `rows` x `columns` from `c`, places in complex
   * numbers, and columns `order` apart.
   */
  subtract(
    A: Float64Array,
    a: number,
    C: Float64Array,
    b: number,
    c: number,
    order: number,
    rows: number,
    depth: number,
    columns: number,
  ): void {
    if (rows <= 0 || columns <= 0) return
    // Rows come in pairs: the last of an odd number has one of nothing beside it.
    const room = 2 * (rows + (rows % 2)) * PANEL
    if (this.left.length < room) this.left = new Float64Array(room)
    const { left, right, sums } = this
    // Two rows by two columns at a time: rows of A side by side.
    const pairs = rows >> 1
    for (let p = 0; p < depth; p++) {
      let from = 2 * (a + p * order)
      for (let i = 0, to = 4 * p; i < rows; i += 2, to += 4 * depth, from += 4) {
        left[to] = A[from]
        left[to + 1] = A[from + 1]
        if (i + 1 === rows) break
        left[to + 2] = A[from + 2]
        left[to + 3] = A[from + 3]
      }
    }
    for (let j = 0; j < columns; j++)
      for (let p = 0; p < depth; p++) {
        const to = 2 * (p * STRIP + j)
        right[to] = C[2 * (b + j * order + p)]
        right[to + 1] = C[2 * (b + j * order + p) + 1]
      }
    for (let i = 0; i < rows; i += 2) {
      const isPair = i >> 1 < pairs
      for (let j = 0; j < columns; j += 2) {
        tile(left, 2 * i * depth, right, 2 * j, depth, sums)
        for (let q = 0; q < 2 && j + q < columns; q++) {
          const to = 2 * (c + (j + q) * order + i)
          C[to] -= sums[4 * q]
          C[to + 1] -= sums[4 * q + 1]
          if (!isPair) continue
          C[to + 2] -= sums[4 * q + 2]
          C[to + 3] -= sums[4 * q + 3]
        }
      }
    }
  }
}

function tile(
  left: Float64Array,
  l: number,
  right: Float64Array,
  r: number,
  depth: number,
  out: Float64Array,
): void {
  let s0 = 0
  let s1 = 0
  let s2 = 0
  let s3 = 0
  let t0 = 0
  let t1 = 0
  let t2 = 0
  let t3 = 0
  for (let p = 0; p < depth; p++) {
    const a0 = left[l]
    const a1 = left[l + 1]
    const a2 = left[l + 2]
    const a3 = left[l + 3]
    const b0 = right[r]
    const b1 = right[r + 1]
    const b2 = right[r + 2]
    const b3 = right[r + 3]
    s0 += a0 * b0 - a1 * b1
    s1 += a0 * b1 + a1 * b0
    s2 += a2 * b0 - a3 * b1
    s3 += a2 * b1 + a3 * b0
    t0 += a0 * b2 - a1 * b3
    t1 += a0 * b3 + a1 * b2
    t2 += a2 * b2 - a3 * b3
    t3 += a2 * b3 + a3 * b2
    l += 4
    r += 2 * STRIP
  }
  out[0] = s0
  out[1] = s1
  out[2] = s2
  out[3] = s3
  out[4] = t0
  out[5] = t1
  out[6] = t2
  out[7] = t3
}
