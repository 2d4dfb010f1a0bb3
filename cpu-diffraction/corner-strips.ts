import { type Aspect, type Direction, dot, type Vec3 } from '../scene/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import type { EdgeFace } from './face.js'
import type { EdgeField } from './edge-field.js'
import type { LightWave } from './image-waves.js'
import { isLit } from './lighting.js'
import type { Fold, StripFolds } from './strip-folds.js'
import type { Wedge } from './wedge.js'

/** The slope of a strip's length is taken over this part of the segment. */
const SLOPE_STEP = 1e-3

/**
 * Strips of fringe current that run into a wall at right angles to their face. The wall reflects the wave along the face, so that the
 * current goes on as on the face's mirror image, and turned back on the face itself. Unfolded, the strip is longer, and its part behind
 * a wall is seen by the receiver's image in that wall (docs/second-order.md). An edge along the wall is the problem in two dimensions;
 * one that ends at it starts beside the wall's own edges. There only strips that run with the light count: their current is of the
 * order of the light's own where it grazes the face, that of the others of the order of waves from the edges of one face to those of
 * another, which are left out. One object per thread.
 */
export class CornerStrips {
  constructor(
    private readonly scene: EdgeScene,
    private readonly strips: StripFolds,
    private readonly face: EdgeFace,
  ) {}

  /**
   * Adds the folded part of a strip.
   *
   * @param e,i     edge and face
   * @param t, piece, length, slope  see `TakePiece`
   * @param lit     the wave that lights it, and the receiver
   * @param shift   phase path of the arrays' origin, (tx + rx).origin [m]
   */
  add(
    e: number,
    i: number,
    t: number,
    piece: number,
    length: number,
    slope: number,
    wave: LightWave,
    lit: Aspect,
    wedge: Wedge,
    shift: number,
    field: EdgeField,
  ): void {
    const folds = this.strips.find(e, i, t, length, lit.tx.r)
    if (folds.length === 0) return
    const step = SLOPE_STEP * piece
    const sign = this.alongZ(e, i)
    const near = this.strips.find(e, i, t - step, length - step * sign * slope, lit.tx.r)
    const far = this.strips.find(e, i, t + step, length + step * sign * slope, lit.tx.r)
    const { frames, edges } = this.scene
    const f = FRAMES_SIZE * e + 9 * i
    const p = EDGE_SIZE * e
    const point = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c]) as Vec3
    let before = length
    let rise = slope
    for (const [m, fold] of folds.entries()) {
      const rx = behind(lit.rx, fold.walls)
      const aspect: Aspect = { tx: lit.tx, rx: rx.direction }
      if (!this.face.aim(wedge, frames, f, aspect, isLit(frames, f, lit.tx.r))) break
      const psi = dot(wave.r, point) + dot(rx.direction.r, point) + wave.path + rx.path + shift
      // dl/dz of the longer strip, where its neighbours meet the same walls.
      const a = near.at(m)
      const b = far.at(m)
      const after =
        a && b && sameWalls(a, fold) && sameWalls(b, fold)
          ? (sign * (b.length - a.length)) / (2 * step)
          : rise
      // Longer strip less shorter one: the fields are linear in the piece's length and even in its slopes.
      field.openSegment(psi, piece)
      field.addFace(this.face, fold.length, after)
      field.closeSegment()
      field.openSegment(psi, -piece)
      field.addFace(this.face, before, rise)
      field.closeSegment()
      before = fold.length
      rise = after
    }
  }

  /** +1 where z of a face's frame is along the edge, else -1. */
  private alongZ(e: number, i: number): number {
    const { edges, frames } = this.scene
    const [p, f] = [EDGE_SIZE * e + 3, FRAMES_SIZE * e + 9 * i + 6]
    return edges[p] * frames[f] + edges[p + 1] * frames[f + 1] + edges[p + 2] * frames[f + 2] < 0 ? -1 : 1
  }
}

/** The receiver's image behind walls, for what lies before the first one unfolded, and its phase path. */
export function behind(rx: Direction, walls: Fold['walls']): { direction: Direction; path: number } {
  let { r, thetaHat, phiHat } = rx
  let path = 0
  for (const { normal: n, offset } of [...walls].reverse()) {
    const nr = dot(n, r)
    path += 2 * offset * nr
    r = r.map((v, c) => v - 2 * nr * n[c]) as Vec3
    const field = (e: Vec3): Vec3 => e.map((v, c) => 2 * dot(n, e) * n[c] - v) as Vec3
    thetaHat = field(thetaHat)
    phiHat = field(phiHat)
  }
  return { direction: { ...rx, r, thetaHat, phiHat }, path }
}

const sameWalls = (a: Fold, b: Fold): boolean =>
  a.walls.every(({ normal, offset }, i) => {
    const other = b.walls[i]
    return (
      Math.abs(dot(normal, other.normal)) > 1 - 1e-9 &&
      Math.abs(Math.abs(offset) - Math.abs(other.offset)) < 1e-9
    )
  })
