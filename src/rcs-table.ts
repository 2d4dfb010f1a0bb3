import { type NpyArray, vector } from '../formats/npz.js'
import { type Channel, CHANNELS } from '../rays/index.js'
import { type RcsTable, suffix } from './rcs-csv.js'

/** Arrays of the table by name: f_CH complex [frequency][direction], the axes, and bars like f_CH. */
export function tableArrays(table: RcsTable): Record<string, NpyArray> {
  const { freqHz, aspects, bistatic, channels, fields, bars } = table
  const shape = [freqHz.length, aspects.length]
  const axis = (values: number[]): NpyArray => vector(Float64Array.from(values))
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
    for (const c of channels)
      arrays[`f_${c}${suffix(mechanism)}`] = {
        data: channelMatrix(ofMechanism, freqHz.length, c),
        shape,
        dtype: '<c16',
      }
  for (const kind of ['sampling', 'model'] as const)
    for (const c of bars?.[kind] ? channels : [])
      arrays[`f_${c}_${kind}_error`] = {
        data: barMatrix(bars![kind]!, freqHz.length, c),
        shape,
        dtype: '<f8',
      }
  return arrays
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
