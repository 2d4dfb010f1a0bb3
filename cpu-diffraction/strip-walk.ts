import type { EdgeScene } from './edge-scene.js'

/** Faces crossed at most. */
const MAX_FACES = 4096
/** Surfaces turned by a right angle and no more [rad] have turned by just that: facets of round ones often have. */
const RIGHT_ANGLE = 1e-3

/**
 * Follows strips over the bends of a smooth surface, as if it were unfolded into the plane of its first face: across each
 * bend a strip keeps its angle with it. It ends at a sharp edge, or where the surface has turned by more than 90 degrees.
 */
export class StripWalk {
  /** Point, direction of the strip, and the diffracting edge's tangent, unfolded: 3 components each. */
  readonly point = new Float64Array(3)
  readonly u = new Float64Array(3)
  readonly tangent = new Float64Array(3)
  /** Set by `run`: length added [m], and slope of the whole length along the tangent. */
  length = 0.5
  slope = 0.5

  constructor(private readonly scene: EdgeScene) {}

  /**
   * Goes on from `point` on outline edge `o` (with a neighbour across), which the strip reaches along `u`; both are changed.
   */
  run(o: number): void {
    const { across, outlineFace, normals } = this.scene
    const first = 3 * outlineFace[o]
    this.length = 0
    for (let i = 0; i < MAX_FACES && across[o] >= 0; i++) {
      const next = across[o]
      const to = 3 * outlineFace[next]
      const turn =
        normals[first] * normals[to] +
        normals[first + 1] * normals[to + 1] +
        normals[first + 2] * normals[to + 2]
      if (turn < -RIGHT_ANGLE) break
      this.unfold(o, next)
      const exit = this.cross(outlineFace[next], next)
      if (exit < 0) break
      o = exit
    }
    this.slope = this.slopeAt(o)
  }

  /** Turns `u` and `tangent` from the plane of one face into that of the next, about outline edges `o` and `next` of theirs. */
  unfold(o: number, next: number): void {
    const { outlineFrames: f } = this.scene
    turnAbout(this.u, f, 6 * o, 6 * next)
    turnAbout(this.tangent, f, 6 * o, 6 * next)
  }

  /**
   * Moves the point along u to where it first leaves the face, and gives the outline edge there (-1: none met); `length` grows.
   *
   * @param entry   outline edge by which it came, or -1
   * @param behind  edges at smaller distances lie behind the point [m]: a face that is not convex may have some
   */
  cross(face: number, entry: number, behind = -Infinity): number {
    const { outline, outlineStart, normals } = this.scene
    const { point: p, u } = this
    const n = 3 * face
    // w = n x u: w . r is constant along the strip, and grows along outline edges that lead out of the face.
    const wx = normals[n + 1] * u[2] - normals[n + 2] * u[1]
    const wy = normals[n + 2] * u[0] - normals[n] * u[2]
    const wz = normals[n] * u[1] - normals[n + 1] * u[0]
    let exit = -1
    let length = Infinity
    for (let o = outlineStart[face]; o < outlineStart[face + 1]; o++) {
      if (o === entry) continue
      const a = 6 * o
      const ax = outline[a] - p[0]
      const ay = outline[a + 1] - p[1]
      const az = outline[a + 2] - p[2]
      const bx = outline[a + 3] - p[0]
      const by = outline[a + 4] - p[1]
      const bz = outline[a + 5] - p[2]
      const wa = wx * ax + wy * ay + wz * az
      const wb = wx * bx + wy * by + wz * bz
      if (!(wa <= 0 && wb >= 0 && wa < wb)) continue
      const la = u[0] * ax + u[1] * ay + u[2] * az
      const lb = u[0] * bx + u[1] * by + u[2] * bz
      const l = (wb * la - wa * lb) / (wb - wa)
      if (l < length && l >= behind) {
        length = l
        exit = o
      }
    }
    if (exit < 0) return -1
    const step = Math.max(0, length)
    for (let c = 0; c < 3; c++) p[c] += step * u[c]
    this.length += step
    return exit
  }

  /** dl/dt at outline edge o: tangent + slope u is along it. */
  private slopeAt(o: number): number {
    const { outline, outlineFace, normals } = this.scene
    const { u, tangent: t } = this
    const n = 3 * outlineFace[o]
    const a = 6 * o
    const ex = outline[a + 3] - outline[a]
    const ey = outline[a + 4] - outline[a + 1]
    const ez = outline[a + 5] - outline[a + 2]
    // In the face, e x n is across the outline edge.
    const mx = ey * normals[n + 2] - ez * normals[n + 1]
    const my = ez * normals[n] - ex * normals[n + 2]
    const mz = ex * normals[n + 1] - ey * normals[n]
    const along = u[0] * mx + u[1] * my + u[2] * mz
    return along === 0 ? 0 : -(t[0] * mx + t[1] * my + t[2] * mz) / along
  }
}

/** The edge of the next face runs the other way: so its normal's product with this one's direction is turned about. */
function turnAbout(v: Float64Array, f: Float64Array, a: number, b: number): void {
  const along = v[0] * f[a] + v[1] * f[a + 1] + v[2] * f[a + 2]
  const across = v[0] * f[a + 3] + v[1] * f[a + 4] + v[2] * f[a + 5]
  v[0] = along * f[a] - across * f[b + 3]
  v[1] = along * f[a + 1] - across * f[b + 4]
  v[2] = along * f[a + 2] - across * f[b + 5]
}
