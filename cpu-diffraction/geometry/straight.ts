/**
 * Marks the vertices that a chain of edges goes straight through: without them it runs along chords, and no vertex left
 * out is farther than `tolerance` [m] from its chord, however many there are in a row (Ramer, Douglas and Peucker).
 *
 * @param p      3 coordinates per vertex [m]
 * @param chain  vertex numbers in order; a ring ends with its first
 * @param free   whether the first vertex of a ring may be left out like any other
 * @param mark   called with each vertex to leave out
 */
export function passStraight(
  p: Float64Array,
  chain: readonly number[],
  tolerance: number,
  free: boolean,
  mark: (vertex: number) => void,
): void {
  const last = chain.length - 1
  const isRing = chain[0] === chain[last]
  // What is farthest from any one point is a corner: there a ring begins, wherever its first vertex lies.
  const path = isRing && free ? startingAt(chain, farthest(p, chain, 0, last).at) : chain
  const spans = [0, last]
  while (spans.length > 0) {
    const to = spans.pop()!
    const from = spans.pop()!
    const { at, distance } = farthest(p, path, from, to)
    if (at < 0) continue
    if (distance <= tolerance && path[from] !== path[to]) for (let i = from + 1; i < to; i++) mark(path[i])
    else spans.push(from, at, at, to)
  }
}

/** The same ring from its i-th vertex on. */
const startingAt = (ring: readonly number[], i: number): number[] => [
  ...ring.slice(i, -1),
  ...ring.slice(0, i + 1),
]

/** The vertex between two of a chain that is farthest from the line from one to the other, which ends there; -1 for none. */
function farthest(
  p: Float64Array,
  chain: readonly number[],
  from: number,
  to: number,
): { at: number; distance: number } {
  const a = 3 * chain[from]
  const b = 3 * chain[to]
  const ux = p[b] - p[a]
  const uy = p[b + 1] - p[a + 1]
  const uz = p[b + 2] - p[a + 2]
  const uu = ux * ux + uy * uy + uz * uz
  let at = -1
  let distance = -1
  for (let i = from + 1; i < to; i++) {
    const v = 3 * chain[i]
    const x = p[v] - p[a]
    const y = p[v + 1] - p[a + 1]
    const z = p[v + 2] - p[a + 2]
    const along = uu > 0 ? (x * ux + y * uy + z * uz) / uu : 0
    const t = along < 0 ? 0 : along > 1 ? 1 : along
    const d = Math.hypot(x - t * ux, y - t * uy, z - t * uz)
    if (d > distance) {
      distance = d
      at = i
    }
  }
  return { at, distance }
}
