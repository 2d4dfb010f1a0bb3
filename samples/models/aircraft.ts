import type { Mesh } from '../../scene/index.js'
import { chordStations, curve, naca, stations, type Curve } from './curve.js'
import { halfJet, wholeJet } from './jet.js'
import type { Panel } from './parts.js'
import { fitBox } from './surface.js'

// Stations [m] count aft from the nose.

/** Radius of the spherical nose cap, and the angle from its pole at which the cap ends. */
const NOSE = { radius: 0.08, end: Math.PI / 3, rows: 6 }
const noseStation = (angle: number): number => NOSE.radius * (1 - Math.cos(angle))

/** Edges nearly perpendicular to the nose-on direction: swept by 2 degrees. */
const WING: Panel = {
  root: [1.26, 1.78],
  ribs: [{ station: 1.285, chord: 0.36, y: 1, z: 0.01, strips: 6 }],
  thickness: 0.14,
  section: naca,
}
const TAIL: Panel = {
  root: [2.42, 2.8],
  ribs: [{ station: 2.432, chord: 0.28, y: 0.5, z: 0.03, strips: 4 }],
  thickness: 0.14,
  section: naca,
}
/** Its leading edge is swept back by 12 degrees. */
const FIN: Panel = {
  root: [2.26, 2.8],
  ribs: [{ station: 2.385, chord: 0.34, y: 0, z: 0.74, strips: 5 }],
  thickness: 0.14,
  section: naca,
}

const aft = curve({
  [noseStation(NOSE.end)]: NOSE.radius * Math.sin(NOSE.end),
  0.12: 0.104,
  0.3: 0.138,
  0.6: 0.155,
  1: 0.16,
  1.8: 0.16,
  3: 0.14,
})

/** Radius of the bare fuselage: a sphere's up to the end of the cap. */
const girth: Curve = (s) => (s < noseStation(NOSE.end) ? Math.sqrt(s * (2 * NOSE.radius - s)) : aft(s))

/** Stations of the fuselage's rows: those of all roots, the intake's mouth and lip, and some between. */
function rows(): number[] {
  const cap = Array.from({ length: NOSE.rows }, (_, k) => noseStation((k * NOSE.end) / (NOSE.rows - 1)))
  return [
    ...cap,
    ...stations({ [noseStation(NOSE.end)]: 0, 0.12: 3, 0.4: 5, 1.02: 8, 1.1: 1, 1.26: 2 }).slice(1, -1),
    ...chordStations(WING.root, 0.06, 7, 5),
    ...stations({ 1.78: 0, 2.26: 4 }).slice(1, -1),
    ...chordStations(FIN.root, 0.06, 7, 4).filter((s) => s < TAIL.root[0]),
    ...chordStations(TAIL.root, 0.06, 7, 4),
    2.9,
    3,
  ]
}

/**
 * Small jet (target drone), 3.0 x 2.0 x 0.9 m, nose +x, shaped to be visible nose-on with physical optics alone: blunt
 * nose, nearly straight wing, tailplane and fin with round leading and sharp trailing edges, two side intakes with
 * ducts of 0.9 m ending on engine faces, and an open nozzle. One closed surface, box centred at the origin.
 */
export function aircraft(): Mesh {
  const half = halfJet({
    rows: rows(),
    columns: { roof: 6, above: 6, below: 6, belly: 4 },
    halfWidth: girth,
    top: girth,
    bottom: (s) => -girth(s),
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
    wingLine: curve({ 0: 0, 0.4: 0, 1.2: 0, 1.95: 0, 2.3: 0.02, 3: 0.02 }),
    panels: [WING, TAIL],
    fin: FIN,
    holdColumns: true,
  })
  return fitBox(wholeJet(half), [3, 2, 0.9])
}
