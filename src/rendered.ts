import { type EdgeScene, SECOND_ORDER } from '../cpu-diffraction/index.js'
import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  encodeFormats,
  fieldAttributes,
  type NpyArray,
  withNpz,
} from '../formats/index.js'
import {
  type IsarImage,
  type Outline,
  type PointSpreadOptions,
  type SweepPlan,
  targetOutline,
  type WindowName,
} from '../isar/index.js'
import { dynamicRange } from '../plots/levels.js'
import type { TimingReport } from '../pipeline/index.js'
import { withoutImage } from '../scene/ground/index.js'
import type { Target } from '../scene/index.js'
import type { ByChannel } from './library/by-channel.js'
import { type FieldHistory, historyArrays, imageArrays, type ImageSettings } from './formed-images.js'
import { mechanismTitle, suffix } from './rcs-csv.js'
import { type ResultLocation, writeJson, writeResult } from './results.js'
import type { Channel } from '../rays/index.js'
import type { ResolvedSettings } from './settings.js'
import { keepTarget, targetNpz } from './target-file.js'

/** ISAR images of one target with their fields and records. */
export interface RenderResult<C extends Channel = never> {
  /** The target's name: of its file, without folder and ending. */
  name: string
  /** Frequencies, aspects, resolutions and window of the sweep. */
  plan: SweepPlan
  /** Images by channel, and with mechanisms by `CHANNEL_MECHANISM` (`vv_b1`, `hh_edge`). */
  images: ByChannel<C, IsarImage>
  /** Highest level of each image [dBsm]. */
  peaksDbsm: ByChannel<C, number>
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

/** Names of the files of a result, the pictures first: these must not exist before a run. */
export const renderFiles = (settings: ResolvedSettings, formats: readonly ArrayFormat[] = []): string[] => [
  ...settings.channels.flatMap((c) => mechanismNames(settings).map((m) => pictureOf(c + suffix(m)))),
  ...withNpz(formats).flatMap((f) => [`image.${ARRAY_ENDINGS[f]}`, `phase-history.${ARRAY_ENDINGS[f]}`]),
  'meta.json',
  'timing.json',
]

/** How pictures are drawn and arrays written. */
export interface WritingSettings {
  /** Levels shown below the maximum [dB]; `auto`: chosen from the images (`dynamicRange`). */
  dynamicRangeDb: number | 'auto'
  /** Whether the target's outline is drawn over its images. */
  outline: boolean
  /** Behind the target's name, in brackets. */
  remark?: string
  /** Formats of the arrays besides npz. */
  formats?: readonly ArrayFormat[]
  /** Whether the target is kept with the result; default true. */
  mesh?: boolean
}

/** Writes pictures, arrays and records of a result, each whole or not at all. @throws InputError where the system refuses */
export async function writeRender(
  place: ResultLocation,
  result: Omit<RenderResult, 'warnings'>,
  writing: WritingSettings,
): Promise<void> {
  const { images, meta, timing, settings } = result
  const totals = settings.channels.map((channel) => images[channel].image)
  const dynamicRangeDb = dynamicRange(totals, writing.dynamicRangeDb)
  // Arrays first: worker threads end meanwhile, which would delay loading the renderer.
  await writeArrays(place, result, withNpz(writing.formats ?? []), writing.mesh ?? true)
  const style = {
    dynamicRangeDb,
    remark: writing.remark,
    outline: writing.outline ? outlineOf(result) : undefined,
  }
  for (const name of Object.keys(images))
    await writeResult(place, pictureOf(name), await drawImage(result, name, settings.window, style))
  await writeJson(place, 'timing.json', timing)
  const options = { ...(meta.options as object), dynamicRangeDb, outline: writing.outline }
  await writeJson(place, 'meta.json', { ...meta, options })
}

const aspectOf = ({ thetaDeg, phiDeg }: SweepPlan): { thetaDeg: number; phiDeg: number } => ({
  thetaDeg,
  phiDeg: (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2,
})

/** The outline of the target in its images, without the mirror image that a ground adds. */
const outlineOf = ({ plan, target, settings }: Omit<RenderResult, 'warnings'>): Outline =>
  targetOutline(withoutImage(target), aspectOf(plan), settings.phaseCentre)

async function writeArrays(
  place: ResultLocation,
  { images, history, target, edges, settings }: Omit<RenderResult, 'warnings'>,
  formats: readonly ArrayFormat[],
  mesh: boolean,
): Promise<void> {
  const write = async (name: string, arrays: Record<string, NpyArray>): Promise<void> => {
    const attributes = fieldAttributes(settings.phaseCentre)
    for await (const [file, data] of encodeFormats(name, arrays, formats, attributes))
      await writeResult(place, file, data)
  }
  await write('image', imageArrays(images))
  await write('phase-history', historyArrays(history))
  await keepTarget(place, mesh ? target.triangles.length / 3 : 0, () => targetNpz(target, edges))
}

/** Parts are drawn on the total's scale, so that the pictures compare. */
async function drawImage(
  { name: target, plan, images, peaksDbsm, target: { ground, materials } }: Omit<RenderResult, 'warnings'>,
  name: string,
  window: WindowName,
  { remark, ...style }: { dynamicRangeDb: number; remark?: string; outline?: Outline },
): Promise<Uint8Array> {
  const { imagePng, imageTitle, targetOf } = await import('../plots/node.js')
  const made = materials.filter(({ kind }) => kind !== 'conductor').map((of) => of.name)
  const [channel, mechanism] = name.split('_')
  const about = mechanism === undefined ? remark : mechanismTitle(mechanism)
  const { freqHz } = plan
  const aspect = aspectOf(plan)
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
  return imagePng({ ...images[name], ...title, aspect, ...style, maxDbsm: peaksDbsm[channel] })
}

/** Mechanisms a run writes, or may write before its target is known: the total first. */
function mechanismNames({ mechanisms, sbr, diffraction, secondOrder }: ResolvedSettings): string[] {
  if (!mechanisms) return ['total']
  const bounces = Array.from({ length: sbr.maxBounces }, (_, m) => `b${m + 1}`)
  return ['total', ...bounces, ...(diffraction === 'none' ? [] : ['edge', ...(secondOrder ?? SECOND_ORDER)])]
}

/** Picture of an image: `image-vv.png`, `image-vv-b1.png`. */
export const pictureOf = (image: string): string => `image-${image.replace('_', '-')}.png`
