import { coarserName, ORDER_CHANGE } from '../pipeline/index.js'
import { type Aspect, direction } from '../scene/index.js'
import { COARSER, samplingErrors } from './error-estimate.js'
import { modelErrors, type Order } from './model-error.js'
import type { RcsTable } from './rcs-csv.js'

/** `count` frequencies from f0 to f1, both included [Hz]. */
export function uniformFrequencies(f0: number, f1: number, count: number): number[] {
  const df = (f1 - f0) / (count - 1)
  return Array.from({ length: count }, (_, i) => f0 + i * df)
}

/** Directions theta x phi [degrees]. */
export interface Grid {
  theta: number[]
  phi: number[]
}

/** Every transmitter direction with every receiver direction: theta outermost, then phi, then the receiver's. */
export function aspectGrid(tx: Grid, rx?: Grid): Aspect[] {
  const grid = ({ theta, phi }: Grid): Aspect['tx'][] => theta.flatMap((t) => phi.map((p) => direction(t, p)))
  if (!rx) return grid(tx).map((d) => ({ tx: d, rx: d }))
  const receivers = grid(rx)
  return grid(tx).flatMap((t) => receivers.map((r) => ({ tx: t, rx: r })))
}

/**
 * The table of a solved sweep.
 * @param order  of the run's edges, where its reruns are to become error bars
 */
export function rcsTable(
  axes: Pick<RcsTable, 'freqHz' | 'aspects' | 'bistatic' | 'channels'>,
  fields: Record<string, Float64Array[]>,
  order?: Order,
): RcsTable {
  const reruns = COARSER.map(coarserName)
  return {
    ...axes,
    fields: Object.fromEntries(
      Object.entries(fields).filter(([name]) => name !== ORDER_CHANGE && !reruns.includes(name)),
    ),
    ...(order && {
      bars: {
        sampling: samplingErrors(
          fields.total,
          reruns.map((name) => fields[name]),
        ),
        model: modelErrors(order, fields.total, fields[ORDER_CHANGE] ?? null, axes.freqHz),
      },
    }),
  }
}
