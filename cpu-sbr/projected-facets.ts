import { type Aperture, GRAZING_COSINE, type FlatScene, TILE, type TileRange } from '../scene/index.js'

/** Part of its area by which a facet is enlarged at each side, for points on it. */
const EDGE_TOLERANCE = 1e-9

/**
 * Facets seen along the incidence, in lattice coordinates (units of h, so that cell (i, j) of level 0 is the square from
 * (i, j) to (i + 1, j + 1)). Facets that no incident ray meets first are left out: those that it grazes, and the backs of
 * closed shells.
 */
export class ProjectedFacets {
  /** 6 numbers per facet: its corners. */
  private readonly xy: Float64Array
  /** 3 numbers per facet: its distance along the incidence [m] is the first, plus the others times lattice x and y. */
  private readonly depth: Float64Array
  /** Facets that may be met. */
  private readonly facing: Int32Array
  private from = new Float64Array(16)
  private to = new Float64Array(16)

  constructor(scene: FlatScene, aperture: Aperture) {
    const { vertices, normals, flats, count } = scene
    const { u, v, d, h, offset } = aperture
    this.xy = new Float64Array(6 * count)
    this.depth = new Float64Array(3 * count)
    const facing = []
    for (let t = 0; t < count; t++) {
      const cosine = normals[4 * t] * d[0] + normals[4 * t + 1] * d[1] + normals[4 * t + 2] * d[2]
      if (Math.abs(cosine) < GRAZING_COSINE || flats.shell[t] * cosine > 0) continue
      facing.push(t)
      const [nu, nv] = [u, v].map(
        (a) => normals[4 * t] * a[0] + normals[4 * t + 1] * a[1] + normals[4 * t + 2] * a[2],
      )
      // n . (x h u + y h v + depth d) is the plane's constant, with lattice coordinates counted from the offset.
      this.depth[3 * t] = (normals[4 * t + 3] - (offset[0] * nu + offset[1] * nv) * h) / cosine
      this.depth[3 * t + 1] = (-nu * h) / cosine
      this.depth[3 * t + 2] = (-nv * h) / cosine
      for (let i = 0; i < 3; i++) {
        const p = 9 * t + 3 * i
        const [x, y, z] = [vertices[p], vertices[p + 1], vertices[p + 2]]
        this.xy[6 * t + 2 * i] = (x * u[0] + y * u[1] + z * u[2]) / h - offset[0]
        this.xy[6 * t + 2 * i + 1] = (x * v[0] + y * v[1] + z * v[2]) / h - offset[1]
      }
    }
    this.facing = Int32Array.from(facing)
  }

  /** Facets that may be met, among those whose box reaches over some tiles. */
  over({ i0, j0, ni, nj }: TileRange): Int32Array {
    const { xy } = this
    const [x0, y0, x1, y1] = [TILE * i0, TILE * j0, TILE * (i0 + ni), TILE * (j0 + nj)]
    return this.facing.filter((t) => {
      const a = 6 * t
      return (
        Math.max(xy[a], xy[a + 2], xy[a + 4]) >= x0 &&
        Math.min(xy[a], xy[a + 2], xy[a + 4]) <= x1 &&
        Math.max(xy[a + 1], xy[a + 3], xy[a + 5]) >= y0 &&
        Math.min(xy[a + 1], xy[a + 3], xy[a + 5]) <= y1
      )
    })
  }

  /** Lattice coordinate (axis 0 or 1) of a facet's centre. */
  centre(t: number, axis: 0 | 1): number {
    const at = 6 * t + axis
    return (this.xy[at] + this.xy[at + 2] + this.xy[at + 4]) / 3
  }

  /** The facet of list[start ... end) that the ray at lattice point (x, y) meets first, the lowest of equals; -1: none. */
  nearest(list: Int32Array, start: number, end: number, x: number, y: number): number {
    const { depth } = this
    let best = Infinity
    let facet = -1
    for (let n = start; n < end; n++) {
      const t = list[n]
      const z = depth[3 * t] + depth[3 * t + 1] * x + depth[3 * t + 2] * y
      if (z > best || (z === best && t > facet) || !this.holds(t, x, y)) continue
      best = z
      facet = t
    }
    return facet
  }

