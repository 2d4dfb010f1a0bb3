import { fillRows } from './fill.js'
import type { Functions } from './functions.js'
import { factorPanel, type Matrix, solveStrip, updateStrip } from './lu.js'
import { PairIntegrals } from './pair-integrals.js'
import { Products } from './products.js'

/** A part of a solution; arrays are in shared memory. */
export type MomentTask = { system: SharedSystem } & (
  | { step: 'fill'; from: number; to: number }
  /** Factors the panel from `panel`. */
  | { step: 'panel'; panel: number }
  /** Columns from..to after that panel. */
  | { step: 'update'; panel: number; from: number; to: number }
  /** Columns from..to of the right-hand sides x become solutions. */
  | { step: 'solve'; x: Float64Array; from: number; to: number }
  /** Rows from..to of b less A x, for `count` columns. */
  | { step: 'residual'; x: Float64Array; b: Float64Array; count: number; from: number; to: number }
)

export interface SharedSystem {
  /** Tells systems apart. */
  id: number
  functions: Functions
  k: number
  matrix: Matrix
}

/** Runs tasks of one system after another; one a thread. */
export class MomentTaskRunner {
  private readonly products = new Products()
  private integrals: { id: number; of: PairIntegrals } | undefined
  private rows = new Float64Array(0)

  run(task: MomentTask): void {
    const { matrix } = task.system
    if (task.step === 'fill') this.fill(task.system, task.from, task.to)
    else if (task.step === 'panel') factorPanel(matrix, task.panel)
    else if (task.step === 'update') updateStrip(matrix, task.panel, task.from, task.to, this.products)
    else if (task.step === 'solve') solveStrip(matrix, task.x, task.from, task.to, this.products)
    else this.subtract(task)
  }

  /** Rows of the matrix, row by row. */
  private rowsOf({ id, functions, k }: SharedSystem, from: number, to: number): Float64Array {
    if (this.integrals?.id !== id) this.integrals = { id, of: new PairIntegrals(functions, k) }
    const length = 2 * functions.count * (to - from)
    if (this.rows.length < length) this.rows = new Float64Array(length)
    const rows = this.rows.subarray(0, length)
    fillRows(functions, this.integrals.of, from, to, rows)
    return rows
  }

  private fill(system: SharedSystem, from: number, to: number): void {
    const rows = this.rowsOf(system, from, to)
    const { order: n, elements } = system.matrix
    for (let c = 0; c < n; c++)
      for (let r = from; r < to; r++) {
        const at = 2 * ((r - from) * n + c)
        elements[2 * (c * n + r)] = rows[at]
        elements[2 * (c * n + r) + 1] = rows[at + 1]
      }
  }

  private subtract({ system, x, b, count, from, to }: MomentTask & { step: 'residual' }): void {
    const rows = this.rowsOf(system, from, to)
    const n = system.matrix.order
    for (let v = 0; v < count; v++)
      for (let r = from; r < to; r++) {
        let re = b[2 * (v * n + r)]
        let im = b[2 * (v * n + r) + 1]
        const row = 2 * (r - from) * n
        const column = 2 * v * n
        for (let i = 0; i < 2 * n; i += 2) {
          re -= rows[row + i] * x[column + i] - rows[row + i + 1] * x[column + i + 1]
          im -= rows[row + i] * x[column + i + 1] + rows[row + i + 1] * x[column + i]
        }
        b[2 * (v * n + r)] = re
        b[2 * (v * n + r) + 1] = im
      }
  }
}
