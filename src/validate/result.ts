import type { LineSeries } from '../../views/figures/node.js'
import type { CurveLimits } from './definition.js'
import type { CurveErrors } from './errors.js'
import type { Limit } from './record.js'

/** One comparison of a case: a line of the table. */
export interface Row {
  /** Channel, cut or quantity compared. */
  what: string
  /** What computed it, e.g. `SBR` or `SBR + TW-ILDC + 2nd order`. */
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
  pictures?: Record<string, string>
}

/** The errors that a row's limits speak of, with each limit; the rms where it has none. */
export function decisive({
  errors,
  limit,
}: Pick<Row, 'errors' | 'limit'>): { error: number; limit?: number; unit: string }[] {
  const error = limit?.metric === 'max' ? errors.maxDb : errors.rmsDb
  const db = limit && limit.db === undefined ? [] : [{ error, limit: limit?.db, unit: ' dB' }]
  if (limit?.complex === undefined) return db
  return [...db, { error: errors.complex!, limit: limit.complex, unit: ' of ‖F‖' }]
}

/** Whether a row keeps its limits: null where it has none. */
export const rowPasses = (row: Row): boolean | null =>
  row.limit ? decisive(row).every(({ error, limit }) => error <= limit!) : null

/** The limit of a curve by the definition of its case; nothing where it has none. */
export const limitOf = (limits: CurveLimits | undefined): { limit?: Limit } =>
  limits ? { limit: { metric: 'rms', ...limits } } : {}
