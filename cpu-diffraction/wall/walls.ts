import type { RayScene } from '../../rays/index.js'
import type { EdgeScene } from '../edge-scene.js'

/** |cos| of the angle between face and wall below which the corner is a right angle. */
export const RIGHT_ANGLE = 1e-3
/** A wall touches a face that is this part of the target's diagonal away from it, or so many tolerances of the mesh, or less. */
const TOUCHING = 4e-6
const TOUCHING_TOLERANCES = 8
/** Narrow faces of a thin solid reach half its thickness above the sheet that it is: walls are higher than this part of the thickness. */
const OVER_RIM = 0.6

/**
 * Says which faces may end at a wall at right angles: facets that touch their outlines and rise over them. Found when first asked
 * for, face by face; independent of the aspect. One object per thread.
 */
export class Walls {
  /** By face and side (see `key`): 0 unknown, 1 no wall, 2 a wall. */
  private readonly known: Uint8Array
  private readonly stack: Int32Array
  private readonly low = new Float64Array(3)
  private readonly high = new Float64Array(3)

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
  ) {
    this.known = new Uint8Array(2 * scene.outlineStart.length)
    this.stack = new Int32Array(rays.depth + 4)
  }

  /** Whether strips of the face of an edge, 2 e + i, may end at a wall. */
  at(at: number): boolean {
    const { faces, sides, thickness } = this.scene
    const key = 2 * faces[at] + (sides[at] > 0 ? 1 : 0)
    if (this.known[key] === 0)
      this.known[key] = this.search(faces[at], sides[at], thickness[at >> 1] * OVER_RIM) ? 2 : 1
    return this.known[key] === 2
  }

  /** @param least  height of a wall at the least [m] */
  private search(face: number, side: number, least: number): boolean {
    const { outline, outlineStart, normals, diagonal, tolerance } = this.scene
    const { low, high } = this
    const margin = Math.max(TOUCHING * diagonal, TOUCHING_TOLERANCES * tolerance)
    const nx = side * normals[3 * face]
    const ny = side * normals[3 * face + 1]
    const nz = side * normals[3 * face + 2]
    for (let a = 6 * outlineStart[face]; a < 6 * outlineStart[face + 1]; a += 6) {
      for (let c = 0; c < 3; c++) {
        low[c] = Math.min(outline[a + c], outline[a + 3 + c]) - margin
        high[c] = Math.max(outline[a + c], outline[a + 3 + c]) + margin
      }
      const height = nx * outline[a] + ny * outline[a + 1] + nz * outline[a + 2] + least
      if (this.meetsWall(nx, ny, nz, height + margin)) return true
    }
    return false
  }

  /** Whether the box from `low` to `high` meets that of a facet parallel to n which reaches higher along n. */
  private meetsWall(nx: number, ny: number, nz: number, height: number): boolean {
    const { low, high, stack } = this
    const { pairs, order, normals, vertices: v } = this.rays
    const { boxes, links } = pairs
    let top = 0
    let at = pairs.root
    for (;;) {
      if (at < 0) {
        const first = ~at >> 3
        for (let slot = first; slot < first + (~at & 7); slot++) {
          const n = 4 * order[slot]
          if (Math.abs(nx * normals[n] + ny * normals[n + 1] + nz * normals[n + 2]) > RIGHT_ANGLE) continue
          const f = 9 * order[slot]
          let over = false
          let apart = false
          for (let c = 0; c < 3; c++) {
            const p = f + 3 * c
            over ||= nx * v[p] + ny * v[p + 1] + nz * v[p + 2] > height
            apart ||=
              Math.min(v[f + c], v[f + 3 + c], v[f + 6 + c]) > high[c] ||
              Math.max(v[f + c], v[f + 3 + c], v[f + 6 + c]) < low[c]
          }
          if (over && !apart) return true
        }
      } else
        for (let child = 0; child < 2; child++) {
          const b = 12 * at + 6 * child
          if (
            boxes[b] <= high[0] &&
            boxes[b + 1] <= high[1] &&
            boxes[b + 2] <= high[2] &&
            boxes[b + 3] >= low[0] &&
            boxes[b + 4] >= low[1] &&
            boxes[b + 5] >= low[2]
          )
            stack[top++] = links[2 * at + child]
        }
      if (top === 0) return false
      at = stack[--top]
    }
  }
}
