import type { Mesh } from '../../scene/index.js'
import {
  solve,
  type Curve,
  addCavity,
  addFin,
  addPanel,
  halfThickness,
  type Cavity,
  type Panel,
} from './parts.js'
import { distance, mirrorY, mix, Surface, type Point } from './surface.js'
import { orientOutward } from './topology.js'

/** A single-body jet with side intakes, one nozzle, a fin, wing and tailplane; stations count aft from the nose [m]. */
export interface Jet {
  /** Stations of the rows of the fuselage grid, ascending from 0. */
  rows: number[]
  /** Cells of a half section: roof, flank above and below the wing line, belly. */
  columns: { roof: number; above: number; below: number; belly: number }
  /** Half width, top and bottom height of the bare fuselage, and the exponent of its superelliptic section. */
  halfWidth: Curve
  top: Curve
  bottom: Curve
  exponent: Curve
  /** Height of the canopy and spine over the bare roof; the hump spans the roof. */
  canopy: Curve
  intake: {
    /** Stations of the mouth's inner edge (on the bare flank) and of its lip; consecutive rows. */
    mouth: number
    lip: number
    /** Height of the flank's upper and lower bound relative to the half height of the section, -1 to 1. */
    upper: number
    lower: number
    /** Outermost y of the trunk aft of the lip, and the exponent of its superelliptic flank. */
    reach: Curve
    exponent: Curve
    /** Engine face at the duct's end, and the duct's rings. */
    face: { station: number; y: number; z: number; radius: number }
    rings: number
  }
  /** Cavity at the tail; share: fraction of the round nozzle section in the fuselage section, 0 far forward, 1 at the last row. */
  nozzle: Cavity & { share: Curve; z: number; radius: number }
  /** Height of the line along which wing and tailplane leave the fuselage. */
  wingLine: Curve
  panels: Panel[]
  /** Its ribs lie at y = 0. */
  fin: Panel
  /** Stations up to which the nose is a group of its own, and between which the roof is glass. */
  groups?: { nose: number; canopy: [number, number] }
  /**
   * Keeps the columns next to a root in position as far as its thickness permits, instead of contracting them evenly: for
   * round leading edges, whose rows are so close that columns moving over a curved flank would fold it.
   */
  holdColumns?: boolean
}

const power = (x: number, n: number): number => Math.sign(x) * Math.abs(x) ** n

/** Point of the half section at station s and column p (a real number: 0 roof to the last belly column). */
function sectionPoint(jet: Jet, s: number, p: number): Point {
  if (s === 0) return [0, 0, (jet.top(0) + jet.bottom(0)) / 2]
  const { roof, above, below, belly } = jet.columns
  const last = roof + above + below + belly
  const flankEnd = roof + above + below
  const [top, bottom, width, e] = [jet.top(s), jet.bottom(s), jet.halfWidth(s), jet.exponent(s)]
  const [middle, height] = [(top + bottom) / 2, (top - bottom) / 2]
  const angleOf = (eta: number) => Math.asin(power(eta, e / 2))
  const bare = (angle: number): [number, number] => [
    width * power(Math.cos(angle), 2 / e),
    middle + height * power(Math.sin(angle), 2 / e),
  ]
  const [upper, lower] = [angleOf(jet.intake.upper), angleOf(jet.intake.lower)]
  let y: number
  let z: number
  if (p < roof) {
    // The canopy's sill is the roof's edge.
    const t = p / roof
    y = bare(upper)[0] * t
    z = middle + height * (1 - (y / width) ** e) ** (1 / e) + jet.canopy(s) * (1 - t * t) ** 0.8
  } else if (p > flankEnd) {
    ;[y, z] = bare(lower + (-Math.PI / 2 - lower) * ((p - flankEnd) / belly))
  } else if (s < jet.intake.lip) {
    ;[y, z] = bare(upper + (lower - upper) * ((p - roof) / (flankEnd - roof)))
  } else {
    const [a, b] = [bare(upper), bare(lower)]
    const angle = Math.PI * (0.5 - (p - roof) / (flankEnd - roof))
    // Equal steps of the outline's normal, so that the rounded corners get enough columns.
    const n = jet.intake.exponent(s)
    const [wide, tall] = [jet.intake.reach(s) - (a[0] + b[0]) / 2, (a[1] - b[1]) / 2]
    const [c, d] = [wide * Math.max(0, Math.cos(angle)), tall * Math.sin(angle)]
    const scale = (c ** (n / (n - 1)) + Math.abs(d) ** (n / (n - 1))) ** (-1 / n)
    const [out, up] = [scale * c ** (1 / (n - 1)), scale * power(d, 1 / (n - 1))]
    const inner = b[0] + (a[0] - b[0]) * ((1 + up) / 2)
    y = inner + (jet.intake.reach(s) - inner) * out
    z = (a[1] + b[1]) / 2 + up * tall
  }
  const share = jet.nozzle.share(s)
  const angle = (Math.PI * p) / last
  y += share * (jet.nozzle.radius * Math.sin(angle) - y)
  z += share * (jet.nozzle.z + jet.nozzle.radius * Math.cos(angle) - z)
  return [-s, p === 0 || p === last ? 0 : y, z]
}

/**
 * Points of the half section at station s, roof to belly. The wing line is there twice: the two points part where a
 * root lies between them, and meet elsewhere; likewise the first point leaves the centre plane under the fin.
 */
