import type { Mesh } from '../../scene/index.js'
import { curve, stations } from './curve.js'
import { halfJet, wholeJet } from './jet.js'
import { fitBox } from './surface.js'
import { splitToCount } from './topology.js'

/**
 * Aircraft A: light supersonic fighter, 11.76 x 7.4 x 3.67 m and 13,050 facets (the figures of the published target;
 * the shape is original), nose +x: radome, canopy and spine, thin cropped-delta wing, tailplane, fin, two
 * side intakes with ducts of 3.5 m that end on engine faces, and an open nozzle 1.6 m deep with an end disc.
 * One closed surface, mirror-symmetric in y, box centred at the origin. Groups: nose, canopy, leading-edges, intakes, skin.
 */
export function aircraftA(): Mesh {
  const half = halfJet({
    rows: stations({
      0: 0,
      0.3: 3,
      2: 9,
      3: 9,
      4.2: 6,
      4.5: 1,
      5: 2,
      8.2: 13,
      9: 4,
      9.6: 3,
      11.1: 9,
      11.3: 1,
      11.76: 2,
    }),
    columns: { roof: 9, above: 7, below: 7, belly: 6 },
    halfWidth: curve({ 0: 0, 0.3: 0.1, 1: 0.24, 2: 0.38, 4: 0.5, 8: 0.58, 11.76: 0.55 }),
    top: curve({ 0: -0.06, 0.3: 0.03, 1: 0.17, 2: 0.32, 4: 0.48, 8: 0.56, 11.76: 0.55 }),
    bottom: curve({ 0: -0.06, 0.3: -0.15, 1: -0.28, 2: -0.42, 4: -0.6, 8: -0.66, 11.76: -0.55 }),
    exponent: curve({ 0: 2, 2: 2, 5: 2.4 }),
    canopy: curve({ 1.9: 0, 2.1: 0, 2.9: 0.42, 3.5: 0.48, 5.5: 0.24, 8: 0.1, 9.5: 0.03, 10.5: 0, 11: 0 }),
    intake: {
      mouth: 4.2,
      lip: 4.5,
      upper: 0.62,
      lower: -0.6,
      reach: curve({ 4.5: 0.96, 6: 1, 8: 0.95, 10: 0.72, 11.76: 0.56 }),
      exponent: curve({ 4.5: 3.5, 8: 3, 10: 2.2 }),
      face: { station: 8, y: 0.38, z: -0.05, radius: 0.29 },
      rings: 12,
    },
    nozzle: {
      share: curve({ 7.5: 0, 8: 0, 10: 0.55, 11.3: 1, 11.76: 1 }),
      z: -0.02,
      radius: 0.47,
      rim: 0.03,
      depth: 1.6,
      discRadius: 0.36,
      rings: 6,
    },
    wingLine: curve({ 0: -0.06, 4: -0.08, 5: -0.12, 9: -0.12, 9.6: -0.02, 11.76: -0.02 }),
    panels: [
      { root: [5, 9], ribs: [{ station: 7.85, chord: 1.05, y: 3.7, z: -0.3, strips: 9 }], thickness: 0.05 },
      {
        root: [9.6, 11.1],
        ribs: [{ station: 10.65, chord: 0.65, y: 2.05, z: -0.1, strips: 6 }],
        thickness: 0.05,
      },
    ],
    fin: {
      root: [8.2, 11.3],
      ribs: [{ station: 10.55, chord: 1.05, y: 0, z: 2.95, strips: 8 }],
      thickness: 0.05,
    },
    groups: { nose: 1.3, canopy: [2.2, 4.5] },
  })
  return fitBox(wholeJet(splitToCount(half, 6525)), [11.76, 7.4, 3.67])
}
