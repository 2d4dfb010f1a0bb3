import { instantiate } from '../parallel/webassembly.js'
import { productsWasm } from './products-wasm.gen.js'

/** Columns that are factored one by one, and depth of a product. */
export const PANEL = 64
/** Columns of a strip: what a task updates. */
export const STRIP = 32
/** Rows that are multiplied together: both factors and the product stay in the second cache. */
const ROWS = 192

/** What the module exports (full-wave/wasm). Addresses are in bytes. */
interface ProductFunctions {
  multiply(
    left: number,
    right: number,
    out: number,
    pairs: number,
    columns: number,
    depth: number,
    stride: number,
    height: number,
  ): void
}

/** Below it are the module's own tables. */
const START = 4096
const [LEFT, RIGHT, OUT, END] = [
  0,
  ROWS * PANEL,
  (ROWS + STRIP) * PANEL,
  (ROWS + STRIP) * PANEL + ROWS * STRIP,
].map((elements) => START + 16 * elements)

/** Products of complex matrices in column-major order, re and im interleaved, by WebAssembly with a memory of its own that never grows. */
export class Products {
  private readonly run: ProductFunctions
  private readonly left: Float64Array
  private readonly right: Float64Array
  private readonly out: Float64Array

  constructor() {
    const { run, memory } = instantiate<ProductFunctions>({
      code: productsWasm,
      what: 'full wave',
      bytes: END,
      lower: 'threads',
    })
    this.run = run
    this.left = new Float64Array(memory, LEFT, 2 * ROWS * PANEL)
    this.right = new Float64Array(memory, RIGHT, 2 * PANEL * STRIP)
    this.out = new Float64Array(memory, OUT, 2 * ROWS * STRIP)
  }

  /**
   * C −= A B, with A of `rows` x `depth` from `a` of `A`, B of `depth` x `columns` from `b` of `C`, C of `rows` x `columns` from `c`, places in
   * complex numbers, and columns `order` apart.
   */
  subtract(
    A: Float64Array,
    C: Float64Array,
    order: number,
    { a, b, c }: { a: number; b: number; c: number },
    { rows, depth, columns }: { rows: number; depth: number; columns: number },
  ): void {
    if (rows <= 0 || columns <= 0) return
    const { left, right, out, run } = this
    for (let j = 0; j < columns; j++)
      for (let p = 0; p < depth; p++) {
        const to = 2 * (p * STRIP + j)
        right[to] = C[2 * (b + j * order + p)]
        right[to + 1] = C[2 * (b + j * order + p) + 1]
      }
    for (let first = 0; first < rows; first += ROWS) {
      const count = Math.min(ROWS, rows - first)
      // Rows come in pairs, side by side; what is beside the last of an odd number, or the last column of one, is not read back.
      for (let p = 0; p < depth; p++) {
        let from = 2 * (a + p * order + first)
        for (let i = 0, to = 4 * p; i < count; i += 2, to += 4 * depth, from += 4) {
          left[to] = A[from]
          left[to + 1] = A[from + 1]
          if (i + 1 === count) break
          left[to + 2] = A[from + 2]
          left[to + 3] = A[from + 3]
        }
      }
      run.multiply(LEFT, RIGHT, OUT, (count + 1) >> 1, (columns + 1) & ~1, depth, 16 * STRIP, 16 * ROWS)
      for (let j = 0; j < columns; j++) {
        const to = 2 * (c + j * order + first)
        const from = 2 * j * ROWS
        for (let i = 0; i < 2 * count; i++) C[to + i] -= out[from + i]
      }
    }
  }
}

/*
 * LU factors with partial pivoting of a complex matrix in column-major order, re and im interleaved, panel by panel: P A = L U, L of unit
 * diagonal. Every element is computed by the same operations however strips are divided among threads.
 */

/** A square matrix, or what becomes of it. */
export interface Matrix {
  order: number
  /** 2 · order² numbers. */
  elements: Float64Array
  /** Row that each row was exchanged with, in order. */
  pivots: Int32Array
}

