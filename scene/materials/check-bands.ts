import { type Band, highestFrequency } from '../band.js'
import type { Material } from './material.js'
import { slab } from './slab.js'

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
