import { ARRAY_ENDINGS, type ArrayFormat, type NpyArray, vector } from '../../formats/index.js'
import {
  type RangeDoppler,
  rangeDoppler,
  type RangeProfiles,
  rangeProfiles,
  type Spectrogram,
  spectrogram,
  type WindowName,
} from '../../isar/index.js'
import { makeFolder } from '../../run/sweep/index.js'
import {
  type LoadedMotion,
  loadMotion,
  type MotionDescription,
  type MotionError,
  rangeExtent,
} from '../../run/motion/index.js'
import { InputError, C0 } from '../../scene/index.js'
import {
  type ComputedDoppler,
  computeDoppler,
  facetsOf,
  movingTargetNpz,
  type PulseHistory,
} from '../../run/doppler/compute.js'
import {
  claimLocation,
  folderLocation,
  memoryStore,
  type ResultLocation,
  type SaveOptions,
  writeArrays,
  writeJson,
  writeResult,
} from '../../run/results.js'
import { writeFigure } from '../write-figure.js'
import { keepTarget } from '../../run/mesh-source.js'
import { checkKeys, flag, type Setting } from '../../run/settings/types.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import {
  checkDeclared,
  resolveSettings,
  settingOf,
  SETTINGS,
  type SettingsOf,
  type SolverSettings,
} from '../../run/settings/settings.js'

/** Options of `isar doppler` and `doppler` that are no settings of the solver. */
export const DOPPLER = {
  /** A full solution at every pulse, without interpolation. Default false. */
  exact: {
    type: flag().default(false),
    help: 'a full solution at every pulse, without interpolation',
    group: 'Accuracy',
  },
} as const satisfies Record<string, Setting>

/** How a moving target is computed: the settings of the solver (docs/options.md), and these. */
export interface DopplerOptions extends SolverSettings, SettingsOf<typeof DOPPLER>, CallOptions {
  /** Folder that files are named relative to, for a motion that is no file itself. Default: the working folder. */
  folder?: string
}

/** What the motion file or the command determines. */
const NOT_HERE = new Set(['units', 'phaseCentre', 'mechanisms'])
const OPTIONS = [
  ...CALL_OPTIONS,
  ...SETTINGS.filter(
    (name) => !NOT_HERE.has(name) && (settingOf(name).commands?.includes('doppler') ?? true),
  ),
  ...Object.keys(DOPPLER),
  'folder',
]

/** Fields of a moving target over slow time. */
export interface DopplerResult extends PulseHistory {
  /** The motion file's name, or the mesh's, without folder and ending. */
  name: string
  /** Rms errors of interpolated pulses, relative to the rms field (docs/doppler.md); absent where every pulse was solved. */
  error?: MotionError
  /** What `meta.json` of `isar doppler` holds: version, device, motion, options as resolved, counts. */
  meta: Record<string, unknown>
  /** The same result as the writer takes it. */
  computed: ComputedDoppler
  /** One line each on what is odd about meshes or device. */
  warnings: string[]
}

/**
 * Pulses of a moving target, as `isar doppler` computes them and with the same bytes. Nothing is written to disk (`saveDoppler` does).
 * `spectrogram`, `rangeDoppler` and `motionImage` take the result further. Edges are of first order unless `secondOrder` says more.
 *
 * @param motion  path of a motion file, or its content as an object (docs/doppler.md)
 * @throws (rejects) InputError for bad input or an impossible run, the signal's reason, GpuError where the GPU fails
 */
export async function doppler(
  motion: string | MotionDescription,
  options: DopplerOptions = {},
): Promise<DopplerResult> {
  checkKeys(options, 'doppler', OPTIONS)
  const { exact } = checkDeclared(DOPPLER, { ...options })
  const hooks = new Hooks(options)
  const settings = resolveSettings({ secondOrder: [], ...options })
  const loaded = await loadMotion(motion, settings, options.folder)
  const computed = await computeDoppler(loaded, exact, settings, {
    store: memoryStore,
    hooks,
  })
  const { name, history, error, meta } = computed
  return { name, ...history, ...(error && { error }), meta, computed, warnings: hooks.warnings }
}

