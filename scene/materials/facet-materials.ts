import { type Band, highestFrequency } from '../band.js'
import { InputError } from '../errors.js'
import type { Mesh } from '../mesh.js'
import { type Material, PERFECT_CONDUCTOR } from './material.js'
import { slab } from './slab.js'

/** Most materials of a target. */
const MOST = 255

/**
 * The materials of a mesh's facets, those that are used, the perfect conductor first, and their numbers per facet; no numbers where
 * everything conducts. @throws InputError for more than 255 materials
 */
export function facetMaterials({ triangles, facetGroup, groupMaterials }: Mesh): {
  materials: Material[]
  facetMaterial?: Uint8Array
} {
  const materials = [PERFECT_CONDUCTOR]
  if (!groupMaterials) return { materials }
  const facetMaterial = new Uint8Array(triangles.length / 3)
  const ofGroup = new Map<number, number>()
  for (let t = 0; t < facetMaterial.length; t++) {
    const group = facetGroup ? facetGroup[t] : 0
    let number = ofGroup.get(group)
    if (number === undefined) {
      const material = groupMaterials[group]
      const known = materials.indexOf(material)
      number = material.kind === 'conductor' ? 0 : known > 0 ? known : materials.push(material) - 1
      ofGroup.set(group, number)
    }
    facetMaterial[t] = number
  }
  if (materials.length > MOST + 1)
    throw new InputError(`the target has ${materials.length - 1} materials; give it ${MOST} at most`)
  return materials.length > 1 ? { materials, facetMaterial } : { materials }
}

/** Frequencies of a band at which materials are tried: ends, and enough between them to meet every gap of the recommendations' fits. */
const TRIED = 65

/** @throws InputError for a material that is not given for all of the bands */
export function checkBands(materials: readonly Material[], bands: readonly Band[]): void {
  const out = new Float64Array(8)
  for (const material of materials)
    for (const band of bands) {
      const high = highestFrequency(band)
      for (let i = 0; i < TRIED; i++)
        slab(material, i === TRIED - 1 ? high : band.f0 + ((high - band.f0) * i) / (TRIED - 1), 1, out)
    }
}
