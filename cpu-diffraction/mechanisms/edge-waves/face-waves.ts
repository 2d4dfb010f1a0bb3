import { type Aspect, cross, type Direction, dot, isMonostatic, type Vec3 } from '../../../scene/index.js'
import { vectorAt } from '../../geometry/edge-scene.js'
import type { FaceCorner } from './corners.js'
import { CHANNELS } from '../../engine/mechanism.js'
import { CornerWaves, type Launch, polar } from './launch.js'

/** Reflection of a wave on a face by its corner of 90 degrees: least squares over VV of the same sheets as those of edges. */
const REFLECTION = polar(0.163, 69)
/** The chord of a direction beside the face is that along its edge; a corner's share in it fades so many Fresnel zones from the edge. */
const FADE = 0.6
/** Chords within this of an edge are along it [rad]. */
const BESIDE = 1e-9
/** Chords are looked for light so many tolerances above their face. */
const LIFT = 2

/**
 * Waves that light sends over a face and a corner turns back: with s' = s - n(n.s) and the chord of the face from the corner towards
 * the radar, f is (p.s') times `Launch` over what of the chord is lit, q = 1 - |s'|: E in the plane of incidence alone. Near the face's edges
 * a corner has only a share of it, so that it passes from corner to corner.
 */
export class FaceWaves extends CornerWaves {
  private readonly share = new Float64Array(this.paths.k.length)
  private readonly lit: number[] = []
  private readonly towards: Vec3 = [NaN, NaN, NaN]

  /** Adds the waves of the corners counted with the edges first to end - 1, referred to the mesh's origin. */
  add(aspect: Aspect, first: number, end: number): void {
    for (let e = first; e < end; e++)
      for (const corner of this.corners.faceCorners[e]) this.addCorner(corner, aspect)
  }

  /** Adds the waves that one corner turns back. */
  private addCorner(corner: FaceCorner, aspect: Aspect): void {
    const { tx, rx } = aspect
    const [out, back] = this.launches
    const one = isMonostatic(aspect)
    if (!this.launch(corner, tx, out) || !(one || this.launch(corner, rx, back))) return
    const { reflection } = this
    for (let c = 0; c < 4; c++) {
      const [p, q] = CHANNELS[c]
      const weight = corner.strength * alongFace(corner, tx, p) * alongFace(corner, rx, q)
      reflection[2 * c] = REFLECTION[0] * weight
      reflection[2 * c + 1] = REFLECTION[1] * weight
    }
    this.reflect(out, one ? out : back)
  }

  /** Sets what arrives at the corner of the light of a direction; false where this is nothing that counts. */
  private launch(corner: FaceCorner, { r }: Direction, launch: Launch): boolean {
    const { paths, share, towards, lit, start, scene } = this
    const { k } = paths
    const { point, normal, e1, e2, thickness } = corner
    const up = dot(r, normal)
    for (let c = 0; c < 3; c++) towards[c] = r[c] - up * normal[c]
    const along = Math.hypot(...towards)
    launch.clear()
    if (along < 1e-6) return false
    for (let c = 0; c < 3; c++) towards[c] /= along
    const angle1 = angleFrom(e1, towards, normal)
    const angle2 = -angleFrom(e2, towards, normal)
    let length: number
    if (angle1 < BESIDE || angle2 < BESIDE) {
      const first = Math.abs(angle1) < Math.abs(angle2)
      length = first ? corner.length1 : corner.length2
      for (let c = 0; c < 3; c++) towards[c] = (first ? e1 : e2)[c]
    } else length = this.chord(corner)
    const least = this.paths.lowest * length
    const bound = 2 * (Math.sqrt(1 + least) - 1)
    const most = corner.strength * inside(angle1, least) * inside(angle2, least) * bound * bound
    if (this.isNegligible(most * Math.hypot(...REFLECTION))) return false
    for (let n = 0; n < k.length; n++)
      share[n] = Math.sqrt(inside(angle1, k[n] * length) * inside(angle2, k[n] * length))
    const lift = (up < 0 ? -1 : 1) * (LIFT * scene.tolerance + 0.5 * thickness)
    for (let c = 0; c < 3; c++) start[c] = point[c] + lift * normal[c]
    this.parts.find(start, towards, r, length, lit)
    if (lit.length === 0) return false
    const path = dot(r, point) + dot(r, scene.origin)
    for (let i = 0; i < lit.length; i += 2) launch.add(path, Math.max(0, 1 - along), lit[i], lit[i + 1])
    launch.weight(0, share)
    return true
  }

  /** Length of the face from the corner in the direction `towards`, between its edges [m]. */
  private chord({ face, point, normal, length1, length2 }: FaceCorner): number {
    const { outline, outlineStart } = this.scene
    const { towards } = this
    let least = Infinity
    for (let o = 6 * outlineStart[face]; o < 6 * outlineStart[face + 1]; o += 6) {
      const [a, b] = [o, o + 3].map((at) => vectorAt(outline, at).map((x, c) => x - point[c]) as Vec3)
      const [ha, hb] = [crossed(towards, a, normal), crossed(towards, b, normal)]
      if (ha < 0 === hb < 0) continue
      const t = (dot(a, towards) * hb - dot(b, towards) * ha) / (hb - ha)
      if (t > 1e-6 * (length1 + length2) && t < least) least = t
    }
    return least < Infinity ? least : Math.min(length1, length2)
  }
}

/** Component of a polarisation along s', what of the direction lies in the face. */
function alongFace({ normal }: FaceCorner, { r, thetaHat, phiHat }: Direction, p: 0 | 1): number {
  // p.s = 0
  return -dot(r, normal) * dot(p === 0 ? thetaHat : phiHat, normal)
}

const crossed = (a: Vec3, b: Vec3, n: Vec3): number => dot(cross(a, b), n)

/** Angle from a to b about n [rad], -pi to pi. */
const angleFrom = (a: Vec3, b: Vec3, n: Vec3): number => Math.atan2(crossed(a, b, n), dot(a, b))

/** Share of a chord at an angle from an edge of the corner: 0 well beyond it, 1/2 along it, 1 well inside. */
const inside = (angle: number, phase: number): number =>
  0.5 * (1 + Math.tanh(FADE * Math.sqrt(phase) * Math.sin(angle)))
