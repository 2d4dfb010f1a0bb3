import type { SceneMaterials } from '../../rays/index.js'
import { type Band, highestFrequency, wavenumber } from '../../scene/index.js'
import { ChebyshevBound, chebyshevNodes, materialSeries, seriesNodes } from '../../signal/index.js'
import { bandNodes, type Nodes } from '../spreading.js'

/** Nodes above which the direct sum is taken. */
const MOST_NODES = 32
/** Choices kept. */
const KEPT = 16

const kept = new WeakMap<SceneMaterials, Map<string, Nodes | null>>()

/**
 * Nodes of a band for contributions whose amplitudes are products of up to `bounces` coefficients of the materials: as many as interpolate the
 * products of shapes (`bandNodes`, with its reach) and of every power up to that of every coefficient, at all angles, to the
 * tolerance. Null where so many would not be worth it.
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

/** The error of P nodes is at most twice the sum of the Chebyshev coefficients of degree P and more. */
function findNodes(
  { list, ground }: SceneMaterials,
  band: Band,
  tolerance: number,
  bounces: number,
): Nodes | null {
  const { k, reach } = bandNodes(band, tolerance)
  const first = wavenumber(band.f0)
  const last = wavenumber(highestFrequency(band))
  const samples = seriesNodes(band)
  const middle = (first + last) / 2
  const shapes = new ChebyshevBound()
  shapes.add(
    samples.map((x) => Math.cos((x - middle) * reach)),
    samples.map((x) => Math.sin((x - middle) * reach)),
  )
  shapes.add(
    samples.map((x) => (middle / x) ** 2),
    samples.map(() => 0),
  )
  const amplitudes = materialSeries(list, band, bounces, ground?.ground)
  for (let count = k.length; count <= Math.min(MOST_NODES, band.n - 1); count++)
    if (amplitudes.tail(count, shapes) <= tolerance) return { k: chebyshevNodes(first, last, count), reach }
  return null
}
