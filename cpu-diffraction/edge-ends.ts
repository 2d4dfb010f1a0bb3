import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { someEdges } from './some-edges.js'

/**
 * Of E edges both ends [m], 6E numbers in the mesh's coordinates, and E interior wedge angles [degrees]; above a ground alone where there is one.
 * @param groundM  z of the ground [m]
 */
export function edgeEnds(
  all: EdgeScene,
  groundM?: number,
): { edgesM: Float64Array; edgeAngleDeg: Float64Array } {
  const least = groundM === undefined ? -Infinity : groundM - all.origin[2] - all.tolerance
  const { count, edges, origin } = groundM === undefined ? all : someEdges(all, (_x, _y, z) => z > least)
  const edgesM = new Float64Array(6 * count)
  const edgeAngleDeg = new Float64Array(count)
  for (let e = 0; e < count; e++) {
    const at = EDGE_SIZE * e
    for (let c = 0; c < 3; c++) {
      edgesM[6 * e + c] = origin[c] + edges[at + c]
      edgesM[6 * e + 3 + c] = edgesM[6 * e + c] + edges[at + 6] * edges[at + 3 + c]
    }
    edgeAngleDeg[e] = 180 * (2 - edges[at + 7])
  }
  return { edgesM, edgeAngleDeg }
}
