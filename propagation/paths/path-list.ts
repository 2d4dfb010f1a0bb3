import type { PropagationSetup } from '../setup.js'
import type { PathWalker } from './path-walker.js'

/** A path of geometrical optics from the transmitter to a receiver. */
export interface PropagationPath {
  /** Number of the receiver, in the caller's order. */
  receiver: number
  /** Length [m]. */
  length: number
  /** Unit directions away from the transmitter, and from the receiver to where the path comes from. */
  departure: [number, number, number]
  arrival: [number, number, number]
  /** Points of reflection (or diffraction) [m]. */
  points: [number, number, number][]
  /** Facet met at each point; -1 - e for an edge e that diffracts. */
  facets: number[]
  /** re, im of h_v then h_h per excitation, the transfers of `SUM` without the factor 4 pi r0 / lambda. */
  transfers: Float64Array
}

/** Order of paths that no batch and no thread changes: by receiver, length, direction. */
export const byReceiverAndLength = (a: PropagationPath, b: PropagationPath): number =>
  a.receiver - b.receiver ||
  a.length - b.length ||
  a.departure[0] - b.departure[0] ||
  a.departure[1] - b.departure[1] ||
  a.departure[2] - b.departure[2]

/** The path that was walked last, in the caller's coordinates. */
export function pathOf(
  { scene: { origin } }: PropagationSetup,
  { directions, points, facets, count, length }: PathWalker,
  receiver: number,
  transfers: Float64Array,
): PropagationPath {
  return {
    receiver,
    length,
    departure: [directions[0], directions[1], directions[2]],
    arrival: [-directions[3 * count], -directions[3 * count + 1], -directions[3 * count + 2]],
    points: Array.from({ length: count }, (_, k) => [
      points[3 * k] + origin[0],
      points[3 * k + 1] + origin[1],
      points[3 * k + 2] + origin[2],
    ]),
    facets: Array.from(facets.subarray(0, count)),
    transfers,
  }
}
