import { z } from 'zod'
import { plainNumber } from '../../formats/expression.js'
import type { NpyArray } from '../../formats/index.js'
import { AUTOFOCUS, PLANES, WINDOWS } from '../../isar/index.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import { noStore } from '../../run/results.js'
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
import { InputError } from '../../scene/index.js'
import { ALGORITHMS } from '../imaging/form.js'
import { imageJob } from '../imaging/image-job.js'
import type { ImageRequest, MadeImages } from '../imaging/output.js'
import { readMeasurement, STORED_FOCUS } from '../imaging/read-history.js'

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
