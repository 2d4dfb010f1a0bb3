import { type Band, frequency } from '../../scene/index.js'
import type { Material } from '../../scene/materials/material.js'
import { materialSeries } from '../../signal/index.js'
import { nodeCount } from '../delay-amplitudes.js'

/** Bound of what the coefficients of materials are off by between the nodes. */
const TOLERANCE = 1e-6
/** Nodes above which every frequency is evaluated. */
const MOST_NODES = 32

/** Chebyshev nodes that interpolate the amplitudes of edges of these materials over a band; as many as frequencies where they vary too fast. */
export function materialNodeCount(list: readonly Material[], band: Band): number {
  const least = nodeCount(band.f0, frequency(band, band.n - 1))
  if (band.n <= least + 2) return least
  const series = materialSeries(list, band, 2)
  for (let count = least; count <= MOST_NODES; count++) if (series.tail(count) <= TOLERANCE) return count
  return band.n
}
