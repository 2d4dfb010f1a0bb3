import { type EdgeScene, SECOND_ORDER } from '../cpu-diffraction/index.js'
import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  encodeFormats,
  fieldAttributes,
  type NpyArray,
  withNpz,
} from '../formats/index.js'
import { mechanismTitle, suffix } from '../formats/rcs-table.js'
import {
  imageSmear,
  type IsarImage,
  needsPolarFormat,
  type Outline,
  type PointSpreadOptions,
  type SweepPlan,
  targetOutline,
  type WindowName,
} from '../isar/index.js'
import { dynamicRange } from '../isar/levels.js'
import type { Channel } from '../rays/index.js'
import {
  type FieldHistory,
  formImages,
  historyArrays,
  imageArrays,
  type ImageSettings,
  type RequestedImage,
} from '../run/formed-images.js'
import type { Hooks, RunSettings } from '../run/job.js'
import { keepTarget, type MeshSource, targetNpz } from '../run/mesh-source.js'
import { type ResultLocation, writeJson, writeResult } from '../run/results.js'
import { run, type RunCaller } from '../run/run.js'
import { type ResolvedSettings, strip } from '../run/settings/settings.js'
import { describePlan, openSweep, refuseFast, type Sweep } from '../run/sweep-job.js'
import type { TimingReport } from '../run/sweep/index.js'
import { withoutImage } from '../scene/ground/index.js'
import { writeFigure } from './write-figure.js'
import type { Target } from '../scene/index.js'

/** What is rendered. */
interface RenderRequest {
  sweep: Sweep
  image: RequestedImage
  /** Number of reference aspects of a preview; true: the default number. */
  references?: number | true
}

interface Rendered {
  result: Omit<RenderResult, 'warnings'>
  /** Number of reference aspects of a preview. */
  references?: number
  /** See `FinishedRun`. */
  closed: Promise<void>
}

/**
 * ISAR images of a target: what `isar render` writes and `renderImage` returns.
 * @throws InputError, the signal's reason, or the engines' failure
 */
export async function render(
  mesh: MeshSource,
  { sweep, image: requested, references: asked }: RenderRequest,
  given: RunSettings,
  { store, hooks, record, onPlan }: RunCaller,
): Promise<Rendered> {
  if (asked !== undefined) refuseFast(given, (setting) => hooks.nameOf(setting))
  const { target, plan, job, settings } = await openSweep(mesh, sweep, given, hooks, asked)
  for (const note of plan.notes) hooks.warn(note)
  const { polarFormat, note } = choosePolarFormat(requested, plan, target.target, settings, hooks)
  const image = { ...requested, polarFormat }
  const references = job.groups?.length
  const resolved = strip({
    ...settings,
    ...image,
    ...record,
    sweep: describePlan(plan),
    ...(references && { fast: references }),
  })
  const solved = await run({
    command: 'render',
    target,
    job,
    settings,
    record: resolved,
    store,
    hooks,
    onPlan,
  })
  if (note) hooks.to.onNote?.('note', note)
  try {
    const { notes, ...formed } = await formImages(
      plan,
      settings.channels,
      solved.fields,
      image,
      (done, total) => hooks.step('images', done, total),
    )
    for (const note of notes) hooks.warn(note)
    const result = {
      name: target.name,
      plan,
      ...formed,
      target: target.target,
      edges: solved.edgeScene,
      meta: { ...solved.meta, image_peak_dbsm: formed.peaksDbsm },
      timing: solved.timing,
      settings: { ...settings, ...image },
    }
    return { result, references, closed: solved.closed }
  } catch (error) {
    await solved.closed
    throw error
  }
}

/** Whether polar format forms the images; a note where it does by itself, or is off where images smear. */
function choosePolarFormat(
  { polarFormat }: RequestedImage,
  plan: SweepPlan,
  { positions }: Target,
  { phaseCentre }: RunSettings,
  hooks: Hooks,
): { polarFormat: boolean; note?: string } {
  if (polarFormat === true) return { polarFormat }
  const smear = imageSmear(plan, positions, phaseCentre)
  if (!needsPolarFormat(smear)) return { polarFormat: false }
  const cells = `smears by up to ${smear.smallAngle.toFixed(1)} cells`
  return polarFormat === 'auto'
    ? { polarFormat: true, note: `polar format: the plain transform ${cells}` }
    : {
        polarFormat: false,
        note: `away from the phase centre the plain transform ${cells}; ${hooks.nameOf('polarFormat')} focuses it`,
      }
}

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
  ...settings.channels.flatMap((c) => mechanismNames(settings).map((m) => `${pictureOf(c + suffix(m))}.png`)),
  ...withNpz(formats).flatMap((f) => [`image.${ARRAY_ENDINGS[f]}`, `phase-history.${ARRAY_ENDINGS[f]}`]),
  'meta.json',
  'timing.json',
]

/** How pictures are drawn and arrays written. */
interface WritingSettings {
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
    await writeFigure(place, pictureOf(name), await drawImage(result, name, settings.window, style), ['png'])
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
): Promise<string> {
  const { imageSvg, imageTitle, targetOf } = await import('../views/figures/node.js')
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
  return imageSvg({ ...images[name], ...title, aspect, ...style, maxDbsm: peaksDbsm[channel] })
}

/** Mechanisms a run writes, or may write before its target is known: the total first. */
function mechanismNames({ mechanisms, sbr, diffraction, secondOrder }: ResolvedSettings): string[] {
  if (!mechanisms) return ['total']
  const bounces = Array.from({ length: sbr.maxBounces }, (_, m) => `b${m + 1}`)
  return ['total', ...bounces, ...(diffraction === 'none' ? [] : ['edge', ...(secondOrder ?? SECOND_ORDER)])]
}

/** Picture of an image, without the ending of its file: `image-vv`, `image-vv-b1`. */
export const pictureOf = (image: string): string => `image-${image.replace('_', '-')}`

/**
 * Channels that options are known to ask for: all where they name none, and those of a list that is written out. Of a list that may have any,
 * none is known.
 */
export type ChannelsOf<O> = 'channels' extends keyof O
  ? O extends { channels: readonly (infer C extends Channel)[] }
    ? [Channel] extends [C]
      ? never
      : C
    : never
  : Channel

/** Values by channel, those that are known to be there and perhaps others, and by further names such as `vv_b1`. */
export type ByChannel<C extends Channel, T> = Record<C, T> & Record<string, T>
