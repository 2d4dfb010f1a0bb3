import { type EdgeScene, SECOND_ORDER } from '../cpu-diffraction/index.js'
import { ARRAY_ENDINGS, ARRAY_FORMATS, type ArrayFormat, fieldAttributes, withNpz } from '../formats/index.js'
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
  WINDOWS,
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
import { CALL_OPTIONS, type CallOptions, Hooks, type RunSettings } from '../run/job.js'
import { keepTarget, type MeshSource, targetNpz } from '../run/mesh-source.js'
import {
  claimLocation,
  folderLocation,
  memoryStore,
  type ResultLocation,
  type SaveOptions,
  writeArrays,
  writeJson,
} from '../run/results.js'
import { run, type RunCaller } from '../run/run.js'
import { describePlan, FAST, openSweep, refuseFast, type Sweep } from '../run/sweep-job.js'
import {
  checkDeclared,
  type CheckedOf,
  type ResolvedSettings,
  resolveSettings,
  SETTINGS,
  type SettingsOf,
  type SolverSettings,
  strip,
} from '../run/settings/settings.js'
import type { TimingReport } from '../run/sweep/index.js'
import { withoutImage } from '../scene/ground/index.js'
import { writeFigure } from './write-figure.js'
import { InputError, type Target } from '../scene/index.js'
import {
  aboveZero,
  checkKeys,
  choice,
  oneOf,
  positive,
  real,
  type Setting,
  whole,
  wholeIn,
} from '../run/settings/types.js'

/** Uniform frequencies from f0 to f1, both included [Hz]; their count comes from the target's size where absent. */
export interface BandRange {
  f0: number
  f1: number
  count?: number
}

/** Most pixels along a side, and most aspects. */
export const MAX_PIXELS = 16_384
const MAX_ASPECTS = 1_000_000

/** Options of sweep and image of `isar render`, `isar compare` and `renderImage` that have one number or word. */
export const SWEEP = {
  /** Centre aspect: direction from the target to the radar, from +z [degrees]. Default 80. */
  thetaDeg: {
    type: real(-360, 360).default(80),
    help: 'centre aspect, from +z',
    group: 'Sweep',
    option: 'theta',
    value: '<deg>',
  },
  /** The same from +x towards +y [degrees]. Default 0. */
  phiDeg: {
    type: real(-360, 360).default(0),
    help: 'centre aspect, from +x towards +y',
    group: 'Sweep',
    option: 'phi',
    value: '<deg>',
  },
  /** Span of the aspects in phi [degrees]; default: cross-range resolution equal to range resolution. */
  apertureDeg: {
    type: aboveZero().optional(),
    help: 'span in phi (default: dx equal to dr)',
    group: 'Sweep',
    option: 'aperture',
    value: '<deg>',
  },
  /** Number of aspects; from the target's size where absent. */
  angles: {
    type: whole(2, MAX_ASPECTS).optional(),
    help: 'aspects over the aperture (default: from the target’s size)',
    group: 'Sweep',
    value: '<n>',
  },
  /** Spectral window. Default hamming. */
  window: {
    type: choice(WINDOWS).default('hamming'),
    help: 'spectral window',
    group: 'Output',
    value: '<name>',
  },
} as const satisfies Record<string, Setting>

/** What `renderImage` computes: give `band`, or `resolution`. */
export interface RenderOptions extends SolverSettings, SettingsOf<typeof SWEEP>, CallOptions {
  /** Frequencies of the sweep [Hz]. */
  band?: BandRange
  /** Instead of a band and an aperture: resolutions [m] about a centre frequency [Hz]; crossRangeM defaults to rangeM. */
  resolution?: { rangeM: number; crossRangeM?: number; centreHz: number }
  /** Pixels; default: four to a resolution cell. */
  size?: { rows: number; cols: number }
  /**
   * Resample to a rectangular wavenumber grid first: keeps wide apertures in focus. Default `auto`: where the plain transform would smear
   * some point of the target by more than half a resolution cell (docs/theory.md, "Images").
   */
  polarFormat?: boolean | 'auto'
  /**
   * A preview: traces rays at this many reference aspects (`true`: a number from the target's size) and extrapolates the others, with 3 rays per wavelength, one
   * subdivision and a frequency tolerance of 0.01 where those are not given (docs/numerics.md, "Aspect extrapolation").
   */
  fast?: boolean | number
}

const OPTIONS = [
  ...SETTINGS,
  ...CALL_OPTIONS,
  ...(Object.keys(SWEEP) as (keyof typeof SWEEP)[]),
  'band',
  'resolution',
  'size',
  'polarFormat',
  'fast',
] as const satisfies readonly (keyof RenderOptions)[]

/**
 * ISAR images of a target: sweeps frequency and aspect, computes the scattered field and transforms it, as `isar render` does
 * and with the same bytes. Nothing is written to disk (`saveRender` does). Threads and GPU are its own, and released before
 * the promise settles; calls at the same time do not disturb each other.
 *
 * @throws (rejects) InputError for bad input or an impossible run, the signal's reason, GpuError where the GPU fails
 */
