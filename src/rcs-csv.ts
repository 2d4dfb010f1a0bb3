import { type Aspect } from '../scene/index.js'
import { type Channel, CHANNELS } from '../rays/index.js'
import type { ErrorBars } from './error-estimate.js'

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
