import type { TileRange } from '../rays/index.js'
import type { AspectTimings } from './engines.js'

const area = (r: TileRange): number => r.ni * r.nj

/** Divides `total` edges in proportion to `shares`; rounding loses none, the last part takes the remainder. */
function cut(shares: number[], total: number): number[] {
  const counts: number[] = []
  let given = 0
  let wanted = 0
  for (let k = 0; k < shares.length - 1; k++) {
    wanted += shares[k]
    const end = Math.min(total, Math.max(given, Math.round(wanted)))
    counts.push(end - given)
    given = end
  }
  return [...counts, total - given]
}

/** Static method: each part takes as large a share of the edges as its sub-grid has of the virtual aperture. */
export function staticCounts(parts: TileRange[], edges: number): number[] {
  const whole = parts.reduce((sum, part) => sum + area(part), 0)
  return cut(
    parts.map((part) => (edges * area(part)) / whole),
    edges,
  )
}

/**
 * Dynamic method, paper 003, equation (4): n_k = t_k / (sum of tau / N), the edges whose diffraction takes as long as sub-grid k did at
 * the previous aspect. N is the previous aspect's number of edges, tau their time alone (`AspectTimings`); the counts are then scaled to this one's. The last part
 * takes what is left, or the sum is cut where the edges are used up.
 */
export function dynamicCounts(parts: TileRange[], edges: number, previous: AspectTimings): number[] {
  if (previous.edges === 0 || !(previous.edgeSeconds > 0)) return staticCounts(parts, edges)
  const perEdge = previous.edgeSeconds / previous.edges
  const scale = edges / previous.edges
  return cut(
    mapTimes(parts, previous).map((t) => (t / perEdge) * scale),
    edges,
  )
}

/**
 * Times of the previous aspect's parts carried over to this one's: as they are where the number of parts is the same,
 * else by position on the aperture (both laid out on the unit square, time spread evenly over a part's area).
 */
export function mapTimes(parts: TileRange[], previous: AspectTimings): number[] {
  if (parts.length === previous.parts.length) return previous.partSeconds
  const now = unitSquare(parts)
  const then = unitSquare(previous.parts)
  return now.map((a) =>
    then.reduce((sum, b, k) => {
      const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
      const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)
      const shared = Math.max(0, width) * Math.max(0, height)
      return sum + (previous.partSeconds[k] * shared) / ((b.x1 - b.x0) * (b.y1 - b.y0))
    }, 0),
  )
}

function unitSquare(parts: TileRange[]): { x0: number; x1: number; y0: number; y1: number }[] {
  const i0 = Math.min(...parts.map((p) => p.i0))
  const j0 = Math.min(...parts.map((p) => p.j0))
  const width = Math.max(...parts.map((p) => p.i0 + p.ni)) - i0
  const height = Math.max(...parts.map((p) => p.j0 + p.nj)) - j0
  return parts.map((p) => ({
    x0: (p.i0 - i0) / width,
    x1: (p.i0 + p.ni - i0) / width,
    y0: (p.j0 - j0) / height,
    y1: (p.j0 + p.nj - j0) / height,
  }))
}
