import { type PlacedCentre, placeCentre, searchCentres } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import { checkKeys, positive, wholeIn } from '../../run/settings/types.js'
import type { RenderResult } from '../render.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/hooks.js'

/** How far the search for scattering centres goes. */
export interface FindCentresOptions extends CallOptions {
  /** Most centres. Default 50. */
  count?: number
  /** Level below the brightest pixel at which the search ends [dB]. Default 40. */
  floorDb?: number
}

const OPTIONS = [...CALL_OPTIONS, 'count', 'floorDb'] as const satisfies readonly (keyof FindCentresOptions)[]

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
  checkKeys(options, 'findCentres', OPTIONS)
  const hooks = new Hooks(options)
  const count = wholeIn(options.count ?? 50, 'count', 1, 10_000)
  const floorDb = positive(options.floorDb ?? 40, 'floorDb')
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
