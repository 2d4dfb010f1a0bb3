import { type Band, C0, frequency } from '../../scene/index.js'
import type { Material } from '../../scene/materials/material.js'
import { type BandBasis, materialBasis } from '../../signal/index.js'
import { nodeCount } from '../delay-amplitudes.js'

/** Bound of what the coefficients of materials are off by between the nodes. */
const TOLERANCE = 1e-6
/** Nodes above which every frequency is evaluated. */
const MOST_NODES = 32
/** Powers of the coefficients: amplitudes of edges are no polynomials of them. */
const POWERS = 2
/** Largest phase of a piece's half about its middle, at the middle of the band [rad]; decay of a strip's terms at its end. */
const PHASE = 2
const DECAYS = [0.5, 3]

/**
 * Nodes and weights that interpolate the amplitudes of edges of these materials over a band, kinks of tables included; null where they vary
 * too fast and every frequency is evaluated.
 */
export function materialEdgeNodes(list: readonly Material[], band: Band): BandBasis | null {
  const last = frequency(band, band.n - 1)
  if (band.n <= nodeCount(band.f0, last) + 2) return null
  const middle = (Math.PI * (band.f0 + last)) / C0
  const shapes = (k: Float64Array): Float64Array[] => [
    k.map((x) => (middle / x) ** 2),
    k.map((x) => Math.cos((PHASE * (x - middle)) / middle)),
    k.map((x) => Math.sin((PHASE * (x - middle)) / middle)),
    ...DECAYS.map((decay) => k.map((x) => Math.exp((-decay * x) / middle))),
  ]
  return materialBasis(list, band, POWERS, shapes, TOLERANCE, Math.min(MOST_NODES, band.n - 3))
}
