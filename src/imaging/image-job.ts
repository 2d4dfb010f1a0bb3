import { ARRAY_ENDINGS, type NpyArray, withNpz } from '../../formats/index.js'
import { AUTOFOCUS, type AutofocusName, planBackprojection, PLANES, WINDOWS } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import {
  CALL_OPTIONS,
  type Caller as JobCaller,
  type CallOptions,
  Hooks,
  type Job,
  type JobPlan,
  runWholeJob,
} from '../../run/job.js'
import { noStore, type ResultLocation } from '../../run/results.js'
import { compareImages, meanProfile, otherCoverage, rangeShift, shifted } from './compare.js'
import { focusedImage } from './focus.js'
import {
  ALGORITHMS,
  atResolution,
  type FormedImage,
  type FormOptions,
  formPulses,
  gapsOf,
  type HistoryPart,
} from './form.js'
import { type ImageRequest, isSweep, type MadeImages, Output } from './output.js'
import { type Measurement, readMeasurement, STORED_FOCUS } from './read-history.js'
import { trackWarning } from './sicd.js'
import { type Backprojector, openBackprojector } from './solve.js'
import { z } from 'zod'
import { plainNumber } from '../../formats/expression.js'
import { type CheckedOf, checkDeclared, DEVICES, type SettingsOf } from '../../run/settings/settings.js'
import {
  aboveZero,
  checkKeys,
  choice,
  positive,
  real,
  type Setting,
  whole,
} from '../../run/settings/types.js'

/** Two lengths [m]. */
const lengths = () =>
  z.tuple([aboveZero(), aboveZero()], { error: 'give two lengths, like [20, 10]' }).optional()
const text = (wanted: string) => z.string({ error: `give ${wanted}` }).optional()

/** Two numbers of an option, `a` and `b` or twice the same, above zero. @throws InputError */
const pairOf =
  (option: string, separator: RegExp) =>
  (given: unknown): unknown => {
    if (given === undefined) return undefined
    const parts = String(given).split(separator)
    if (parts.length > 2) throw new InputError(`${option} "${String(given)}": write one or two numbers`)
    const [a, b = a] = parts.map((part) => positive(plainNumber(part, option), option))
    return [a, b]
  }