/** Factors the panel of columns from `from`. @throws Error for a matrix that is singular to the last bit */
export function factorPanel({ order: n, elements: a, pivots }: Matrix, from: number): void {
  const to = Math.min(n, from + PANEL)
  for (let k = from; k < to; k++) {
    const column = 2 * k * n
    let best = k
    let most = -1
    for (let i = k; i < n; i++) {
      const re = a[column + 2 * i]
      const im = a[column + 2 * i + 1]
      const size = re * re + im * im
      if (size > most) {
        most = size
        best = i
      }
    }
    if (!(most > 0)) throw new Error('the matrix of the method of moments is singular')
    pivots[k] = best
    if (best !== k) for (let j = from; j < to; j++) swap(a, 2 * (j * n + k), 2 * (j * n + best))
    const re = a[column + 2 * k] / most
    const im = -a[column + 2 * k + 1] / most
    for (let i = 2 * (k + 1); i < 2 * n; i += 2) {
      const x = a[column + i]
      const y = a[column + i + 1]
      a[column + i] = x * re - y * im
      a[column + i + 1] = x * im + y * re
    }
    for (let j = k + 1; j < to; j++) subtractColumn(a, 2 * j * n, column, k, n)
  }
}

/** Column `to` less its element k times column `from`, below row k. */
function subtractColumn(a: Float64Array, to: number, from: number, k: number, n: number): void {
  const re = a[to + 2 * k]
  const im = a[to + 2 * k + 1]
  if (re === 0 && im === 0) return
  for (let i = 2 * (k + 1); i < 2 * n; i += 2) {
    const x = a[from + i]
    const y = a[from + i + 1]
    a[to + i] -= x * re - y * im
    a[to + i + 1] -= x * im + y * re
  }
}

function swap(a: Float64Array, p: number, q: number): void {
  const re = a[p]
  const im = a[p + 1]
  a[p] = a[q]
  a[p + 1] = a[q + 1]
  a[q] = re
  a[q + 1] = im
}

function exchangeRows(
  x: Float64Array,
  n: number,
  column: number,
  pivots: Int32Array,
  from: number,
  to: number,
): void {
  for (let k = from; k < to; k++)
    if (pivots[k] !== k) swap(x, 2 * (column * n + k), 2 * (column * n + pivots[k]))
}

/** Columns `first` to `last` of the matrix after the panel from `from`: exchanges alone on its left, else their row of U and the rest. */
export function updateStrip(
  matrix: Matrix,
  from: number,
  first: number,
  last: number,
  products: Products,
): void {
  const { order: n, elements: a, pivots } = matrix
  const to = Math.min(n, from + PANEL)
  for (let j = first; j < last; j++) exchangeRows(a, n, j, pivots, from, to)
  if (first < to) return
  for (let j = first; j < last; j += STRIP) {
    const width = Math.min(STRIP, last - j)
    lowerPanel(matrix, from, a, j, width, products)
  }
}

/** The panel's step of forward substitution on columns of x. */
function lowerPanel(
  { order: n, elements: a }: Matrix,
  from: number,
  x: Float64Array,
  column: number,
  width: number,
  products: Products,
): void {
  const to = Math.min(n, from + PANEL)
  for (let j = column; j < column + width; j++)
    for (let k = from; k < to; k++) {
      const re = x[2 * (j * n + k)]
      const im = x[2 * (j * n + k) + 1]
      for (let i = k + 1; i < to; i++) {
        const at = 2 * (k * n + i)
        x[2 * (j * n + i)] -= a[at] * re - a[at + 1] * im
        x[2 * (j * n + i) + 1] -= a[at] * im + a[at + 1] * re
      }
    }
  const places = { a: from * n + to, b: column * n + from, c: column * n + to }
  products.subtract(a, x, n, places, { rows: n - to, depth: to - from, columns: width })
}

