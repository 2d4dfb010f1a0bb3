import type { GpuContext } from '../gpu/device.js'
import { DenseSolver } from '../gpu/index.js'
import type { Factors, MomentBackend, MomentSystem, Solution } from './backend.js'
import { momentFill } from './gpu-fill.js'
import { shared } from '../parallel/shared-memory.js'
import type { FaultOptions } from '../parallel/worker-pool.js'
import type { Matrix } from './lu.js'
import { nearPattern } from './near-entries.js'
import { openTaskPool, planeWaves, ranges, sharedSystem, type TaskPool } from './task-pool.js'

/** Vectors of the estimate of the condition number, and products with the inverse. */
const VECTORS = 16
const PRODUCTS = 2

/**
 * Solves on the GPU in single precision with one step of refinement; entries of functions close together come from
 * `workers` threads, in double precision. The device stays the caller's.
 */
export function gpuBackend(context: GpuContext, workers: number, faults: FaultOptions = {}): MomentBackend {
  const pool = openTaskPool(workers, faults)
  return {
    description: `single precision with refinement, gpu, ${context.name}`,
    factor: (system, onProgress, signal) => factor(context, pool, system, onProgress, signal),
    planeWaves: (sets, k) => planeWaves(pool, sets, k),
    close: () => pool.close(),
  }
}

async function factor(
  context: GpuContext,
  pool: TaskPool,
  system: MomentSystem,
  onProgress: (part: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Factors> {
  const n = system.functions.count
  const start = performance.now()
  const solver = await DenseSolver.open(context, n)
  try {
    const partOfNear = 0.4
    const entries = nearPattern(system.functions)
    const none: Matrix = { order: 0, elements: new Float64Array(0), pivots: new Int32Array(0) }
    const onThreads = sharedSystem(system.functions, system.k, none)
    const rows = ranges(0, n, Math.max(64, Math.ceil(n / (8 * pool.threads))))
    let done = 0
    await Promise.all(
      rows.map(async ([from, to]) => {
        await pool.run({ system: onThreads, step: 'near', entries, from, to }, signal)
        onProgress((partOfNear * ++done) / rows.length)
      }),
    )
    const { fill, destroy } = await momentFill(context, system, entries, solver.order)
    const filled = performance.now()
    const { norm, pivot } = await solver.factor(fill, {
      signal,
      progress: (done, total) => onProgress(1 - (1 - partOfNear) * (1 - done / total) ** 3),
    })
    const condition = pivot > 0 ? norm * (await inverseNorm(solver, signal)) : Infinity
    const factored = performance.now()
    return {
      condition,
      seconds: { fill: (filled - start) / 1000, factor: (factored - filled) / 1000 },
      solve: async (b, signal): Promise<Solution> => {
        const count = b.length / (2 * n)
        const { x, residuals } = await solver.solve(transposed(b, count, n), count, fill, { signal })
        return { x: inShared(transposed(x, n, count)), residual: residuals.last }
      },
      destroy: () => {
        destroy()
        solver.destroy()
      },
    }
  } catch (error) {
    solver.destroy()
    throw error
  }
}

/** A lower bound of ‖A⁻¹‖₁: what random vectors of signs grow by, and then their images. */
async function inverseNorm(solver: DenseSolver, signal?: AbortSignal): Promise<number> {
  const n = solver.unknowns
  let v = new Float32Array(2 * n * VECTORS)
  for (let i = 0; i < n * VECTORS; i++) v[2 * i] = (Math.imul(i + 1, 0x9e3779b1) >>> 16) & 1 ? -1 : 1
  let most = 0
  for (let p = 0; p < PRODUCTS; p++) {
    const { x } = await solver.solve(v, VECTORS, undefined, { signal })
    const [before, after] = [columnSums(v, VECTORS), columnSums(x, VECTORS)]
    before.forEach((sum, c) => (most = Math.max(most, after[c] / sum)))
    v = x.map((y, i) => y / after[(i >> 1) % VECTORS])
  }
  return most
}

function columnSums(x: Float32Array, columns: number): number[] {
  const sums = Array.from({ length: columns }, () => 0)
  for (let i = 0; i < x.length; i += 2) sums[(i >> 1) % columns] += Math.hypot(x[i], x[i + 1])
  return sums
}

function inShared(x: Float32Array): Float64Array {
  const out = shared(Float64Array, x.length)
  out.set(x)
  return out
}

/** Rows x columns complex numbers by columns: columns x rows. */
function transposed(x: ArrayLike<number>, rows: number, columns: number): Float32Array {
  const out = new Float32Array(x.length)
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      out[2 * (j * rows + i)] = x[2 * (i * columns + j)]
      out[2 * (j * rows + i) + 1] = x[2 * (i * columns + j) + 1]
    }
  return out
}
