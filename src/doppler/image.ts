import { ARRAY_ENDINGS, type ArrayFormat, type NpyArray, vector } from '../../formats/index.js'
import {
  autofocus,
  type AutofocusName,
  boxCorners,
  type Focus,
  imageEntropy,
  type IsarImage,
  motionImage,
  type Outline,
  rangeProfiles,
  rotationPlane,
  type RotationPlane,
  targetOutline,
  type WindowName,
} from '../../isar/index.js'
import { dynamicRange, imageDbsm } from '../../isar/levels.js'
import { type ComputedDoppler, facetsOf } from '../../run/doppler/compute.js'
import { historyArrays, imageArrays } from '../../run/formed-images.js'
import {
  aspectOf,
  type LoadedMotion,
  targetMesh,
  targetSight,
  timeOf,
  translation,
} from '../../run/motion/index.js'
import { type ResultLocation, writeArrays, writeJson } from '../../run/results.js'
import { keepTarget, targetNpz } from '../../run/mesh-source.js'
import { writeFigure } from '../write-figure.js'
import { boundingBox, C0, dot, InputError, prepareTarget, type Vec3 } from '../../scene/index.js'

/** How pulses become an image. */
export interface MotionImageSettings {
  window: WindowName
  /** Pixels; by the resolution where absent. */
  size?: { rows: number; cols: number }
  /** Whether the known translation of the target's origin is taken out. */
  translation: 'removed' | 'kept'
  /** How remaining phase errors are estimated; not at all where absent. */
  autofocus?: AutofocusName
  /** Levels shown below the maximum [dB]; `auto`: chosen from the images. */
  dynamicRangeDb: number | 'auto'
  /** Whether the target's outline is drawn. */
  outline: boolean
}

type Focusing = Omit<MotionImageSettings, 'dynamicRangeDb' | 'outline'>

/** An image of a moving target with what focused it. */
interface FocusedImage extends IsarImage {
  plane: RotationPlane
  focus?: Focus
}

/** Pulses of autofocus: it compares all pairs of pulses and pixels. */
const MOST_PULSES = 2048
/** The image shows the target's box times this, and so many resolution cells, as `planSweep` has it. */
const MARGIN = 1.3
const MARGIN_CELLS = 8

/** @throws InputError for pulses that make no image: one frequency, no rotation, too many for autofocus */
export function checkImage(
  loaded: LoadedMotion,
  { autofocus: method }: Pick<MotionImageSettings, 'autofocus'>,
): void {
  const { radar } = loaded.config
  if (radar.freqHz.length < 2) throw new InputError('an image needs a bandwidth; give radar.band')
  if (radar.waveform === 'stepped')
    throw new InputError('an image takes the frequencies of a pulse at one time; take "waveform": "chirp"')
  if (method && radar.pulses > MOST_PULSES)
    throw new InputError(`autofocus takes at most ${MOST_PULSES} pulses, of which there are ${radar.pulses}; take fewer`) // prettier-ignore
  const { angleRad, crossRange } = rotationPlane(sightDirections(loaded))
  let step = 0
  for (let p = 1; p < angleRad.length; p++) step = Math.max(step, Math.abs(angleRad[p] - angleRad[p - 1]))
  const extent = C0 / (2 * radar.freqHz[radar.freqHz.length - 1] * step)
  const [from, to] = extentAlong(loaded, crossRange)
  if (to - from > extent)
    throw new InputError(
      `the aspect changes by up to ${short((180 / Math.PI) * step)} degrees from pulse to pulse: an image folds over after ${short(extent)} m of cross-range, and the target has ${short(to - from)} m; give a higher radar.prf_hz`,
    )
}

const short = (x: number): string => String(Number(x.toPrecision(3)))

/** Least and largest coordinate of the target's box along an axis, its parts in their files' poses [m]. */
function extentAlong(loaded: LoadedMotion, axis: Vec3): [number, number] {
  const corners = boxCorners(boundingBox(targetMesh(loaded, loaded.parts.map(() => 0)))) // prettier-ignore
  const at = Array.from({ length: 8 }, (_, i) => dot(axis, [corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]])) // prettier-ignore
  return [Math.min(...at), Math.max(...at)]
}

/** Directions to the radar at all pulses, in the target's axes: x y z of each. */
function sightDirections(loaded: LoadedMotion): Float64Array {
  const { pulses } = loaded.config.radar
  const out = new Float64Array(3 * pulses)
  for (let p = 0; p < pulses; p++) out.set(targetSight(loaded, timeOf(loaded, p, 0)).r, 3 * p)
  return out
}

/** A channel's field, its phase referred to the target's origin where translation is removed: [frequency][pulse]. */
function aboutCentre(
  { loaded, history: { freqHz, timeS, f } }: Pick<ComputedDoppler, 'loaded' | 'history'>,
  channel: string,
  settings: Pick<MotionImageSettings, 'translation'>,
): Float64Array {
  const own = f[channel].slice()
  if (settings.translation === 'removed') {
    const paths = timeS.map((t) => translation(loaded, t))
    turnPulses(own, freqHz.map((hz) => (-4 * Math.PI * hz) / C0), paths) // prettier-ignore
  }
  return own
}

