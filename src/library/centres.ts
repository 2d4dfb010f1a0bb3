import { type PlacedCentre, placeCentre, searchCentres } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import { checkDeclared, type SettingsOf } from '../../run/settings/settings.js'
import { aboveZero, checkKeys, type Setting, whole } from '../../run/settings/types.js'
import type { RenderResult } from '../render.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'

/** Options of `isar centres` and `findCentres`. */
export const CENTRES = {
  /** Most centres. Default 50. */
  count: {
    type: whole(1, 10_000).optional(),
    help: 'most centres of a channel (default: 50; of a model 200)',
    group: 'Run',
    value: '<n>',
  },
  /** Level below the brightest pixel at which the search ends [dB]. Default 40. */
  floorDb: {
    type: aboveZero().default(40),
    help: 'level below the brightest pixel at which the search ends',
    group: 'Run',
    option: 'floor',
    value: '<dB>',
  },
} as const satisfies Record<string, Setting>

/** Most centres of an image where nothing is said. */
export const COUNT = 50

/** How far the search for scattering centres goes. */
export interface FindCentresOptions extends CallOptions, SettingsOf<typeof CENTRES> {}

/** Longest that the search holds the event loop [ms]. */
const SLICE = 20

/** Scattering centres of an image. */
export interface FoundCentres {
  /** As found: the brightest of what was left each time. */
  centres: PlacedCentre[]
  /** Energy left, as a part of the image's. */
  residualEnergy: number
}

/**
 * Scattering centres of a rendered image by CLEAN, as `isar centres` finds them. It runs on the calling thread and lets others
 * come in every few milliseconds; `scatteringCentres` does the same at once, for any image with its point-spread function.
 *
 * @param image  name of the image in the result: a channel, or `CHANNEL_MECHANISM`
 * @throws (rejects) InputError for bad input, the signal's reason
 */
export async function findCentres(
  result: RenderResult,
  image: string,
  options: FindCentresOptions = {},
): Promise<FoundCentres> {
  checkKeys(options, 'findCentres', [...CALL_OPTIONS, ...Object.keys(CENTRES)])
  const hooks = new Hooks(options)
  const { count = COUNT, floorDb } = checkDeclared(CENTRES, { ...options })
  if (!Object.hasOwn(result.images, image))
    throw new InputError(
      `there is no image "${image}" in the result; choose among ${Object.keys(result.images).join(', ')}`,
    )
  const search = searchCentres(result.images[image], result.pointSpread, { count, floorDb })
  let last = performance.now()
  for (;;) {
    const { done, value } = search.next()
    if (done) {
      const { thetaDeg, phiDeg } = result.plan
      const middle = (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2
      const place = (c: (typeof value.centres)[number]): PlacedCentre =>
        placeCentre(c, thetaDeg, middle, result.settings.phaseCentre)
      return { centres: value.centres.map(place), residualEnergy: value.residualEnergy }
    }
    if (performance.now() - last < SLICE) continue
    await hooks.step('centres', value, count)
    last = performance.now()
  }
}
