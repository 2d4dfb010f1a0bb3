import { buildBvh, type RayScene } from '../../rays/index.js'
import type { Vec3 } from '../../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from '../geometry/edge-scene.js'
import type { Mirrors } from './mirrors.js'

/** Beams are taken this part of the target's diagonal wider than the facets that reflect them, or so many tolerances of the mesh. */
const MARGIN = 1e-6
const MARGIN_TOLERANCES = 4
/** Corners of a facet's part in another's beam, at most. */
const MOST_CORNERS = 7

/** Numbers whose boxes a beam may meet, down a BVH (`Bvh.nodes`). */
class BoxSearch {
  readonly found: Uint32Array
  count = 0
  private readonly words: Uint32Array
  private readonly stack: Int32Array

  constructor(
    private readonly nodes: Float32Array,
    private readonly order: Uint32Array,
    depth: number,
  ) {
    this.words = new Uint32Array(nodes.buffer, nodes.byteOffset, nodes.length)
    this.stack = new Int32Array(depth + 2)
    this.found = new Uint32Array(order.length)
  }

  /** Sets `found` and its `count`. @param planes  see `Beam.planes`. @param wider  the beam is taken [m] */
  find(planes: Float64Array, sides: number, wider: number): void {
    const { found, nodes, words, stack, order } = this
    this.count = 0
    let top = 1
    stack[0] = 0
    next: while (top > 0) {
      const b = 8 * stack[--top]
      const hx = 0.5 * (nodes[b + 4] - nodes[b])
      const hy = 0.5 * (nodes[b + 5] - nodes[b + 1])
      const hz = 0.5 * (nodes[b + 6] - nodes[b + 2])
      const x = nodes[b] + hx
      const y = nodes[b + 1] + hy
      const z = nodes[b + 2] + hz
      for (let o = 0; o < 4 * sides; o += 4) {
        const reach = Math.abs(planes[o]) * hx + Math.abs(planes[o + 1]) * hy + Math.abs(planes[o + 2]) * hz
        if (planes[o] * x + planes[o + 1] * y + planes[o + 2] * z + reach + wider < planes[o + 3])
          continue next
      }
      const count = words[b + 7]
      const first = words[b + 3]
      if (count === 0) {
        stack[top++] = first + 1
        stack[top++] = first
      } else for (let i = first; i < first + count; i++) found[this.count++] = order[i]
    }
  }
}

/**
 * The beam that leaves a plane convex piece of a mirror along a direction, a prism, and what of edges and mirrors lies in it: exactly, but
 * for a margin by which it is wider. One object per thread.
 */