/** ISAR image of a channel, in the axes of the target. @throws InputError for a dwell without rotation, or one frequency */
export function imageOfPulses(
  { loaded, history }: Pick<ComputedDoppler, 'loaded' | 'history'>,
  channel: string,
  settings: Focusing,
): FocusedImage {
  const { freqHz, timeS } = history
  checkImage(loaded, settings)
  const { window } = settings
  const directions = sightDirections(loaded)
  const plane = rotationPlane(directions)
  const f = aboutCentre({ loaded, history }, channel, settings)
  const shown = (axis: Vec3, cell: number, most: number): [number, number] => {
    const [low, high] = extentAlong(loaded, axis)
    const half = Math.min(MARGIN * (high - low) + MARGIN_CELLS * cell, most) / 2
    return [(low + high) / 2 - half, (low + high) / 2 + half]
  }
  const n = freqHz.length
  const cell = C0 / (2 * (freqHz[n - 1] - freqHz[0]))
  const rangeM = shown(plane.range.map((x) => -x) as Vec3, cell, (n - 1) * cell)
  const low = plane.angleRad.reduce((a, b) => Math.min(a, b))
  const high = plane.angleRad.reduce((a, b) => Math.max(a, b))
  const across = C0 / ((freqHz[0] + freqHz[n - 1]) * (high - low))
  const crossRangeM = shown(plane.crossRange, across, Infinity)
  const imageOf = (of: Float64Array): Omit<FocusedImage, 'focus'> => motionImage({ freqHz, directions, f: of }, { window, rangeM, crossRangeM, size: settings.size }) // prettier-ignore
  if (settings.autofocus) {
    const pulses = timeS.length
    const { profiles } = rangeProfiles({ freqHz, timeS, f }, { window, rangeM })
    // A point at +cross-range has the phase 2k angle x.
    const positions = plane.angleRad.map((a) => ((a - low) / (high - low)) * (1 - 1 / pulses))
    const focus = autofocus({ profiles, positions }, pulses, settings.autofocus)
    const turned = f.slice()
    turnPulses(turned, freqHz.map(() => -1), focus.phaseRad) // prettier-ignore
    const [before, after] = [imageOf(f), imageOf(turned)]
    const entropy = [before, after].map(({ image }) => imageEntropy(image))
    // Only what sharpens the image that is written is taken out.
    return entropy[1] < entropy[0]
      ? { ...after, focus: { ...focus, entropy: [entropy[0], entropy[1]] } }
      : { ...before, focus: { ...focus, phaseRad: new Float64Array(pulses), entropy: [entropy[0], entropy[0]] } } // prettier-ignore
  }
  return imageOf(f)
}

/** Turns the phase of each sample by its frequency's factor times its pulse's value; in place. */
function turnPulses(f: Float64Array, factors: Float64Array, values: Float64Array): void {
  const pulses = values.length
  for (let m = 0; m < factors.length; m++)
    for (let p = 0; p < pulses; p++) {
      const [c, s] = [Math.cos(factors[m] * values[p]), Math.sin(factors[m] * values[p])]
      const at = 2 * (m * pulses + p)
      const re = f[at]
      f[at] = re * c - f[at + 1] * s
      f[at + 1] = re * s + f[at + 1] * c
    }
}

/** Images of all channels. @throws InputError as `imageOfPulses` */
export const motionImages = (computed: ComputedDoppler, settings: Focusing): Record<string, FocusedImage> =>
  Object.fromEntries(
    Object.keys(computed.history.f).map((channel) => [channel, imageOfPulses(computed, channel, settings)]),
  )

/** Names of the files of images. */
export const motionImageFiles = (
  channels: readonly string[],
  formats: readonly ArrayFormat[] = ['npz'],
): string[] => [
  ...channels.map((c) => `image-${c}.png`),
  ...formats.map((format) => `image.${ARRAY_ENDINGS[format]}`),
]

/** The outline of the target with its parts in their files' poses; none where the image moves with it. */
function outlineIn(
  { range: towardsRadar, crossRange }: RotationPlane,
  loaded: LoadedMotion,
  { outline, translation }: Pick<MotionImageSettings, 'outline' | 'translation'>,
): Outline | undefined {
  if (!outline || translation === 'kept') return undefined
  const mesh = targetMesh(loaded, loaded.parts.map(() => 0)) // prettier-ignore
  // Facets meet once they are welded.
  const target = prepareTarget(mesh, { smoothAngleDeg: 0 })
  return targetOutline(target, { thetaDeg: 0, phiDeg: 0, plane: { towardsRadar, crossRange } })
}

