import type { Edges } from './edges.js'
import { InputError } from './errors.js'
import type { Mesh } from './mesh.js'

/**
 * Smooth surfaces: facets on either side of a manifold edge whose normals bend by less than `angleDeg` belong to one
 * surface, and so on from facet to facet. Rims and non-manifold edges never join. T surface numbers, in the order of
 * each surface's first facet. Throws InputError unless 0 <= angleDeg <= 180.
 */
export function smoothGroups(mesh: Mesh, edges: Edges, angleDeg: number): Uint32Array {
  if (!(angleDeg >= 0 && angleDeg <= 180))
    throw new InputError(`the smooth angle is ${angleDeg}; give degrees from 0 to 180`)
  const facets = mesh.triangles.length / 3
  const parent = new Uint32Array(facets).map((_, t) => t)
  const root = (t: number): number => {
    while (parent[t] !== t) {
      parent[t] = parent[parent[t]]
      t = parent[t]
    }
    return t
  }
  for (let e = 0; e < edges.interiorAngle.length; e++) {
    if (edges.valence[e] !== 2 || !(Math.abs(edges.interiorAngle[e] - 180) < angleDeg)) continue
    const [a, b] = [root(edges.facets[2 * e]), root(edges.facets[2 * e + 1])]
    parent[Math.max(a, b)] = Math.min(a, b)
  }
  // The root is its surface's first facet, so numbers are given on the way.
  const surface = new Uint32Array(facets)
  let count = 0
  for (let t = 0; t < facets; t++) surface[t] = root(t) === t ? count++ : surface[root(t)]
  return surface
}
