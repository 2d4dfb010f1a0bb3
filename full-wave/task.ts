import type { Tasks } from '../parallel/thread.js'
import type { Direction } from '../scene/index.js'
import type { Functions } from './functions.js'
import { factorPanel, type Matrix, Products, solveStrip, updateStrip } from './lu.js'
import { fillNear, type NearEntries } from './near-entries.js'
import { PairIntegrals } from './pair-integrals.js'
import { type FunctionSets, PlaneWave, type WavePoints } from './plane-waves.js'

/**
 * Rows `from` to `to` of the matrix (`PairIntegrals`), row by row, re and im interleaved, into `out` (which is overwritten). The
 * order of additions to an element does not depend on which rows are computed together.
 * @param integrals  of these functions and the wavenumber
 */
export function fillRows(
  { count, triangles, signs, first, functions, factors }: Functions,
  integrals: PairIntegrals,
  from: number,
  to: number,
  out: Float64Array,
): void {
  out.fill(0)
  const { values } = integrals
  for (let m = 0; m < triangles; m++) {
    let isTested = false
    for (let a = first[3 * m]; a < first[3 * m + 3]; a++)
      isTested ||= functions[a] >= from && functions[a] < to
    if (!isTested) continue
    for (let n = 0; n < triangles; n++) {
      if (first[3 * n] === first[3 * n + 3]) continue
      for (let image = 0; image < signs.length; image++) {
        integrals.compute(m, image * triangles + n)
        for (let i = 0; i < 3; i++)
          for (let a = first[3 * m + i]; a < first[3 * m + i + 1]; a++) {
            const row = functions[a]
            if (row < from || row >= to) continue
            const start = 2 * count * (row - from)
            const factor = signs[image] * factors[a]
            for (let j = 0; j < 3; j++) {
              const re = factor * values[2 * (3 * i + j)]
              const im = factor * values[2 * (3 * i + j) + 1]
              for (let b = first[3 * n + j]; b < first[3 * n + j + 1]; b++) {
                const at = start + 2 * functions[b]
                out[at] += factors[b] * re
                out[at + 1] += factors[b] * im
              }
            }
          }
      }
    }
  }
}

/** A part of a solution; arrays are in shared memory. */
export type MomentTask = MatrixTask | WaveTask

/** Of one system. */
type MatrixTask = { system: SharedSystem } & (
  | { step: 'fill'; from: number; to: number }
  /** Factors the panel from `panel`. */
  | { step: 'panel'; panel: number }
  /** Columns from..to after that panel. */
  | { step: 'update'; panel: number; from: number; to: number }
  /** Columns from..to of the right-hand sides x become solutions. */
  | { step: 'solve'; x: Float64Array; from: number; to: number }
  /** Values of rows from..to of the entries close together (`fillNear`). */
  | { step: 'near'; entries: NearEntries; from: number; to: number }
  /** Of columns from..to of the matrix: the sum of absolute values, and products with the `PROBES`. */
  | { step: 'measure'; sums: Float64Array; projections: Float64Array; from: number; to: number }
)

/** Of all sets of functions; see `PlaneWaves`. */
type WaveTask = { waves: SharedWaves; directions: Direction[] } & (
  | { step: 'excite'; b: Float64Array[]; first: number }
  | {
      step: 'radiate'
      x: Float64Array[]
      sources: number[]
      points: WavePoints
      fields: Float64Array
      first: number
    }
)

interface SharedWaves {
  /** Tells them apart. */
  id: number
  sets: FunctionSets
  k: number
}

export interface SharedSystem {
  /** Tells systems apart. */
  id: number
  functions: Functions
  k: number
  /** Of order 0 where a GPU holds it. */
  matrix: Matrix
}

/** Runs tasks of one system after another; one a thread. */
class MomentTaskRunner {
  private readonly products = new Products()
  private integrals: { id: number; of: PairIntegrals } | undefined
  private wave: { id: number; of: PlaneWave } | undefined
  private rows = new Float64Array(0)

