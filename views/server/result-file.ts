import { readFileSync } from 'node:fs'
import { CHANNELS, type SbrOptions } from '../../rays/index.js'
import { InputError, type Vec3 } from '../../scene/index.js'
import { type NpyArray, vector } from '../../formats/npz.js'
import { mechanismTitle } from '../../formats/rcs-table.js'
import { short } from '../../isar/levels.js'
import type { HistoryData, ImageGridData, LayerData } from '../figures/index.js'

/** Where meta.json does not contain it. */
export const DEFAULT_WEDGE_ANGLE_DEG = 160

/** The part of a run's meta.json that the viewer reads; files of other versions may miss any of it. */
export interface RunMeta {
  command?: string
  version?: string
  created?: string
  approximate?: string
  device?: string
  /** Of a propagation result. */
  scene?: { name?: string; transmitter?: { position?: Vec3 } }
  receivers?: { name: string; first: number; count: number }[]
  rays?: number
  mesh?: {
    name?: string
    sha256?: string
    size_m?: number[]
    facets?: number
    materials?: { group?: string; material: string }[]
    ground?: { material: string; height_m: number; roughness_m: number }
  }
  /** Of isar image. */
  history?: { calibrated?: boolean }
  counts?: Record<string, number>
  /** Of a result of isar doppler. */
  motion?: {
    radar: { thetaDeg: number; phiDeg: number; prfHz: number; f0_hz: number; f1_hz: number }
    /** What turns: rotations per second about an axis of length 1 through a pivot [m], from an angle at time 0. */
    parts: MovingPart[]
  }
  error?: { total: number }
  /** Of a result of --method mom, a frequency each. */
  full_wave?: {
    freq_hz: number
    triangles: number
    unknowns: number
    condition: number
    power_error: number
    triangle_quality?: { worst: number; median: number }
    longest_edge_wavelengths?: number
  }[]
  /** Of isar render --motion. */
  image_plane?: {
    towards_radar: Vec3
    cross_range: Vec3
    normal: Vec3
    range_resolution_m: number
    cross_range_resolution_m: number
  }
  options?: {
    method?: string
    diffraction?: string
    maxWedgeAngleDeg?: number
    smoothAngleDeg?: number
    units?: string
    sbr?: SbrOptions
    phaseCentre?: Vec3
    window?: string
    polarFormat?: boolean
    dynamicRangeDb?: number
    sweep?: {
      thetaDeg: number
      phi0: number
      phi1: number
      f0: number
      f1: number
      frequencies: number
      aspects: number
      apertureDeg: number
      rangeResolutionM: number
      crossRangeResolutionM: number
    }
  }
}

export interface MovingPart {
  name: string
  pivot: Vec3
  axis: Vec3
  rate: number
  phaseDeg: number
}

/** The record of a run; null without one. @throws InputError for a damaged one */
export function readMeta(file: string): RunMeta | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new InputError(`${file} cannot be read: ${code}`, { cause: error })
  }
  try {
    return JSON.parse(text) as RunMeta
  } catch {
    throw new InputError(`${file} is not JSON; run the command that made the result again`)
  }
}

const ghz = (f: number): string => `${short(f / 1e9, 5)} GHz`

/** Of the worst of all frequencies. */
function fullWaveFacts(solved: RunMeta['full_wave']): [string, string][] {
  if (!solved?.length) return []
  const range = (of: number[]): string =>
    [...new Set([Math.min(...of), Math.max(...of)])].map((n) => n.toLocaleString('en')).join(' to ')
  const worst = (of: (s: NonNullable<RunMeta['full_wave']>[number]) => number): number =>
    Math.max(...solved.map(of))
  const shapes = solved.flatMap((s) => s.triangle_quality ?? [])
  return [
    ['Unknowns', range(solved.map((s) => s.unknowns))],
    ['Triangles for currents', range(solved.map((s) => s.triangles))],
    [
      'Their quality 2r/R',
      shapes.length > 0
        ? `least ${short(Math.min(...shapes.map((s) => s.worst)), 2)}, median ${short(Math.min(...shapes.map((s) => s.median)), 2)}`
        : '',
    ],
    ['Condition number', worst((s) => s.condition).toExponential(1)],
    ['Power balance', `${short(100 * worst((s) => s.power_error), 2)} % off`],
  ]
}

