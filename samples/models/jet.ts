import type { Mesh } from '../../scene/index.js'
import { distance, mirrorY, mix, orientOutward, type Point, Surface } from './surface.js'

/** A number that depends on a station. */
export type Curve = (s: number) => number

/** Entries of a table by its numeric keys, ascending (JavaScript lists integer keys before the others). */
const ascending = (table: Record<number, number>): [number, number][] =>
  Object.entries(table)
    .map(([key, value]): [number, number] => [Number(key), value])
    .toSorted((a, b) => a[0] - b[0])

/**
 * Curve through the knots, station: value; cubic Hermite pieces with the slopes of Fritsch and
 * Carlson's monotone scheme (harmonic means), so that it never overshoots a knot; constant beyond the ends.
 */
export function curve(values: Record<number, number>): Curve {
  const knots = ascending(values)
  const n = knots.length
  const secants = knots.slice(1).map(([s, v], k) => (v - knots[k][1]) / (s - knots[k][0]))
  const slopes = knots.map((_, k) => {
    if (k === 0) return secants[0]
    if (k === n - 1) return secants[n - 2]
    const [a, b] = [secants[k - 1], secants[k]]
    return a * b <= 0 ? 0 : (2 * a * b) / (a + b)
  })
  return (s) => {
    if (s <= knots[0][0]) return knots[0][1]
    if (s >= knots[n - 1][0]) return knots[n - 1][1]
    const k = knots.findIndex(([at]) => at > s) - 1
    const h = knots[k + 1][0] - knots[k][0]
    const t = (s - knots[k][0]) / h
    const [v0, v1] = [knots[k][1], knots[k + 1][1]]
    return (
      v0 * (1 + 2 * t) * (1 - t) ** 2 +
      v1 * t ** 2 * (3 - 2 * t) +
      h * (slopes[k] * t * (1 - t) ** 2 - slopes[k + 1] * t ** 2 * (1 - t))
    )
  }
}