  run(task: MomentTask): void {
    if ('waves' in task) {
      this.runWave(task)
      return
    }
    const { matrix } = task.system
    if (task.step === 'fill') this.fill(task.system, task.from, task.to)
    else if (task.step === 'near')
      fillNear(task.system.functions, this.integralsOf(task.system), task.entries, task.from, task.to)
    else if (task.step === 'panel') factorPanel(matrix, task.panel)
    else if (task.step === 'update') updateStrip(matrix, task.panel, task.from, task.to, this.products)
    else if (task.step === 'solve') solveStrip(matrix, task.x, task.from, task.to, this.products)
    else measure(matrix, task.sums, task.projections, task.from, task.to)
  }

  private runWave(task: WaveTask): void {
    const { id, sets, k } = task.waves
    if (this.wave?.id !== id) this.wave = { id, of: new PlaneWave(sets, k) }
    const wave = this.wave.of
    let carried = -1
    for (const [i, d] of task.directions.entries()) {
      if (task.step === 'excite') {
        wave.excite(d, task.b, task.first + i)
        continue
      }
      if (task.sources[i] !== carried) wave.carry(task.x, 2 * (carried = task.sources[i]))
      wave.radiate(d, task.points, task.fields, 8 * (task.first + i))
    }
  }

  private integralsOf({ id, functions, k }: SharedSystem): PairIntegrals {
    if (this.integrals?.id !== id) this.integrals = { id, of: new PairIntegrals(functions, k) }
    return this.integrals.of
  }

  private fill(system: SharedSystem, from: number, to: number): void {
    const { functions, matrix } = system
    const { order: n, elements } = matrix
    const length = 2 * n * (to - from)
    if (this.rows.length < length) this.rows = new Float64Array(length)
    const rows = this.rows.subarray(0, length)
    fillRows(functions, this.integralsOf(system), from, to, rows)
    for (let c = 0; c < n; c++)
      for (let r = from; r < to; r++) {
        const at = 2 * ((r - from) * n + c)
        elements[2 * (c * n + r)] = rows[at]
        elements[2 * (c * n + r) + 1] = rows[at + 1]
      }
  }
}

/** Vectors of ±1 that a residual is projected on. */
export const PROBES = 8

/** Element i of probe p: bits of a hash (Murmur 3's last steps). */
const isMinus = (p: number, i: number): boolean => {
  let h = Math.imul(i + 1, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (((h ^ (h >>> 16)) >>> p) & 1) === 1
}

/** Probes times a vector at 2 · `at` of x, complex, to `out` from number 2 · PROBES · `to`. */
export function project(x: Float64Array, at: number, n: number, out: Float64Array, to: number): void {
  for (let p = 0; p < PROBES; p++) {
    let re = 0
    let im = 0
    for (let i = 0; i < n; i++) {
      const sign = isMinus(p, i) ? -1 : 1
      re += sign * x[2 * (at + i)]
      im += sign * x[2 * (at + i) + 1]
    }
    out[2 * (PROBES * to + p)] = re
    out[2 * (PROBES * to + p) + 1] = im
  }
}

function measure(
  { order: n, elements }: Matrix,
  sums: Float64Array,
  projections: Float64Array,
  from: number,
  to: number,
): void {
  for (let c = from; c < to; c++) {
    let sum = 0
    for (let i = 2 * c * n; i < 2 * (c + 1) * n; i += 2)
      sum += Math.sqrt(elements[i] * elements[i] + elements[i + 1] * elements[i + 1])
    sums[c] = sum
    project(elements, c * n, n, projections, c)
  }
}

/** `MomentTaskRunner` for threads. */
export const momentTasks: Tasks<undefined, MomentTask, void> = () => {
  const runner = new MomentTaskRunner()
  return (task) => runner.run(task)
}