/** Main facts about a run, label and value. */
export function runFacts(meta: RunMeta | null): [string, string][] {
  if (!meta) return []
  const { mesh, options = {}, counts = {}, device, version, created, approximate, rays, motion, error } = meta
  const radar = motion?.radar
  const { sweep, sbr } = options
  const facts: [string, string | false | undefined][] = [
    [
      'Size',
      mesh?.size_m
        ?.map((x) => short(x, 3))
        .join(' × ')
        .concat(' m'),
    ],
    ['Facets', mesh?.facets?.toLocaleString('en')],
    ['Materials', mesh?.materials && [...new Set(mesh.materials.map((m) => m.material))].join(', ')],
    ['Ground', mesh?.ground && `${mesh.ground.material} at z = ${short(mesh.ground.height_m)} m`],
    ['Radar', radar && `θ ${short(radar.thetaDeg)}°, φ ${short(radar.phiDeg)}°`],
    [
      'Pulses',
      radar && counts.pulses
        ? `${counts.pulses.toLocaleString('en')} pulses at ${radar.prfHz.toLocaleString('en')} Hz, ${radar.f1_hz > radar.f0_hz ? `${ghz(radar.f0_hz)} to ${ghz(radar.f1_hz)}, ${counts.frequencies} frequencies` : ghz(radar.f0_hz)}`
        : undefined,
    ],
    ['Parts that turn', motion && (motion.parts.map(({ name, rate }) => `${name} ${short(rate)} rev/s`).join(', ') || 'none')], // prettier-ignore
    ['Error at 4 pulses', error && `${short(100 * error.total, 2)} % of the rms field`],
    ['Aspect', sweep && `θ ${short(sweep.thetaDeg)}°, φ ${short((sweep.phi0 + sweep.phi1) / 2)}°`],
    ['Aperture', sweep && `${short(sweep.apertureDeg)}°, ${sweep.aspects} aspects`],
    ['Band', sweep && `${ghz(sweep.f0)} to ${ghz(sweep.f1)}, ${sweep.frequencies} frequencies`],
    [
      'Resolution',
      sweep && `${short(sweep.rangeResolutionM, 3)} m × ${short(sweep.crossRangeResolutionM, 3)} m`,
    ],
    ['Window', options.window && options.window + (options.polarFormat ? ', polar format' : '')],
    ['Method', options.method && options.method + (approximate ? ' (approximate)' : '')],
    ...fullWaveFacts(meta.full_wave),
    ['Edges', meta.full_wave ? undefined : options.diffraction],
    ['Rays', !meta.full_wave && sbr && `${sbr.raysPerWavelength} per wavelength, ${sbr.maxBounces} bounces`],
    ['Rays launched', rays?.toLocaleString('en')],
    ['Ray tubes', meta.full_wave ? undefined : counts.tubes?.toLocaleString('en')],
    ['Device', device],
    ['Made', created && `${created.slice(0, 16).replace('T', ' ')} UTC, isar ${version ?? '?'}`],
  ]
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]))
}

/** An image.npz. @throws InputError where arrays are missing or do not match */
export function imageData(arrays: Record<string, NpyArray>, meta: RunMeta | null): ImageGridData {
  // Of isar image: on the ground, x to the right and y upwards.
  const ground = 'x_m' in arrays && !('range_m' in arrays)
  const rangeM = axis(arrays, ground ? 'y_m' : 'range_m', 'image.npz')
  const crossRangeM = axis(arrays, ground ? 'x_m' : 'cross_range_m', 'image.npz')
  const layers = matrices(arrays, 'image_', [rangeM.length, crossRangeM.length])
  if (layers.length === 0) throw new InputError('image.npz: no image in it; render the target again')
  const sweep = meta?.options?.sweep
  const radar = meta?.motion?.radar
  const plane = meta?.image_plane
  const [x, y, z] = plane?.towards_radar ?? [1, 0, 0]
  const deg = 180 / Math.PI
  // The page of isar site keeps the aspect in the file itself; the ground's plane needs none.
  const own = (name: string, onGround: number): number => arrays[name]?.data[0] ?? (ground ? onGround : NaN)
  return {
    thetaDeg: sweep?.thetaDeg ?? (plane ? deg * Math.acos(z) : (radar?.thetaDeg ?? own('theta_deg', 90))),
    phiDeg: sweep
      ? (sweep.phi0 + sweep.phi1) / 2
      : plane
        ? deg * Math.atan2(y, x)
        : (radar?.phiDeg ?? own('phi_deg', 0)),
    ...(plane && {
      plane: { towardsRadar: plane.towards_radar, crossRange: plane.cross_range, normal: plane.normal },
    }),
    ...(ground && {
      ground: true as const,
      plane: { towardsRadar: [0, -1, 0] as Vec3, crossRange: [1, 0, 0] as Vec3, normal: [0, 0, 1] as Vec3 },
    }),
    ...(meta?.history?.calibrated === false && { unit: 'dB' }),
    rangeM,
    crossRangeM,
    // Without a meta.json: as formImage draws by default, four pixels to a cell.
    rangeResolutionM: sweep?.rangeResolutionM ?? plane?.range_resolution_m ?? 4 * (rangeM[1] - rangeM[0]),
    crossRangeResolutionM:
      sweep?.crossRangeResolutionM ??
      plane?.cross_range_resolution_m ??
      4 * (crossRangeM[1] - crossRangeM[0]),
    window: meta?.options?.window ?? 'hamming',
    polarFormat: meta?.options?.polarFormat ?? false,
    dynamicRangeDb: meta?.options?.dynamicRangeDb ?? 50,
    phaseCentre: meta?.options?.phaseCentre ?? [0, 0, 0],
    layers,
  }
}

