import { InputError } from '../../scene/index.js'

/** Permittivity of free space [F/m]. */
const EPSILON_0 = 8.8541878188e-12

/** What a surface is made of: a half-space of this, or a perfect conductor. */
export type Material = 'pec' | { epsilonR: number; sigma: number }

/** One fit of Recommendation ITU-R P.2040: epsilon_r = a f^b, sigma = c f^d [S/m], f in GHz from `low` to `high`. */
interface Fit {
  a: number
  b: number
  c: number
  d: number
  low: number
  high: number
}

const fit = (low: number, high: number, a: number, b: number, c: number, d: number): Fit => ({
  a,
  b,
  c,
  d,
  low,
  high,
})

/** Table 3 of Recommendation ITU-R P.2040-3. */
const ITU: Record<string, Fit[]> = {
  vacuum: [fit(0.001, 100, 1, 0, 0, 0)],
  concrete: [fit(1, 100, 5.24, 0, 0.0462, 0.7822)],
  brick: [fit(1, 40, 3.91, 0, 0.0238, 0.16)],
  plasterboard: [fit(1, 100, 2.73, 0, 0.0085, 0.9395)],
  wood: [fit(0.001, 100, 1.99, 0, 0.0047, 1.0718)],
  glass: [fit(0.1, 100, 6.31, 0, 0.0036, 1.3394), fit(220, 450, 5.79, 0, 0.0004, 1.658)],
  'ceiling-board': [fit(1, 100, 1.48, 0, 0.0011, 1.075), fit(220, 450, 1.52, 0, 0.0029, 1.029)],
  chipboard: [fit(1, 100, 2.58, 0, 0.0217, 0.78)],
  plywood: [fit(1, 40, 2.71, 0, 0.33, 0)],
  marble: [fit(1, 60, 7.074, 0, 0.0055, 0.9262)],
  floorboard: [fit(50, 100, 3.66, 0, 0.0044, 1.3515)],
  metal: [fit(1, 100, 1, 0, 1e7, 0)],
  'very-dry-ground': [fit(1, 10, 3, 0, 0.00015, 2.52)],
  'medium-dry-ground': [fit(1, 10, 15, -0.1, 0.035, 1.63)],
  'wet-ground': [fit(1, 10, 30, -0.4, 0.15, 1.3)],
}

export const MATERIAL_NAMES = ['pec', ...Object.keys(ITU)]

/**
 * A material of Recommendation ITU-R P.2040-3 at a frequency, or `pec`.
 * @throws InputError for a name that is not of the table, or a frequency outside the fit
 */
export function namedMaterial(name: string, freqHz: number): Material {
  if (name === 'pec') return 'pec'
  const fits = Object.hasOwn(ITU, name) ? ITU[name] : undefined
  if (!fits) throw new InputError(`material "${name}" is unknown; use one of ${MATERIAL_NAMES.join(', ')}`)
  const f = freqHz / 1e9
  const found = fits.find(({ low, high }) => f >= low && f <= high)
  if (!found)
    throw new InputError(
      `material "${name}" is given for ${fits.map(({ low, high }) => `${low} to ${high} GHz`).join(' and ')}, not for ${f} GHz; give epsilon_r and sigma instead`,
    )
  return { epsilonR: found.a * f ** found.b, sigma: found.c * f ** found.d }
}

/**
 * Complex relative permittivity epsilon_r - j sigma / (omega epsilon_0) for the time factor exp(+jwt), as [re, im]; null for a
 * perfect conductor.
 */
export function complexPermittivity(material: Material, freqHz: number): [number, number] | null {
  if (material === 'pec') return null
  return [material.epsilonR, -material.sigma / (2 * Math.PI * freqHz * EPSILON_0)]
}
