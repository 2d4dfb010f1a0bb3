import { DisjointSets } from './disjoint-sets.js'
import type { Edges } from './edges.js'
import { InputError } from './errors.js'
import type { Mesh } from './mesh.js'

/**
 * Smooth surfaces: facets on either side of a manifold edge whose normals differ by less than `angleDeg` belong to one
 * surface, transitively. Rims, non-manifold edges and edges between two materials never join. T surface numbers, in the order of
 * each surface's first facet.
 * @param facetMaterial  see `Target`
 * Throws InputError unless 0 <= angleDeg <= 180.
 */
export function smoothGroups(
  mesh: Mesh,
  edges: Edges,
  angleDeg: number,
  facetMaterial?: Uint8Array,
): Uint32Array {
  if (!(angleDeg >= 0 && angleDeg <= 180))
    throw new InputError(`the smooth angle is ${angleDeg}; give degrees from 0 to 180`)
  const sets = new DisjointSets(mesh.triangles.length / 3)
  const { facets, interiorAngle, valence } = edges
  for (let e = 0; e < valence.length; e++) {
    if (valence[e] !== 2 || Math.abs(interiorAngle[e] - 180) >= angleDeg) continue
    const s = facets[2 * e]
    const t = facets[2 * e + 1]
    if (!facetMaterial || facetMaterial[s] === facetMaterial[t]) sets.join(s, t)
  }
  return sets.numbered().of
}
