import { type Aspect, type Direction, dot, GRAZING_COSINE, sinc, type Vec3 } from '../scene/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { EdgeFace } from './face.js'
import { amplitude, part } from './field.js'
import type { LightWave } from './image-waves.js'
import { JOINT } from './interpolate.js'
import { type Lighting, setLighting } from './lighting.js'
import type { PathSum } from './path-sum.js'
import { sincDifference } from './sinc-difference.js'
import { StripFan } from './strip-fan.js'
import { MOMENTS, type Truncation } from './strip.js'
import type { Wedge, WedgeCache } from './wedge.js'

/** Edges shorter than this part of the strip's Fresnel zone, pieces of a curved rim, are left out: their waves converge or spread. */
const SHORTEST_EDGE = 0.5
/** A strip ends on an edge when it comes this near to it, in parts of the target's diagonal. */
const ON_EDGE = 1e-7

/**
 * Edge to edge across a face (docs/second-order.md). The wave that an edge sends along its face meets the edge at the strip's other
 * end as a plane wave at grazing incidence, whose H on the face is that of the strip's current there, 2 H_z V_d(l)/sin beta0; this
 * edge's fringe currents on both its faces follow as under any plane wave. Only the part with E across the face: the other vanishes
 * on it. One object per thread.
 */
export class EdgeToEdge {
  /** Edges and places (0, 1) of each side of each face: 2 e + i, by face and side. */
  private readonly edgesOf = new Map<number, number[]>()
  private readonly source: EdgeFace
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly fans: [StripFan, StripFan]
  private readonly moments = new Float64Array(MOMENTS)
  /** Amplitudes with the segment's own delay, and of a strip's end; V_d exp(jL) of the strips that bring the wave. */
  private readonly near: Float64Array
  private readonly far: Float64Array
  private readonly current: Float64Array
  private readonly lowest: number
  private readonly highest: number

  constructor(
    private readonly scene: EdgeScene,
    truncation: Truncation,
    private readonly wedges: WedgeCache,
    private readonly paths: PathSum,
  ) {
    this.source = new EdgeFace(truncation)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.near = new Float64Array(8 * paths.k.length)
    this.far = new Float64Array(8 * paths.k.length)
    this.current = new Float64Array(2 * paths.k.length)
    this.lowest = paths.k.reduce((a, b) => Math.min(a, b), Infinity)
    this.highest = paths.k.reduce((a, b) => Math.max(a, b), 0)
    for (let at = 0; at < 2 * scene.count; at++) {
      const key = this.sideOf(at)
      this.edgesOf.set(key, [...(this.edgesOf.get(key) ?? []), at])
    }
  }

  /**
   * Adds what a segment's two strips do at the edges they end on.
   *
   * @param o       its position in `segments` (`Segments.data`)
   * @param middle  distance of its midpoint from the edge's start [m]
   * @param lit     the wave that lights it, and the receiver
   * @param shift   phase path of the arrays' origin, (tx + rx).origin [m]
   */
  add(segments: Float64Array, o: number, middle: number, wave: LightWave, lit: Aspect, shift: number): void {
    const { edges, frames } = this.scene
    const e = segments[o]
    const p = EDGE_SIZE * e
    const tangent: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
    const lighting: Lighting = { lit: [false, false], share: 1 }
    setLighting(this.scene, e, wave.r, lighting)
    const start = tangent.map((v, c) => edges[p + c] + middle * v) as Vec3
    for (let i = 0; i < 2; i++) {
      const f = FRAMES_SIZE * e + 9 * i
      const l = segments[o + 3 + 2 * i]
      const x: Vec3 = [frames[f], frames[f + 1], frames[f + 2]]
      const y: Vec3 = [frames[f + 3], frames[f + 4], frames[f + 5]]
      const z: Vec3 = [frames[f + 6], frames[f + 7], frames[f + 8]]
      const sin = Math.hypot(dot(wave.r, x), dot(wave.r, y))
      const cos = -dot(wave.r, z)
      const u = x.map((v, c) => sin * v + cos * z[c]) as Vec3
      const end = start.map((v, c) => v + l * u[c]) as Vec3
      const least = SHORTEST_EDGE * Math.sqrt((2 * Math.PI * l) / this.highest)
      const hit = edges[p + 6] < least ? null : this.edgeAt(end, e, i)
      if (hit === null || edges[EDGE_SIZE * (hit.at >> 1) + 6] < least) continue
      const wedge = this.wedges.get(edges[p + 7])
      const along: Aspect = { tx: lit.tx, rx: { ...lit.rx, r: u } }
      // Observed along the strip, the current's phase is taken out of R: R = V_d exp(jL) - V_d(0) - jS.
      const across: Vec3 = cross(y, u)
      const fields = [wave.thetaHat, wave.phiHat].map((field) => {
        // Z H at the edge, along z; half of the H on the face, across u, and its E.
        const hz = -dot(cross(wave.r, field), z)
        const h = (hz / sin) * Math.sign(dot(across, z))
        return cross(across, u).map((v) => h * v) as Vec3
      })
      // The other edge's piece that these strips end on: dl/dz turned to the edge's tangent.
      const slope = segments[o + 4 + 2 * i] * (dot(z, tangent) < 0 ? -1 : 1)
      const piece = segments[o + 2] * Math.hypot(...tangent.map((v, c) => v + slope * u[c]))
      const psi = dot(wave.r, start) + wave.path - l + dot(lit.rx.r, end) + shift
      // In the face's own plane: the mean of what a wave from either side of it brings.
      const { lit: isLit, share } = lighting
      const inPlane = share === 1 && Math.abs(dot(wave.r, y)) <= GRAZING_COSINE
      for (const bright of inPlane ? [true, false] : [isLit[i]]) {
        if (!this.source.aim(wedge, frames, f, along, bright)) continue
        const weight = inPlane ? 0.5 : share
        const grazing: Direction = {
          ...lit.tx,
          r: u.map((v) => -v) as Vec3,
          thetaHat: fields[0].map((v) => weight * v) as Vec3,
          phiHat: fields[1].map((v) => weight * v) as Vec3,
        }
        this.respond(hit, { tx: grazing, rx: lit.rx }, piece, psi, l)
      }
    }
  }

