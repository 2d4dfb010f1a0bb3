import { type Aspect, cross, type Direction, dot, isMonostatic, type Vec3 } from '../../../scene/index.js'
import {
  along,
  EDGE_SIZE,
  FRAMES_SIZE,
  grazingAt,
  HALF_PLANE,
  halfWay,
  vectorAt,
} from '../../geometry/edge-scene.js'
import { awayFromFaces } from '../../light/segments.js'
import { CHANNELS } from '../../engine/mechanism.js'
import { CornerWaves, type Launch, polar } from './launch.js'

/**
 * Reflection of a wave along an edge by a corner of 90 degrees, G and G': least squares over HH and HV of rectangular sheets of 1.3 to 4
 * wavelengths by the method of moments, 60 to 90 degrees from their normal. The smallest sheet alone gives G within 2 %, G' within 15 %.
 */
const ALONG = polar(0.073, 29)
const ACROSS = polar(0.0086, -79)
/** The same between both, G'': least squares over HV of the same sheets; one sheet alone gives it within 2 % and 10 degrees. */
const BETWEEN = polar(0.0051, -174)
/** The light is looked for from so many tolerances behind, as for segments. */
const BEHIND = 0.2
/** Light within this of an edge's own direction (sine of the angle) is looked for so much beside it, away from the faces. */
const BESIDE = 1e-3

/** What one direction launches along the edge being added, towards one of its ends. */
interface Side {
  launch: Launch
  /** Amplitudes of V and H: E along the edge, of this what is in the plane of incidence; E across the edge, of this what is not. */
  along: [number, number]
  inPlane: [number, number]
  across: [number, number]
  beside: [number, number]
  /** |n.s|. */
  cos: number
  /** Lit parts of an edge [m from its start], from and to in turn. */
  lit: number[]
}

/**
 * Waves along straight sharp edges that corners turn back. As those on faces (`FaceWaves`) they have the form F_pq = (G/k) f_p f_q with what arrives at the corner, f = w `Launch`, and so are reciprocal. G is a pure number: the field of a corner
 * does not grow with the target. For an edge with unit vector t to its end, x into its face, z along it (phi0 from x), cos b = -s.z:
 *
 *   F_pq = (1/k) turn f f [G (w_p w_q - (1 - nu) v_p v_q) + G' m_p m_q + G'' (v_p n_q + n_p v_q)],   q = 1 + s.t in f
 *   w_p = [p.z sin(phi0/N) - cos b (p x s).z cos(phi0/N)] / sqrt(sin b)     the singular current at the edge
 *   v_p = w_p of what of p is in the plane of incidence, nu = ((n.s_p)(n.s_q))^2: twice in it, it is cancelled at grazing incidence
 *   m_p = (p.x) cos b      E across the edge: light along it; n_p of what of p is not in the plane of incidence
 *
 * One object per thread.
 */
export class EdgeWaves extends CornerWaves {
  private readonly sides: [Side, Side] = [newSide(this.launches[0]), newSide(this.launches[1])]

  /** Adds the waves of the edges first to end - 1, referred to the mesh's origin. */
  add(aspect: Aspect, first: number, end: number): void {
    const { turn } = this.corners
    for (let e = first; e < end; e++) if (turn[2 * e] > 0 || turn[2 * e + 1] > 0) this.addEdge(e, aspect)
  }

  /** Adds the waves that run along edge e to its ends. */
  private addEdge(e: number, aspect: Aspect): void {
    const { corners, sides } = this
    const { tx, rx } = aspect
    if (this.isNegligible(this.bound(e, tx) * this.bound(e, rx) * Math.hypot(...ALONG))) return
    const one = isMonostatic(aspect)
    const back = one ? sides[0] : sides[1]
    const lifts = this.liftsOf(e, tx.r)
    const liftsBack = one ? ONE : this.liftsOf(e, rx.r)
    const weight = 1 / (lifts.length * liftsBack.length)
    for (const lift of lifts) {
      if (!this.aim(e, tx, sides[0], lift)) return
      for (const liftBack of liftsBack) {
        if (!one && !this.aim(e, rx, back, liftBack)) return
        for (let end = 0; end < 2; end++) {
          const turn = corners.turn[2 * e + end]
          if (turn === 0) continue
          this.launch(2 * e + end, tx, sides[0], lift)
          if (!one) this.launch(2 * e + end, rx, back, liftBack)
          this.radiate(turn * weight, sides[0], back)
        }
      }
    }
  }

  /**
   * How far above its first face an edge has its light from, in tolerances: in the plane of a sheet from both sides, for the mean of what both
   * bring, since others may hide it from one of them.
   */
  private liftsOf(e: number, r: Vec3): readonly number[] {
    const { edges, frames } = this.scene
    const f = FRAMES_SIZE * e
    if (edges[EDGE_SIZE * e + 7] <= HALF_PLANE) return ONE
    return Math.abs(along(frames, f + 3, r)) <= grazingAt(this.scene, f) ? BOTH : ONE
  }

  /** At most |f| of a direction along an edge. */
  private bound(e: number, { r }: Direction): number {
    const { edges } = this.scene
    const p = EDGE_SIZE * e
    const cos = Math.abs(along(edges, p + 3, r))
    const most = 2 * (Math.sqrt(1 + this.paths.lowest * this.corners.lengths[e]) - 1)
    return Math.min(most, 2 * Math.sqrt(Math.PI / Math.max(1e-9, 1 - cos)))
  }