/** The argument between a and b at which f, monotone there, takes the given value; the nearer end if it never does. */
export function solve(f: Curve, value: number, a: number, b: number): number {
  const sign = Math.sign(f(b) - f(a))
  let [low, high] = [a, b]
  if (sign * (value - f(a)) <= 0) return a
  if (sign * (value - f(b)) >= 0) return b
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2
    if (sign * (f(middle) - value) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Stations from breakpoints, station: number of equal steps from the one before (none at the first). */
export function stations(steps: Record<number, number>): number[] {
  const breaks = ascending(steps)
  const list = [breaks[0][0]]
  for (let k = 1; k < breaks.length; k++) {
    const [from, [to, count]] = [breaks[k - 1][0], breaks[k]]
    for (let i = 1; i <= count; i++) list.push(i === count ? to : from + ((to - from) * i) / count)
  }
  return list
}

/** Thickness of a sharp-edged lens-shaped aerofoil relative to its greatest, at fraction f of the chord (greatest at 0.4). */
export const lens = (f: number): number => (f < 0.4 ? 1 - ((0.4 - f) / 0.4) ** 2 : 1 - ((f - 0.4) / 0.6) ** 2)

/**
 * Thickness of the symmetric four-digit NACA section relative to its greatest, at fraction f of the chord: round leading
 * edge, sharp trailing edge (last coefficient 0.1036). Jacobs, Ward and Pinkerton, NACA Report 460 (1933).
 */
export const naca = (f: number): number =>
  10 * (0.2969 * Math.sqrt(f) - f * (0.126 + f * (0.3516 - f * (0.2843 - f * 0.1036))))

/**
 * Stations along a chord with a round leading edge, both ends among them: squares up to the fraction `nose` in `fine`
 * steps, so that the facets of the nose meet at equal angles, then `coarse` equal ones.
 */
export function chordStations(
  [from, to]: [number, number],
  nose: number,
  fine: number,
  coarse: number,
): number[] {
  const front = Array.from({ length: fine }, (_, k) => from + (to - from) * nose * (k / fine) ** 2)
  return [...front, ...stations({ [from + (to - from) * nose]: 0, [to]: coarse })]
}

/** Rib of a wing: station of its leading edge, chord, distance from the centre plane, height [m]; strips leading to it. */
interface Rib {
  station: number
  chord: number
  y: number
  z: number
  strips: number
}

/** Wing, tailplane or fin between a root on a body and a tip rib. */
export interface Panel {
  /** Stations of the root's leading and trailing edge [m aft of the nose]; both must be among the body's rows. */
  root: [number, number]
  /** Ribs outwards; the last is the planar tip. */
  ribs: Rib[]
  /** Greatest thickness over chord. */
  thickness: number
  /** Thickness relative to its greatest, by the fraction of the chord; a sharp-edged lens unless given. */
  section?: Curve
}

/** Half the thickness of a panel's root at a station; 0 ahead of and behind the root. */
export function halfThickness(
  { root, thickness, section = lens }: Pick<Panel, 'root' | 'thickness' | 'section'>,
  s: number,
): number {
  const [from, to] = root
  return s <= from || s >= to ? 0 : (thickness / 2) * (to - from) * section((s - from) / (to - from))
}

/** Points of the rib on one side (+1 or -1), at the chord fractions of the root's points; `across`: the axis of thickness. */
function ribLine(panel: Panel, rib: Rib, root: Point[], side: number, across: 1 | 2): Point[] {
  const [from, to] = panel.root
  const section = panel.section ?? lens
  return root.map(([x]) => {
    const f = (-x - from) / (to - from)
    const half = f <= 0 || f >= 1 ? 0 : side * (panel.thickness / 2) * rib.chord * section(f)
    const p: Point = [-rib.station - f * rib.chord, rib.y, rib.z]
    p[across] += half
    return p
  })
}

/** Ruled surface from line to line in a number of strips. */
function rule(surface: Surface, from: Point[], to: Point[], strips: number): void {
  surface.loft(ruled(from, to, strips))
}

const ruled = (from: Point[], to: Point[], strips: number): Point[][] =>
  Array.from({ length: strips + 1 }, (_, k) => from.map((p, j) => mix(p, to[j], k / strips)))

/** The same, its first facets along the leading edge as a group of their own. */
function ruleWing(surface: Surface, from: Point[], to: Point[], strips: number): void {
  const lines = ruled(from, to, strips)
  for (let i = 1; i < lines.length; i++) {
    const [a, b] = [lines[i - 1], lines[i]]
    surface.inGroup('leading-edges', () => surface.strip(a.slice(0, 2), b.slice(0, 2)))
    surface.strip(a.slice(1), b.slice(1))
  }
}

/** Panel out to +y from the upper and lower root lines (leading to trailing edge), closed by a planar tip. */
export function addPanel(surface: Surface, panel: Panel, upper: Point[], lower: Point[]): void {
  const tips = [upper, lower].map((root, k) =>
    panel.ribs.reduce((from, rib) => {
      const to = ribLine(panel, rib, root, k === 0 ? 1 : -1, 2)
      ruleWing(surface, from, to, rib.strips)
      return to
    }, root),
  )
  surface.strip(tips[0], tips[1])
}

/** The +y half of an upright or hanging fin on the root line near the centre plane, closed to that plane by half a tip. */
export function addFin(surface: Surface, fin: Panel, root: Point[]): void {
  const tip = fin.ribs.reduce((from, rib) => {
    const to = ribLine(fin, rib, root, 1, 1)
    ruleWing(surface, from, to, rib.strips)
    return to
  }, root)
  surface.strip(
    tip,
    tip.map(([x, , z]) => [x, 0, z]),
  )
}

/** Hollow panel between two pairs of lines (upper and lower, leading to trailing edge), open at both ends. */
export function addBridge(
  surface: Surface,
  from: { upper: Point[]; lower: Point[] },
  to: { upper: Point[]; lower: Point[] },
  strips: number,
): void {
  rule(surface, from.upper, to.upper, strips)
  rule(surface, from.lower, to.lower, strips)
}

/** Round blind hole: width of the planar rim, depth along +x (negative: along -x), radius of the disc at its end. */
interface Cavity {
  rim: number
  depth: number
  discRadius: number
  rings: number
}

/**
 * Rim, wall and end disc of a cavity whose mouth is the circle `exit` (constant x) of the given radius about the axis
 * [y, z]; `closed` says whether exit is a whole loop or a half line from roof to belly.
 */
export function addCavity(
  surface: Surface,
  cavity: Cavity,
  exit: Point[],
  radius: number,
  axis: [number, number],
  closed: boolean,
): void {
  const [y, z] = axis
  const x = exit[0][0]
  const inner = radius - cavity.rim
  const lines = Array.from({ length: cavity.rings + 1 }, (_, k): Point[] => {
    const t = k / cavity.rings
    const scale = (inner + (cavity.discRadius - inner) * t) / radius
    return exit.map((p) => [x + cavity.depth * t, y + (p[1] - y) * scale, z + (p[2] - z) * scale])
  })
  surface.loft([exit, ...lines], closed)
  surface.cap(lines[cavity.rings], [x + cavity.depth, y, z], 3, closed)
}

/** A single-body jet with side intakes, one nozzle, a fin, wing and tailplane; stations count aft from the nose [m]. */
interface Jet {
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
