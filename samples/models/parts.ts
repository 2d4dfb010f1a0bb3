import { mix, type Point, type Surface } from './surface.js'

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
export interface Rib {
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
export interface Cavity {
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
