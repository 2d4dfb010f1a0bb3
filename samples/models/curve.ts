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