/** Writes pictures and arrays of images, each whole or not at all. @throws InputError where the system refuses */
export async function writeMotionImages(
  place: ResultLocation,
  { name, loaded, history }: ComputedDoppler,
  images: Record<string, FocusedImage>,
  settings: MotionImageSettings,
  formats: readonly ArrayFormat[] = ['npz'],
): Promise<void> {
  const { imageSvg } = await import('../../views/figures/node.js')
  const { freqHz } = history
  const { thetaDeg, phiDeg } = loaded.config.radar
  const how = [
    ...(settings.translation === 'kept' ? ['translation kept'] : []),
    ...(settings.autofocus ? [`autofocus ${settings.autofocus}`] : []),
  ]
  const pixels = Object.values(images).map(({ image }) => image)
  const outline = outlineIn(Object.values(images)[0].plane, loaded, settings)
  const focus: Record<string, NpyArray> = {}
  for (const [channel, made] of Object.entries(images)) {
    const { image, rangeM, crossRangeM, rangeResolutionM, crossRangeResolutionM } = made
    const figure = {
      title: `${name}, ${channel.toUpperCase()}`,
      subtitle: [
        `θ = ${short(thetaDeg)}°, φ = ${short(phiDeg)}°`,
        `${short(freqHz[0] / 1e9)}–${short(freqHz[freqHz.length - 1] / 1e9)} GHz`,
        `${history.timeS.length} pulses, ${short(loaded.duration)} s`,
        `resolution ${short(rangeResolutionM)} × ${short(crossRangeResolutionM)} m`,
        ...how,
      ].join('  ·  '),
      dynamicRangeDb: dynamicRange(pixels, settings.dynamicRangeDb),
      outline,
    }
    await writeFigure(place, `image-${channel}`, imageSvg({ image, rangeM, crossRangeM, ...figure }), ['png'])
    if (made.focus) focus[`autofocus_rad_${channel}`] = vector(made.focus.phaseRad)
  }
  const arrays = { ...imageArrays(images), ...focus }
  await writeArrays(place, 'image', arrays, formats)
}

/** Names of the files of `isar render --motion`. */
export const motionRenderFiles = (channels: readonly string[], formats: readonly ArrayFormat[]): string[] => [
  ...motionImageFiles(channels, formats),
  ...formats.map((format) => `phase-history.${ARRAY_ENDINGS[format]}`),
  'target.npz',
  'meta.json',
  'timing.json',
]

/**
 * Writes images of a moving target as `isar render` writes those of a turntable: pictures, images, phase history, target, records.
 * @param keeps  whether the target is kept with the result
 * @returns highest level of each image [dBsm]
 * @throws InputError as `imageOfPulses`, and where the system refuses
 */
export async function writeMotionRender(
  place: ResultLocation,
  computed: ComputedDoppler,
  settings: MotionImageSettings,
  formats: readonly ArrayFormat[],
  { smoothAngleDeg, keeps }: { smoothAngleDeg: number; keeps: boolean },
): Promise<Record<string, number>> {
  const { loaded, meta, timing } = computed
  const images = motionImages(computed, settings)
  await writeMotionImages(place, computed, images, settings, formats)
  const history = motionHistoryArrays(computed, settings)
  await writeArrays(place, 'phase-history', history, formats)
  const mesh = targetMesh(loaded, loaded.parts.map(() => 0)) // prettier-ignore
  await keepTarget(place, keeps ? facetsOf(loaded) : 0, () =>
    targetNpz(prepareTarget(mesh, { smoothAngleDeg }), null),
  )
  const peaks = Object.fromEntries(
    Object.entries(images).map(([c, { image }]) => [c, imageDbsm(image).reduce((a, b) => Math.max(a, b))]),
  )
  const { plane, rangeResolutionM, crossRangeResolutionM } = Object.values(images)[0]
  await writeJson(place, 'timing.json', timing)
  await writeJson(place, 'meta.json', {
    ...meta,
    command: 'render',
    options: { ...(meta.options as object), image: settings },
    image_plane: {
      towards_radar: plane.range,
      cross_range: plane.crossRange,
      normal: plane.normal,
      off_plane_deg: (180 / Math.PI) * plane.offPlaneRad,
      range_resolution_m: rangeResolutionM,
      cross_range_resolution_m: crossRangeResolutionM,
    },
    image_peak_dbsm: peaks,
  })
  return peaks
}

/**
 * Arrays of `phase-history.npz`: the field that images are made of, before autofocus, and the aspect of each pulse in the target's axes.
 * Channels are the radar's: its V and H, fixed while the target moves.
 */
function motionHistoryArrays(
  computed: ComputedDoppler,
  settings: Pick<MotionImageSettings, 'translation'>,
): Record<string, NpyArray> {
  const { loaded, history } = computed
  const { freqHz, timeS, f } = history
  const aspects = Array.from(timeS, (t) => aspectOf(targetSight(loaded, t)).tx)
  let turn = 0
  const phiDeg = Float64Array.from(aspects, ({ phiDeg: phi }, p) => {
    if (p > 0) turn -= 360 * Math.round((phi - aspects[p - 1].phiDeg) / 360)
    return phi + turn
  })
  const thetaDeg = Float64Array.from(aspects, ({ thetaDeg: theta }) => theta)
  const fields = Object.fromEntries(Object.keys(f).map((c) => [c, aboutCentre(computed, c, settings)]))
  return { ...historyArrays({ freqHz, thetaDeg, phiDeg, f: fields }), time_s: vector(timeS) }
}