/** Options of `isar image` and `image`. */
export const IMAGE = {
  /** JSON that names the arrays of another layout (docs/imaging.md). */
  description: {
    type: text('the path of a file'),
    help: 'JSON that names the arrays of another layout (docs/imaging.md)',
    group: 'Run',
    value: '<file>',
  },
  /** Channels to image; default: all that there are. */
  channels: {
    type: z.array(z.string(), { error: 'give names of channels' }).readonly().optional(),
    help: 'channels to image (default: all that there are)',
    group: 'Run',
    option: 'pol',
    value: '<list>',
  },
  /** How the image is formed. Default backprojection. */
  algorithm: {
    type: choice(ALGORITHMS).default(ALGORITHMS[0]),
    help: 'how the image is formed',
    group: 'Run',
  },
  /** Of the pixels. Default: slant for histories of isar, else ground. */
  plane: {
    type: choice(PLANES).optional(),
    help: 'of the pixels (default: slant for histories of isar, else ground)',
    group: 'Run',
  },
  /** Of the ground plane [m]. Default 0. */
  heightM: {
    type: real(-1e5, 1e5).default(0),
    help: 'of the ground plane',
    group: 'Run',
    option: 'height',
    value: '<m>',
  },
  /** Over frequency and aperture. Default taylor. */
  window: {
    type: choice(WINDOWS).default('taylor'),
    help: 'over frequency and aperture',
    group: 'Run',
    value: '<name>',
  },
  /** Size of the image, across and along [m]; default: the target's, or what the aperture covers. */
  extentM: {
    type: lengths(),
    help: 'size of the image [m], across x along; one number for both',
    group: 'Run',
    option: 'extent',
    value: '<WxH>',
    fromOption: pairOf('--extent', /x/i),
  },
  /** Middle of the image, across and along [m]; with `extentM`. Default the origin. */
  centreM: {
    type: z
      .tuple([real(-1e6, 1e6), real(-1e6, 1e6)], { error: 'give two numbers, like [2, -5]' })
      .default([0, 0]),
    help: 'middle of the image [m], across and along',
    group: 'Run',
    option: 'centre',
    value: '<x,y>',
    fromOption: (given) => {
      const centre = String(given)
        .split(',')
        .map((part) => plainNumber(part, '--centre'))
      if (centre.length !== 2)
        throw new InputError(`--centre "${String(given)}": write two numbers, like 2,-5`)
      return centre
    },
  },
  /** Spacing of pixels [m]; default: a quarter of a resolution cell, half of one in large images. */
  pixelM: {
    type: aboveZero().optional(),
    help: 'spacing of pixels (default: a quarter of a resolution cell, half of one in large images)',
    group: 'Run',
    option: 'pixel',
    value: '<m>',
  },
  /** Use the middle of band and aperture alone, for this resolution in range and cross-range [m]. */
  resolutionM: {
    type: lengths(),
    help: 'use the middle of band and aperture alone, for this resolution [m]',
    group: 'Run',
    option: 'resolution',
    value: '<dr[,dx]>',
    fromOption: pairOf('--resolution', /,/),
  },
  /** Corrections that Gotcha files bring. Default add. */
  storedFocus: {
    type: choice(STORED_FOCUS).default('add'),
    help: 'corrections that Gotcha files bring',
    group: 'Run',
    value: '<how>',
  },
  /** Take phase errors of the pulses out. */
  autofocus: {
    type: choice(AUTOFOCUS).optional(),
    help: 'take phase errors of the pulses out',
    group: 'Run',
    value: '<method>',
  },
  /** A simulated history: aligned, imaged and compared. */
  compare: {
    type: text('the path of a history'),
    help: 'a simulated history: aligned, imaged and compared',
    group: 'Run',
    value: '<history>',
  },
  /** Where backprojection runs. Default auto. */
  device: { type: choice(DEVICES).default('auto'), help: 'where rays run', group: 'Run' },
  /** Worker threads on the CPU; default: all cores. */
  workers: {
    type: whole(1, 1024).optional(),
    help: 'worker threads on the cpu (default: all cores)',
    group: 'Run',
    value: '<n>',
  },
} as const satisfies Record<string, Setting>

/** How images of a history are formed. */
export interface ImageOptions extends CallOptions, SettingsOf<typeof IMAGE> {}

type Checked = CheckedOf<typeof IMAGE>

/** What the options ask for of the image itself. @param nameOf  name of an option in messages. @throws InputError for a middle without a size */
export function formOf(
  { algorithm, plane, heightM, window, extentM: extent, centreM: centre, pixelM, resolutionM }: Checked,
  nameOf: (name: 'centreM' | 'extentM') => string,
): ImageRequest['form'] {
  if (!extent && centre.some((x) => x !== 0))
    throw new InputError(`${nameOf('centreM')}: give ${nameOf('extentM')} with it`)
  const about = (axis: number): [number, number] => [centre[axis] - extent![axis] / 2, centre[axis] + extent![axis] / 2] // prettier-ignore
  return {
    algorithm,
    plane,
    heightM,
    window,
    ...(extent && { acrossM: about(0), alongM: about(1) }),
    ...(pixelM !== undefined && { pixelM }),
    ...(resolutionM && { resolutionM }),
  }
}

/** Images and profiles of a phase history. */
export interface ImageResult {
  /** The measurement's name. */
  name: string
  /** By channel: peak [dBsm where calibrated], pulses, frequencies and resolutions. */
  channels: MadeImages['summary']['channels']
  /** With `compare`: shift, gain and correlation of each channel. */
  comparison?: MadeImages['summary']['comparison']
  /** Arrays of `image.npz` by their names, and of `range-profiles.npz` (docs/file-formats.md). */
  images: Record<string, NpyArray>
  profiles: Record<string, NpyArray>
  /** One line each on what is odd about history or device. */
  warnings: string[]
}

