import { InputError } from '../scene/index.js'

/** RCS written for nothing at all [dBsm]. */
export const ZERO_DBSM = -300

/** Levels 10 log10 |pixel|^2 [dBsm]; zero amplitude is -300. @throws InputError for pixels that are not finite. */
export function imageDbsm(image: Float64Array): Float64Array {
  const levels = new Float64Array(image.length / 2)
  for (let i = 0; i < levels.length; i++) {
    const sigma = image[2 * i] ** 2 + image[2 * i + 1] ** 2
    if (!Number.isFinite(sigma))
      throw new InputError(`figure: pixel ${i} is ${sigma}; every pixel must be a finite number`)
    levels[i] = sigma > 0 ? Math.max(ZERO_DBSM, 10 * Math.log10(sigma)) : ZERO_DBSM
  }
  return levels
}
