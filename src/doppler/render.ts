import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  encodeFormats,
  fieldAttributes,
  type NpyArray,
  vector,
} from '../../formats/index.js'
import { aspectOf, targetMesh, targetSight } from '../../motion/index.js'
import { imageDbsm } from '../../plots/levels.js'
import { prepareTarget } from '../../scene/index.js'
import { historyArrays } from '../formed-images.js'
import { type ResultLocation, writeJson, writeResult } from '../results.js'
import { keepTarget, targetNpz } from '../target-file.js'
import type { ComputedDoppler } from './compute.js'
import {
  aboutCentre,
  motionImageFiles,
  motionImages,
  type MotionImageSettings,
  writeMotionImages,
} from './image.js'
import { facetsOf } from './target.js'

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
  for await (const [file, data] of encodeFormats('phase-history', history, formats, fieldAttributes()))
    await writeResult(place, file, data)
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
