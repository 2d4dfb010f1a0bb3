import type { SceneMaterials } from '../../rays/index.js'
import type { Band } from '../../scene/index.js'
import { materialBasis } from '../../signal/index.js'
import { bandNodes, type Nodes } from '../spreading.js'

/** Nodes above which the direct sum is taken. */
const MOST_NODES = 32
/** Parts of the reach at which phases are looked at. */
const SPANS = [1, 0.85, 0.7, 0.5, 0.35, 0.2]
/** Choices kept. */
const KEPT = 16

const kept = new WeakMap<SceneMaterials, Map<string, Nodes | null>>()

/**
 * Nodes of a band for contributions whose amplitudes are products of up to `bounces` coefficients of the materials, and how far these are
 * interpolated: to the tolerance with every shape of the reach of `bandNodes` (`materialBasis`). Null where so many would not be
 * worth it.
 */
export function materialNodes(
  materials: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const all = kept.get(materials) ?? new Map<string, Nodes | null>()
  kept.set(materials, all)
  const key = [band.f0, band.df, band.n, tolerance, bounces].join()
  let found = all.get(key)
  if (found === undefined) {
    if (all.size >= KEPT) all.clear()
    all.set(key, (found = findNodes(materials, band, tolerance, bounces)))
  }
  return found
}

function findNodes(
  { list, ground }: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const { k, reach } = bandNodes(band, tolerance)
  const middle = (k[0] + k[k.length - 1]) / 2
  const shapes = (x: Float64Array): Float64Array[] => [
    x.map((value) => (middle / value) ** 2),
    ...SPANS.flatMap((part) => [
      x.map((value) => Math.cos((value - middle) * part * reach)),
      x.map((value) => Math.sin((value - middle) * part * reach)),
    ]),
  ]
  const basis = materialBasis(
    list,
    band,
    bounces,
    shapes,
    // Phases between those that are looked at err by more.
    tolerance / 4,
    Math.min(MOST_NODES, band.n - 1),
    ground?.ground,
  )
  return basis && { ...basis, reach }
}
