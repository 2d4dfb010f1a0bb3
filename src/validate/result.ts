import type { LineSeries } from '../../plots/node.js'
import type { CurveErrors } from './errors.js'

/** Limit of a curve's error. */
export interface Limit {
  /** Which of the errors is held to it. */
  metric: 'rms' | 'max'
  db: number
}

/** One comparison of a case: a line of the table. */
export interface Row {
  /** Channel, cut or quantity compared. */
  what: string
  /** What computed it, e.g. `SBR` or `SBR + TW-ILDC`. */
  method: string
  errors: CurveErrors
  limit?: Limit
}

/** One set of axes of a case's figure. */
export interface Panel {
  title: string
  xTitle: string
  /** Default RCS [dBsm]. */
  yTitle?: string
  angular: boolean
  series: LineSeries[]
}

/** What a case's computation gives. */
export interface Outcome {
  rows: Row[]
  panels: Panel[]
  device: string
  /** Note for readers. */
  note?: string
  /** Pictures other than curves, by suffix. */
  pictures?: Record<string, Uint8Array>
}

/** The error a row's limit speaks of; the rms where it has none. */
export const decisive = (row: Row): number =>
  row.limit?.metric === 'max' ? row.errors.maxDb : row.errors.rmsDb

/** Whether a row meets its limit: null where it has none. */
export const rowPasses = (row: Row): boolean | null => (row.limit ? decisive(row) <= row.limit.db : null)