export class Beam {
  /** Corners of the piece of a mirror last found in the beam, 3 numbers each [m]. */
  readonly piece = new Float64Array(3 * MOST_CORNERS)
  /** Ends of the part of the edge last found in the beam [m from its start]. */
  from = NaN
  to = NaN
  /** See `EdgeScene`: half the thickest rim. */
  private readonly margin: number
  private readonly thickest: number
  /** Planes of the sides and of the mirror, 4 numbers each: the beam is where n . p > offset. */
  private readonly planes = new Float64Array(4 * (MOST_CORNERS + 1))
  private count = 0
  private readonly ofEdges: BoxSearch
  private readonly ofMirrors: BoxSearch
  private readonly other = new Float64Array(3 * MOST_CORNERS)

  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    private readonly mirrors: Mirrors,
  ) {
    this.margin = Math.max(MARGIN * rays.diagonal, MARGIN_TOLERANCES * scene.tolerance)
    this.thickest = scene.thickness.reduce((most, t) => Math.max(most, 0.5 * t), 0)
    const positions = new Float64Array(6 * scene.count)
    const triangles = new Uint32Array(3 * scene.count)
    for (let e = 0; e < scene.count; e++) {
      const p = EDGE_SIZE * e
      for (let c = 0; c < 3; c++) {
        positions[6 * e + c] = scene.edges[p + c]
        positions[6 * e + 3 + c] = scene.edges[p + c] + scene.edges[p + 6] * scene.edges[p + 3 + c]
      }
      triangles.set([2 * e, 2 * e + 1, 2 * e + 1], 3 * e)
    }
    const bvh = buildBvh({ positions, triangles })
    this.ofEdges = new BoxSearch(bvh.nodes, bvh.order, bvh.depth)
    this.ofMirrors = new BoxSearch(mirrors.bvh.nodes, mirrors.bvh.order, mirrors.bvh.depth)
  }

  /**
   * Takes a mirror.
   *
   * @param corners  of the piece, 3 numbers each [m], `count` of them from `at` on
   * @param d        unit direction in which the beam leaves
   * @param plane    the mirror's n and n . p, n on the side of d
   */
  set(corners: Float64Array, at: number, count: number, d: Vec3, plane: readonly number[]): void {
    const { planes, margin } = this
    const [dx, dy, dz] = d
    let [cx, cy, cz] = [0, 0, 0]
    for (let a = at; a < at + 3 * count; a += 3) {
      cx += corners[a] / count
      cy += corners[a + 1] / count
      cz += corners[a + 2] / count
    }
    this.count = 0
    for (let i = 0; i < count; i++) {
      const a = at + 3 * i
      const b = i + 1 < count ? a + 3 : at
      const ex = corners[b] - corners[a]
      const ey = corners[b + 1] - corners[a + 1]
      const ez = corners[b + 2] - corners[a + 2]
      const nx = ey * dz - ez * dy
      const ny = ez * dx - ex * dz
      const nz = ex * dy - ey * dx
      const size = Math.sqrt(nx * nx + ny * ny + nz * nz)
      // A side along the beam bounds nothing.
      if (size < 1e-3 * margin) continue
      const inwards = nx * (cx - corners[a]) + ny * (cy - corners[a + 1]) + nz * (cz - corners[a + 2])
      const scale = (inwards < 0 ? -1 : 1) / size
      const o = 4 * this.count++
      planes[o] = scale * nx
      planes[o + 1] = scale * ny
      planes[o + 2] = scale * nz
      planes[o + 3] =
        planes[o] * corners[a] + planes[o + 1] * corners[a + 1] + planes[o + 2] * corners[a + 2] - margin
    }
    const o = 4 * this.count++
    for (let c = 0; c < 3; c++) planes[o + c] = plane[c]
    planes[o + 3] = plane[3] + margin
  }

  /** Edges that may lie in it, and how many of this list: written over by the next call. */
  edgesNear(): { found: Uint32Array; count: number } {
    this.ofEdges.find(this.planes, this.count, this.thickest)
    return this.ofEdges
  }

  /** Mirrors that may lie in it, likewise. */
  mirrorsNear(): { found: Uint32Array; count: number } {
    this.ofMirrors.find(this.planes, this.count, 0)
    return this.ofMirrors
  }

  /** Whether a part of an edge lies in it, which is set: none of a rim of the mirror itself. */
  holdsEdge(e: number): boolean {
    const { planes, count } = this
    const { edges, thickness } = this.scene
    const p = EDGE_SIZE * e
    // Where light is looked for, the rim of a thin solid lies off its middle.
    const wider = 0.5 * thickness[e]
    let from = 0
    let to = edges[p + 6]
    for (let i = 0; i < count; i++) {
      const o = 4 * i
      const at =
        planes[o] * edges[p] +
        planes[o + 1] * edges[p + 1] +
        planes[o + 2] * edges[p + 2] -
        planes[o + 3] +
        (i < count - 1 ? wider : 0)
      const slope = planes[o] * edges[p + 3] + planes[o + 1] * edges[p + 4] + planes[o + 2] * edges[p + 5]
      const end = at + slope * edges[p + 6]
      if (at <= 0 && end <= 0) return false
      if (at > 0 && end > 0) continue
      if (slope > 0) from = Math.max(from, -at / slope)
      else to = Math.min(to, -at / slope)
    }
    this.from = from
    this.to = to
    return to > from
  }

  /** Number of corners of `piece`, what of a mirror lies in it; 0 for none. */
  pieceOf(mirror: number): number {
    const { planes, count } = this
    let { piece: now, other: next } = this
    for (let i = 0; i < 9; i++) now[i] = this.mirrors.vertices[9 * mirror + i]
    let corners = 3
    for (let i = 0; i < count && corners > 0; i++) {
      const o = 4 * i
      let kept = 0
      for (let a = 0; a < corners; a++) {
        const b = (a + 1) % corners
        const ha = height(planes, o, now, 3 * a)
        const hb = height(planes, o, now, 3 * b)
        if (ha > 0 && kept < MOST_CORNERS) {
          for (let c = 0; c < 3; c++) next[3 * kept + c] = now[3 * a + c]
          kept++
        }
        if (ha > 0 !== hb > 0 && kept < MOST_CORNERS) {
          const s = ha / (ha - hb)
          for (let c = 0; c < 3; c++)
            next[3 * kept + c] = now[3 * a + c] + s * (now[3 * b + c] - now[3 * a + c])
          kept++
        }
      }
      corners = kept
      const swap = now
      now = next
      next = swap
    }
    if (now !== this.piece) this.piece.set(now)
    return corners < 3 ? 0 : corners
  }
}

const height = (planes: Float64Array, o: number, p: Float64Array, at: number): number =>
  planes[o] * p[at] + planes[o + 1] * p[at + 1] + planes[o + 2] * p[at + 2] - planes[o + 3]
