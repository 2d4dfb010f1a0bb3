import { type NpyArray, vector } from '../formats/npz.js'
import { type Channel, CHANNELS } from '../rays/index.js'
import { type BarSummary, barSummary } from '../plots/index.js'
import { barDbsm, dbsm, type RcsTable, suffix } from './rcs-csv.js'

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
