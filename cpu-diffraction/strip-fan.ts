import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { StripWalk } from './strip-walk.js'

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
  length = 0.5
  slope = 0.5
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
  private reach = 0.5

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

  /** Sets `length` and `slope` at the distance t [m] from the edge's start; over the bends of a smooth surface, unfolded. */
  at(t: number): void {
    if (t === this.place) return
    this.place = t
    const exit = this.leave(t)
    const o = exit < 0 ? -1 : this.exits[exit + 4] | 0
    if (o >= 0 && this.scene.across[o] >= 0) {
      const { walk, u } = this
      const { edges } = this.scene
      const p = EDGE_SIZE * this.edge
      for (let c = 0; c < 3; c++) {
        walk.point[c] = edges[p + c] + t * edges[p + 3 + c] + this.length * u[c]
        walk.u[c] = u[c]
        walk.tangent[c] = edges[p + 3 + c]
      }
      walk.run(o)
      this.length += walk.length
      this.slope = walk.slope
    }
    this.slope *= this.zSign
  }

  /** Adds to `breaks` where between 0 and `whole` a strip meets a corner of the face: the length's slope changes, or it jumps. */
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
