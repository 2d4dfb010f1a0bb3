import { fresnelW } from '../../../math/fresnel.js'
import { RayCaster, type RayScene } from '../../../rays/index.js'
import { boundsOf } from '../../../scene/band.js'
import {
  type Aspect,
  type Band,
  cross,
  type Direction,
  dot,
  frequency,
  isMonostatic,
  type Vec3,
  wavenumber,
} from '../../../scene/index.js'
import { CHANNELS, type Mechanism } from '../../engine/mechanism.js'
import { along, type EdgeScene, oncePerScene, vectorAt } from '../../geometry/edge-scene.js'
import { StripWalk } from '../../light/strip-walk.js'

/** Vertices blunter than this half angle are no tips, but rounded ends as facets approximate them [rad]. */
const BLUNTEST = Math.PI / 3

/** A pointed end of a smooth surface: the facets at a vertex bend little into each other, and form a sharp cone. */
interface Tip {
  point: Vec3
  /** Unit vector out of the body. */
  axis: Vec3
  /** Half angle of the circular cone whose surface subtends the same angle at its apex [rad]. */
  halfAngle: number
  /** Outline edges of the faces around, each starting at the tip with its face on the left; in order, seen from outside. */
  outgoing: number[]
}

/** The tips of a target, in the order of their outline edges. Vertices with a sharp edge are none. */
export const findTips = oncePerScene(searchTips)

function searchTips(scene: EdgeScene): Tip[] {
  const tips: Tip[] = []
  const around: number[] = []
  for (let o = 0; o < scene.across.length; o++) {
    if (scene.materials && !scene.materials.conducts[scene.outlineFace[o]]) continue
    const angle = goAround(scene, o, around)
    if (!(angle < 2 * Math.PI * Math.sin(BLUNTEST))) continue
    const outgoing = around.slice()
    const axis = axisOf(scene, outgoing)
    if (axis)
      tips.push({
        point: vectorAt(scene.outline, 6 * o),
        axis,
        halfAngle: Math.asin(angle / (2 * Math.PI)),
        outgoing,
      })
  }
  return tips
}

/**
 * Sets `around` to the outline edges that start where o does, and returns the sum of the angles of the faces there [rad]; NaN where
 * an edge there is sharp, or where o is not the first of them.
 */
function goAround(scene: EdgeScene, o: number, around: number[]): number {
  around.length = 0
  let angle = 0
  let edge = o
  do {
    const incoming = into(scene, edge)
    if (incoming < 0 || scene.across[incoming] < 0) return NaN
    around.push(edge)
    angle += angleOf(scene, edge, incoming)
    edge = scene.across[incoming]
    if (edge < o || around.length > scene.across.length) return NaN
  } while (edge !== o)
  return angle
}

/** Interior angle of a face at the corner that outline edge `into` enters and `out` leaves [rad]. */
function angleOf(scene: EdgeScene, out: number, into: number): number {
  const { normals, outlineFace } = scene
  const a = directionOf(scene, out)
  const b = directionOf(scene, into)
  const sin = along(normals, 3 * outlineFace[out], cross(b, a))
  const angle = Math.atan2(sin, -dot(a, b))
  return angle < 0 ? angle + 2 * Math.PI : angle
}

/** The outline edge of the same face that ends where o starts, or -1. */
function into({ outline, outlineFace, outlineStart }: EdgeScene, o: number): number {
  const a = 6 * o
  const face = outlineFace[o]
  for (let i = outlineStart[face]; i < outlineStart[face + 1]; i++) {
    const b = 6 * i + 3
    if (outline[b] === outline[a] && outline[b + 1] === outline[a + 1] && outline[b + 2] === outline[a + 2])
      return i
  }
  return -1
}

/** Axis of the cone that faces around a tip form; null where they point into the body or do not lie within a half-space. */
function axisOf(scene: EdgeScene, outgoing: number[]): Vec3 | null {
  const axis: Vec3 = [0, 0, 0]
  for (const [i, o] of outgoing.entries()) {
    const a = directionOf(scene, o)
    const b = directionOf(scene, outgoing[(i + 1) % outgoing.length])
    // Of a cone of flat sectors the sum of these is along its axis, however it is cut.
    const n = cross(a, b)
    for (let c = 0; c < 3; c++) axis[c] += n[c]
  }
  const length = Math.hypot(...axis)
  if (!(length > 0)) return null
  for (let c = 0; c < 3; c++) axis[c] /= length
  return outgoing.every((o) => dot(directionOf(scene, o), axis) < 0) ? axis : null
}

const directionOf = ({ outlineFrames }: EdgeScene, o: number): Vec3 => vectorAt(outlineFrames, 6 * o)

