import type { Mesh } from '../../scene/index.js'
import { curve, stations } from './curve.js'
import { wholeJet } from './jet.js'
import { addCavity, addFin, addPanel, halfThickness, type Panel } from './parts.js'
import { fitBox, Surface, type Point } from './surface.js'

const RADIUS = 0.035
const CELLS = 8

const wing = (root: [number, number], y: number, z: number, tip: [number, number]): Panel => ({
  root,
  ribs: [{ station: tip[0], chord: tip[1], y, z, strips: 5 }],
  thickness: 0.05,
})
const WING: [number, number] = [0.45, 0.63]
const TAIL: [number, number] = [0.96, 1.08]
const sides = [wing(WING, 0.125, 0, [0.56, 0.07]), wing(TAIL, 0.1, 0, [1.01, 0.07])]
const uprights = [wing(WING, 0, 0.1, [0.56, 0.07]), wing(TAIL, 0, 0.09, [1.01, 0.07])]

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
    [WING[0]]: 8,
    [WING[1]]: 12,
    [TAIL[0]]: 10,
    [TAIL[1]]: 9,
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
