import { type Aspect, cross, dot, type Vec3 } from '../scene/index.js'
import { GRAZING_COSINE, sinc } from '../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { amplitude, EdgeFace } from './face.js'
import { JOINT } from './edge-field.js'
import type { LightWave } from './image-waves.js'
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

/** Waves are followed from edge to edge until they are weaker than this part of the light (estimates of V_d multiplied); */
const WEAKEST = 0.01
/** and over so many faces at most. */
const MAX_FACES = 6

/** The edge that a strip ends on: its 2 e + i, and the distance from its start [m]. */
interface Hit {
  at: number
  t: number
}

/** A strip of fringe current. */
interface Strip {
  /** 2 e + i of its edge and face. */
  at: number
  /** Distance of its foot from the edge's start, and length of the piece of the edge [m]. */
  t: number
  piece: number
  /** Length [m], and slope of the length along z of the face's frame. */
  length: number
  slope: number
  /** Whether physical optics has the face lit. */
  lit: boolean
}

/**
 * Edge to edge across faces (docs/second-order.md). The wave that an edge sends along its face meets the edge at the strip's other
 * end as a plane wave at grazing incidence, whose H on the face is that of the strip's current there, 2 H_z V_d(l)/sin beta0; this
 * edge's fringe currents on both its faces follow as under any plane wave, and send waves in turn. Only the part with E across the
 * face: the other vanishes on it.
 *
 * At grazing the wave of the edge over which the light comes cancels the light: V_d -> -1/2 on one side of the face, +1/2 on the other.
 * A series cut after two edges therefore is missing what cancels waves that begin at the far edges. So a first strip that runs with the light
 * at grazing incidence counts as part of the light. Waves weaken along all others, |V_d| about 1/(2 sqrt(2 pi L)), and are followed until they are weak. One
 * object per thread.
 */
export class EdgeToEdge {
  /** Edges and places (0, 1) of each side of each face: 2 e + i, by face and side. */
  private readonly edgesOf = new Map<number, number[]>()
  private readonly source: EdgeFace
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly fans: [StripFan, StripFan]
  private readonly moments = new Float64Array(MOMENTS)
  private readonly part = new Float64Array(2)
  /** Amplitudes with the segment's own delay, and of a strip's end; V_d exp(jL) of the strips that bring the wave, by faces crossed. */
  private readonly near: Float64Array
  private readonly far: Float64Array
  private readonly currents: Float64Array[]
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  private readonly lowest: number
  private readonly highest: number

  /** @param smallestK  wavenumber at the band's lowest frequency [rad/m] */
  constructor(
    private readonly scene: EdgeScene,
    truncation: Truncation,
    private readonly wedges: WedgeCache,
    private readonly paths: PathSum,
    private readonly smallestK: number,
  ) {
    this.source = new EdgeFace(truncation)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.near = new Float64Array(8 * paths.k.length)
    this.far = new Float64Array(8 * paths.k.length)
    this.currents = Array.from({ length: MAX_FACES }, () => new Float64Array(2 * paths.k.length))
    this.lowest = paths.k.reduce((a, b) => Math.min(a, b), Infinity)
    this.highest = paths.k.reduce((a, b) => Math.max(a, b), 0)
    for (let at = 0; at < 2 * scene.count; at++) {
      const key = this.sideOf(at)
      this.edgesOf.set(key, [...(this.edgesOf.get(key) ?? []), at])
    }
  }

  add(segments: Float64Array, o: number, middle: number, wave: LightWave, lit: Aspect, shift: number): void {
    const { frames } = this.scene
    const e = segments[o]
    const psi = dot(wave.r, this.pointOf(e, middle)) + wave.path + shift
    setLighting(this.scene, e, wave.r, this.lighting)
    const { lit: isLit, share } = this.lighting
    for (let i = 0; i < 2; i++) {
      const strip: Strip = {
        at: 2 * e + i,
        t: middle,
        piece: segments[o + 2],
        length: segments[o + 3 + 2 * i],
        slope: segments[o + 4 + 2 * i],
        lit: isLit[i],
      }
      // In the face's own plane: the mean of what a wave from either side of it brings.
      const f = FRAMES_SIZE * e + 9 * i
      const normal: Vec3 = [frames[f + 3], frames[f + 4], frames[f + 5]]
      const inPlane = share === 1 && Math.abs(dot(wave.r, normal)) <= GRAZING_COSINE
      const weight = inPlane ? 0.5 : share
      const scaled = (field: Vec3): Vec3 => field.map((v) => weight * v) as Vec3
      const tx = { ...lit.tx, ...wave, thetaHat: scaled(wave.thetaHat), phiHat: scaled(wave.phiHat) }
      for (const bright of inPlane ? [true, false] : [isLit[i]])
        this.follow({ ...strip, lit: bright }, { tx, rx: lit.rx }, psi, 0, 1)
    }
  }

