import { describe, expect, it } from 'vitest'
import { type DenseFill, DenseSolver } from '../../gpu/index.js'
import { sharedGpu } from '../helpers/gpu.js'

const context = await sharedGpu()

function numbers(seed: number): () => number {
  let s = seed
  return () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1
}

/** A random complex matrix in single precision; small diagonal entries ask for pivoting. */
function matrix(n: number, seed: number): Float32Array {
  const next = numbers(seed)
  const a = Float32Array.from({ length: 2 * n * n }, next)
  const zeros = n > 1 ? n : 0
  for (let i = 0; i < zeros; i++) a[2 * (n + 1) * i] = a[2 * (n + 1) * i + 1] = 0
  return a
}

/** Writes the columns from the host. */
const filling =
  (a: Float32Array, n: number, order: number): DenseFill =>
  ({ buffer, first, width }) => {
    const part = new Float32Array(2 * order * width)
    for (let i = 0; i < order; i++)
      for (let j = 0; j < width; j++) {
        const inside = i < n && first + j < n
        const from = 2 * (n * i + first + j)
        part[2 * (width * i + j)] = inside ? a[from] : i === first + j ? 1 : 0
        part[2 * (width * i + j) + 1] = inside ? a[from + 1] : 0
      }
    context.device.queue.writeBuffer(buffer, 0, part)
  }

/** A X in double precision. */
function product(a: Float32Array, x: ArrayLike<number>, n: number, columns: number): Float64Array {
  const b = new Float64Array(2 * n * columns)
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const [re, im] = [a[2 * (n * i + k)], a[2 * (n * i + k) + 1]]
      for (let c = 0; c < columns; c++) {
        const [at, from] = [2 * (columns * i + c), 2 * (columns * k + c)]
        b[at] += re * x[from] - im * x[from + 1]
        b[at + 1] += re * x[from + 1] + im * x[from]
      }
    }
  return b
}

const norm = (x: ArrayLike<number>): number => Math.sqrt(Array.from(x).reduce((sum, v) => sum + v * v, 0))

async function solved(n: number, columns: number, blockBytes?: number) {
  const a = matrix(n, n)
  const b = Float32Array.from({ length: 2 * n * columns }, numbers(7))
  const solver = await DenseSolver.open(context, n, { blockBytes })
  try {
    const fill = filling(a, n, solver.order)
    const { pivot } = await solver.factor(fill)
    const { x, residuals } = await solver.solve(b, columns, fill)
    const r = product(a, x, n, columns).map((v, i) => v - b[i])
    return { x, pivot, residuals, residual: norm(r) / norm(b), blocks: solver.blocks.length }
  } finally {
    solver.destroy()
  }
}

describe('dense equations on the GPU', () => {
  it.each([1, 2, 63, 64, 65, 130])(
    'of %i unknowns are solved to single precision, the residual as it says',
    async (n) => {
      const { residual, residuals, pivot } = await solved(n, 3)
      expect(residual).toBeLessThan(2e-5)
      expect(residuals.last).toBeLessThan(4 * residual + 1e-6)
      expect(residuals.last).toBeLessThanOrEqual(residuals.first + 1e-7)
      expect(pivot).toBeGreaterThan(0)
    },
  )

  it('give the same bytes from any number of buffers, and of any number of right-hand sides', async () => {
    const one = await solved(520, 5)
    const some = await solved(520, 5, 8 * 576 * 256)
    expect([one.blocks, some.blocks]).toEqual([1, 3])
    expect(some.x).toEqual(one.x)
    expect(one.residual).toBeLessThan(2e-5)
    expect((await solved(130, 70)).residual).toBeLessThan(2e-5)
  })

  it('with a singular matrix have a pivot of 0', async () => {
    const n = 70
    const a = matrix(n, 1)
    for (let i = 0; i < n; i++) a[2 * (n * i + 20)] = a[2 * (n * i + 20) + 1] = 0
    const solver = await DenseSolver.open(context, n)
    expect((await solver.factor(filling(a, n, solver.order))).pivot).toBe(0)
    solver.destroy()
  })

  it('stop between panels when the signal says so', async () => {
    const solver = await DenseSolver.open(context, 300)
    const control = new AbortController()
    const work = solver.factor(filling(matrix(300, 2), 300, solver.order), {
      progress: () => control.abort(),
      signal: control.signal,
    })
    await expect(work).rejects.toThrow('abort')
    solver.destroy()
  })
})