  /** Key of a face's side at an edge: 2 e + i. */
  private sideOf(at: number): number {
    return 2 * this.scene.faces[at] + (this.scene.sides[at] > 0 ? 1 : 0)
  }

  /** The edge, other than e, of the side of face i of e that a point lies on: its 2 e + i, and the distance from its start. */
  private edgeAt(point: Vec3, e: number, i: number): { at: number; t: number } | null {
    const { edges, diagonal } = this.scene
    for (const at of this.edgesOf.get(this.sideOf(2 * e + i)) ?? []) {
      const p = EDGE_SIZE * (at >> 1)
      if (at >> 1 === e) continue
      const from: Vec3 = [point[0] - edges[p], point[1] - edges[p + 1], point[2] - edges[p + 2]]
      const tangent: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
      const t = dot(from, tangent)
      if (t < 0 || t > edges[p + 6]) continue
      if (Math.hypot(...from.map((v, c) => v - t * tangent[c])) < ON_EDGE * diagonal) return { at, t }
    }
    return null
  }

  /** Adds the fringe currents of a piece of an edge under the grazing wave, times V_d of the strips that brought it. */
  private respond(
    { at, t }: { at: number; t: number },
    aspect: Aspect,
    piece: number,
    psi: number,
    l: number,
  ): void {
    const { scene, faces, fans, near, paths } = this
    const { k } = paths
    const e = at >> 1
    const wedge: Wedge = this.wedges.get(scene.edges[EDGE_SIZE * e + 7])
    this.setCurrent(l)
    near.fill(0)
    for (let j = 0; j < 2; j++) {
      const face = faces[j]
      if (!face.aim(wedge, scene.frames, FRAMES_SIZE * e + 9 * j, aspect, j === (at & 1))) return
      fans[j].aim(e, j, face.strip.sinBeta0, face.strip.cosBeta0)
      fans[j].at(t)
      this.addFace(face, fans[j].length, fans[j].slope, piece, psi)
    }
    for (let n = 0; n < k.length; n++) this.timesCurrent(near, n)
    paths.add(psi, near)
  }

  /** Sets V_d exp(jL) of the source's strips of length l, at all wavenumbers. */
  private setCurrent(l: number): void {
    const { source, moments, current, lowest } = this
    const { k } = this.paths
    const perK = l * source.strip.sinBeta0 ** 2
    const mu = 1 - 2 * source.strip.c ** 2
    for (let n = 0; n < k.length; n++) {
      source.strip.moments(k[n] * perK, lowest * perK, moments)
      current[2 * n] = moments[4] + source.strip.V0 - mu * moments[1]
      current[2 * n + 1] = moments[5] + mu * moments[0]
    }
  }

  /**
   * Adds a face's fringe currents to `near`, but for the parts at the strips' ends, which have a delay of their own: as
   * `InterpolatedField`.
   */
  private addFace(face: EdgeFace, l: number, slope: number, piece: number, psi: number): void {
    const { moments, near, far, paths, lowest } = this
    const { k } = paths
    const perK = l * face.strip.sinBeta0 ** 2
    const x = 0.5 * face.slide * piece
    const d = 0.5 * slope * face.cone * piece
    const joint = face.strip.c * Math.sqrt(2 * this.highest * perK) < JOINT
    for (let n = 0, o = 0; n < k.length; n++) {
      face.strip.moments(k[n] * perK, lowest * perK, moments)
      const s1 = piece * sinc(k[n] * x)
      const s2 = piece * sinc(k[n] * (x - d))
      const cos = Math.cos(k[n] * l * face.cone)
      const sin = Math.sin(k[n] * l * face.cone)
      for (let ch = 0; ch < 4; ch++, o += 2) {
        if (joint) {
          amplitude(face, ch, moments, s1, piece * sincDifference(k[n] * x, k[n] * d))
          near[o] += part[0]
          near[o + 1] += part[1]
          continue
        }
        near[o] += s1 * face.untruncated[ch]
        amplitude(face, ch, moments, 0, -s2)
        far[o] = cos * part[0] - sin * part[1]
        far[o + 1] = cos * part[1] + sin * part[0]
      }
      if (!joint) this.timesCurrent(far, n)
    }
    if (!joint) paths.add(psi - l * face.cone, far)
  }

  /** Multiplies the channels of wavenumber n by the source's current. */
  private timesCurrent(values: Float64Array, n: number): void {
    const [re, im] = [this.current[2 * n], this.current[2 * n + 1]]
    for (let o = 8 * n; o < 8 * n + 8; o += 2) {
      const [a, b] = [values[o], values[o + 1]]
      values[o] = re * a - im * b
      values[o + 1] = re * b + im * a
    }
  }
}

const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
