import { type Channel, CHANNELS } from '../rays/index.js'
import type { Aspect } from '../scene/index.js'
import { type BarSummary, barSummary } from '../isar/levels.js'
import { type NpyArray, vector } from './npz.js'

/** Errors of a run's results: per aspect 4 numbers per frequency, VV HH VH HV [m]. */
interface ErrorBars {
  /** Of the sampling of rays. */
  sampling: Float64Array[]
  /** Of the model; absent for targets with materials, which it was not fitted to. */
  model?: Float64Array[]
}

/** RCS of a sweep. */
export interface RcsTable {
  freqHz: number[]
  aspects: Aspect[]
  bistatic: boolean
  channels: Channel[]
  /**
   * Per mechanism (`total` first) and aspect the field over all frequencies, 8 numbers each: re, im of VV HH VH HV [m].
   */
  fields: Record<string, Float64Array[]>
  /** Errors of the total's F. */
  bars?: ErrorBars
}

/** RCS written for a zero amplitude [dBsm]. */
const ZERO_DBSM = -300

/** 10 log10 (4 pi |F|^2) [dBsm]; -300 for zero. @throws Error where F is not finite: such a result must not be written. */
export function dbsm(re: number, im: number): number {
  const sigma = 4 * Math.PI * (re * re + im * im)
  if (!Number.isFinite(sigma))
    throw new Error('a scattering amplitude is not finite: please report this target')
  return sigma > 0 ? Math.max(ZERO_DBSM, 10 * Math.log10(sigma)) : ZERO_DBSM
}

/** Suffix of a mechanism's columns and arrays; none for the total. */
export const suffix = (mechanism: string): string => (mechanism === 'total' ? '' : `_${mechanism}`)

/** A mechanism in words: `bounce 2`, `edges`, or of second order its own name. */
export const mechanismTitle = (mechanism: string): string =>
  mechanism === 'edge' ? 'edges' : /^b\d+$/.test(mechanism) ? `bounce ${mechanism.slice(1)}` : mechanism

/** Characters of the pieces that a table is written in. */
const PIECE = 2 ** 20

/**
 * The CSV of `isar rcs`: one row per frequency and direction, frequency outermost; channels not requested are empty. In pieces: a
 * table of some million rows is longer than a string can be.
 */
export function* rcsCsv(table: RcsTable): Generator<string> {
  const { freqHz, aspects, bistatic, channels } = table
  const mechanisms = Object.entries(table.fields)
  const wanted = CHANNELS.map((c) => channels.includes(c))
  const head = [
    'freq_hz,theta_deg,phi_deg',
    ...(bistatic ? ['rx_theta_deg,rx_phi_deg'] : []),
    ...mechanisms.flatMap(([name]) => [
      ...CHANNELS.map((c) => `sigma_${c}_dbsm${suffix(name)}`),
      ...CHANNELS.flatMap((c) => [`f_${c}_re${suffix(name)}`, `f_${c}_im${suffix(name)}`]),
    ]),
    ...(table.bars
      ? CHANNELS.flatMap((c) => [
          `f_${c}_sampling_error`,
          `f_${c}_model_error`,
          `sigma_${c}_low_dbsm`,
          `sigma_${c}_high_dbsm`,
        ])
      : []),
  ]
  const columns = (field: Float64Array, at: number): string[] => [
    ...wanted.map((w, c) => (w ? dbsm(field[at + 2 * c], field[at + 2 * c + 1]).toFixed(5) : '')),
    ...wanted.flatMap((w, c) => [0, 1].map((part) => (w ? field[at + 2 * c + part].toExponential(10) : ''))),
  ]
  const line = (f: number, n: number, { tx, rx }: Aspect, a: number): string =>
    [
      f,
      tx.thetaDeg,
      tx.phiDeg,
      ...(bistatic ? [rx.thetaDeg, rx.phiDeg] : []),
      ...mechanisms.flatMap(([, fields]) => columns(fields[a], 8 * n)),
      ...(table.bars ? wanted.flatMap((w, c) => (w ? barColumns(table, a, n, c) : ['', '', '', ''])) : []),
    ].join()
  let piece = `${head.join()}\n`
  for (const [n, f] of freqHz.entries())
    for (const [a, aspect] of aspects.entries()) {
      piece += `${line(f, n, aspect, a)}\n`
      if (piece.length < PIECE) continue
      yield piece
      piece = ''
    }
  yield piece
}

function barColumns(table: RcsTable, aspect: number, frequency: number, channel: number): string[] {
  const [low, high] = barDbsm(table, aspect, frequency, channel)
  const { sampling, model } = table.bars!
  const errors = [sampling, model].map((of) => of?.[aspect][4 * frequency + channel].toExponential(4) ?? '')
  return [...errors, low.toFixed(5), high.toFixed(5)]
}

