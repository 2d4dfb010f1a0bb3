import { type NpyArray, vector } from '../../formats/npz.js'
import { CHANNELS } from '../../rays/index.js'
import { InputError } from '../../scene/index.js'
import type { HistoryData, LayerData } from '../../plots/index.js'
import { axis, matrices } from './image-result.js'

/**
 * Amplitudes over frequency and aspect, of a phase-history.npz or an RCS table: of each transmitter those of all its receivers. A table
 * whose every row has a transmitter of its own, of a fixed bistatic angle, is one over the transmitter's directions.
 * @throws InputError where arrays are missing
 */
export function historiesData(arrays: Record<string, NpyArray>): HistoryData[] {
  const bistatic = 'rx_theta_deg' in arrays
  const [theta, phi] = ['theta_deg', 'phi_deg'].map((n) => axis(arrays, n, 'table'))
  const freqHz = axis(arrays, 'freq_hz', 'table')
  const all = phi.length
  const layers = matrices(arrays, 'f_', [freqHz.length, all])
  if (layers.length === 0) throw new InputError('the table holds no amplitudes f_CH; compute it again')
  const whole = byFrequency(freqHz, layers, barsOf(arrays, layers, freqHz.length * all), all)
  if (!bistatic) return [{ thetaDeg: theta, phiDeg: phi, bistatic, ...whole }]
  const [rxTheta, rxPhi] = ['rx_theta_deg', 'rx_phi_deg'].map((n) => axis(arrays, n, 'table'))
  const starts = [...theta.keys()].filter(
    (i) => i === 0 || theta[i] !== theta[i - 1] || phi[i] !== phi[i - 1],
  )
  if (starts.length === all && all > 1) {
    const turnedDeg: [number, number] = [rxTheta[0] - theta[0], rxPhi[0] - phi[0]]
    return [{ thetaDeg: theta, phiDeg: phi, bistatic, turnedDeg, ...whole }]
  }
  return starts.map((from, k) => {
    const to = starts[k + 1] ?? all
    /** The columns of this transmitter, of matrices with `size` numbers a value. */
    const part = (data: Float64Array, size: number): Float64Array => {
      const out = new Float64Array(freqHz.length * (to - from) * size)
      for (let n = 0; n < freqHz.length; n++)
        out.set(data.subarray(size * (n * all + from), size * (n * all + to)), size * n * (to - from))
      return out
    }
    return {
      thetaDeg: rxTheta.slice(from, to),
      phiDeg: rxPhi.slice(from, to),
      bistatic,
      transmitterDeg: [theta[from], phi[from]],
      freqHz: whole.freqHz,
      layers: whole.layers.map((layer) => ({ ...layer, data: part(layer.data, 2) })),
      ...(whole.bars && { bars: whole.bars.map(({ name, data }) => ({ name, data: part(data, 1) })) }),
    }
  })
}

/** The only history of such arrays, or that of the first transmitter. */
export const historyData = (arrays: Record<string, NpyArray>): HistoryData => historiesData(arrays)[0]

/** Error bars of channels: the root of the sum of the squares of those of sampling and of the model. */
function barsOf(
  arrays: Record<string, NpyArray>,
  layers: LayerData[],
  size: number,
): NonNullable<HistoryData['bars']> {
  return layers.flatMap(({ name }) => {
    const found = ['sampling', 'model'].flatMap((kind) => {
      const data = arrays[`f_${name}_${kind}_error`]?.data
      return data instanceof Float64Array && data.length === size ? [data] : []
    })
    return found.length > 0
      ? [{ name, data: found[0].map((_, i) => Math.hypot(...found.map((errors) => errors[i]))) }]
      : []
  })
}

/** Matrices [frequency][aspect] with their frequencies ascending: a table has them in the requested order. */
function byFrequency(
  given: Float64Array,
  layers: LayerData[],
  bars: NonNullable<HistoryData['bars']>,
  aspects: number,
): Pick<HistoryData, 'freqHz' | 'layers' | 'bars'> {
  const order = [...given.keys()].sort((a, b) => given[a] - given[b])
  const sorted = (data: Float64Array, row: number): Float64Array => {
    const out = new Float64Array(data.length)
    order.forEach((from, to) => out.set(data.subarray(row * from, row * (from + 1)), row * to))
    return out
  }
  return {
    freqHz: Float64Array.from(order, (n) => given[n]),
    layers: layers.map((layer) => ({ ...layer, data: sorted(layer.data, 2 * aspects) })),
    ...(bars.length > 0 && { bars: bars.map(({ name, data }) => ({ name, data: sorted(data, aspects) })) }),
  }
}

/**
 * The CSV of `isar rcs` as the arrays that `isar rcs --out X.npz` writes.
 * @throws InputError naming the first line that is not one of such a table
 */
export function readRcsCsv(text: string, name: string): Record<string, NpyArray> {
  const lines = text.split(/\r?\n/).filter((l) => l !== '')
  const head = (lines[0] ?? '').split(',')
  if (head.slice(0, 3).join() !== 'freq_hz,theta_deg,phi_deg')
    throw new InputError(`${name} is no RCS table: its first line must begin with freq_hz,theta_deg,phi_deg`)
  const rows = lines.slice(1).map((line, i) => {
    const cells = line.split(',')
    if (cells.length !== head.length)
      throw new InputError(`${name}, line ${i + 2}: ${cells.length} cells of ${head.length}`)
    return cells
  })
  if (rows.length === 0) throw new InputError(`${name} has no rows; compute it again`)
  const value = (row: number, column: number): number => {
    const x = Number(rows[row][column])
    if (rows[row][column] === '' || !Number.isFinite(x))
      throw new InputError(
        `${name}, line ${row + 2}: "${rows[row][column]}" under ${head[column]} is no number`,
      )
    return x
  }
  // Frequency is the outermost order: the aspects are the rows of the first one.
  const aspects = rows.findIndex((_, i) => rows[i][0] !== rows[0][0])
  const na = aspects < 0 ? rows.length : aspects
  const nf = rows.length / na
  if (!Number.isInteger(nf))
    throw new InputError(`${name}: ${rows.length} rows are no whole number of frequencies of ${na} aspects`)
  const column = (c: number): NpyArray => vector(Float64Array.from({ length: na }, (_, i) => value(i, c)))
  const arrays: Record<string, NpyArray> = {
    freq_hz: vector(Float64Array.from({ length: nf }, (_, n) => value(n * na, 0))),
    theta_deg: column(1),
    phi_deg: column(2),
  }
  const rx = head.indexOf('rx_theta_deg')
  if (rx >= 0) Object.assign(arrays, { rx_theta_deg: column(rx), rx_phi_deg: column(rx + 1) })
  for (const [c, title] of head.entries()) {
    if (/^f_\w\w_(sampling|model)_error$/.test(title) && rows[0][c] !== '')
      arrays[title] = { data: Float64Array.from(rows, (_, i) => value(i, c)), shape: [nf, na], dtype: '<f8' }
    const match = /^f_(\w\w)_re(_\w+)?$/.exec(title)
    if (!match || !CHANNELS.some((ch) => ch === match[1]) || rows[0][c] === '') continue
    const data = new Float64Array(2 * rows.length)
    for (let i = 0; i < rows.length; i++) {
      data[2 * i] = value(i, c)
      data[2 * i + 1] = value(i, c + 1)
    }
    arrays[`f_${match[1]}${match[2] ?? ''}`] = { data, shape: [nf, na], dtype: '<c16' }
  }
  return arrays
}
