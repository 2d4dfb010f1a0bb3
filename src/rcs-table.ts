import { writeNpz } from '../formats/npz.js'
import { type Channel, CHANNELS } from '../rays/index.js'
import { type RcsTable, suffix } from './rcs-csv.js'

/** Arrays of the table by name: f_CH complex [frequency][direction], and the axes. */
export function tableArrays(
  table: RcsTable,
): { name: string; data: Float64Array; shape: number[]; complex: boolean }[] {
  const { freqHz, aspects, bistatic, channels } = table
  const axis = (name: string, values: number[]) => ({
    name,
    data: Float64Array.from(values),
    shape: [values.length],
    complex: false,
  })
  return [
    axis('freq_hz', freqHz),
    axis(
      'theta_deg',
      aspects.map((a) => a.tx.thetaDeg),
    ),
    axis(
      'phi_deg',
      aspects.map((a) => a.tx.phiDeg),
    ),
    ...(bistatic
      ? [
          axis(
            'rx_theta_deg',
            aspects.map((a) => a.rx.thetaDeg),
          ),
          axis(
            'rx_phi_deg',
            aspects.map((a) => a.rx.phiDeg),
          ),
        ]
      : []),
    ...Object.entries(table.fields).flatMap(([mechanism, fields]) =>
      channels.map((c) => ({
        name: `f_${c}${suffix(mechanism)}`,
        data: channelMatrix(fields, freqHz.length, c),
        shape: [freqHz.length, aspects.length],
        complex: true,
      })),
    ),
    ...(table.bars
      ? (['sampling', 'model'] as const).flatMap((kind) =>
          (table.bars![kind] ? channels : []).map((c) => ({
            name: `f_${c}_${kind}_error`,
            data: barMatrix(table.bars![kind]!, freqHz.length, c),
            shape: [freqHz.length, aspects.length],
            complex: false,
          })),
        )
      : []),
  ]
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

export const rcsNpz = (table: RcsTable): Uint8Array =>
  writeNpz(
    Object.fromEntries(
      tableArrays(table).map(({ name, data, shape, complex }) => [
        name,
        { data, shape, dtype: complex ? '<c16' : '<f8' },
      ]),
    ),
  )
