import type { Mesh } from '../../scene/index.js'
import {
  addBridge,
  addCavity,
  addPanel,
  curve,
  halfThickness,
  lens,
  type Panel,
  solve,
  stations,
  wholeJet,
} from './jet.js'
import { fitBox, type Point, splitToCount, Surface } from './surface.js'

// Stations [m] count aft from the nose. The +y half is built; pairs of grid lines that part make room for the roots.

const CELLS = { roof: 9, flank: 10, belly: 9 }
const WING: Panel = {
  root: [5.4, 8.5],
  ribs: [
    { station: 5.4, chord: 3.1, y: 2.9, z: -0.55, strips: 5 },
    { station: 6.05, chord: 1.95, y: 8.49, z: 0.1, strips: 12 },
  ],
  thickness: 0.1,
}
const TAIL = { root: [11.7, 13.5] as [number, number], thickness: 0.09, strips: 8 }
const PYLON = { root: [8.7, 10.4] as [number, number], thickness: 0.14, strips: 4 }

/** Angle of the pylon's line from the roof. */
const SHOULDER = 0.72

const halfWidth = curve({
  0: 0,
  0.12: 0.2,
  0.5: 0.4,
  1.5: 0.62,
  3: 0.74,
  9: 0.74,
  11: 0.58,
  13.5: 0.32,
  13.9: 0.27,
})
const top = curve({
  0: -0.2,
  0.12: -0.02,
  0.5: 0.14,
  1.5: 0.35,
  3: 0.6,
  5: 0.78,
  9: 0.8,
  13.5: 0.78,
  13.9: 0.76,
})
const bottom = curve({
  0: -0.2,
  0.12: -0.4,
  0.5: -0.6,
  1.5: -0.84,
  3: -0.95,
  9: -0.92,
  11: -0.5,
  13.5: 0.15,
  13.9: 0.22,
})
const canopy = curve({ 1.5: 0, 1.7: 0, 2.4: 0.5, 3: 0.62, 3.8: 0.5, 5.2: 0.04, 5.6: 0, 6: 0 })
const rootLine = curve({ 0: -0.2, 2: -0.3, 5.4: -0.6, 8.5: -0.6, 11.7: 0.45, 13.9: 0.47 })

/** Point of the half section at station s, angle a from the roof (0) to the belly (pi). */
function bodyPoint(s: number, a: number): Point {
  const [middle, height] = [(top(s) + bottom(s)) / 2, (top(s) - bottom(s)) / 2]
  const n = 2 / 2.3
  const y = halfWidth(s) * Math.abs(Math.sin(a)) ** n
  const z = middle + height * Math.sign(Math.cos(a)) * Math.abs(Math.cos(a)) ** n
  // The canopy spans the roof up to the pylon's line.
  const t = (Math.sin(a) / Math.sin(SHOULDER)) ** n
  const hump = a < SHOULDER ? canopy(s) * (1 - t * t) ** 0.8 : 0
  return [-s, a === 0 || a === Math.PI || s === 0 ? 0 : y, z + hump]
}

/** Row of the fuselage from roof to belly, the pylon's line and the line of wing and tailplane there twice. */
function bodyRow(s: number): Point[] {
  const height = (a: number) => bodyPoint(s, a)[2]
  const parting = (line: number, half: number) =>
    half === 0
      ? [line, line]
      : [
          solve(height, height(line) + half, 0.1, line),
          solve(height, height(line) - half, line, Math.PI - 0.1),
        ]
  const pylon = parting(SHOULDER, halfThickness(PYLON, s))
  const wing = parting(
    solve(height, rootLine(s), 0.45 * Math.PI, 0.7 * Math.PI),
    Math.max(halfThickness(WING, s), halfThickness(TAIL, s)),
  )
  const spread = (from: number, to: number, cells: number) =>
    Array.from({ length: cells + 1 }, (_, k) => (k === cells ? to : from + ((to - from) * k) / cells))
  const angles = [
    ...spread(0, pylon[0], CELLS.roof),
    ...spread(pylon[1], wing[0], CELLS.flank),
    ...spread(wing[1], Math.PI, CELLS.belly),
  ]
  return angles.map((a) => bodyPoint(s, a))
}

/** Fuselage with its blunt tail closed; gives the lines at which pylon, wing and tailplane leave it. */
function addBody(surface: Surface) {
  const along = stations({
    0: 0,
    0.12: 3,
    0.5: 4,
    1.7: 7,
    3: 9,
    [WING.root[0]]: 10,
    [WING.root[1]]: 15,
    [PYLON.root[0]]: 1,
    [PYLON.root[1]]: 9,
    [TAIL.root[0]]: 6,
    [TAIL.root[1]]: 10,
    13.9: 2,
  })
  const rows = along.map(bodyRow)
  const [pylon, wing] = [CELLS.roof, CELLS.roof + 1 + CELLS.flank]
  for (let i = 0; i + 1 < rows.length; i++)
    for (let k = 0; k + 1 < rows[i].length; k++)
      if (k !== pylon && k !== wing)
        surface.quad(rows[i][k], rows[i][k + 1], rows[i + 1][k + 1], rows[i + 1][k])
  surface.cap(rows[rows.length - 1], [-13.9, 0, (top(13.9) + bottom(13.9)) / 2], 3)
  const lines = (root: [number, number], column: number) => {
    const part = rows.slice(along.indexOf(root[0]), along.indexOf(root[1]) + 1)
    return { upper: part.map((row) => row[column]), lower: part.map((row) => row[column + 1]) }
  }
  return { pylon: lines(PYLON.root, pylon), wing: lines(WING.root, wing), tail: lines(TAIL.root, wing) }
}

