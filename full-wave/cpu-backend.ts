import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import { share, shared } from '../parallel/shared-memory.js'
import type { Factors, MomentBackend, MomentSystem, Solution } from './backend.js'
import type { Functions } from './functions.js'
import { inverseNorm, type Matrix } from './lu.js'
import { PANEL, Products, STRIP } from './products.js'
import { type MomentTask, MomentTaskRunner, type SharedSystem } from './task.js'

type TaskPool = WorkerPool<MomentTask, void>

/** Rows that a task fills, and columns that it updates or solves. */
const ROWS = 256
const COLUMNS = 4 * STRIP
/** Sums of right-hand sides whose residual is computed. */
const SUMS = 8

let systems = 0

/**
 * Solves in double precision on the processor; results do not depend on the number of threads.
 * @param workers  threads; 0: on the calling thread
 */
export function cpuBackend(workers: number, faults: FaultOptions = {}): MomentBackend {
  const runner = new MomentTaskRunner()
  const pool = new WorkerPool<MomentTask, void>({
    what: 'full wave',
    workers,
    module: new URL(/* @vite-ignore */ './worker.js', import.meta.url),
    inline: (task) => runner.run(task),
    ...faults,
  })
  return {
    description: `double precision, ${pool.description}`,
    factor: (system, onProgress, signal) => factor(pool, system, onProgress, signal),
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
  const system: SharedSystem = { id: ++systems, functions: sharedFunctions(functions), k, matrix }
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
  const norm = oneNorm(matrix)
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
    const sums = signedSums(n, [b, x])
    const norms = columnNorms(n, sums[0])
    const [left, solved] = sums
    await all(blocks.map(([from, to]) => ({ system, step: 'residual', x: solved, b: left, count: norms.length, from, to }))) // prettier-ignore
    const residuals = columnNorms(n, left)
    return { x, residual: residuals.reduce((most, r, i) => Math.max(most, r / norms[i]), 0) }
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

/** Consecutive ranges of `step` at the most. */
function ranges(from: number, to: number, step: number): [from: number, to: number][] {
  const out: [number, number][] = []
  for (let at = from; at < to; at += step) out.push([at, Math.min(to, at + step)])
  return out
}

function sharedFunctions(f: Functions): Functions {
  return {
    count: f.count,
    corners: share(f.corners),
    areas: share(f.areas),
    normals: share(f.normals),
    outward: share(f.outward),
    first: share(f.first),
    functions: share(f.functions),
    factors: share(f.factors),
  }
}

/** Largest sum of a column's absolute values. */
function oneNorm({ order: n, elements }: Matrix): number {
  let most = 0
  for (let c = 0; c < n; c++) {
    let sum = 0
    for (let i = 2 * c * n; i < 2 * (c + 1) * n; i += 2)
      sum += Math.sqrt(elements[i] * elements[i] + elements[i + 1] * elements[i + 1])
    most = Math.max(most, sum)
  }
  return most
}

/**
 * The vectors added up in `SUMS` sums with signs as if at random, alike for each of `lists`: the squared residual of a sum is that of all
 * its vectors together, on average.
 */
function signedSums(n: number, lists: Float64Array[]): Float64Array[] {
  const count = lists[0].length / (2 * n)
  return lists.map((list) => {
    const out = shared(Float64Array, 2 * n * Math.min(SUMS, count))
    for (let v = 0; v < count; v++) {
      const sign = (Math.imul(v + 1, 0x9e3779b1) >>> 16) & 1 ? -1 : 1
      const to = 2 * n * (v % SUMS)
      for (let i = 0; i < 2 * n; i++) out[to + i] += sign * list[2 * n * v + i]
    }
    return out
  })
}

const columnNorms = (n: number, x: Float64Array): number[] =>
  Array.from({ length: x.length / (2 * n) }, (_, v) =>
    Math.sqrt(x.subarray(2 * n * v, 2 * n * (v + 1)).reduce((sum, y) => sum + y * y, 0)),
  )