  /** Takes edge e under the light of a direction. False where this comes from inside the wedge. */
  private aim(e: number, direction: Direction, side: Side, lift: number): boolean {
    const { edges, frames } = this.scene
    const { r } = direction
    const f = FRAMES_SIZE * e
    const N = edges[EDGE_SIZE * e + 7]
    const [x, y, z] = [0, 3, 6].map((at) => vectorAt(frames, f + at))
    let phi0 =
      lift === 0 ? Math.atan2(dot(r, y), dot(r, x)) : dot(r, x) < 0 ? Math.PI : lift > 0 ? 0 : 2 * Math.PI
    if (phi0 < 0) phi0 += 2 * Math.PI
    if (phi0 > N * Math.PI + grazingAt(this.scene, f + 9)) {
      if (phi0 < 2 * Math.PI - grazingAt(this.scene, f)) return false
      phi0 = 0
    }
    // The half-plane in the middle of the wedge, and the direction into the material.
    const { away, normal } = halfWay(this.scene, e)
    const inside = away.map((c) => -c) as Vec3
    const across = cross(r, normal)
    const sin = Math.hypot(...across)
    const cosBeta = -dot(r, z)
    const sinBeta = Math.max(1e-6, Math.sqrt(Math.max(0, 1 - cosBeta * cosBeta)))
    const [ofE, ofH] = [Math.sin(phi0 / N), -cosBeta * Math.cos(phi0 / N)]
    const along = (p: Vec3): number => (ofE * dot(p, z) + ofH * dot(cross(p, r), z)) / Math.sqrt(sinBeta)
    side.cos = Math.abs(dot(r, normal))
    const plane = cross(across, r)
    for (const [i, p] of [direction.thetaHat, direction.phiHat].entries()) {
      side.along[i] = along(p)
      side.inPlane[i] = sin < 1e-6 ? 0 : (along(plane) * dot(p, plane)) / (sin * sin)
      side.across[i] = dot(p, inside) * cosBeta
      const inPlane = sin < 1e-6 ? 0 : (dot(plane, inside) * dot(p, plane)) / (sin * sin)
      side.beside[i] = (dot(p, inside) - inPlane) * cosBeta
    }
    return true
  }

  /** Sets the parts of an edge that light from r reaches. */
  private findLight(e: number, r: Vec3, lit: number[], tolerances: number): void {
    const { scene, start } = this
    const { edges, frames, tolerance } = scene
    const p = EDGE_SIZE * e
    const f = FRAMES_SIZE * e
    const along = vectorAt(edges, p + 3)
    const up = vectorAt(frames, f + 3).map((v) => tolerances * v) as Vec3
    // Of a solid taken as a sheet past the face on that side.
    const lift = awayFromFaces(scene, e, [0, 0, 0], tolerances === 0 ? r : up)
    for (let c = 0; c < 3; c++) lift[c] += tolerance * up[c]
    let towards = r
    const cos = dot(r, along)
    if (1 - cos * cos < BESIDE * BESIDE) {
      const f = BESIDE / Math.hypot(...lift)
      towards = r.map((c, i) => c + f * lift[i]) as Vec3
      const norm = Math.hypot(...towards)
      towards = towards.map((c) => c / norm) as Vec3
    }
    for (let c = 0; c < 3; c++) start[c] = edges[p + c] + lift[c] - BEHIND * tolerance * r[c]
    this.parts.find(start, along, towards, edges[p + 6], lit)
  }

  /** Sets what arrives at an end of an edge, from this and from those that it goes on as in a line. */
  private launch(end: number, { r }: Direction, { launch, lit }: Side, lift: number): void {
    const { scene, corners } = this
    const { edges, origin } = scene
    const p = EDGE_SIZE * (end >> 1)
    const cos = along(edges, p + 3, r)
    const from = along(edges, p, r) + dot(r, origin)
    const path = end & 1 ? from + edges[p + 6] * cos : from
    const q = Math.max(0, 1 + (end & 1 ? cos : -cos))
    launch.clear()
    let x = 0
    for (let near = end; near >= 0;) {
      const whole = edges[EDGE_SIZE * (near >> 1) + 6]
      this.findLight(near >> 1, r, lit, lift)
      for (let i = 0; i < lit.length; i += 2)
        if (near & 1) launch.add(path, q, x + whole - lit[i + 1], x + whole - lit[i])
        else launch.add(path, q, x + lit[i], x + lit[i + 1])
      x += whole
      near = corners.onward[near ^ 1]
      if (near >> 1 === end >> 1) break
    }
  }

  /** Adds what a corner turns back. */
  private radiate(turn: number, out: Side, back: Side): void {
    const { reflection } = this
    // What is in the plane of incidence twice is cancelled at grazing incidence.
    const dark = 1 - (out.cos * back.cos) ** 2
    for (let c = 0; c < 4; c++) {
      const [p, q] = CHANNELS[c]
      const along = turn * (out.along[p] * back.along[q] - dark * out.inPlane[p] * back.inPlane[q])
      const across = turn * out.across[p] * back.across[q]
      const between = turn * (out.inPlane[p] * back.beside[q] + out.beside[p] * back.inPlane[q])
      reflection[2 * c] = ALONG[0] * along + ACROSS[0] * across + BETWEEN[0] * between
      reflection[2 * c + 1] = ALONG[1] * along + ACROSS[1] * across + BETWEEN[1] * between
    }
    this.reflect(out.launch, back.launch)
  }
}

/** Lifts of `EdgeWaves.liftsOf`: more than what planes are off by, which the edge's own distance from them adds to. */
const ONE = [0]
const BOTH = [8, -8]

const newSide = (launch: Launch): Side => ({
  launch,
  along: [NaN, NaN],
  inPlane: [NaN, NaN],
  across: [NaN, NaN],
  beside: [NaN, NaN],
  cos: NaN,
  lit: [],
})