/** Nacelle: intake duct to the engine face, nozzle with an end disc; gives the lines at which the pylon meets it. */
function addNacelle(surface: Surface) {
  const axis: [number, number] = [1.6, 1.4]
  const cells = 34
  const along = stations({ 8: 0, 8.75: 6, 10.45: 9, 11.2: 5 })
  const radius = curve({ 8: 0.58, 8.5: 0.7, 9.2: 0.74, 10.4: 0.68, 11.2: 0.48 })
  const joint = { root: [8.75, 10.45] as [number, number], thickness: PYLON.thickness }
  // The pylon meets the nacelle on the side that faces the fuselage, inward and down.
  const facing = Math.PI + Math.atan2(axis[1] - 0.6, axis[0] - 0.6)
  const rows = along.map((s) => {
    const gap = Math.asin(halfThickness(joint, s) / radius(s))
    return Array.from({ length: cells + 1 }, (_, k): Point => {
      const a = facing + gap + ((2 * Math.PI - 2 * gap) * k) / cells
      const closed = gap === 0 && k === cells ? facing : a
      return [-s, axis[0] + radius(s) * Math.cos(closed), axis[1] + radius(s) * Math.sin(closed)]
    })
  })
  surface.loft(rows)
  const ring = (row: Point[]) => row.slice(0, cells)
  addCavity(surface, { rim: 0, depth: -1.1, discRadius: 0.5, rings: 7 }, ring(rows[0]), radius(8), axis, true)
  const exit = ring(rows[rows.length - 1])
  addCavity(surface, { rim: 0.03, depth: 0.9, discRadius: 0.38, rings: 6 }, exit, radius(11.2), axis, true)
  const part = rows.slice(along.indexOf(joint.root[0]), along.indexOf(joint.root[1]) + 1)
  return { upper: part.map((row) => row[cells]), lower: part.map((row) => row[0]) }
}

/** Fin at the tailplane's end, standing and hanging; gives the lines at which the tailplane meets its inner side. */
function addEndFin(surface: Surface) {
  const [y, joint, thickness] = [2.9, 0.52, 0.08]
  const leading = curve({ [-0.25]: 12.35, [joint]: 11.85, 3.35: 12.75 })
  const trailing = curve({ [-0.25]: 13.6, [joint]: 14.12, 3.35: 14.0 })
  const [before, over, after] = [2, 10, 3]
  const [first, last] = [0.1, 0.85]
  const fractions = stations({ 0: 0, [first]: before, [last]: over, 1: after })
  const tailHalf = (f: number) =>
    f <= first || f >= last ? 0 : (TAIL.thickness / 2) * 1.6 * lens((f - first) / (last - first))
  const line = (z: number, part: number, side: number) =>
    fractions.map((f): Point => {
      const height = z + part * tailHalf(f)
      const chord = trailing(height) - leading(height)
      const half = f === 0 || f === 1 ? 0 : (thickness / 2) * chord * lens(f)
      return [-leading(height) - f * chord, y + side * half, height]
    })
  const below = stations({ [-0.25]: 0, [joint]: 5 }).slice(0, -1)
  const above = stations({ [joint]: 0, 3.35: 12 }).slice(1)
  const inner = {
    lower: line(joint, -1, -1),
    upper: line(joint, 1, -1),
  }
  const sheet = (side: number, lower: Point[], upper: Point[]) => {
    surface.loft([...below.map((z) => line(z, 0, side)), lower])
    surface.loft([upper, ...above.map((z) => line(z, 0, side))])
  }
  sheet(-1, inner.lower, inner.upper)
  sheet(1, line(joint, 0, 1), line(joint, 0, 1))
  for (const z of [-0.25, 3.35]) surface.strip(line(z, 0, -1), line(z, 0, 1))
  return {
    lower: inner.lower.slice(before, before + over + 1),
    upper: inner.upper.slice(before, before + over + 1),
  }
}

/**
 * Aircraft B: twin-engine attack aircraft with straight wings, 14.12 x 16.98 x 4.5 m and 20,120 facets (the figures of
 * the published target; the shape is original), nose +x: low wing with straight centre part and tapered outer
 * part, two nacelles on pylons over the rear fuselage with intake ducts ending on engine faces and open nozzles with end
 * discs, tailplane with end fins. One closed surface, mirror-symmetric in y, box centred at the origin.
 */
export function aircraftB(): Mesh {
  const surface = new Surface()
  const body = addBody(surface)
  addPanel(surface, WING, body.wing.upper, body.wing.lower)
  addBridge(surface, body.pylon, addNacelle(surface), PYLON.strips)
  addBridge(surface, body.tail, addEndFin(surface), TAIL.strips)
  return fitBox(wholeJet(splitToCount(surface.mesh(), 10060)), [14.12, 16.98, 4.5])
}