export async function renderImage<O extends RenderOptions>(
  mesh: MeshSource,
  options: O,
): Promise<RenderResult<ChannelsOf<O>>> {
  checkKeys(options, 'renderImage', OPTIONS)
  const hooks = new Hooks(options)
  const { fast = false } = options
  const settings = resolveSettings(fast === false ? options : { ...FAST, ...options })
  const references = fast === false ? undefined : fast === true || wholeIn(fast, 'fast', 1, MAX_ASPECTS)
  const given: RenderOptions = options
  const checked = checkDeclared(SWEEP, { ...given })
  const request = { sweep: checkSweep(options, checked), image: imageSettings(options, checked), references }
  const { result, closed } = await render(mesh, request, settings, { store: memoryStore, hooks })
  await closed
  return { ...result, warnings: hooks.warnings } as RenderResult<ChannelsOf<O>>
}

function imageSettings(
  { polarFormat = 'auto', size }: RenderOptions,
  { window }: CheckedSweep,
): RequestedImage {
  return {
    window,
    polarFormat:
      typeof polarFormat === 'boolean' ? polarFormat : oneOf(polarFormat, 'polarFormat', ['auto' as const]),
    size: size && {
      rows: wholeIn(size.rows, 'size.rows', 2, MAX_PIXELS),
      cols: wholeIn(size.cols, 'size.cols', 2, MAX_PIXELS),
    },
  }
}

type CheckedSweep = CheckedOf<typeof SWEEP>

/** The aspects of a sweep. */
export const sweepOf = ({ thetaDeg, phiDeg, apertureDeg, angles }: CheckedSweep): Sweep => ({
  thetaDeg,
  phiDeg,
  ...(apertureDeg !== undefined && { apertureDeg }),
  ...(angles !== undefined && { angles }),
})

/** @throws InputError naming the option */
function checkSweep({ band, resolution }: RenderOptions, checked: CheckedSweep): Sweep {
  if ((band === undefined) === (resolution === undefined))
    throw new InputError('give band: { f0, f1 } in Hz, or resolution: { rangeM, centreHz }, and not both')
  return {
    ...sweepOf(checked),
    ...(band ? { band: checkBand(band) } : {}),
    ...(resolution ? { resolution: checkResolution(resolution) } : {}),
  }
}

/** @throws InputError for a band that is not ascending and positive */
export function checkBand({ f0, f1, count }: BandRange): BandRange {
  positive(f0, 'band.f0')
  positive(f1, 'band.f1')
  if (f1 <= f0) throw new InputError(`band: ${f0} to ${f1} Hz; give f1 above f0`)
  return count === undefined ? { f0, f1 } : { f0, f1, count: wholeIn(count, 'band.count', 2, 1_000_000) }
}

function checkResolution({ rangeM, crossRangeM, centreHz }: NonNullable<RenderOptions['resolution']>) {
  return {
    rangeM: positive(rangeM, 'resolution.rangeM'),
    ...(crossRangeM === undefined ? {} : { crossRangeM: positive(crossRangeM, 'resolution.crossRangeM') }),
    centreHz: positive(centreHz, 'resolution.centreHz'),
  }
}

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
  await writeData(place, result, withNpz(writing.formats ?? []), writing.mesh ?? true)
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

async function writeData(
  place: ResultLocation,
  { images, history, target, edges, settings }: Omit<RenderResult, 'warnings'>,
  formats: readonly ArrayFormat[],
  mesh: boolean,
): Promise<void> {
  const attributes = fieldAttributes(settings.phaseCentre)
  await writeArrays(place, 'image', imageArrays(images), formats, attributes)
  await writeArrays(place, 'phase-history', historyArrays(history), formats, attributes)
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

/** How images are saved. */
export interface SaveRenderOptions extends SaveOptions {
  /** Levels that pictures show below the maximum [dB]. Default `auto`: a third of the pixels, 25 to 60 dB. */
  dynamicRangeDb?: number | 'auto'
  /** Draw the target's outline over its images. Default true. */
  outline?: boolean
  /** Formats of the arrays besides npz. Default none. */
  formats?: readonly ArrayFormat[]
}

/**
 * Writes the files of `isar render` into a folder, each whole or not at all: pictures, image.npz, phase-history.npz, target.npz,
 * meta.json, timing.json. `isar view` and `isar centres` open it.
 * @throws (rejects) InputError where a result is there already and `force` is not given, or the system refuses
 */
export async function saveRender(
  result: RenderResult,
  folder: string,
  options: SaveRenderOptions = {},
): Promise<void> {
  const { dynamicRangeDb: range = 'auto', outline = true, formats = [] } = options
  const dynamicRangeDb = range === 'auto' ? range : positive(range, 'dynamicRangeDb')
  if (!formats.every((format) => ARRAY_FORMATS.includes(format)))
    throw new InputError(`formats: give a list of some of ${ARRAY_FORMATS.join(', ')}`)
  const place = folderLocation(folder)
  claimLocation(place, renderFiles(result.settings, formats), options)
  await writeRender(place, result, { dynamicRangeDb, outline, formats })
}