/** Faces crossed at most. */
const MAX_FACES = 4096
/** A geodesic that has turned away from the axis to less than this cosine has turned by a right angle. */
const TURNED_AWAY = 1e-3
/** Planes are turned by this [rad] about the tip's axis, so that no geodesic runs along edges of a symmetric mesh. */
const OFF_EDGES = 1e-5

/** Called for the straight parts of a geodesic: face, start [m], unit direction, and length [m]. */
type TakePart = (face: number, point: Float64Array, direction: Float64Array, length: number) => void

/** Follows geodesics over the smooth surface about a tip: straight lines when the faces that they cross are unfolded into a plane. */
export class Geodesics {
  readonly walk: StripWalk
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
   * Follows a geodesic from the walk's point on a face along its direction, until it meets a sharp edge or has turned by a right angle: until it
   * no longer runs against `axis`. Whether it ends at a sharp edge.
   */
  follow(face: number, axis: Vec3, take: TakePart): boolean {
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

/** Light along a straight part of a geodesic: phase path at its start [m] and its growth per metre, E along it, towards the tip, of V and H. */
interface PartLight {
  path: number
  slope: number
  v: number
  h: number
}

/** From where to where [m from the tip], as light sent back by the tip has it; how far from the tip the geodesic begins (`end`). */
interface LaunchPiece extends PartLight {
  from: number
  to: number
  edge: number
}

/** Pieces reach at most this many times as far from the tip, beyond one wavelength over 2 pi: the decay is nearly linear in them. */
const RATIO = 1.3
/** Exponent of the decay of a wave along a surface (decision 017). */
const DECAY = 0.3

const w = new Float64Array(2)

/**
 * What light along a geodesic brings to the tip where it ends, and by reciprocity what a wave from the tip sends back:
 *
 *   f_p = k sum over pieces of (p.t) int exp(jk (s.r - u)) (1 + k u)^-0.3 du,   t towards the tip, u = distance from it
 *
 * On a geodesic that begins at a sharp edge, d away, the edge's wave takes W(sqrt(kdq))/2 of the light, q = 1 + s.t: half of it at grazing incidence.
 * Pieces have one direction each, so their phases are linear; they are the same for all frequencies.
 */
export class GeodesicLaunch {
  private readonly pieces: LaunchPiece[] = []
  /** First piece of the geodesic being added. */
  private first = 0

  /** @param shortest  wavelength [m], over 2 pi */
  constructor(private readonly shortest: number) {}

  /** Nothing arrives. */
  clear(): void {
    this.pieces.length = this.first = 0
  }

  /** Ends a geodesic: it begins so far from the tip at a sharp edge [m], or else (infinity) in shadow or where the surface bends away. */
  end(edge: number): void {
    const { pieces } = this
    while (this.first < pieces.length) pieces[this.first++].edge = edge
  }

  get isEmpty(): boolean {
    return this.pieces.length === 0
  }

  /** Cuts a straight part from u0 to u1 [m from the tip] where it must be, and adds its pieces that `isLit` says so of, at distances from its start. */
  add(u0: number, u1: number, { path, slope, v, h }: PartLight, isLit: (l: number) => boolean): void {
    const { shortest, pieces } = this
    const count = Math.ceil(Math.log((u1 + shortest) / (u0 + shortest)) / Math.log(RATIO))
    for (let i = 0; i < count; i++) {
      const from = u0 + ((u1 - u0) * i) / count
      const to = u0 + ((u1 - u0) * (i + 1)) / count
      if (!isLit((from + to) / 2 - u0)) continue
      const start = path + slope * (from - u0) - from
      pieces.push({ from, to, path: start, slope: slope - 1, v, h, edge: Infinity })
    }
  }

  /** Sets `out` to f of V and H, re and im each, at the wavenumber k [rad/m], with the phases of waves whose path is `shift` [m] longer. */
  at(k: number, shift: number, out: Float64Array): void {
    out.fill(0)
    for (const { from, to, path, slope, v, h, edge } of this.pieces) {
      const length = to - from
      const a = (1 + k * from) ** -DECAY
      const b = (1 + k * to) ** -DECAY
      // The phase about the middle is x = -half to half: mean of the decay, and its growth from end to end.
      const half = (k * slope * length) / 2
      const sinc = Math.abs(half) < 1e-4 ? 1 - (half * half) / 6 : Math.sin(half) / half
      const odd = Math.abs(half) < 1e-3 ? half / 6 : (sinc - Math.cos(half)) / (2 * half)
      const re = k * length * ((a + b) / 2) * sinc
      const im = k * length * (b - a) * odd
      const phase = k * (path + shift) + half
      const cos = Math.cos(phase)
      const sin = Math.sin(phase)
      let x = re * cos - im * sin
      let y = re * sin + im * cos
      if (edge < Infinity) {
        const d = edge - (from + to) / 2
        fresnelW(Math.sqrt(Math.max(0, -k * d * slope)), w, 0)
        const [left, turned] = [1 - 0.5 * w[0], -0.5 * w[1]]
        const old = x
        x = left * x - turned * y
        y = left * y + turned * old
      }
      out[0] += v * x
      out[1] += v * y
      out[2] += h * x
      out[3] += h * y
    }
  }
}

/**
 * Reflection of a tip of half angle a: REFLECTION (1 - sin a) exp(j PHASE). A fit, without a derivation: constants to full-wave fields of
 * ogives of 6 and 12 wavelengths with a = 22.6 degrees, the factor to those with 16.3 and 33.7 degrees (1.2 and .75 times as strong, where
 * it gives 1.17 and .72); zero where the tip is flat.
 */
const REFLECTION = 0.294
const PHASE = (74 * Math.PI) / 180

/** Shadow rays start this many tolerances above their face. */
const LIFT = 4

/**
 * Waves that run along a smooth surface to a pointed end behind, are reflected there and radiate on the way back:
 *
 *   F_pq = (G/k) f_p f_q,   G = 0.294 (1 - sin a) exp(j 74 deg)
 *
 * summed over the tips that point away from the radar, with f of `GeodesicLaunch` over the lit parts of the geodesics in the plane of tip axis and
 * direction. Reciprocal: what a direction brings and what it is sent are one number. One object per thread.
 */
export class TravellingWaves implements Mechanism {
  private readonly tips: Tip[]
  private readonly geodesics: Geodesics
  private readonly caster: RayCaster
  private readonly launches: [GeodesicLaunch, GeodesicLaunch]
  private readonly f: [Float64Array, Float64Array] = [new Float64Array(4), new Float64Array(4)]

  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    private readonly band: Band,
  ) {
    const shortest = 1 / boundsOf(band).highest
    this.tips = findTips(scene)
    this.geodesics = new Geodesics(scene)
    this.caster = new RayCaster(rays)
    this.launches = [new GeodesicLaunch(shortest), new GeodesicLaunch(shortest)]
  }

  /** The target's tips. */
  get units(): number {
    return this.tips.length
  }

  /** See `Mechanism`. */
  add(aspect: Aspect, unit: number, out: Float64Array): boolean {
    const tip = this.tips[unit]
    const alike = isMonostatic(aspect)
    const there = this.launch(tip, aspect.tx, this.launches[0])
    const back = alike || !there ? there : this.launch(tip, aspect.rx, this.launches[1])
    if (back) this.reflect(tip, aspect, alike, out)
    return back
  }

  /** Sets what light from a direction does along the geodesics to a tip; false where nothing arrives. */
  private launch(tip: Tip, { r, thetaHat, phiHat }: Direction, launch: GeodesicLaunch): boolean {
    launch.clear()
    if (dot(r, tip.axis) >= 0) return false
    const { scene, caster } = this
    const { normals } = scene
    const lift = LIFT * scene.tolerance
    let u = 0
    this.geodesics.fromTip(
      tip,
      r,
      (face, p, d, length) => {
        const n = 3 * face
        if (along(normals, n, r) > 0) {
          const [path, slope, v, h] = [
            along(p, 0, r),
            along(d, 0, r),
            -along(d, 0, thetaHat),
            -along(d, 0, phiHat),
          ]
          launch.add(u, u + length, { path, slope, v, h }, (l) => {
            const [x, y, z] = [0, 1, 2].map((c) => p[c] + l * d[c] + lift * normals[n + c])
            return !caster.occluded(x, y, z, r[0], r[1], r[2], -1)
          })
        }
        u += length
      },
      (sharp) => {
        launch.end(sharp ? u : Infinity)
        u = 0
      },
    )
    return !launch.isEmpty
  }

  /** Sets `part` to the field of the wave that a tip reflects. */
  private reflect({ halfAngle }: Tip, { tx, rx }: Aspect, alike: boolean, part: Float64Array): void {
    const { scene, band, launches } = this
    const [a, b] = alike ? [this.f[0], this.f[0]] : this.f
    const shiftTx = dot(tx.r, scene.origin)
    const shiftRx = dot(rx.r, scene.origin)
    const g = REFLECTION * (1 - Math.sin(halfAngle))
    for (let i = 0; i < band.n; i++) {
      const k = wavenumber(frequency(band, i))
      launches[0].at(k, shiftTx, a)
      if (!alike) launches[1].at(k, shiftRx, b)
      const re = (g / k) * Math.cos(PHASE)
      const im = (g / k) * Math.sin(PHASE)
      for (const [c, [p, q]] of CHANNELS.entries()) {
        const x = a[2 * p] * b[2 * q] - a[2 * p + 1] * b[2 * q + 1]
        const y = a[2 * p] * b[2 * q + 1] + a[2 * p + 1] * b[2 * q]
        part[8 * i + 2 * c] = x * re - y * im
        part[8 * i + 2 * c + 1] = x * im + y * re
      }
    }
  }
}
