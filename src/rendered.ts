import type { EdgeScene } from '../cpu-diffraction/index.js'
import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  encodeArrays,
  fieldAttributes,
  type NpyArray,
} from '../formats/index.js'
import {
  formImage,
  type ImageOptions,
  type IsarImage,
  type PointSpreadOptions,
  type SweepPlan,
  type WindowName,
} from '../isar/index.js'
import type { TimingReport } from '../pipeline/index.js'
import type { Channel } from '../rays/index.js'
import type { Target } from '../scene/index.js'
import { imageDbsm } from '../plots/levels.js'
import { mechanismTitle, suffix } from './rcs-csv.js'
import { channelMatrix } from './rcs-table.js'
import { type ResultLocation, writeJson, writeResult } from './results.js'
import type { ResolvedSettings } from './settings.js'
import { MOST_FACETS_KEPT, targetNpz } from './target-file.js'

/** How images are formed from fields; does not affect the fields. */
export interface ImageSettings {
  window: WindowName
  polarFormat: boolean
  size?: { rows: number; cols: number }
}

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

/** ISAR images of one target with their fields and records. */
export interface RenderResult {
  /** The target's name: of its file, without folder and ending. */
  name: string
  /** Frequencies, aspects, resolutions and window of the sweep. */
  plan: SweepPlan
  /** Images by channel, and with mechanisms by `CHANNEL_MECHANISM` (`vv_b1`, `hh_edge`). */
  images: Record<string, IsarImage>
  /** Highest level of each image [dBsm]. */
  peaksDbsm: Record<string, number>
  history: FieldHistory
  /** The images' point-spread function: what `scatteringCentres` takes besides an image. */
  pointSpread: PointSpreadOptions
  /** The target as solved: welded, cleaned and, where requested, with curved patches [m]. */
  target: Target
  /** Its edges that diffract; null where diffraction was off. */
  edges: EdgeScene | null
  /** What `meta.json` of `isar render` holds: version, device, mesh, options as resolved, counts. */
  meta: Record<string, unknown>
  /** What `timing.json` of `isar render` holds [s]. */
  timing: TimingReport
  /** All settings, defaults filled in. */
  settings: ResolvedSettings & ImageSettings
  /** One line each on what is odd about mesh, device, plan or images. */
  warnings: string[]
}