/**
 * Images and profiles from a phase history, simulated or measured, as `isar image` forms them. Nothing is written to disk.
 * @param history  files (.npz, .h5, .mat) or folders of them: pulses of one channel are joined
 * @throws (rejects) InputError for bad input, the signal's reason, GpuError where the GPU fails
 */
export async function image(
  history: string | readonly string[],
  options: ImageOptions = {},
): Promise<ImageResult> {
  checkKeys(options, 'image', [...CALL_OPTIONS, ...Object.keys(IMAGE)])
  const checked = checkDeclared(IMAGE, { ...options })
  const { description, channels, compare, storedFocus, autofocus, device, workers } = checked
  const hooks = new Hooks(options)
  const files = typeof history === 'string' ? [history] : [...history]
  const measurement = await readMeasurement(files, { description, storedFocus })
  const simulation = compare === undefined ? undefined : await readMeasurement([compare])
  const request = {
    measurement,
    simulation,
    channels: channels && [...channels],
    form: formOf(checked, (name) => name),
    autofocus,
    device,
    workers,
    dynamicRangeDb: 'auto' as const,
    outline: false,
    formats: [],
    products: [],
    record: {},
  }
  const { summary, images, profiles } = await imageJob(request, null, { hooks, store: noStore })
  return { name: measurement.name, ...summary, images, profiles, warnings: hooks.warnings }
}

/** Names of the files of a result. */
export const imageFiles = ({ simulation, ...request }: ImageRequest): string[] => [
  ...chosen(request).flatMap(({ channel }) => [
    `image-${channel}.png`,
    `profiles-${channel}.png`,
    ...(simulation ? [`simulated-${channel}.png`, `difference-${channel}.png`] : []),
  ]),
  ...withNpz(request.formats).flatMap((format) =>
    ['image', 'range-profiles', ...(isSweep(chosen(request)) ? ['phase-history'] : [])].map(
      (name) => `${name}.${ARRAY_ENDINGS[format]}`,
    ),
  ),
  ...(request.products.includes('cphd') ? ['phase-history.cphd'] : []),
  ...(request.products.includes('sicd') ? chosen(request).map(({ channel }) => `image-${channel}.nitf`) : []),
  ...(request.products.includes('kml') ? ['image.kml'] : []),
  ...(simulation ? ['compare.csv'] : []),
  'meta.json',
]

function chosen({ measurement, channels }: Omit<ImageRequest, 'simulation'>): HistoryPart[] {
  const has = measurement.channels.map(({ channel }) => channel)
  const missing = channels?.find((c) => !has.includes(c))
  if (missing !== undefined)
    throw new InputError(`--pol: there is no channel ${missing} in ${measurement.files[0]}; there ${has.length > 1 ? 'are' : 'is'} ${has.join(', ')}`) // prettier-ignore
  return measurement.channels.filter(({ channel }) => channels?.includes(channel) ?? true)
}

/** What an image takes (`planOf`); absent unless it is wanted. */
export interface ImagePlan extends JobPlan {
  record?: Record<string, unknown>
}

type Caller = JobCaller<undefined, void, ImagePlan> & {
  /** The plan alone is wanted, with the time that trials say: `onPlan` throws. */
  onlyPlan?: boolean
}

/** Makes images, profiles and comparison of a measurement. @param place  where they are written; null: nowhere */
export const imageJob = (
  request: ImageRequest,
  place: ResultLocation | null,
  caller: Caller,
): Promise<MadeImages> => runWholeJob(() => openJob(request, place, caller), caller)