/**
 * Ends of the error bar of a result [dBsm], root of the sum of the squares of both errors; the lower one is -300 where the bar reaches down
 * to nothing. Without a model error it is the bar of sampling.
 */
export function barDbsm(
  { fields, bars }: RcsTable,
  aspect: number,
  frequency: number,
  channel: number,
): [number, number] {
  const at = 8 * frequency + 2 * channel
  const amplitude = Math.hypot(fields.total[aspect][at], fields.total[aspect][at + 1])
  const { sampling, model } = bars!
  const bar = Math.hypot(...[sampling, model].map((of) => of?.[aspect][4 * frequency + channel] ?? 0))
  return [dbsm(Math.max(0, amplitude - bar), 0), dbsm(amplitude + bar, 0)]
}

/** Arrays of the table by name: f_CH complex [frequency][direction], the axes, levels sigma_CH_dbsm and bars like f_CH. */
export function tableArrays(table: RcsTable): Record<string, NpyArray> {
  const { freqHz, aspects, bistatic, channels, fields, bars } = table
  const shape = [freqHz.length, aspects.length]
  const axis = (values: number[]): NpyArray => vector(Float64Array.from(values))
  const levels = (of: (aspect: number, frequency: number) => number): NpyArray => ({
    data: Float64Array.from({ length: freqHz.length * aspects.length }, (_, i) =>
      of(i % aspects.length, Math.floor(i / aspects.length)),
    ),
    shape,
    dtype: '<f8',
  })
  const arrays: Record<string, NpyArray> = {
    freq_hz: axis(freqHz),
    theta_deg: axis(aspects.map((a) => a.tx.thetaDeg)),
    phi_deg: axis(aspects.map((a) => a.tx.phiDeg)),
  }
  if (bistatic) {
    arrays.rx_theta_deg = axis(aspects.map((a) => a.rx.thetaDeg))
    arrays.rx_phi_deg = axis(aspects.map((a) => a.rx.phiDeg))
  }
  for (const [mechanism, ofMechanism] of Object.entries(fields))
    for (const c of channels) {
      const k = CHANNELS.indexOf(c)
      arrays[`sigma_${c}_dbsm${suffix(mechanism)}`] = levels((a, n) =>
        dbsm(ofMechanism[a][8 * n + 2 * k], ofMechanism[a][8 * n + 2 * k + 1]),
      )
      arrays[`f_${c}${suffix(mechanism)}`] = {
        data: channelMatrix(ofMechanism, freqHz.length, c),
        shape,
        dtype: '<c16',
      }
    }
  for (const kind of ['sampling', 'model'] as const)
    for (const c of bars?.[kind] ? channels : [])
      arrays[`f_${c}_${kind}_error`] = {
        data: barMatrix(bars![kind]!, freqHz.length, c),
        shape,
        dtype: '<f8',
      }
  for (const [end, name] of ['low', 'high'].entries())
    for (const c of bars ? channels : [])
      arrays[`sigma_${c}_${name}_dbsm`] = levels((a, n) => barDbsm(table, a, n, CHANNELS.indexOf(c))[end])
  return arrays
}

/** Error bars of a channel of the total, both errors together, in words and numbers; null of a table without. */
export function barsOf({ fields, bars, freqHz }: RcsTable, channel: Channel): BarSummary | null {
  if (!bars) return null
  const [sampling, model] = [bars.sampling, bars.model].map(
    (of) => of && barMatrix(of, freqHz.length, channel),
  )
  const errors = sampling!.map((e, i) => Math.hypot(e, model?.[i] ?? 0))
  return barSummary(channelMatrix(fields.total, freqHz.length, channel), errors)
}

/** One channel of all errors as [frequency][aspect] [m]. */
export function barMatrix(bars: Float64Array[], frequencies: number, channel: Channel): Float64Array {
  const c = CHANNELS.indexOf(channel)
  return Float64Array.from({ length: frequencies * bars.length }, (_, i) => {
    const n = Math.floor(i / bars.length)
    return bars[i % bars.length][4 * n + c]
  })
}

/** One channel of all aspects' fields as complex [frequency][aspect], interleaved re, im. */
export function channelMatrix(fields: Float64Array[], frequencies: number, channel: Channel): Float64Array {
  const c = CHANNELS.indexOf(channel)
  const data = new Float64Array(2 * frequencies * fields.length)
  fields.forEach((field, a) => {
    for (let n = 0; n < frequencies; n++) {
      data[2 * (n * fields.length + a)] = field[8 * n + 2 * c]
      data[2 * (n * fields.length + a) + 1] = field[8 * n + 2 * c + 1]
    }
  })
  return data
}