/** The parts of a result that come from fields alone. */
export type FormedImages = Pick<RenderResult, 'images' | 'peaksDbsm' | 'history' | 'pointSpread'> & {
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

/** Formats of arrays: npz, which other commands read, and those asked for. */
export const withNpz = (more: readonly ArrayFormat[]): ArrayFormat[] => [
  ...new Set(['npz' as const, ...more]),
]

/** Names of the files of a result, the pictures first: these must not exist before a run. */
export const renderFiles = (settings: ResolvedSettings, formats: readonly ArrayFormat[] = []): string[] => [
  ...settings.channels.flatMap((c) => mechanismNames(settings).map((m) => pictureOf(c + suffix(m)))),
  ...withNpz(formats).flatMap((f) => [`image.${ARRAY_ENDINGS[f]}`, `phase-history.${ARRAY_ENDINGS[f]}`]),
  'target.npz',
  'meta.json',
  'timing.json',
]

/** How pictures are drawn and arrays written. */
export interface WritingSettings {
  /** Levels shown below the maximum [dB]. */
  dynamicRangeDb: number
  /** Behind the target's name, in brackets. */
  remark?: string
  /** Formats of the arrays besides npz. */
  formats?: readonly ArrayFormat[]
}

/** Writes pictures, arrays and records of a result, each whole or not at all. @throws InputError where the system refuses */
export async function writeRender(
  place: ResultLocation,
  result: Omit<RenderResult, 'warnings'>,
  writing: WritingSettings,
): Promise<void> {
  const { images, meta, timing, settings } = result
  // Arrays first: worker threads end meanwhile, which would delay loading the renderer.
  await writeArrays(place, result, withNpz(writing.formats ?? []))
  for (const name of Object.keys(images))
    await writeResult(place, pictureOf(name), await drawImage(result, name, settings.window, writing))
  await writeJson(place, 'timing.json', timing)
  await writeJson(place, 'meta.json', meta)
}

async function writeArrays(
  place: ResultLocation,
  { images, history, target, edges, settings }: Omit<RenderResult, 'warnings'>,
  formats: readonly ArrayFormat[],
): Promise<void> {
  const write = async (name: string, arrays: Record<string, NpyArray>): Promise<void> => {
    const attributes = fieldAttributes(settings.phaseCentre)
    for (const format of formats)
      await writeResult(
        place,
        `${name}.${ARRAY_ENDINGS[format]}`,
        await encodeArrays(format, arrays, attributes),
      )
  }
  const real = (data: Float64Array): NpyArray => ({ data, shape: [data.length], dtype: '<f8' })
  const complex = (data: Float64Array, shape: number[]): NpyArray => ({ data, shape, dtype: '<c16' })
  const { rows, cols, rangeM, crossRangeM } = Object.values(images)[0]
  const arrays: Record<string, NpyArray> = {}
  for (const [name, { image }] of Object.entries(images)) {
    arrays[`image_${name}`] = complex(image, [rows, cols])
    arrays.range_m ??= real(rangeM)
    arrays.cross_range_m ??= real(crossRangeM)
  }
  await write('image', arrays)
  const shape = [history.freqHz.length, history.phiDeg.length]
  const fields = Object.entries(history.f).map(([name, f]) => [`f_${name}`, complex(f, shape)] as const)
  const axes = { freq_hz: history.freqHz, theta_deg: history.thetaDeg, phi_deg: history.phiDeg }
  await write('phase-history', {
    ...Object.fromEntries(fields),
    ...Object.fromEntries(Object.entries(axes).map(([name, data]) => [name, real(data)])),
  })
  if (target.triangles.length / 3 <= MOST_FACETS_KEPT)
    await writeResult(place, 'target.npz', targetNpz(target, edges))
}

/** Parts are drawn on the total's scale, so that the pictures compare. */
async function drawImage(
  { name: target, plan, images, peaksDbsm, target: { ground, materials } }: Omit<RenderResult, 'warnings'>,
  name: string,
  window: WindowName,
  { dynamicRangeDb, remark }: WritingSettings,
): Promise<Uint8Array> {
  const { imagePng, imageTitle, targetOf } = await import('../plots/node.js')
  const made = materials.filter(({ kind }) => kind !== 'conductor').map((of) => of.name)
  const [channel, mechanism] = name.split('_')
  const about = mechanism === undefined ? remark : mechanismTitle(mechanism)
  const { freqHz, phiDeg, thetaDeg } = plan
  const aspect = { thetaDeg, phiDeg: (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2 }
  const title = imageTitle({
    name: [
      targetOf({ name: target, materials: made }),
      ground && `over ${ground.material.name}`,
      about && `(${about})`,
    ]
      .filter(Boolean)
      .join(' '),
    channel,
    ...aspect,
    f0: freqHz[0],
    f1: freqHz[freqHz.length - 1],
    apertureDeg: plan.apertureDeg,
    rangeResolutionM: plan.rangeResolutionM,
    crossRangeResolutionM: plan.crossRangeResolutionM,
    window,
  })
  return imagePng({ ...images[name], ...title, aspect, dynamicRangeDb, maxDbsm: peaksDbsm[channel] })
}

/** Mechanisms a run writes: the total first. */
function mechanismNames({ mechanisms, sbr, diffraction, secondOrder }: ResolvedSettings): string[] {
  if (!mechanisms) return ['total']
  const bounces = Array.from({ length: sbr.maxBounces }, (_, m) => `b${m + 1}`)
  return ['total', ...bounces, ...(diffraction === 'none' ? [] : ['edge', ...secondOrder])]
}

/** Picture of an image: `image-vv.png`, `image-vv-b1.png`. */
export const pictureOf = (image: string): string => `image-${image.replace('_', '-')}.png`
