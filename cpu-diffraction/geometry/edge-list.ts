import { shared } from '../../parallel/shared-memory.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE, pointOn } from './edge-scene.js'

/** The scene with some of its edges alone, of which the midpoint [m, about `origin`] decides; faces stay, and hide and end strips as before. */
export function someEdges(scene: EdgeScene, which: (x: number, y: number, z: number) => boolean): EdgeScene {
  const { edges, frames, vertices, faces, sides, thickness, materials } = scene
  const kept: number[] = []
  let total = 0
  for (let e = 0; e < scene.count; e++) {
    const length = edges[EDGE_SIZE * e + 6]
    if (!which(...pointOn(scene, e, 0.5 * length))) continue
    kept.push(e)
    total += length
  }
  const take = <A extends Float64Array | Uint32Array | Int8Array | Uint8Array>(
    from: A,
    size: number,
    out: NoInfer<A>,
  ): A => {
    kept.forEach((e, i) => out.set(from.subarray(size * e, size * (e + 1)), size * i))
    return out
  }
  const n = kept.length
  return {
    ...scene,
    count: n,
    length: total,
    edges: take(edges, EDGE_SIZE, shared(Float64Array, EDGE_SIZE * n)),
    frames: take(frames, FRAMES_SIZE, shared(Float64Array, FRAMES_SIZE * n)),
    vertices: take(vertices, 2, shared(Uint32Array, 2 * n)),
    faces: take(faces, 2, shared(Uint32Array, 2 * n)),
    sides: take(sides, 2, shared(Int8Array, 2 * n)),
    thickness: take(thickness, 1, shared(Float64Array, n)),
    ...(materials && {
      materials: {
        ...materials,
        of: take(materials.of, 2, shared(Uint8Array, 2 * n)),
        kind: take(materials.kind, 1, shared(Uint8Array, n)),
      },
    }),
    sheets: scene.sheets.map((sheet) => ({ ...sheet, scene: someEdges(sheet.scene, which) })),
  }
}

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
