import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../geometry/edge-scene.js'

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
  length = NaN
  slope = NaN

  constructor(private readonly scene: EdgeScene) {}

  /**
   * Goes on from `point` on outline edge `o` (with a neighbour across), which the strip reaches along `u`; both are changed.
   * @param most  length to be added that the strip may end at [m]
   */
  run(o: number, most = Infinity): void {
    const { across, outlineFace, normals } = this.scene
    const first = 3 * outlineFace[o]
    this.length = 0
    for (let i = 0; i < MAX_FACES && across[o] >= 0 && this.length < most; i++) {
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

/** Numbers kept per outline edge: t, l of both ends, t ascending, and its number. */
const SIZE = 5

/**
 * Lengths of the strips of one face along an edge: parallel rays from the edge's points into the face, along u on the Keller
 * cone, up to where they first leave the face. In the oblique coordinates (t, l), t along the edge from its start and l along
 * u, a strip is a line of constant t, so its length is the lowest of the outline edges that lead out of the face there
 * (docs/edge-diffraction.md, "Intervals"). One object serves many edges in turn.
 */
export class StripFan {
  /** Set by `at`: strip length [m], and its slope along z of the face's frame. */
  length = NaN
  slope = NaN
  private readonly walk: StripWalk
  /** Where `length` and `slope` are those of; NaN: nowhere. */
  private place = NaN
  private edge = 0
  private readonly u = new Float64Array(3)
  private exits = new Float64Array(256 * SIZE)
  private count = 0
  /** z is along the edge's tangent (+1) or against it. */
  private zSign = 1
  /** Strip length where no outline edge is met (rounding at a corner of a broken outline). */
  private reach = NaN

  constructor(private readonly scene: EdgeScene) {
    this.walk = new StripWalk(scene)
  }

  /**
   * Takes face i (0, 1) of edge e and the direction u = sinBeta0 x + cosBeta0 z of its frame; sinBeta0 > 0.
   */
  aim(e: number, i: number, sinBeta0: number, cosBeta0: number): void {
    const { edges, frames, faces, sides, outline, outlineStart } = this.scene
    const f = FRAMES_SIZE * e + 9 * i
    const [x0, x1, x2] = [frames[f], frames[f + 1], frames[f + 2]]
    const [z0, z1, z2] = [frames[f + 6], frames[f + 7], frames[f + 8]]
    const p = EDGE_SIZE * e
    this.zSign = z0 * edges[p + 3] + z1 * edges[p + 4] + z2 * edges[p + 5] < 0 ? -1 : 1
    const whole = edges[p + 6]
    this.edge = e
    this.place = NaN
    for (let c = 0; c < 3; c++) this.u[c] = sinBeta0 * frames[f + c] + cosBeta0 * frames[f + 6 + c]
    const face = faces[2 * e + i]
    const perX = 1 / sinBeta0
    const back = cosBeta0 / sinBeta0
    // Seen from outside the face is on the left of its outline: a strip leaves it where t falls along the outline. Seen
    // from the back, or with t against z, the other way round.
    const leaving = -this.zSign * sides[2 * e + i]
    this.count = 0
    this.reach = 0
    const ends = 6 * outlineStart[face + 1]
    for (let o = 6 * outlineStart[face]; o < ends; o += 6) {
      let dx = outline[o] - edges[p]
      let dy = outline[o + 1] - edges[p + 1]
      let dz = outline[o + 2] - edges[p + 2]
      const xa = dx * x0 + dy * x1 + dz * x2
      const ta = this.zSign * (dx * z0 + dy * z1 + dz * z2 - xa * back)
      dx = outline[o + 3] - edges[p]
      dy = outline[o + 4] - edges[p + 1]
      dz = outline[o + 5] - edges[p + 2]
      const xb = dx * x0 + dy * x1 + dz * x2
      const tb = this.zSign * (dx * z0 + dy * z1 + dz * z2 - xb * back)
      this.reach = Math.max(this.reach, xa * perX)
      if (!((tb - ta) * leaving > 0)) continue
      if (Math.max(ta, tb) <= 0 || Math.min(ta, tb) >= whole) continue
      // An edge below the line of the diffracting one belongs to a part of the face behind it.
      if (xa < 0 && xb < 0) continue
      this.push(ta, xa * perX, tb, xb * perX, o / 6)
    }
  }

  /**
   * Sets `length` and `slope` at the distance t [m] from the edge's start; over the bends of a smooth surface, unfolded.
   * @param most  a strip this long need not be followed to its end [m]; the same for all of an edge
   */
  at(t: number, most = Infinity): void {
    if (t === this.place) return
    this.place = t
    const exit = this.leave(t)
    const o = exit < 0 ? -1 : this.exits[exit + 4] | 0
    if (o >= 0 && this.scene.across[o] >= 0 && this.length < most) {
      const { walk, u } = this
      const { edges } = this.scene
      const p = EDGE_SIZE * this.edge
      for (let c = 0; c < 3; c++) {
        walk.point[c] = edges[p + c] + t * edges[p + 3 + c] + this.length * u[c]
        walk.u[c] = u[c]
        walk.tangent[c] = edges[p + 3 + c]
      }
      walk.run(o, most - this.length)
      this.length += walk.length
      this.slope = walk.slope
    }
    this.slope *= this.zSign
  }

  /**
   * Adds to `breaks` where between 0 and `whole` a strip meets a corner of the face: the length's slope changes, or it jumps. In ascending order.
   */
  breaks(whole: number, breaks: number[]): void {
    const { exits } = this
    if (this.count < 2) return
    this.place = NaN
    for (let i = 0, e = 0; i < this.count; i++, e += SIZE) {
      if (this.scene.across[exits[e + 4] | 0] >= 0) continue
      for (let end = e; end < e + 4; end += 2) {
        const t = exits[end]
        if (t <= 0 || t >= whole) continue
        this.leave(t)
        if (exits[end + 1] <= this.length * (1 + 1e-9)) breaks.push(t)
      }
    }
    if (breaks.length > 1) breaks.sort((a, b) => a - b)
  }

  /** Sets `length`, and `slope` along t, to where the strip leaves the plane face; gives the exit's place, or -1. */
  private leave(t: number): number {
    const { exits } = this
    let length = Infinity
    let slope = 0
    let exit = -1
    for (let i = 0, e = 0; i < this.count; i++, e += SIZE) {
      if (t < exits[e] || t > exits[e + 2]) continue
      const s = (exits[e + 3] - exits[e + 1]) / (exits[e + 2] - exits[e])
      const l = exits[e + 1] + (t - exits[e]) * s
      if (l > 0 && l < length) {
        length = l
        slope = s
        exit = e
      }
    }
    this.length = exit < 0 ? this.reach : length
    this.slope = slope
    return exit
  }

  private push(ta: number, la: number, tb: number, lb: number, o: number): void {
    if (SIZE * (this.count + 1) > this.exits.length) {
      const larger = new Float64Array(2 * this.exits.length)
      larger.set(this.exits)
      this.exits = larger
    }
    const at = SIZE * this.count++
    const [first, second] = ta < tb ? [0, 2] : [2, 0]
    this.exits[at + first] = ta
    this.exits[at + first + 1] = la
    this.exits[at + second] = tb
    this.exits[at + second + 1] = lb
    this.exits[at + 4] = o
  }
}
