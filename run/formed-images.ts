import { type NpyArray, vector } from '../formats/npz.js'
import {
  formImage,
  type ImageOptions,
  type IsarImage,
  type PointSpreadOptions,
  type SweepPlan,
  type WindowName,
} from '../isar/index.js'
import { imageDbsm } from '../isar/levels.js'
import type { Channel } from '../rays/index.js'
import { channelMatrix, suffix } from '../formats/rcs-table.js'

/** How images are formed from fields; does not affect the fields. */
export interface ImageSettings {
  window: WindowName
  polarFormat: boolean
  size?: { rows: number; cols: number }
}

/** The same as asked for: `auto` takes polar format where it is needed (`needsPolarFormat`). */
export type RequestedImage = Omit<ImageSettings, 'polarFormat'> & { polarFormat: boolean | 'auto' }

/** Scattering amplitudes of a sweep over frequency and aspect, the images' transform pair. */
export interface FieldHistory {
  /** Nf frequencies, uniform and ascending [Hz]. */
  freqHz: Float64Array
  /** Na aspects [degrees]: theta from +z (the same for all), phi from +x towards +y. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  /**
   * Amplitudes F [m] by channel, and with mechanisms by `CHANNEL_MECHANISM` (`vv_b1`): [frequency][aspect], interleaved re, im.
   * E_s = F exp(-jkr)/r for a unit incident wave, time factor exp(+j w t), phase referred to the phase centre.
   */
  f: Record<string, Float64Array>
}

/** The parts of a result that come from fields alone. */
export interface FormedImages {
  /** Images by channel, and with mechanisms by `CHANNEL_MECHANISM` (`vv_b1`, `hh_edge`). */
  images: Record<string, IsarImage>
  /** Highest level of each image [dBsm]. */
  peaksDbsm: Record<string, number>
  history: FieldHistory
  /** The images' point-spread function: what `scatteringCentres` takes besides an image. */
  pointSpread: PointSpreadOptions
  notes: string[]
}

/**
 * Images of the fields of a sweep.
 * @param fields  by mechanism (`total` first), per aspect, 8 numbers per frequency: re, im of VV HH VH HV [m]
 * @param step  called and awaited after each image
 */
export async function formImages(
  plan: SweepPlan,
  channels: readonly Channel[],
  fields: Record<string, Float64Array[]>,
  { window, polarFormat, size }: ImageSettings,
  step?: (done: number, total: number) => Promise<void>,
): Promise<FormedImages> {
  const { freqHz, phiDeg, thetaDeg } = plan
  const options: ImageOptions = { ...plan.window, window, polarFormat, size }
  const formed: FormedImages = {
    images: {},
    peaksDbsm: {},
    history: { freqHz, thetaDeg: new Float64Array(phiDeg.length).fill(thetaDeg), phiDeg, f: {} },
    pointSpread: { freqHz, thetaDeg, phiDeg, window, polarFormat },
    notes: [],
  }
  for (const channel of channels)
    for (const [mechanism, aspects] of Object.entries(fields)) {
      const name = channel + suffix(mechanism)
      const f = channelMatrix(aspects, freqHz.length, channel)
      const image = formImage({ ...plan, f }, options)
      formed.history.f[name] = f
      formed.images[name] = image
      formed.peaksDbsm[name] = imageDbsm(image.image).reduce((a, b) => Math.max(a, b))
      if (name === channels[0]) formed.notes.push(...image.notes)
      await step?.(Object.keys(formed.images).length, channels.length * Object.keys(fields).length)
    }
  return formed
}

const complex = (data: Float64Array, shape: number[]): NpyArray => ({ data, shape, dtype: '<c16' })

/** Arrays of `image.npz`: the images and their axes (docs/file-formats.md). */
export function imageArrays(images: FormedImages['images']): Record<string, NpyArray> {
  const { rows, cols, rangeM, crossRangeM } = Object.values(images)[0]
  const arrays: Record<string, NpyArray> = {}
  for (const [name, { image }] of Object.entries(images)) {
    arrays[`image_${name}`] = complex(image, [rows, cols])
    arrays.range_m ??= vector(rangeM)
    arrays.cross_range_m ??= vector(crossRangeM)
  }
  return arrays
}

/** Arrays of `phase-history.npz`: the amplitudes and their axes (docs/file-formats.md). */
export function historyArrays({ freqHz, thetaDeg, phiDeg, f }: FieldHistory): Record<string, NpyArray> {
  const shape = [freqHz.length, phiDeg.length]
  const fields = Object.entries(f).map(([name, values]) => [`f_${name}`, complex(values, shape)] as const)
  const axes = { freq_hz: freqHz, theta_deg: thetaDeg, phi_deg: phiDeg }
  return {
    ...Object.fromEntries(fields),
    ...Object.fromEntries(Object.entries(axes).map(([name, data]) => [name, vector(data)])),
  }
}
