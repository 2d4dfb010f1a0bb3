import type { Target } from '../../scene/index.js'
import { shared } from '../../parallel/index.js'

/**
 * Per smooth surface of a target the radius of the cylinder with its mean curvature [m], R = A / int (k1 + k2) dS, of which the integral is the sum of
 * length times bend over the edges within (Steiner): a cylinder's own whatever its section and facets, half of a sphere's. Infinity where it is
 * plane, hollow, a sheet, or no perfect conductor; 0 where no edge ends it.
 */
export function meanRadii(target: Target): Float64Array {
  const { edges, surface, surfaceCount, areas, facetMaterial, positions: p } = target
  const area = new Float64Array(surfaceCount)
  const bend = new Float64Array(surfaceCount)
  const ends = new Uint8Array(surfaceCount)
  const no = new Uint8Array(surfaceCount)
  for (let f = 0; f < surface.length; f++) {
    area[surface[f]] += areas[f]
    if (facetMaterial && facetMaterial[f] !== 0) no[surface[f]] = 1
  }
  for (let e = 0; e < edges.valence.length; e++) {
    const s = surface[edges.facets[2 * e]]
    if (edges.valence[e] === 1) {
      no[s] = 1
      continue
    }
    const t = surface[edges.facets[2 * e + 1]]
    if (edges.valence[e] > 2 || s !== t) {
      ends[s] = ends[t] = 1
      continue
    }
    const a = 3 * edges.vertices[2 * e]
    const b = 3 * edges.vertices[2 * e + 1]
    const length = Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2])
    bend[s] += (length * (180 - edges.interiorAngle[e]) * Math.PI) / 180
  }
  const radii = shared(Float64Array, surfaceCount)
  for (let s = 0; s < surfaceCount; s++)
    radii[s] = no[s] === 1 || !(bend[s] > 0) ? Infinity : ends[s] === 1 ? area[s] / bend[s] : 0
  return radii
}
