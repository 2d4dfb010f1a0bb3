import type { Mesh } from '../../scene/index.js'
import {
  addCavity,
  addFin,
  addPanel,
  chordStations,
  curve,
  type Curve,
  halfJet,
  halfThickness,
  naca,
  type Panel,
  stations,
  wholeJet,
} from './jet.js'
import { fitBox, type Point, splitToCount, Surface } from './surface.js'

const RADIUS = 0.035
const CELLS = 8

const wing = (root: [number, number], y: number, z: number, tip: [number, number]): Panel => ({
  root,
  ribs: [{ station: tip[0], chord: tip[1], y, z, strips: 5 }],
  thickness: 0.05,
})
const MISSILE_WING: [number, number] = [0.45, 0.63]
const MISSILE_TAIL: [number, number] = [0.96, 1.08]
const sides = [wing(MISSILE_WING, 0.125, 0, [0.56, 0.07]), wing(MISSILE_TAIL, 0.1, 0, [1.01, 0.07])]
const uprights = [wing(MISSILE_WING, 0, 0.1, [0.56, 0.07]), wing(MISSILE_TAIL, 0, 0.09, [1.01, 0.07])]

/**
 * Points of the half body at station s from the top to the bottom, at radius r; the line at the side is there twice,
 * and there and at the ends the points leave room for the fins.
 */
function row(s: number, r: number): Point[] {
  const gap = (panels: Panel[]) =>
    Math.max(0, ...panels.map((p) => (r > 0 ? Math.asin(halfThickness(p, s) / r) : 0)))
  const [up, side] = [gap(uprights), gap(sides)]
  const quarter = Array.from({ length: CELLS + 1 }, (_, k) => up + ((Math.PI / 2 - side - up) * k) / CELLS)
  const angles = [...quarter, ...quarter.toReversed().map((a) => Math.PI - a)]
  return angles.map((a) => [-s, a === 0 || a === Math.PI ? 0 : r * Math.sin(a), r * Math.cos(a)])
}

/**
 * Generic missile, 1.1 x 0.25 x 0.2 m (length, span, height), nose +x: tangent-ogive nose, cylindrical body of 35 mm
 * radius, cruciform wings and tail fins with sharp edges, and an open cavity in the tail, 0.12 m deep. The box is that of
 * the published missile; the shape is original. One closed surface, box centred at the origin.
 */
export function missile(): Mesh {
  const ogive = 0.22
  const rho = (RADIUS ** 2 + ogive ** 2) / (2 * RADIUS)
  const boat = curve({ 1.08: RADIUS, 1.1: RADIUS - 0.002 })
  const radius = (s: number) =>
    s < ogive ? Math.sqrt(rho ** 2 - (ogive - s) ** 2) + RADIUS - rho : s > 1.08 ? boat(s) : RADIUS
  const along = stations({
    0: 0,
    [ogive]: 12,
    [MISSILE_WING[0]]: 8,
    [MISSILE_WING[1]]: 12,
    [MISSILE_TAIL[0]]: 10,
    [MISSILE_TAIL[1]]: 9,
    1.1: 2,
  })
  const rows = along.map((s) => row(s, s === 0 ? 0 : radius(s)))
  const surface = new Surface()
  for (let i = 0; i + 1 < rows.length; i++)
    for (let k = 0; k + 1 < rows[i].length; k++)
      if (k !== CELLS) surface.quad(rows[i][k], rows[i][k + 1], rows[i + 1][k + 1], rows[i + 1][k])
  const line = (panel: Panel, column: number) =>
    rows.slice(along.indexOf(panel.root[0]), along.indexOf(panel.root[1]) + 1).map((points) => points[column])
  for (const panel of sides) addPanel(surface, panel, line(panel, CELLS), line(panel, CELLS + 1))
  for (const fin of uprights) {
    addFin(surface, fin, line(fin, 0))
    const hanging = { ...fin, ribs: fin.ribs.map((rib) => ({ ...rib, z: -rib.z })) }
    addFin(surface, hanging, line(fin, 2 * CELLS + 1))
  }
  const exit = rows[rows.length - 1]
  addCavity(surface, { rim: 0.003, depth: 0.12, discRadius: 0.026, rings: 5 }, exit, boat(1.1), [0, 0], false)
  return fitBox(wholeJet(surface.mesh()), [1.1, 0.25, 0.2])
}

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
