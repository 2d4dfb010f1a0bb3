import { ITU_MEDIA } from './itu.js'
import type { Medium } from './medium.js'

/** A medium that needs no file, and where its figures are from. */
export interface BuiltIn {
  medium: Medium
  source: string
}

const constant = (name: string, eps: number, lossTangent: number, conductivity = 0): Medium => ({
  name,
  eps: [eps, 0 - eps * lossTangent],
  mu: [1, 0],
  conductivity,
})

/** Nominal media of radar targets, besides those of Recommendation ITU-R P.2040-3. */
const OTHERS: BuiltIn[] = [
  {
    medium: constant('ptfe', 2.08, 3.7e-4),
    source: 'A. von Hippel, Dielectric Materials and Applications, 1954: 10 GHz, 25 °C',
  },
  {
    medium: constant('fr4', 4.4, 0.02),
    source: 'nominal, 1 to 10 GHz; A. R. Djordjevic et al., IEEE Trans. EMC 43, 2001, 662-667',
  },
  {
    medium: constant('cfrp', 1, 0, 1e4),
    source:
      'carbon-fibre laminate, nominal conductivity in its plane, alike in all directions; compare C. L. Holloway et al., IEEE Trans. EMC 47, 2005, 833-844',
  },
  {
    medium: {
      name: 'magnetic-absorber',
      debye: {
        eps: { infinity: 15, low: 15, relaxationHz: 1e9 },
        mu: { infinity: 0, low: 25, relaxationHz: 3.5e9 },
      },
    },
    source: 'material 16 of E. Michielssen et al., IEEE Trans. MTT 41, 1993, 1024-1031',
  },
  {
    medium: {
      name: 'sea-water',
      debye: {
        eps: { infinity: 4.9, low: 72.474, relaxationHz: 17.506e9 },
        mu: { infinity: 1, low: 1, relaxationHz: 1e9 },
      },
      conductivity: 4.7883,
    },
    source: '20 °C, 35 g of salt in a kilogram; L. A. Klein, C. T. Swift, IEEE Trans. AP 25, 1977, 104-111',
  },
]

/** All media that need no file. */
export const BUILT_IN: readonly BuiltIn[] = [
  ...OTHERS,
  ...ITU_MEDIA.map((medium) => ({ medium, source: 'Recommendation ITU-R P.2040-3, table 3' })),
]