async function openJob(
  request: ImageRequest,
  place: ResultLocation | null,
  { hooks, onlyPlan }: Caller,
): Promise<Job<undefined, void, ImagePlan, MadeImages>> {
  const { measurement, simulation } = request
  // Sweeps of a target keep the axes of `isar render`; measurements of a scene lie on its ground.
  const plane = request.form.plane ?? (measurement.layout === 'isar' ? 'slant' : 'ground')
  if (plane === 'slant' && request.form.heightM)
    throw new InputError('--height is of the ground plane; give --plane ground with it')
  const form = { ...request.form, plane }
  if (request.products.includes('kml') && !request.place)
    throw new InputError('--formats kml: where the scene lies is not known; give --location LAT,LON')
  const part = (history: HistoryPart): HistoryPart =>
    form.resolutionM ? atResolution(history, form.resolutionM) : history
  const histories = measurement.isSelected ? chosen(request) : chosen(request).map(part)
  const others = simulation && histories.map(({ channel }) => part(counterpart(simulation, channel)))
  const { grid } = planBackprojection(histories[0], form)
  const opened = await openBackprojector(
    request.device,
    request.workers,
    grid.rows * grid.cols * histories[0].pulses,
  )
  const device: Backprojector = {
    ...opened,
    image: (history, plan, onProgress) => opened.image(history, plan, onProgress, hooks.signal),
  }
  const out = new Output(request, place, hooks)
  out.plan(histories[0], device, form)
  const progress = (done: number, total: number): void =>
    hooks.progress('solve', done, total, undefined, 'pixels x pulses')
  return {
    key: null,
    shape: undefined,
    warnings: [
      ...device.warnings,
      ...histories.flatMap((history) => gapsOf(history, form)),
      ...(request.products.includes('sicd') ? histories.flatMap(trackWarning) : []),
    ],
    plan: async () => ({
      ...(onlyPlan && { record: await planOf(histories, request, form, device) }),
      kept: () => null,
    }),
    async solve() {
      if (!request.place && request.products.length > 0)
        hooks.note('location', 'not known: CPHD and SICD lie at latitude 0, longitude 0; --location sets it')
      for (const [i, measured] of histories.entries()) {
        const { history, formed, sharpened } = request.autofocus
          ? await refocused(measured, request.autofocus, form, device, hooks, progress)
          : {
              history: measured,
              formed: await formPulses(measured, form, device, progress),
              sharpened: false,
            }
        for (const note of formed.notes) hooks.warn(note)
        const reach = reachOf(formed)
        const profile = meanProfile(history, form.window, reach)
        const other = others?.[i]
        if (!other) {
          await out.image(history, formed, { [measurement.name]: profile }, reach, sharpened)
          continue
        }
        const apart = otherCoverage(history, other)
        if (apart) hooks.warn(`--compare: ${simulation!.name} has ${apart}: images differ by that`)
        const alone = meanProfile(other, form.window, reach)
        const { shiftM, correlation } = rangeShift(profile, alone)
        const moved = shifted(other, shiftM)
        const window = { acrossM: ends(formed.acrossM), alongM: ends(formed.alongM) }
        const pixelM: [number, number] = [step(formed.acrossM), step(formed.alongM)]
        const image = await formPulses(moved, { ...form, ...window, pixelM }, device, progress)
        const compared = compareImages(formed, image)
        const gain = 10 ** (compared.gainDb / 10)
        const scaled = meanProfile(moved, form.window, reach)
        const profiles = {
          [measurement.name]: profile,
          [`${simulation!.name}, aligned`]: { ...scaled, power: scaled.power.map((p) => gain * p) },
        }
        await out.image(history, formed, profiles, reach, sharpened)
        await out.comparison(
          formed,
          { ...image, image: compared.scaled },
          compared.differenceDb,
          {
            channel: history.channel,
            shiftM,
            gainDb: compared.gainDb,
            profileCorrelation: correlation,
            imageCorrelation: compared.correlation,
            rmsDifferenceDb: compared.rmsDb,
          },
          other,
        )
      }
    },
    finish: () => out.finish(device),
    close: () => device.close(),
  }
}

