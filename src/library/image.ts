import { z } from 'zod'
import type { NpyArray } from '../../formats/index.js'
import { AUTOFOCUS, PLANES, WINDOWS } from '../../isar/index.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/hooks.js'
import { noStore } from '../../run/results.js'
import { checkDeclared, DEVICES, type SettingsOf } from '../../run/settings/settings.js'
import { checkKeys, choice, real, type Setting, whole } from '../../run/settings/types.js'
import { ALGORITHMS } from '../imaging/form.js'
import { imageJob } from '../imaging/image-job.js'
import type { MadeImages } from '../imaging/output.js'
import { readMeasurement, STORED_FOCUS } from '../imaging/read-history.js'

/** Two lengths [m]. */
const lengths = () =>
  z.tuple([real(1e-9, 1e6), real(1e-9, 1e6)], { error: 'give two lengths, like [20, 10]' }).optional()
const text = (wanted: string) => z.string({ error: `give ${wanted}` }).optional()

const OWN = {
  /** JSON that names the arrays of another layout (docs/imaging.md). */
  description: { type: text('the path of a file'), help: 'names the arrays of another layout', group: 'Run' },
  /** A simulated history: aligned, imaged and compared. */
  compare: { type: text('the path of a history'), help: 'a simulated history to compare with', group: 'Run' },
  /** How the image is formed. Default backprojection. */
  algorithm: {
    type: choice(ALGORITHMS).default(ALGORITHMS[0]),
    help: 'how the image is formed',
    group: 'Run',
  },
  /** Of the pixels. Default: slant for histories of isar, else ground. */
  plane: { type: choice(PLANES).optional(), help: 'of the pixels', group: 'Run' },
  /** Of the ground plane [m]. Default 0. */
  heightM: { type: real(-1e5, 1e5).default(0), help: 'of the ground plane', group: 'Run' },
  /** Over frequency and aperture. Default taylor. */
  window: { type: choice(WINDOWS).default('taylor'), help: 'over frequency and aperture', group: 'Run' },
  /** Size of the image about the origin, across and along [m]; default: the target's, or what the aperture covers. */
  extentM: { type: lengths(), help: 'size of the image', group: 'Run' },
  /** Spacing of pixels [m]; default: a quarter of a resolution cell, half of one in large images. */
  pixelM: { type: real(1e-9, 1e6).optional(), help: 'spacing of pixels', group: 'Run' },
  /** Use the middle of band and aperture alone, for this resolution in range and cross-range [m]. */
  resolutionM: { type: lengths(), help: 'resolution', group: 'Run' },
  /** Corrections that Gotcha files bring. Default add. */
  storedFocus: {
    type: choice(STORED_FOCUS).default('add'),
    help: 'corrections of Gotcha files',
    group: 'Run',
  },
  /** Take phase errors of the pulses out. */
  autofocus: {
    type: choice(AUTOFOCUS).optional(),
    help: 'take phase errors of the pulses out',
    group: 'Run',
  },
  /** Where backprojection runs. Default auto. */
  device: { type: choice(DEVICES).default('auto'), help: 'where backprojection runs', group: 'Run' },
  /** Worker threads on the CPU; default: all cores. */
  workers: { type: whole(1, 1024).optional(), help: 'worker threads on the cpu', group: 'Run' },
} as const satisfies Record<string, Setting>

/** How images of a history are formed. */
export interface ImageOptions extends CallOptions, SettingsOf<typeof OWN> {
  /** Channels to image; default: all that there are. */
  channels?: readonly string[]
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
  checkKeys(options, 'image', [...CALL_OPTIONS, ...Object.keys(OWN), 'channels'])
  const { description, compare, storedFocus, autofocus, device, workers, extentM, ...form } = checkDeclared(OWN, { ...options }) // prettier-ignore
  const hooks = new Hooks(options)
  const files = typeof history === 'string' ? [history] : [...history]
  const measurement = await readMeasurement(files, { description, storedFocus })
  const simulation = compare === undefined ? undefined : await readMeasurement([compare])
  const about = (length: number): [number, number] => [-length / 2, length / 2]
  const request = {
    measurement,
    simulation,
    channels: options.channels && [...options.channels],
    form: { ...form, ...(extentM && { acrossM: about(extentM[0]), alongM: about(extentM[1]) }) },
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
