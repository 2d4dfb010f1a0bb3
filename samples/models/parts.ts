import { lens, type Curve } from './curve.js'
import { mix, type Point, type Surface } from './surface.js'

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