function sectionRow(jet: Jet, s: number): Point[] {
  const { roof, above, below, belly } = jet.columns
  const flankEnd = roof + above + below
  const height = (p: number) => sectionPoint(jet, s, p)[2]
  const [high, low] = [roof + 0.2 * (above + below), flankEnd - 0.2 * (above + below)]
  const line = solve(height, jet.wingLine(s), high, low)
  const half = Math.max(0, ...jet.panels.map((panel) => halfThickness(panel, s)))
  const over = half ? solve(height, height(line) + half, roof, line) : line
  const under = half ? solve(height, height(line) - half, line, flankEnd) : line
  const finHalf = halfThickness(jet.fin, s)
  const first = finHalf ? solve((p) => sectionPoint(jet, s, p)[1], finHalf, 0, roof) : 0
  const spread = (from: number, to: number, cells: number) =>
    Array.from({ length: cells }, (_, k) => from + ((to - from) * k) / cells)
  // From a root's line, moved from `rest` to `at`, to the fixed line `end`.
  const held = (rest: number, at: number, end: number, cells: number) =>
    Array.from({ length: cells }, (_, k) => {
      const [still, close] = [rest + ((end - rest) * k) / cells, at + ((end - at) * k) / (2 * cells)]
      return Math.abs(still - rest) > Math.abs(close - rest) ? still : close
    })
  const hold = jet.holdColumns ?? false
  const columns = [
    ...(hold ? held(0, first, roof, roof) : spread(first, roof, roof)),
    ...(hold ? [roof, ...held(line, over, roof, above).slice(1).toReversed()] : spread(roof, over, above)),
    over,
    ...(hold ? held(line, under, flankEnd, below) : spread(under, flankEnd, below)),
    ...spread(flankEnd, flankEnd + belly, belly),
    flankEnd + belly,
  ]
  return columns.map((p) => sectionPoint(jet, s, p))
}

/** Duct from the mouth's loop to the round engine face, which closes it. */
function addDuct(surface: Surface, jet: Jet, loop: Point[]): void {
  const { face, rings } = jet.intake
  const mean = [1, 2].map((a) => loop.reduce((sum, p) => sum + p[a], 0) / loop.length)
  const start = Math.atan2(loop[0][2] - mean[1], loop[0][1] - mean[0])
  const steps = loop.map((p, k) => distance(p, loop[(k + 1) % loop.length]))
  const girth = steps.reduce((sum, step) => sum + step, 0)
  let along = 0
  const circle = loop.map((_, k): Point => {
    const angle = start + (2 * Math.PI * along) / girth
    along += steps[k]
    return [-face.station, face.y + face.radius * Math.cos(angle), face.z + face.radius * Math.sin(angle)]
  })
  const lines = [loop]
  for (let r = 1; r <= rings; r++) {
    const t = r / rings
    // The walls leave the lip at once and run straight near the face.
    const shape = t * (2 - t)
    lines.push(
      loop.map((p, k) => {
        const q = mix(p, circle[k], shape)
        return t === 1 ? circle[k] : [p[0] + t * (circle[k][0] - p[0]), q[1], q[2]]
      }),
    )
  }
  surface.loft(lines, true)
  surface.cap(circle, [-face.station, face.y, face.z], 3, true)
}

/** Group of the cell behind row i and below column k of the fuselage; nothing for the skin. */
function groupOf({ groups, rows, columns }: Jet, i: number, k: number): string | undefined {
  if (!groups) return undefined
  if (rows[i + 1] <= groups.nose) return 'nose'
  const [from, to] = groups.canopy
  return k < columns.roof && rows[i] >= from && rows[i + 1] <= to ? 'canopy' : undefined
}

/** The +y half of the jet, open along y = 0; nose at the origin, towards +x. */
export function halfJet(jet: Jet): Mesh {
  const surface = new Surface()
  const { roof, above, below } = jet.columns
  const rows = jet.rows.map((s) => sectionRow(jet, s))
  const slit = roof + above
  const flankEnd = slit + 1 + below
  const mouth = jet.rows.indexOf(jet.intake.mouth)
  for (let i = 0; i + 1 < rows.length; i++)
    for (let k = 0; k + 1 < rows[i].length; k++) {
      const open = k === slit || (i === mouth && k >= roof && k < flankEnd)
      if (open) continue
      const add = (): void => surface.quad(rows[i][k], rows[i][k + 1], rows[i + 1][k + 1], rows[i + 1][k])
      const group = groupOf(jet, i, k)
      if (group) surface.inGroup(group, add)
      else add()
    }
  const lip = [
    ...rows[mouth].slice(roof, flankEnd + 1),
    ...rows[mouth + 1].slice(roof, flankEnd + 1).reverse(),
  ].filter((_, k) => k !== above && k !== 2 * (above + below) + 3 - above)
  surface.inGroup('intakes', () => addDuct(surface, jet, lip))
  const along = (root: [number, number], column: number) =>
    rows.slice(jet.rows.indexOf(root[0]), jet.rows.indexOf(root[1]) + 1).map((row) => row[column])
  for (const panel of jet.panels)
    addPanel(surface, panel, along(panel.root, slit), along(panel.root, slit + 1))
  addFin(surface, jet.fin, along(jet.fin.root, 0))
  addCavity(surface, jet.nozzle, rows[rows.length - 1], jet.nozzle.radius, [0, jet.nozzle.z], false)
  return surface.mesh()
}

/** Closed surface of the whole jet, facets outward. */
export const wholeJet = (half: Mesh): Mesh => orientOutward(mirrorY(half))
