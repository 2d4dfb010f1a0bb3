import type { FaultOptions } from '../parallel/worker-pool.js'
import { share, shared } from '../parallel/shared-memory.js'
import type { Factors, MomentBackend, MomentSystem, Solution } from './backend.js'
import { inverseNorm, type Matrix } from './lu.js'
import { PANEL, Products, STRIP } from './products.js'
import { type MomentTask, PROBES, project } from './task.js'
import { openTaskPool, planeWaves, ranges, sharedSystem, type TaskPool } from './task-pool.js'

/** Rows that a task fills, and columns that it updates or solves. */
const ROWS = 256
const COLUMNS = 4 * STRIP

/**
 * Solves in double precision on the processor; results do not depend on the number of threads.
 * @param workers  threads; 0: on the calling thread
 */
export function cpuBackend(workers: number, faults: FaultOptions = {}): MomentBackend {
  const pool = openTaskPool(workers, faults)
  return {
    description: `double precision, ${pool.description}`,
    factor: (system, onProgress, signal) => factor(pool, system, onProgress, signal),
    planeWaves: (sets, k) => planeWaves(pool, sets, k),
    close: () => pool.close(),
  }
}

async function factor(
  pool: TaskPool,
  { functions, k }: MomentSystem,
  onProgress: (part: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Factors> {
  const n = functions.count
  const matrix: Matrix = {
    order: n,
    elements: shared(Float64Array, 2 * n * n),
    pivots: shared(Int32Array, n),
  }
  const system = sharedSystem(functions, k, matrix)
  const all = async (tasks: MomentTask[], onDone?: () => void): Promise<void> => {
    await Promise.all(
      tasks.map(async (task) => {
        await pool.run(task, signal)
        onDone?.()
      }),
    )
  }
  const start = performance.now()
  const blocks = ranges(0, n, ROWS)
  let done = 0
  const partOfFill = 0.4
  await all(
    blocks.map(([from, to]) => ({ system, step: 'fill', from, to })),
    () => onProgress((partOfFill * ++done) / blocks.length),
  )
  const sums = shared(Float64Array, n)
  const projections = shared(Float64Array, 2 * PROBES * n)
  await all(blocks.map(([from, to]) => ({ system, step: 'measure', sums, projections, from, to })))
  const norm = sums.reduce((most, sum) => Math.max(most, sum), 0)
  const filled = performance.now()
  for (let panel = 0; panel < n; panel += PANEL) {
    await all([{ system, step: 'panel', panel }])
    const columns = [...ranges(0, panel, COLUMNS), ...ranges(panel + PANEL, n, COLUMNS)]
    await all(columns.map(([from, to]) => ({ system, step: 'update', panel, from, to })))
    onProgress(1 - (1 - partOfFill) * (1 - Math.min(n, panel + PANEL) / n) ** 3)
  }
  const condition = norm * inverseNorm(matrix, new Products())
  const factored = performance.now()

  const solve = async (b: Float64Array): Promise<Solution> => {
    const count = b.length / (2 * n)
    const x = share(b)
    await all(ranges(0, count, COLUMNS / 4).map(([from, to]) => ({ system, step: 'solve', x, from, to })))
    return { x, residual: residual(n, projections, b, x) }
  }
  return {
    condition,
    seconds: { fill: (filled - start) / 1000, factor: (factored - filled) / 1000 },
    solve,
    destroy: () => {
      matrix.elements = new Float64Array(0)
    },
  }
}

/**
 * Largest ‖b − A x‖ / ‖b‖ as the probes see it: the mean square of a residual's products with vectors of random signs is, over many
 * vectors, its square.
 * @param projections  probes times each column of A, whose elements the factors have overwritten
 */
function residual(n: number, projections: Float64Array, b: Float64Array, x: Float64Array): number {
  const left = new Float64Array(2 * PROBES)
  let most = 0
  for (let at = 0; at < b.length / 2; at += n) {
    project(b, at, n, left, 0)
    let size = 0
    for (let c = 0; c < n; c++) {
      const re = x[2 * (at + c)]
      const im = x[2 * (at + c) + 1]
      size += b[2 * (at + c)] ** 2 + b[2 * (at + c) + 1] ** 2
      for (let p = 0; p < PROBES; p++) {
        const q = 2 * (PROBES * c + p)
        left[2 * p] -= projections[q] * re - projections[q + 1] * im
        left[2 * p + 1] -= projections[q] * im + projections[q + 1] * re
      }
    }
    // A wave may drive nothing of a set of functions.
    if (size === 0) continue
    const square = left.reduce((sum, y) => sum + y * y, 0) / PROBES
    most = Math.max(most, Math.sqrt(square / size))
    if (Number.isNaN(square)) return NaN
  }
  return most
}