/** A real axis of an archive. @throws InputError where it is missing or too short to draw over */
export function axis(arrays: Record<string, NpyArray>, name: string, file: string): Float64Array {
  const data = arrays[name]?.data
  if (data instanceof Float64Array && data.length > 0) return data
  throw new InputError(`${file}: no "${name}" of doubles in it; run the command that made it again`)
}

/** All complex matrices of an archive whose names begin with `head`, in the file's order. */
export function matrices(
  arrays: Record<string, NpyArray>,
  head: string,
  shape: [number, number],
): LayerData[] {
  return Object.entries(arrays).flatMap(([key, { data, shape: has, dtype }]) => {
    if (!key.startsWith(head) || dtype !== '<c16') return []
    if (has.length !== 2 || has[0] !== shape[0] || has[1] !== shape[1])
      throw new InputError(`"${key}" is ${has.join(' x ')} where its axes are ${shape.join(' x ')}`)
    const name = key.slice(head.length)
    return [{ name, title: layerTitle(name), data: data as Float64Array }]
  })
}

/** vv_b2 -> VV, bounce 2 */
function layerTitle(name: string): string {
  const [channel, mechanism] = name.split('_')
  return channel.toUpperCase() + (mechanism === undefined ? '' : `, ${mechanismTitle(mechanism)}`)
}

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

/** Cells of a CSV file below its head, and numbers in them, which throw an InputError with their line where they are none. */
export function csvTable(text: string, name: string) {
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  const [head = [], ...rows] = lines.map((line) => line.split(','))
  const number = (row: number, column: number): number => {
    const cell = rows[row][column] ?? ''
    const x = cell === '' ? NaN : Number(cell)
    if (!Number.isFinite(x))
      throw new InputError(`${name}, line ${row + 2}: "${cell}" under ${head[column]} is no number`)
    return x
  }
  return { head, rows, number }
}

/**
 * The CSV of `isar rcs` as the arrays that `isar rcs --out X.npz` writes.
 * @throws InputError naming the first line that is not one of such a table
 */
export function readRcsCsv(text: string, name: string): Record<string, NpyArray> {
  const { head, rows, number } = csvTable(text, name)
  if (head.slice(0, 3).join() !== 'freq_hz,theta_deg,phi_deg')
    throw new InputError(`${name} is no RCS table: its first line must begin with freq_hz,theta_deg,phi_deg`)
  const ragged = rows.findIndex((cells) => cells.length !== head.length)
  if (ragged >= 0)
    throw new InputError(`${name}, line ${ragged + 2}: ${rows[ragged].length} cells of ${head.length}`)
  if (rows.length === 0) throw new InputError(`${name} has no rows; compute it again`)
  // Frequency is the outermost order: the aspects are the rows of the first one.
  const aspects = rows.findIndex((_, i) => rows[i][0] !== rows[0][0])
  const na = aspects < 0 ? rows.length : aspects
  const nf = rows.length / na
  if (!Number.isInteger(nf))
    throw new InputError(`${name}: ${rows.length} rows are no whole number of frequencies of ${na} aspects`)
  const column = (c: number): NpyArray => vector(Float64Array.from({ length: na }, (_, i) => number(i, c)))
  const arrays: Record<string, NpyArray> = {
    freq_hz: vector(Float64Array.from({ length: nf }, (_, n) => number(n * na, 0))),
    theta_deg: column(1),
    phi_deg: column(2),
  }
  const rx = head.indexOf('rx_theta_deg')
  if (rx >= 0) Object.assign(arrays, { rx_theta_deg: column(rx), rx_phi_deg: column(rx + 1) })
  for (const [c, title] of head.entries()) {
    if (/^f_\w\w_(sampling|model)_error$/.test(title) && rows[0][c] !== '')
      arrays[title] = { data: Float64Array.from(rows, (_, i) => number(i, c)), shape: [nf, na], dtype: '<f8' }
    const match = /^f_(\w\w)_re(_\w+)?$/.exec(title)
    if (!match || !CHANNELS.some((ch) => ch === match[1]) || rows[0][c] === '') continue
    const data = new Float64Array(2 * rows.length)
    for (let i = 0; i < rows.length; i++) {
      data[2 * i] = number(i, c)
      data[2 * i + 1] = number(i, c + 1)
    }
    arrays[`f_${match[1]}${match[2] ?? ''}`] = { data, shape: [nf, na], dtype: '<c16' }
  }
  return arrays
}
