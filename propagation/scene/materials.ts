import { EPSILON_0 } from '../../scene/constants.js'
import { InputError } from '../../scene/index.js'
import { ITU_MEDIA, propertiesAt } from '../../scene/materials/index.js'

/** What a surface is made of: a half-space of this, or a perfect conductor. */
export type Material = 'pec' | { epsilonR: number; sigma: number }

export const MATERIAL_NAMES = ['pec', ...ITU_MEDIA.map(({ name }) => name)]

/**
 * A material of Recommendation ITU-R P.2040-3 at a frequency, or `pec`.
 * @throws InputError for a name that is not of the table, or a frequency outside the fit
 */
export function namedMaterial(name: string, freqHz: number): Material {
  if (name === 'pec') return 'pec'
  const medium = ITU_MEDIA.find((m) => m.name === name)
  if (!medium) throw new InputError(`material "${name}" is unknown; use one of ${MATERIAL_NAMES.join(', ')}`)
  const properties = new Float64Array(5)
  propertiesAt(medium, freqHz, properties)
  return { epsilonR: properties[0], sigma: properties[4] }
}

/**
 * Complex relative permittivity epsilon_r - j sigma / (omega epsilon_0) for the time factor exp(+jwt), as [re, im]; null for a
 * perfect conductor.
 */
export function complexPermittivity(material: Material, freqHz: number): [number, number] | null {
  if (material === 'pec') return null
  return [material.epsilonR, -material.sigma / (2 * Math.PI * freqHz * EPSILON_0)]
}