  /** Whether a facet, a trifle enlarged so that no ray slips between two, holds a point. */
  private holds(t: number, x: number, y: number): boolean {
    const { xy } = this
    const a = 6 * t
    const [ax, ay, bx, by, cx, cy] = [
      xy[a] - x,
      xy[a + 1] - y,
      xy[a + 2] - x,
      xy[a + 3] - y,
      xy[a + 4] - x,
      xy[a + 5] - y,
    ]
    const [p, q, r] = [ax * by - ay * bx, bx * cy - by * cx, cx * ay - cy * ax]
    const least = -EDGE_TOLERANCE * Math.abs(p + q + r)
    return p + q + r > 0 ? p >= least && q >= least && r >= least : p <= -least && q <= -least && r <= -least
  }

  /** Whether a facet and the square of this side with its lower corner at (x, y) share more than a border. */
  overlaps(t: number, x: number, y: number, side: number): boolean {
    const { xy } = this
    const a = 6 * t
    const [ax, ay, bx, by, cx, cy] = [xy[a], xy[a + 1], xy[a + 2], xy[a + 3], xy[a + 4], xy[a + 5]]
    if (ax <= x && bx <= x && cx <= x) return false
    if (ay <= y && by <= y && cy <= y) return false
    if (ax >= x + side && bx >= x + side && cx >= x + side) return false
    if (ay >= y + side && by >= y + side && cy >= y + side) return false
    const turn = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0 ? 1 : -1
    return (
      reaches(ax, ay, bx, by, x, y, side, turn) &&
      reaches(bx, by, cx, cy, x, y, side, turn) &&
      reaches(cx, cy, ax, ay, x, y, side, turn)
    )
  }

  /** Area that a facet and a square share [h^2]: the facet clipped at the square's sides. */
  sharedArea(t: number, x: number, y: number, side: number): number {
    let { from, to } = this
    for (let i = 0; i < 6; i++) from[i] = this.xy[6 * t + i]
    let n = 3
    for (let s = 0; s < 4 && n > 0; s++) {
      const axis = s & 1
      const sign = s < 2 ? 1 : -1
      const limit = (axis === 0 ? x : y) + (s < 2 ? 0 : side)
      let kept = 0
      let k = 2 * (n - 1)
      let last = sign * (from[k + axis] - limit)
      for (let i = 0; i < 2 * n; i += 2) {
        const value = sign * (from[i + axis] - limit)
        if (value > 0 !== last > 0) {
          const part = last / (last - value)
          to[2 * kept] = from[k] + part * (from[i] - from[k])
          to[2 * kept + 1] = from[k + 1] + part * (from[i + 1] - from[k + 1])
          kept++
        }
        if (value > 0) {
          to[2 * kept] = from[i]
          to[2 * kept + 1] = from[i + 1]
          kept++
        }
        last = value
        k = i
      }
      n = kept
      const swap = from
      from = to
      to = swap
    }
    let twice = 0
    for (let i = 0, k = 2 * (n - 1); i < 2 * n; k = i, i += 2)
      twice += (from[k] - x) * (from[i + 1] - y) - (from[i] - x) * (from[k + 1] - y)
    return Math.abs(twice) / 2
  }
}

/** Whether some corner of a square lies on the inner side of the edge from a to b (left of it for turn = 1). */
function reaches(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  x: number,
  y: number,
  side: number,
  turn: number,
): boolean {
  // The corner farthest to the inner side.
  const nx = -turn * (by - ay)
  const ny = turn * (bx - ax)
  const px = nx > 0 ? x + side : x
  const py = ny > 0 ? y + side : y
  return nx * (px - ax) + ny * (py - ay) > 0
}
