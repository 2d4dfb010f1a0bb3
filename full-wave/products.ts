import { InputError } from '../scene/index.js'
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

/** Compiled once a thread. */
let compiled: object | undefined

/** Products of complex matrices in column-major order, re and im interleaved, by WebAssembly with a memory of its own that never grows. */
export class Products {
  private readonly run: ProductFunctions
  private readonly left: Float64Array
  private readonly right: Float64Array
  private readonly out: Float64Array

  constructor() {
    const pages = Math.ceil(END / 65536)
    try {
      compiled ??= new WebAssembly.Module(Uint8Array.from(atob(productsWasm), (c) => c.charCodeAt(0)))
      const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
      this.run = new WebAssembly.Instance(compiled, { env: { memory } })
        .exports as unknown as ProductFunctions
      this.left = new Float64Array(memory.buffer, LEFT, 2 * ROWS * PANEL)
      this.right = new Float64Array(memory.buffer, RIGHT, 2 * PANEL * STRIP)
      this.out = new Float64Array(memory.buffer, OUT, 2 * ROWS * STRIP)
    } catch (error) {
      throw new InputError(
        `full wave: no WebAssembly module (${(error as Error).message}); use fewer threads. V8 reserves 10 GB of addresses for each: under a limit of virtual memory (ulimit -v) set NODE_OPTIONS=--disable-wasm-trap-handler`,
      )
    }
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
