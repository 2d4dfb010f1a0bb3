import { share, shared } from '../parallel/shared-memory.js'
import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import type { Direction } from '../scene/index.js'
import type { Functions } from './functions.js'
import { inverseNorm, type Matrix, PANEL, Products, STRIP } from './lu.js'
import type { FunctionSets, WavePoints } from './plane-waves.js'
import { type MomentTask, momentTasks, PROBES, project, type SharedSystem } from './task.js'

/** A system of the method of moments: the matrix is that of `fillRows`. */
export interface MomentSystem {
  functions: Functions
  /** Wavenumber [rad/m]. */
  k: number
}

/** Solutions of several right-hand sides. */
export interface Solution {
  /** As the right-hand sides, in shared memory. */
  x: Float64Array
  /** Largest ‖b − A x‖ / ‖b‖ of the right-hand sides, 2-norms, or an estimate by random projections. */
  residual: number
}

/** What plane waves drive in sets of functions, and what their currents radiate, by threads. */
interface PlaneWaves {
  /** Right-hand sides V and H of each direction, one after the other, of each set: 4 · unknowns numbers a direction, in shared memory. */
  excite(directions: Direction[], signal?: AbortSignal): Promise<Float64Array[]>
  /**
   * Amplitudes that `PlaneWave.radiate` gives in each direction.
   * @param x        coefficients of each set, in shared memory
   * @param sources  each direction's pair of columns: V and H of that direction of `excite`
   * @returns 8 numbers a direction
   */
  radiate(
    directions: Direction[],
    x: Float64Array[],
    sources: number[],
    points: WavePoints,
    signal?: AbortSignal,
  ): Promise<Float64Array>
}

/** Factors of a matrix. */
export interface Factors {
  /** Estimate of the condition number ‖A‖₁ ‖A⁻¹‖₁ (a lower bound; Hager 1984, Higham 1988). */
  condition: number
  /** Wall time [s]. */
  seconds: { fill: number; factor: number }
  /**
   * Solves A x = b, refined where the factors are in single precision.
   * @param b  right-hand sides one after the other, re and im interleaved: 2 · unknowns · count numbers
   */
  solve(b: Float64Array, signal?: AbortSignal): Promise<Solution>
  /** Frees their memory; nothing else may be called then. */
  destroy(): void
}

/** What fills and factors matrices: the CPU's threads or a GPU. */
export interface MomentBackend {
  description: string
  /** @param onProgress  called with the finished part of the work, 0 to 1 */
  factor(system: MomentSystem, onProgress?: (part: number) => void, signal?: AbortSignal): Promise<Factors>
  /** @param k  wavenumber [rad/m] */
  planeWaves(sets: FunctionSets, k: number): PlaneWaves
  close(): Promise<void>
}

export type TaskPool = WorkerPool<MomentTask, void>

/** Threads for the tasks of a solution. @param workers  0: on the calling thread */
export function openTaskPool(workers: number, faults: FaultOptions = {}): TaskPool {
  return new WorkerPool({
    what: 'full wave',
    workers,
    // Factors and solutions take the place of what they are made of.
    retry: false,
    data: undefined,
    tasks: momentTasks,
    ...faults,
  })
}

let systems = 0

/** A system that threads share. */
export const sharedSystem = (functions: Functions, k: number, matrix: Matrix): SharedSystem => ({
  id: ++systems,
  functions: sharedFunctions(functions),
  k,
  matrix,
})

/** Directions of a task. */
const TOGETHER = 16

/** Plane waves on the pool's threads; each direction by itself, so that their number does not matter. */
export function planeWaves(pool: TaskPool, functions: FunctionSets, k: number): PlaneWaves {
  const sets = functions.map(sharedFunctions) as unknown as FunctionSets
  const waves = { id: ++systems, sets, k }
  return {
    async excite(directions, signal) {
      const b = sets.map(({ count }) => shared(Float64Array, 4 * count * directions.length))
      await Promise.all(
        ranges(0, directions.length, TOGETHER).map(([from, to]) =>
          pool.run({ waves, step: 'excite', directions: directions.slice(from, to), b, first: from }, signal),
        ),
      )
      return b
    },
    async radiate(directions, x, sources, points, signal) {
      const fields = shared(Float64Array, 8 * directions.length)
      await Promise.all(
        ranges(0, directions.length, TOGETHER).map(([from, to]) => {
          const some = { directions: directions.slice(from, to), sources: sources.slice(from, to) }
          return pool.run({ waves, step: 'radiate', ...some, x, points, fields, first: from }, signal)
        }),
      )
      return fields
    },
  }
}

/** Consecutive ranges of `step` at the most. */
export function ranges(from: number, to: number, step: number): [from: number, to: number][] {
  const out: [number, number][] = []
  for (let at = from; at < to; at += step) out.push([at, Math.min(to, at + step)])
  return out
}

function sharedFunctions(f: Functions): Functions {
  return {
    ...f,
    corners: share(f.corners),
    areas: share(f.areas),
    normals: share(f.normals),
    outward: share(f.outward),
    first: share(f.first),
    functions: share(f.functions),
    factors: share(f.factors),
  }
}

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
