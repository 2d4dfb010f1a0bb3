import { share, shared } from '../parallel/shared-memory.js'
import { type FaultOptions, WorkerPool } from '../parallel/worker-pool.js'
import type { PlaneWaves } from './backend.js'
import type { Functions } from './functions.js'
import type { Matrix } from './lu.js'
import type { FunctionSets } from './plane-waves.js'
import { type MomentTask, momentTasks, type SharedSystem } from './task.js'

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
