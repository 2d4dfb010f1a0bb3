import { DisjointSets } from '../math/partition.js'
import type { Target } from './target.js'

/** 1 for each facet connected to a rim: a sheet, with empty space on both sides. */
export function openFacets({ edges, triangles }: Target): Uint8Array {
  const facets = triangles.length / 3
  const open = new Uint8Array(facets)
  if (!edges.valence.includes(1)) return open
  const sets = new DisjointSets(facets)
  for (let e = 0; e < edges.valence.length; e++)
    if (edges.valence[e] > 1) sets.join(edges.facets[2 * e], edges.facets[2 * e + 1])
  for (let e = 0; e < edges.valence.length; e++)
    if (edges.valence[e] === 1) open[sets.root(edges.facets[2 * e])] = 1
  for (let t = 0; t < facets; t++) open[t] = open[sets.root(t)]
  return open
}