/** How slow-time data become maps; does not affect the data. */
interface ProductSettings {
  window: WindowName
  /** Pulses of a range-Doppler map; default all, at most 1024. */
  interval?: number
  /** Pulses of a column of the spectrogram; default an eighth of the fastest part's turn, or so many that time and Doppler are resolved alike. */
  stft?: number
  /** Part of a column of the spectrogram that the next one shares. */
  overlap: number
}

/** Maps of one channel; with one frequency the spectrogram alone. */
interface DopplerProducts {
  spectrogram: Spectrogram
  profiles?: RangeProfiles
  maps?: RangeDoppler
}

const MOST_INTERVAL = 1024
const LEAST_STFT = 16

/** Checks that intervals fit the pulses and fills in defaults. @param nameOf  names of options @throws InputError */
export function resolveProducts(
  { config: { radar, parts } }: LoadedMotion,
  { window, interval, stft, overlap }: ProductSettings,
  nameOf: (name: string) => string,
): Required<ProductSettings> {
  const { pulses, prfHz } = radar
  if (pulses < 2) throw new InputError('radar.pulses: one pulse has no Doppler; give two at least')
  for (const [name, value] of Object.entries({ interval, stft }))
    if (value !== undefined && value > pulses)
      throw new InputError(`${nameOf(name)} ${value}: there are ${pulses} pulses; give fewer`)
  const fastest = parts.reduce((most, { rate }) => Math.max(most, Math.abs(rate)), 0)
  const bursts = prfHz / (radar.waveform === 'stepped' ? radar.freqHz.length : 1)
  const alike = 2 ** Math.round(Math.log2(Math.sqrt(2 * pulses)))
  const wanted = fastest > 0 ? Math.round(bursts / (8 * fastest)) : alike
  return {
    window,
    overlap,
    interval: interval ?? Math.min(pulses, MOST_INTERVAL),
    stft: stft ?? Math.min(pulses, Math.max(LEAST_STFT, wanted)),
  }
}

/** Range profiles, range-Doppler maps and spectrogram of a channel. */
export function dopplerProducts(
  { loaded, history }: Pick<ComputedDoppler, 'loaded' | 'history'>,
  channel: string,
  { window, interval, stft, overlap }: Required<ProductSettings>,
): DopplerProducts {
  const { freqHz, timeS } = history
  const data = { freqHz, timeS, f: history.f[channel] }
  const spectrum = spectrogram(data, { window, pulses: stft, overlap })
  if (freqHz.length < 2) return { spectrogram: spectrum }
  const rangeM = shownRange(loaded, history)
  return {
    spectrogram: spectrum,
    profiles: rangeProfiles(data, { window, rangeM }),
    maps: rangeDoppler(data, { window, rangeM, pulses: interval }),
  }
}

/** Range of the moving target with a margin, inside one unambiguous extent [m]. */
function shownRange(loaded: LoadedMotion, { freqHz }: PulseHistory): [number, number] {
  const [near, far] = rangeExtent(loaded)
  const n = freqHz.length
  const cell = C0 / (2 * (freqHz[n - 1] - freqHz[0]))
  const half = Math.min(1.2 * (far - near) + 8 * cell, (n - 1) * cell) / 2
  return [(near + far) / 2 - half, (near + far) / 2 + half]
}

/** Names of the files of a result. */
export const dopplerFiles = (
  channels: readonly string[],
  formats: readonly ArrayFormat[],
  several: boolean,
): string[] => [
  ...formats.flatMap((f) => [`pulses.${ARRAY_ENDINGS[f]}`, `products.${ARRAY_ENDINGS[f]}`]),
  ...channels.flatMap((c) => [
    `spectrogram-${c}.png`,
    ...(several ? [`range-time-${c}.png`, `range-doppler-${c}.png`] : []),
  ]),
  'meta.json',
  'timing.json',
]

