import { type Aspect, dot, type Vec3 } from '../../scene/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from '../geometry/edge-scene.js'
import type { EdgeFace } from '../currents/face.js'
import type { EdgeField } from '../currents/edge-field.js'
import type { LitFace } from '../light/lit-faces.js'
import { behind, type StripFolds } from '../light/strip-folds.js'

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
   * @param face  the lit face
   * @param t, piece, length, slope  see `TakePiece`
   */
  add(
    { e, i, wave, lit, lighting, wedge, shift }: LitFace,
    t: number,
    piece: number,
    length: number,
    slope: number,
    field: EdgeField,
  ): void {
    const folds = this.strips.find(e, i, t, length, lit.tx.r, false)
    if (folds.length === 0) return
    const { frames, edges } = this.scene
    const f = FRAMES_SIZE * e + 9 * i
    const p = EDGE_SIZE * e
    const point = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c]) as Vec3
    let before = length
    let rise = slope
    for (const fold of folds) {
      const rx = behind(lit.rx, fold.walls)
      const { thetaHat, phiHat } = lit.tx
      const weak = (v: Vec3): Vec3 => v.map((x) => lighting.share * fold.share * x) as Vec3
      const tx = { ...lit.tx, thetaHat: weak(thetaHat), phiHat: weak(phiHat) }
      const aspect: Aspect = { tx, rx: rx.direction }
      const psi = dot(wave.r, point) + dot(rx.direction.r, point) + wave.path + rx.path + shift
      if (!this.face.aim(wedge, frames, f, aspect, lighting.lit[i])) break
      // Longer strip less shorter one: the fields are linear in the piece's length and even in its slopes.
      field.openSegment(psi, piece)
      field.addFace(this.face, fold.length, fold.slope)
      field.closeSegment()
      field.openSegment(psi, -piece)
      field.addFace(this.face, before, rise)
      field.closeSegment()
      before = fold.length
      rise = fold.slope
    }
  }
}
