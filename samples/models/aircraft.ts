import type { Mesh } from '../../scene/mesh.js'
import { curve, stations } from './curve.js'
import { halfJet, wholeJet } from './jet.js'
import { fitBox } from './surface.js'

/**
 * Small jet (target drone), 3.0 x 2.0 x 0.9 m, nose +x: swept wing, tailplane and fin with sharp edges, two side
 * intakes with ducts of 0.9 m ending on engine faces, and an open nozzle. One closed surface, box centred at the origin.
 */
export function aircraft(): Mesh {
  const half = halfJet({
    rows: stations({
      0: 0,
      0.08: 3,
      0.4: 4,
      1.02: 10,
      1.1: 1,
      1.25: 2,
      1.95: 10,
      2.2: 4,
      2.36: 2,
      2.8: 8,
      3: 2,
    }),
    columns: { roof: 7, above: 6, below: 6, belly: 5 },
    halfWidth: curve({ 0: 0, 0.08: 0.04, 0.4: 0.105, 1: 0.15, 1.8: 0.16, 3: 0.14 }),
    top: curve({ 0: 0, 0.08: 0.035, 0.4: 0.095, 1: 0.15, 1.8: 0.16, 3: 0.14 }),
    bottom: curve({ 0: 0, 0.08: -0.035, 0.4: -0.1, 1: -0.15, 1.8: -0.16, 3: -0.14 }),
    exponent: curve({ 0: 2, 0.4: 2, 1.2: 2.4 }),
    canopy: curve({ 0.3: 0, 0.45: 0, 0.72: 0.1, 0.95: 0.105, 1.7: 0.03, 2.2: 0.02, 2.4: 0, 2.5: 0 }),
    intake: {
      mouth: 1.02,
      lip: 1.1,
      upper: 0.6,
      lower: -0.55,
      reach: curve({ 1.1: 0.265, 1.5: 0.275, 2: 0.25, 2.6: 0.18, 3: 0.15 }),
      exponent: curve({ 1.1: 3.5, 1.9: 3, 2.5: 2.2 }),
      face: { station: 2, y: 0.1, z: 0, radius: 0.075 },
      rings: 8,
    },
    nozzle: {
      share: curve({ 1.8: 0, 1.9: 0, 2.5: 0.7, 2.85: 1, 3: 1 }),
      z: 0,
      radius: 0.115,
      rim: 0.012,
      depth: 0.35,
      discRadius: 0.085,
      rings: 4,
    },
    wingLine: curve({ 0: 0, 0.4: 0, 1.2: -0.02, 1.95: -0.02, 2.3: 0.02, 3: 0.02 }),
    panels: [
      {
        root: [1.25, 1.95],
        ribs: [{ station: 1.6, chord: 0.35, y: 1, z: -0.02, strips: 8 }],
        thickness: 0.06,
      },
      {
        root: [2.36, 2.8],
        ribs: [{ station: 2.58, chord: 0.24, y: 0.5, z: 0.02, strips: 4 }],
        thickness: 0.06,
      },
    ],
    fin: {
      root: [2.2, 2.8],
      ribs: [{ station: 2.58, chord: 0.28, y: 0, z: 0.72, strips: 6 }],
      thickness: 0.06,
    },
  })
  return fitBox(wholeJet(half), [3, 2, 0.9])
}