/** How results are written. */
interface DopplerWriting {
  products: Required<ProductSettings>
  formats: readonly ArrayFormat[]
  dynamicRangeDb: number
  /** Also a picture of the range-Doppler map of every interval. */
  film: boolean
  /** Whether the target is kept with the result; default true. */
  mesh?: boolean
}

/** Writes data, maps and pictures, each whole or not at all. @throws InputError where the system refuses */
export async function writeDoppler(
  place: ResultLocation,
  computed: ComputedDoppler,
  { products, formats, dynamicRangeDb, film, mesh = true }: DopplerWriting,
): Promise<void> {
  const { history, meta, timing } = computed
  const { timeS, freqHz, f } = history
  const axes = { time_s: vector(timeS), freq_hz: vector(freqHz) }
  const shape = [freqHz.length, timeS.length]
  const fields = Object.entries(f).map(([c, data]): [string, NpyArray] => [
    `f_${c}`,
    { data, shape, dtype: '<c16' },
  ])
  await writeArrays(place, 'pulses', { ...Object.fromEntries(fields), ...axes }, formats)
  const arrays: Record<string, NpyArray> = {}
  for (const channel of Object.keys(f)) {
    const made = dopplerProducts(computed, channel, products)
    Object.assign(arrays, productArrays(channel, made, timeS))
    await drawProducts(place, computed, channel, made, products, { dynamicRangeDb, film })
  }
  await writeArrays(place, 'products', arrays, formats)
  const { loaded } = computed
  await keepTarget(place, mesh ? facetsOf(loaded) : 0, () =>
    movingTargetNpz(loaded, arrays.spectrogram_time_s.data as Float64Array),
  )
  await writeJson(place, 'timing.json', timing)
  await writeJson(place, 'meta.json', { ...meta, products })
}

function productArrays(
  channel: string,
  { spectrogram: s, profiles, maps }: DopplerProducts,
  timeS: Float64Array,
): Record<string, NpyArray> {
  const arrays: Record<string, NpyArray> = {
    [`spectrogram_${channel}`]: {
      data: Float32Array.from(s.power),
      shape: [s.dopplerHz.length, s.timeS.length],
      dtype: '<f4',
    },
    spectrogram_doppler_hz: vector(s.dopplerHz),
    spectrogram_time_s: vector(s.timeS),
  }
  if (!profiles || !maps) return arrays
  const { rangeM, dopplerHz } = maps
  const stack = new Float32Array(maps.maps.length * 2 * rangeM.length * dopplerHz.length)
  maps.maps.forEach((map, i) => stack.set(map, i * map.length))
  return {
    ...arrays,
    [`profile_${channel}`]: {
      data: Float32Array.from(profiles.profiles),
      shape: [rangeM.length, timeS.length],
      dtype: '<c8',
    },
    [`range_doppler_${channel}`]: {
      data: stack,
      shape: [maps.maps.length, rangeM.length, dopplerHz.length],
      dtype: '<c8',
    },
    range_m: vector(rangeM),
    doppler_hz: vector(dopplerHz),
    interval_time_s: vector(maps.timeS),
  }
}

const LEAST_DB = -300
const decibels = (power: number): number =>
  power > 0 ? Math.max(LEAST_DB, 10 * Math.log10(power)) : LEAST_DB
const squares = (complex: Float64Array): Float32Array =>
  Float32Array.from({ length: complex.length / 2 }, (_, i) =>
    decibels(complex[2 * i] ** 2 + complex[2 * i + 1] ** 2),
  )

