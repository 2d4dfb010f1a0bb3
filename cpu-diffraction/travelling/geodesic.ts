import { cross, dot, type Vec3 } from '../../scene/index.js'
import type { EdgeScene } from '../edge-scene.js'
import { StripWalk } from '../strip-walk.js'
import { directionOf, type Tip } from './tips.js'

/** Faces crossed at most. */
const MAX_FACES = 4096
/** A geodesic that has turned away from the axis to less than this cosine has turned by a right angle. */
const TURNED_AWAY = 1e-3
/** Planes are turned by this [rad] about the tip's axis, so that no geodesic runs along edges of a symmetric mesh. */
const OFF_EDGES = 1e-5

/** Called for the straight parts of a geodesic: face, start [m], unit direction, and length [m]. */
export type TakePart = (face: number, point: Float64Array, direction: Float64Array, length: number) => void

/** Follows geodesics over the smooth surface about a tip: straight lines when the faces that they cross are unfolded into a plane. */
export class Geodesics {
  private readonly walk: StripWalk
  private readonly start = new Float64Array(3)
  private readonly direction = new Float64Array(3)

  constructor(private readonly scene: EdgeScene) {
    this.walk = new StripWalk(scene)
  }

  /**
   * The parts of the geodesics that start at a tip in the plane of its axis and a direction s, each away from the tip; two on a convex one.
   * @param end  called behind the last part of each; whether that ends at a sharp edge
   */
  fromTip(tip: Tip, s: Vec3, take: TakePart, end: (sharp: boolean) => void): void {
    const { scene, walk } = this
    const across = cross(tip.axis, s)
    const sin = Math.hypot(...across)
    if (sin < OFF_EDGES) return
    const turned = cross(tip.axis, across)
    const m = across.map((x, c) => x + OFF_EDGES * turned[c]) as Vec3
    const { outgoing, axis } = tip
    for (let i = 0; i < outgoing.length; i++) {
      const a = directionOf(scene, outgoing[i])
      const b = directionOf(scene, outgoing[(i + 1) % outgoing.length])
      const ma = dot(m, a)
      const mb = dot(m, b)
      if (ma > 0 === mb > 0) continue
      const u = a.map((x, c) => x * Math.abs(mb) + b[c] * Math.abs(ma)) as Vec3
      const norm = Math.hypot(...u)
      for (let c = 0; c < 3; c++) {
        walk.point[c] = tip.point[c]
        walk.u[c] = u[c] / norm
      }
      end(this.follow(scene.outlineFace[outgoing[i]], axis, take))
    }
  }

  /**
   * Follows a geodesic from a point of a face along a direction in its plane, until it meets a sharp edge or has turned by a
   * right angle: until it no longer runs against `axis`.
   */
  from(face: number, point: Vec3, direction: Vec3, axis: Vec3, take: TakePart): void {
    this.walk.point.set(point)
    this.walk.u.set(direction)
    this.follow(face, axis, take)
  }

  /** Whether it ends at a sharp edge. */
  private follow(face: number, axis: Vec3, take: TakePart): boolean {
    const { scene, walk, start, direction } = this
    const { across, outlineFace } = scene
    let entry = -1
    for (let i = 0; i < MAX_FACES; i++) {
      const { u } = walk
      if (u[0] * axis[0] + u[1] * axis[1] + u[2] * axis[2] > -TURNED_AWAY) return false
      start.set(walk.point)
      direction.set(u)
      walk.length = 0
      const exit = walk.cross(face, entry, -scene.tolerance)
      if (exit < 0) return false
      if (walk.length > 0) take(face, start, direction, walk.length)
      entry = across[exit]
      if (entry < 0) return true
      this.snap(exit)
      walk.unfold(exit, entry)
      const norm = Math.hypot(u[0], u[1], u[2])
      for (let c = 0; c < 3; c++) u[c] /= norm
      face = outlineFace[entry]
    }
    return false
  }

  /** Moves the walk's point onto outline edge o: faces are plane to a tolerance only, and errors would add up. */
  private snap(o: number): void {
    const { outline, outlineFrames: f } = this.scene
    const { point } = this.walk
    const a = 6 * o
    let along = 0
    for (let c = 0; c < 3; c++) along += (point[c] - outline[a + c]) * f[a + c]
    for (let c = 0; c < 3; c++) point[c] = outline[a + c] + along * f[a + c]
  }
}