  /**
   * Adds what a strip does at the edge it ends on, and what becomes of it from there.
   *
   * @param aspect  the wave at its own edge, and the receiver
   * @param psi     phase path of that wave at its foot, and of the origin [m]
   * @param faces   that the wave has crossed before
   * @param strength  of the wave, estimated, in parts of the light
   */
  private follow(strip: Strip, aspect: Aspect, psi: number, faces: number, strength: number): void {
    const { edges, frames } = this.scene
    const { at, t, length: l } = strip
    const { tx, rx } = aspect
    const e = at >> 1
    const p = EDGE_SIZE * e
    const f = FRAMES_SIZE * e + 9 * (at & 1)
    const tangent: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
    const x: Vec3 = [frames[f], frames[f + 1], frames[f + 2]]
    const y: Vec3 = [frames[f + 3], frames[f + 4], frames[f + 5]]
    const z: Vec3 = [frames[f + 6], frames[f + 7], frames[f + 8]]
    const sin = Math.hypot(dot(tx.r, x), dot(tx.r, y))
    const cos = -dot(tx.r, z)
    const u = x.map((v, c) => sin * v + cos * z[c]) as Vec3
    const end = this.pointOf(e, t).map((v, c) => v + l * u[c]) as Vec3
    const least = SHORTEST_EDGE * Math.sqrt((2 * Math.PI * l) / this.highest)
    const hit = edges[p + 6] < least ? null : this.edgeAt(end, e, at & 1)
    if (hit === null || edges[EDGE_SIZE * (hit.at >> 1) + 6] < least) return
    const wedge = this.wedges.get(edges[p + 7])
    // Observed along the strip, the current's phase is taken out of R: R = V_d exp(jL) - V_d(0) - jS.
    if (!this.source.aim(wedge, frames, f, { tx, rx: { ...rx, r: u } }, strip.lit)) return
    const across: Vec3 = cross(y, u)
    const fields = [tx.thetaHat, tx.phiHat].map((field) => {
      // Z H at the edge, along z; half of the H on the face, across u, and its E.
      const hz = -dot(cross(tx.r, field), z)
      const h = (hz / sin) * Math.sign(dot(across, z))
      return cross(across, u).map((v) => h * v) as Vec3
    })
    const r = u.map((v) => -v) as Vec3
    const grazing: Aspect = { tx: { ...tx, r, thetaHat: fields[0], phiHat: fields[1] }, rx }
    // The other edge's piece that these strips end on: dl/dz turned to the edge's tangent.
    const slope = strip.slope * (dot(z, tangent) < 0 ? -1 : 1)
    const piece = strip.piece * Math.hypot(...tangent.map((v, c) => v + slope * u[c]))
    this.setCurrent(l, faces)
    const next = this.respond(hit, grazing, piece, psi - l, faces)
    const spread = 0.5 / Math.sqrt(2 * Math.PI * this.smallestK * l * sin * sin)
    // The more a first strip runs with the light, the less its current weakens: not at all at grazing incidence, where a is 0.
    strength *=
      faces === 0 ? Math.min(1, spread / Math.min(1, 2 * this.source.strip.a ** 2)) : Math.min(0.5, spread)
    if (strength < WEAKEST || faces + 1 === MAX_FACES) return
    for (const onwards of next) this.follow(onwards, grazing, psi - l, faces + 1, strength)
  }

  /** Point of an edge, t [m] from its start. */
  private pointOf(e: number, t: number): Vec3 {
    const { edges } = this.scene
    const p = EDGE_SIZE * e
    return [edges[p] + t * edges[p + 3], edges[p + 1] + t * edges[p + 4], edges[p + 2] + t * edges[p + 5]]
  }