async function drawProducts(
  place: ResultLocation,
  { name, history, loaded }: ComputedDoppler,
  channel: string,
  { spectrogram: s, profiles, maps }: DopplerProducts,
  { window, stft, interval }: Required<ProductSettings>,
  { dynamicRangeDb, film }: { dynamicRangeDb: number; film: boolean },
): Promise<void> {
  const { dopplerSvg, svgToPng } = await import('../../views/figures/node.js')
  const { freqHz } = history
  const { thetaDeg, phiDeg } = loaded.config.radar
  const title = `${name}, ${channel.toUpperCase()}`
  const short = (x: number): string => String(Number(x.toPrecision(4)))
  const band = freqHz.length > 1 ? `${short(freqHz[0] / 1e9)}–${short(freqHz[freqHz.length - 1] / 1e9)} GHz` : `${short(freqHz[0] / 1e9)} GHz` // prettier-ignore
  const about = (pulses?: number): string => [`θ = ${short(thetaDeg)}°, φ = ${short(phiDeg)}°`, band, ...(pulses === undefined ? [] : [`windows of ${pulses} pulse${pulses === 1 ? '' : 's'}`]), `${window} window`].join('  ·  ') // prettier-ignore
  const DOPPLER = 'Doppler [Hz], positive: approaching'
  const RANGE = 'Range, away from the radar [m]'
  await writeFigure(
    place,
    `spectrogram-${channel}`,
    dopplerSvg({
      levels: Float32Array.from(s.power, decibels),
      x: s.timeS,
      y: s.dopplerHz,
      title,
      subtitle: about(stft),
      xTitle: 'Time [s]',
      yTitle: DOPPLER,
      dynamicRangeDb,
    }),
    ['png'],
  )
  if (!profiles || !maps) return
  await writeFigure(
    place,
    `range-time-${channel}`,
    dopplerSvg({
      levels: squares(profiles.profiles),
      x: history.timeS,
      y: profiles.rangeM,
      title,
      subtitle: about(),
      xTitle: 'Time [s]',
      yTitle: RANGE,
      dynamicRangeDb,
    }),
    ['png'],
  )
  const levels = maps.maps.map(squares)
  const highest = levels.reduce((top, map) => map.reduce((a, b) => Math.max(a, b), top), LEAST_DB)
  const draw = (i: number, maxDbsm?: number): string =>
    dopplerSvg({
      levels: levels[i],
      x: maps.dopplerHz,
      y: maps.rangeM,
      title,
      subtitle: `${about(interval)}  ·  t = ${maps.timeS[i].toFixed(4)} s`,
      xTitle: DOPPLER,
      yTitle: RANGE,
      dynamicRangeDb,
      maxDbsm,
    })
  await writeFigure(place, `range-doppler-${channel}`, draw(levels.length >> 1), ['png'])
  if (!film) return
  makeFolder(place.file(`frames-${channel}`))
  for (let i = 0; i < levels.length; i++)
    await writeResult(place, frameName(channel, i), await svgToPng(draw(i, highest)))
}

/** Pictures of a film, one to an interval, on one scale. */
const frameName = (channel: string, i: number): string =>
  `frames-${channel}/${String(i + 1).padStart(4, '0')}.png`

/**
 * Writes the files of `isar doppler` into a folder, with its default intervals and without film and images: pulses.npz, products.npz,
 * pictures, meta.json, timing.json.
 * @throws (rejects) InputError where a result is there already and `force` is not given, or the system refuses
 */
export async function saveDoppler(
  { computed }: DopplerResult,
  folder: string,
  options: SaveOptions = {},
): Promise<void> {
  const place = folderLocation(folder)
  const products = resolveProducts(computed.loaded, { window: 'hamming', overlap: 0.75 }, (name) => name)
  const { f, freqHz } = computed.history
  claimLocation(place, dopplerFiles(Object.keys(f), ['npz'], freqHz.length > 1), options)
  await writeDoppler(place, computed, { products, formats: ['npz'], dynamicRangeDb: 50, film: false })
}