/** Pixels times pulses of the trial that a plan makes. */
const TRIAL = 2e7

/** What an image takes: by the time of some of its rows, and by the arrays that are held. Autofocus takes more. */
async function planOf(
  histories: HistoryPart[],
  { simulation }: ImageRequest,
  form: FormOptions,
  device: Backprojector,
): Promise<Record<string, unknown>> {
  const [history] = histories
  const plan = planBackprojection(history, form)
  const { rows, cols } = plan.grid
  const timeOf = async (count: number): Promise<number> => {
    const start = performance.now()
    await device.image(history, { ...plan, grid: { ...plan.grid, rows: count } })
    return (performance.now() - start) / 1000
  }
  const some = Math.max(1, Math.min(rows, Math.ceil(TRIAL / (cols * history.pulses))))
  let one: number
  if (form.algorithm === 'polar-format') {
    // Hardly more than a transform: done once.
    const start = performance.now()
    await formPulses(history, form, device)
    one = (performance.now() - start) / 1000
  } else {
    await timeOf(1)
    const [fixed, most] = [await timeOf(1), await timeOf(some)]
    one = some > 1 ? fixed + (Math.max(0, most - fixed) * (rows - 1)) / (some - 1) : most
  }
  const images = histories.length * (simulation ? 2 : 1)
  const samples = histories.reduce((sum, { f }) => sum + f.length, 0) * (simulation ? 2 : 1)
  return {
    pixels: rows * cols,
    size: [rows, cols],
    pulses: history.pulses,
    frequencies: history.freqHz.length,
    images,
    // Of each image the array, its levels and its file.
    memory_bytes: 80e6 + 8 * samples + 40 * images * rows * cols,
    seconds: images * one,
    device: device.description,
  }
}

/** A history and its image with the phase errors of the pulses taken out where that sharpens it, and a line on it. */
async function refocused(
  measured: HistoryPart,
  method: AutofocusName,
  form: FormOptions,
  device: Pick<Backprojector, 'image'>,
  hooks: Hooks,
  progress: (done: number, total: number) => void,
): Promise<{ history: HistoryPart; formed: FormedImage; sharpened: boolean }> {
  const found = await focusedImage(measured, method, form, device, progress)
  const { sharpened, entropy, peakDb, rmsRad } = found
  const change = `entropy of the image ${entropy[0].toFixed(3)} to ${entropy[1].toFixed(3)}, peak ${peakDb[0].toFixed(2)} to ${peakDb[1].toFixed(2)} dB`
  hooks.note(
    'focus',
    sharpened
      ? `${measured.channel}: ${change}, phases of ${rmsRad.toFixed(2)} rad rms taken out`
      : `${measured.channel}: left as it is, since autofocus does not sharpen it (${change})`,
  )
  return found
}

function counterpart({ channels, files }: Measurement, channel: string): HistoryPart {
  const found =
    channels.find((c) => c.channel === channel) ?? (channels.length === 1 ? channels[0] : undefined)
  if (!found) throw new InputError(`--compare: ${files[0]} has no channel ${channel}; give a history with it`)
  return found
}

const step = (axis: Float64Array): number => (axis[axis.length - 1] - axis[0]) / (axis.length - 1)

/** Ends of a window that gives this axis again. */
const ends = (axis: Float64Array): [number, number] => [
  axis[0] - step(axis) / 2,
  axis[axis.length - 1] + step(axis) / 2,
]

/** How far pixels lie from the origin [m]. */
const reachOf = ({ alongM, acrossM }: Pick<FormedImage, 'alongM' | 'acrossM'>): number =>
  Math.hypot(...[alongM, acrossM].map((axis) => Math.max(Math.abs(axis[0]), Math.abs(axis[axis.length - 1]))))
