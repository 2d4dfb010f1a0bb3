import type { LinePlot, LineSeries } from '../views/figures/node.js'
import { type Comparable, type Comparison, placeText } from './compare-results.js'
import { decibels, ZERO_DB } from './validate/errors.js'

/** Deepest that a picture goes below its highest curve [dB]. */
const DEPTH = 100

/**
 * Curves of all results of a channel over the axis of which most values differ, through the place of the largest difference of all;
 * the scale covers every curve, or the picture says what lies below it.
 */
export function comparedCurves(
  all: readonly Comparable[],
  comparisons: readonly Comparison[],
  channel: string,
): LinePlot {
  const [reference] = all
  const differences = comparisons.flatMap((c) => c.differences.filter((d) => d.channel === channel))
  const largest = differences.flatMap(({ max }) => (max ? [max] : [])).sort((a, b) => Math.abs(b.db) - Math.abs(a.db))[0] // prettier-ignore
  // Every axis with its values: that of frequency too.
  const distinct = (values: ArrayLike<number>): number => new Set(Array.from(values)).size
  const over = reference.axes
    .map((axis) => ({ ...axis, count: distinct(axis.values) }))
    .reduce((best, axis) => (axis.count > best.count ? axis : best))
  const byFrequency = reference.freqHz!.length > over.count
  const at = largest?.at ?? { freq_hz: reference.freqHz![0] }
  const held = byFrequency
    ? Object.fromEntries(Object.entries(at).filter(([name]) => name !== 'freq_hz'))
    : Object.fromEntries(Object.entries(at).filter(([name]) => name !== over.name))
  const series = all.map((one) => curveOf(one, channel, byFrequency ? null : over.name, held))
  const highs = series.map(({ y }) => Array.from(y).reduce((a, b) => Math.max(a, b), ZERO_DB))
  const high = Math.max(...highs)
  const lows = series.flatMap(({ y }) => Array.from(y).filter((v) => v > high - DEPTH))
  const low = lows.reduce((a, b) => Math.min(a, b), high - 10)
  const bottom = 5 * Math.floor(low / 5)
  const below = series.flatMap(({ name, y }) => {
    const count = Array.from(y).filter((v) => v < bottom).length
    return count > 0 ? [`${name}: ${count === y.length ? 'all' : `${count} of ${y.length}`} samples below the picture`] : [] // prettier-ignore
  })
  // One frequency is named too: it is that of the picture.
  const where = placeText(held, { frequencies: byFrequency ? [] : [0, 1] })
  return {
    title: `${all.map(({ name }) => name).join(', ')}: ${channel.toUpperCase()}`,
    subtitle: [
      ...(where ? [where] : []),
      ...(largest ? [`largest difference ${largest.db.toFixed(1).replace('-', '−')} dB at ${placeText(largest.at, { frequencies: reference.freqHz! })}`] : []), // prettier-ignore
      ...below,
    ].join('  ·  '),
    xTitle: byFrequency
      ? 'Frequency [GHz]'
      : `${over.title} [${over.unit === '°' ? 'deg' : over.unit.trim()}]`,
    yTitle: reference.unit === 'dBsm' ? 'RCS [dBsm]' : 'Path gain [dB]',
    angular: !byFrequency && over.unit === '°',
    yRange: [bottom, 5 * Math.ceil((high + 0.5) / 5)],
    series: series.map((one, i) => ({ ...one, style: i % 2 === 1 ? 'dashed' : 'line' })),
  }
}

/** A result's levels along an axis (null: frequency) where its other axes have the values that are held. */
function curveOf(
  one: Comparable,
  channel: string,
  over: string | null,
  held: Record<string, number>,
): LineSeries {
  const data = one.layers.find(({ name }) => name === channel)!.data
  const freqHz = one.freqHz!
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-8 * Math.max(1, Math.abs(b))
  const nearest = (f: number): number => Array.from(freqHz).findIndex((v) => near(v / f, 1))
  const value = (n: number, p: number): number => {
    const i = 2 * (n * one.points + p)
    return decibels(one.scale * (data[i] ** 2 + data[i + 1] ** 2))
  }
  const fits = (p: number, skip?: string): boolean =>
    one.axes.every(({ name, values }) => name === skip || !(name in held) || near(values[p], held[name]))
  const places = Array.from({ length: one.points }, (_, p) => p)
  if (over === null) {
    const p = Math.max(
      0,
      places.findIndex((place) => fits(place)),
    )
    const order = Array.from(freqHz, (_, n) => n).sort((a, b) => freqHz[a] - freqHz[b])
    return { name: one.name, x: order.map((n) => freqHz[n] / 1e9), y: order.map((n) => value(n, p)) }
  }
  const n = Math.max(0, nearest(held.freq_hz))
  const cut = places.filter((p) => fits(p, over))
  // On a track all axes change together: no cut along one of them has more than a point.
  const shown = cut.length > 1 ? cut : places
  const x = one.axes.find(({ name }) => name === over)!.values
  shown.sort((a, b) => x[a] - x[b])
  return { name: one.name, x: shown.map((p) => x[p]), y: shown.map((p) => value(n, p)) }
}