  /** Key of a face's side at an edge: 2 e + i. */
  private sideOf(at: number): number {
    return 2 * this.scene.faces[at] + (this.scene.sides[at] > 0 ? 1 : 0)
  }

  /** The edge, other than e, of the side of face i of e that a point lies on: its 2 e + i, and the distance from its start. */
  private edgeAt(point: Vec3, e: number, i: number): Hit | null {
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

  /**
   * Adds the fringe currents of a piece of an edge under the grazing wave, times V_d of the strips that brought it. Gives their strips.
   *
   * @param arriving  phase path of the wave there, and of the origin [m]
   */
  private respond({ at, t }: Hit, aspect: Aspect, piece: number, arriving: number, crossed: number): Strip[] {
    const { scene, faces, fans, near, paths } = this
    const { k } = paths
    const e = at >> 1
    const wedge: Wedge = this.wedges.get(scene.edges[EDGE_SIZE * e + 7])
    const psi = arriving + dot(aspect.rx.r, this.pointOf(e, t))
    const strips: Strip[] = []
    near.fill(0)
    for (let j = 0; j < 2; j++) {
      const face = faces[j]
      const lit = j === (at & 1)
      if (!face.aim(wedge, scene.frames, FRAMES_SIZE * e + 9 * j, aspect, lit)) return []
      fans[j].aim(e, j, face.strip.sinBeta0, face.strip.cosBeta0)
      fans[j].at(t)
      const { length, slope } = fans[j]
      this.addFace(face, length, slope, piece, psi, crossed)
      strips.push({ at: 2 * e + j, t, piece, length, slope, lit })
    }
    for (let n = 0; n < k.length; n++) this.timesCurrent(near, n, crossed)
    paths.add(psi, near)
    return strips
  }

  /** Sets V_d exp(jL) of the source's strips of length l, at all wavenumbers, times those of the faces crossed before. */
  private setCurrent(l: number, crossed: number): void {
    const { source, moments, currents, lowest } = this
    const { k } = this.paths
    const perK = l * source.strip.sinBeta0 ** 2
    const mu = 1 - 2 * source.strip.c ** 2
    for (let n = 0, o = 0; n < k.length; n++, o += 2) {
      source.strip.moments(k[n] * perK, lowest * perK, moments)
      const re = moments[4] + source.strip.V0 - mu * moments[1]
      const im = moments[5] + mu * moments[0]
      const [a, b] = crossed === 0 ? [1, 0] : [currents[crossed - 1][o], currents[crossed - 1][o + 1]]
      currents[crossed][o] = re * a - im * b
      currents[crossed][o + 1] = re * b + im * a
    }
  }

  /**
   * Adds a face's fringe currents to `near`, but for the parts at the strips' ends, which have a delay of their own: as
   * `InterpolatedField`.
   */
  private addFace(
    face: EdgeFace,
    l: number,
    slope: number,
    piece: number,
    psi: number,
    crossed: number,
  ): void {
    const { moments, part, near, far, paths, lowest } = this
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
          amplitude(face, ch, moments, s1, piece * sincDifference(k[n] * x, k[n] * d), part)
          near[o] += part[0]
          near[o + 1] += part[1]
          continue
        }
        near[o] += s1 * face.untruncated[ch]
        amplitude(face, ch, moments, 0, -s2, part)
        far[o] = cos * part[0] - sin * part[1]
        far[o + 1] = cos * part[1] + sin * part[0]
      }
      if (!joint) this.timesCurrent(far, n, crossed)
    }
    if (!joint) paths.add(psi - l * face.cone, far)
  }

  /** Multiplies the channels of wavenumber n by the source's current. */
  private timesCurrent(values: Float64Array, n: number, crossed: number): void {
    const current = this.currents[crossed]
    const [re, im] = [current[2 * n], current[2 * n + 1]]
    for (let o = 8 * n; o < 8 * n + 8; o += 2) {
      const [a, b] = [values[o], values[o + 1]]
      values[o] = re * a - im * b
      values[o + 1] = re * b + im * a
    }
  }
}