/** Solves A x = b in place for columns `first` to `last` of x. */
export function solveStrip(
  matrix: Matrix,
  x: Float64Array,
  first: number,
  last: number,
  products: Products,
): void {
  const { order: n, elements: a, pivots } = matrix
  const width = last - first
  for (let j = first; j < last; j++) exchangeRows(x, n, j, pivots, 0, n)
  for (let from = 0; from < n; from += PANEL) lowerPanel(matrix, from, x, first, width, products)
  for (let from = PANEL * Math.floor((n - 1) / PANEL); from >= 0; from -= PANEL) {
    const to = Math.min(n, from + PANEL)
    for (let j = first; j < last; j++)
      for (let k = to - 1; k >= from; k--) {
        const d = 2 * (k * n + k)
        const size = a[d] * a[d] + a[d + 1] * a[d + 1]
        const p = 2 * (j * n + k)
        const re = (x[p] * a[d] + x[p + 1] * a[d + 1]) / size
        const im = (x[p + 1] * a[d] - x[p] * a[d + 1]) / size
        x[p] = re
        x[p + 1] = im
        for (let i = from; i < k; i++) {
          const at = 2 * (k * n + i)
          x[2 * (j * n + i)] -= a[at] * re - a[at + 1] * im
          x[2 * (j * n + i) + 1] -= a[at] * im + a[at + 1] * re
        }
      }
    const places = { a: from * n, b: first * n + from, c: first * n }
    products.subtract(a, x, n, places, { rows: from, depth: to - from, columns: width })
  }
}

/** Solves Aᴴ x = b in place for one vector. */
function solveAdjoint({ order: n, elements: a, pivots }: Matrix, x: Float64Array): void {
  // Uᴴ y = b, then Lᴴ z = y, and x = Pᵀ z; columns of the factors are rows of their adjoints.
  const subtractDot = (k: number, from: number, to: number): void => {
    let re = x[2 * k]
    let im = x[2 * k + 1]
    for (let i = from; i < to; i++) {
      const at = 2 * (k * n + i)
      re -= a[at] * x[2 * i] + a[at + 1] * x[2 * i + 1]
      im -= a[at] * x[2 * i + 1] - a[at + 1] * x[2 * i]
    }
    x[2 * k] = re
    x[2 * k + 1] = im
  }
  for (let k = 0; k < n; k++) {
    subtractDot(k, 0, k)
    const d = 2 * (k * n + k)
    const size = a[d] * a[d] + a[d + 1] * a[d + 1]
    // Over the conjugate of the diagonal.
    const re = (x[2 * k] * a[d] - x[2 * k + 1] * a[d + 1]) / size
    const im = (x[2 * k + 1] * a[d] + x[2 * k] * a[d + 1]) / size
    x[2 * k] = re
    x[2 * k + 1] = im
  }
  for (let k = n - 1; k >= 0; k--) subtractDot(k, k + 1, n)
  for (let k = n - 1; k >= 0; k--) if (pivots[k] !== k) swap(x, 2 * k, 2 * pivots[k])
}

/**
 * Estimate from below of ‖A⁻¹‖₁, mostly within a factor of three (Hager, SIAM J. Sci. Stat. Comput. 5, 1984; Higham, ACM TOMS 14, 1988).
 */
export function inverseNorm(matrix: Matrix, products: Products): number {
  const n = matrix.order
  const x = new Float64Array(2 * n)
  for (let i = 0; i < n; i++) x[2 * i] = 1 / n
  let most = 0
  let last = -1
  for (let step = 0; step < 5; step++) {
    solveStrip(matrix, x, 0, 1, products)
    let norm = 0
    for (let i = 0; i < n; i++) {
      const size = Math.hypot(x[2 * i], x[2 * i + 1])
      norm += size
      x[2 * i] = size > 0 ? x[2 * i] / size : 1
      x[2 * i + 1] = size > 0 ? x[2 * i + 1] / size : 0
    }
    if (norm <= most) break
    most = norm
    solveAdjoint(matrix, x)
    let best = 0
    for (let i = 1; i < n; i++)
      if (Math.hypot(x[2 * i], x[2 * i + 1]) > Math.hypot(x[2 * best], x[2 * best + 1])) best = i
    if (best === last) break
    last = best
    x.fill(0)
    x[2 * best] = 1
  }
  return most
}
