import { type Aspect, dot, type Vec3 } from '../../scene/index.js'
import { GRAZING_COSINE, LitParts, type RayScene } from '../../rays/index.js'
import {
  along,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  grazingAt,
  HALF_PLANE,
} from '../geometry/edge-scene.js'
import { END_ON } from '../currents/face.js'
import { StripFan } from './strip-walk.js'

/** Whether the face whose frame begins at `at` is lit from r: the test of physical optics, grazing rays left out. */
export const isLit = (
  frames: Float64Array,
  at: number,
  r: ArrayLike<number>,
  grazing = GRAZING_COSINE,
): boolean => along(frames, at + 3, r) > grazing

/** Whether a direction lies in the plane of a face, on its side of the edge: light from there comes over the face. */
const comesOver = (frames: Float64Array, at: number, r: ArrayLike<number>, grazing: number): boolean =>
  Math.abs(along(frames, at + 3, r)) <= grazing && along(frames, at, r) > 0

/** How an edge takes the light: what physical optics has for each face, and the part of the fringe currents that counts. */
export interface Lighting {
  lit: [boolean, boolean]
  /** 1; 0 where the edge does not diffract; 0.5 at grazing incidence over a face whose edge lies behind it. */
  share: number
}

/**
 * Sets how edge e takes light from r. Where r lies in a face's plane (docs/edge-diffraction.md, "Grazing incidence") the result is the
 * mean of the limits from both sides of the plane: at a half-plane's edge in front the currents of both dark faces, behind nothing;
 * behind the face of a wedge half the limit of the lit side, since from the other one the edge is hidden.
 */
export function setLighting(scene: EdgeScene, e: number, r: ArrayLike<number>, out: Lighting): void {
  const { edges, frames } = scene
  const a = FRAMES_SIZE * e
  const b = a + 9
  const grazingA = grazingAt(scene, a)
  const grazingB = grazingAt(scene, b)
  const { lit } = out
  lit[0] = isLit(frames, a, r, grazingA)
  lit[1] = isLit(frames, b, r, grazingB)
  out.share = 1
  if (lit[0] || lit[1]) return
  const overA = comesOver(frames, a, r, grazingA)
  const overB = comesOver(frames, b, r, grazingB)
  if (edges[EDGE_SIZE * e + 7] > HALF_PLANE) out.share = overA || overB ? 0 : 1
  else {
    out.share = overA !== overB ? 0.5 : 0
    lit[0] = overA
    lit[1] = overB
  }
}

/** How much of a wave counts on a face, for the face as lit and as dark (`sidesOf`). */
export interface Sides {
  weight: number
  lit: readonly boolean[]
}

/** How a face, whose frame begins at `at`, takes light from r: in its own plane as the mean of the limits from both sides, lit and dark. */
export function sidesOf(
  scene: EdgeScene,
  at: number,
  r: ArrayLike<number>,
  isFaceLit: boolean,
  share: number,
): Sides {
  const { frames } = scene
  const up = along(frames, at + 3, r)
  if (share === 1 && Math.abs(up) <= grazingAt(scene, at)) return { weight: 0.5, lit: [true, false] }
  return { weight: share, lit: [isFaceLit] }
}

/** Whether light at the azimuth phi0 from the first face of edge e, of the outside angle `full` [rad], lies in the plane of the face that it comes over. */
export const grazes = (scene: EdgeScene, e: number, phi0: number, full: number): boolean =>
  phi0 < grazingAt(scene, FRAMES_SIZE * e) || full - phi0 < grazingAt(scene, FRAMES_SIZE * e + 9)

/**
 * Numbers per segment: edge, phase path of the midpoint [m], length [m], then strip length [m] and slope of both faces, and the distance of the
 * midpoint from the edge's start [m].
 */
export const SEGMENT_SIZE = 8

/** Breaks closer than this part of a segment's length to another are passed by. */
const LEAST_PIECE = 0.25
/** Segments grow finer towards an end where the strips of a face are shorter than this part of a segment's length. */
const SHORT_STRIP = 0.5
/** Where the strips at the end of a piece are looked at, in parts of the piece. */
const NEAR_END = 1e-6
/** Strips grow linearly along a piece where they are off by less than this part of a segment's length, */
const LINEAR = 0.05
/** this part of the piece on either side of its middle. */
const BESIDE = 0.4375
/** The light is looked for from so many tolerances behind: a sheet that abuts in the plane of another hides the other's rim. */
const BEHIND = 0.2
/** A segment's shadow ray starts so many tolerances of the target off the edge, half-way between the faces: one may hide in these. */
const LIFT = 2

/** What of edge diffraction depends on the aspect but not on the frequency: the segments, or pieces, of the edges that diffract. */
export interface Segments {
  /** SEGMENT_SIZE numbers each, those visible from the transmitter only, in the order of their edges. */
  data: Float64Array
  /** Segments of edges that may diffract, before the visibility test. */
  considered: number
}

/**
 * A point of edge e moved a little off it, half-way between the faces: where rays meet neither. From the middle of a thin solid's rim it is
 * moved to the height of the face that r sees.
 */
export function awayFromFaces(
  { edges, frames, tolerance, thickness }: EdgeScene,
  e: number,
  point: Vec3,
  r: ArrayLike<number>,
): Vec3 {
  const f = FRAMES_SIZE * e
  // Turned from face 1 by half the wedge.
  const half = 0.5 * Math.PI * edges[EDGE_SIZE * e + 7]
  const across = LIFT * tolerance * Math.cos(half)
  let up = LIFT * tolerance * Math.sin(half)
  if (thickness[e] > 0) {
    const sin = along(frames, f + 3, r)
    // Light in its plane comes past either face.
    up = (sin < 0 ? -1 : 1) * (0.5 * thickness[e] + LIFT * tolerance)
  }
  return [
    point[0] + (across * frames[f] + up * frames[f + 3]),
    point[1] + (across * frames[f + 1] + up * frames[f + 4]),
    point[2] + (across * frames[f + 2] + up * frames[f + 5]),
  ]
}

/**
 * Finds the segments of aspects in turn. Its methods take turns on the current edge and keep their lists: closures and small arrays, made
 * again for every edge, had the compiler begin again in each thread's first aspects (CONTRIBUTING.md, "Hazards already met").
 */
export class SegmentFinder {
  /** See `Segments.data`; written over by the next call. */
  data = new Float64Array(256 * SEGMENT_SIZE)
  /** Towards the transmitter; gradient of the phase path of points, and that of the origin [m]. */
  private readonly light = new Float64Array(3)
  private readonly phase = new Float64Array(3)
  private shift = NaN
  private readonly fans: [StripFan, StripFan]
  private readonly lit: LitParts
  private count = 0
  private considered = 0
  /** Points of division of the current edge [m from its start], ascending; its parts in the light, from and to in turn, and the same cut there. */
  private readonly points = doubles()
  private readonly shone = doubles()
  private readonly cuts = doubles()
  private readonly corners = doubles()
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  /** The current edge, and whether its two faces are one. */
  private edge = 0
  private rim = false
  private readonly start: Vec3 = [NaN, NaN, NaN]
  private readonly along: Vec3 = [NaN, NaN, NaN]

  /** @param segmentLength  of segments, at most; of pieces what strips over curved surfaces, which are not linear, are cut down to [m] */
  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    private readonly segmentLength: number,
  ) {
    this.fans = [new StripFan(scene), new StripFan(scene)]
    this.lit = new LitParts(rays)
  }

  /**
   * Cuts the edges first to end - 1 into segments of at most about the length given, and keeps those that the transmitter sees. Edges with no lit
   * face, and those seen end-on, have none (docs/edge-diffraction.md, "Visibility").
   *
   * @param whole  instead into pieces along which the strips of both faces grow linearly, as long as these are (docs/edge-diffraction.md,
   *               "Intervals"; decision 008)
   */
  find(aspect: Aspect, first: number, end: number, whole = false): Segments {
    this.take(aspect)
    for (let e = first; e < end; e++) {
      if (!this.aim(e)) continue
      this.findLight(e, this.light, this.shone)
      if (this.shone.length === 0) {
        // A dark edge counts as one.
        this.considered++
        continue
      }
      this.divide(whole)
      this.considered += this.points.length - 1
      this.addParts(this.shone, whole)
    }
    const { data, count, considered } = this
    return { data: data.slice(0, SEGMENT_SIZE * count), considered }
  }

  /** Cuts parts of an edge (from and to in turn [m]) into pieces, whatever light there is; gives their number. */
  cut(aspect: Aspect, e: number, parts: number[]): number {
    this.take(aspect)
    if (!this.aim(e)) return 0
    this.divide(true)
    this.addParts(parts, true)
    return this.count
  }

  /** Finds the parts of an edge that are seen from a direction: from and to in turn [m from its start]. */
  findLight(e: number, r: ArrayLike<number>, lit: number[]): void {
    const { start, along, scene } = this
    const lift = awayFromFaces(scene, e, ORIGIN, r)
    const p = EDGE_SIZE * e
    for (let c = 0; c < 3; c++) {
      start[c] = scene.edges[p + c] + lift[c] - BEHIND * scene.tolerance * r[c]
      along[c] = scene.edges[p + 3 + c]
    }
    this.lit.find(start, along, r, scene.edges[p + 6], lit)
  }

  private take({ tx, rx }: Aspect): void {
    const { origin } = this.scene
    for (let c = 0; c < 3; c++) {
      this.light[c] = tx.r[c]
      this.phase[c] = tx.r[c] + rx.r[c]
    }
    this.shift = dot(tx.r, origin) + dot(rx.r, origin)
    this.count = 0
  }

  private addParts(parts: number[], whole: boolean): void {
    const { cuts } = this
    cuts.length = 0
    for (let i = 0; i < parts.length; i += 2) this.emit(parts[i], parts[i + 1])
    for (let i = 0; i < cuts.length; i += 2) this.addPiece(cuts[i], cuts[i + 1], whole)
  }

  /** Takes an edge. False where it does not diffract or is seen end-on. */
  private aim(e: number): boolean {
    const { scene, fans } = this
    const { frames, sides, faces } = scene
    const { light: r, lighting } = this
    const f = FRAMES_SIZE * e
    setLighting(scene, e, r, lighting)
    if (lighting.share === 0) return false
    const sinBeta0 = Math.hypot(along(frames, f, r), along(frames, f + 3, r))
    if (sinBeta0 < END_ON) return false
    this.edge = e
    this.rim = faces[2 * e] === faces[2 * e + 1] && sides[2 * e] === -sides[2 * e + 1]
    fans[0].aim(e, 0, sinBeta0, -along(frames, f + 6, r))
    // The two faces of a rim are one, seen from both sides.
    if (!this.rim) fans[1].aim(e, 1, sinBeta0, -along(frames, f + 15, r))
    return true
  }

  /** Adds what lies between two places, cut at the points of division, to the parts in the light. */
  private emit(from: number, to: number): void {
    const { points, cuts } = this
    for (let i = 1; i < points.length - 1 && points[i] < to; i++) {
      if (points[i] <= from) continue
      cuts.push(from, points[i])
      from = points[i]
    }
    if (to > from) cuts.push(from, to)
  }

  /** Adds a part in the light as a segment; a whole piece in halves where a strip is not linear along it. */
  private addPiece(from: number, to: number, whole: boolean): void {
    const { fans, rim, edge, phase, shift, segmentLength } = this
    const t = 0.5 * (from + to)
    if (
      whole &&
      to - from > segmentLength &&
      !(this.isLinear(fans[0], t, to - from) && (rim || this.isLinear(fans[1], t, to - from)))
    ) {
      this.addPiece(from, t, whole)
      this.addPiece(t, to, whole)
      return
    }
    const { edges } = this.scene
    const p = EDGE_SIZE * edge
    const data = this.room()
    const x = edges[p] + t * edges[p + 3]
    const y = edges[p + 1] + t * edges[p + 4]
    const z = edges[p + 2] + t * edges[p + 5]
    const o = SEGMENT_SIZE * this.count++
    data[o] = edge
    data[o + 1] = x * phase[0] + y * phase[1] + z * phase[2] + shift
    data[o + 2] = to - from
    fans[0].at(t)
    data[o + 3] = fans[0].length
    data[o + 4] = fans[0].slope
    if (!rim) fans[1].at(t)
    data[o + 5] = rim ? fans[0].length : fans[1].length
    data[o + 6] = rim ? -fans[0].slope : fans[1].slope
    data[o + 7] = t
  }

  /** Whether the strips of a face grow linearly along a piece about t. */
  private isLinear(fan: StripFan, t: number, length: number): boolean {
    const beside = BESIDE * length
    const tolerance = LINEAR * this.segmentLength
    fan.at(t - beside)
    const before = fan.length
    fan.at(t + beside)
    const after = fan.length
    fan.at(t)
    return (
      Math.abs(before + after - 2 * fan.length) <= tolerance &&
      Math.abs(Math.abs(after - before) - 2 * beside * Math.abs(fan.slope)) <= tolerance
    )
  }

  /** The list of segments, with room for one more. */
  private room(): Float64Array {
    const needed = SEGMENT_SIZE * (this.count + 1)
    if (needed > this.data.length) {
      const larger = new Float64Array(2 * needed)
      larger.set(this.data)
      this.data = larger
    }
    return this.data
  }

  /** Sets the ends of the segments of the edge [m from its start], ascending from 0 to its length. */
  private divide(whole: boolean): void {
    const { scene, fans, rim, corners, points, segmentLength } = this
    const length = scene.edges[EDGE_SIZE * this.edge + 6]
    corners.length = 0
    if (whole || length > LEAST_PIECE * segmentLength) {
      fans[0].breaks(length, corners)
      if (!rim) fans[1].breaks(length, corners)
    }
    // A long piece is taken by its middle, which may lie in any notch.
    const least = whole ? scene.tolerance : Math.min(LEAST_PIECE * segmentLength, 0.5 * length)
    points.length = 0
    points.push(0)
    let from = 0
    for (let i = 0; i <= corners.length; i++) {
      const to = i < corners.length ? corners[i] : length
      if (i < corners.length && (to - from < least || length - to < least)) continue
      if (whole) points.push(to)
      else this.dividePiece(from, to)
      from = to
    }
  }

  /** Adds the ends of segments between two corners. */
  private dividePiece(from: number, to: number): void {
    const { points, segmentLength } = this
    const count = Math.ceil((to - from) / segmentLength - 1e-9)
    const start = count > 1 && this.isShort(from + NEAR_END * (to - from))
    const finish = count > 1 && this.isShort(to - NEAR_END * (to - from))
    for (let i = 1; i < count; i++) points.push(from + (to - from) * graded(i / count, start, finish))
    points.push(to)
  }

  /** Whether a strip at the distance t is short. */
  private isShort(t: number): boolean {
    const { fans, rim } = this
    const limit = SHORT_STRIP * this.segmentLength
    fans[0].at(t)
    if (fans[0].length < limit) return true
    if (rim) return false
    fans[1].at(t)
    return fans[1].length < limit
  }
}

/** An empty list for doubles: V8 takes a bare [] for one of small integers, and compiles again when it is not. */
export function doubles(): number[] {
  const list = [NaN]
  list.length = 0
  return list
}

const ORIGIN: Vec3 = [0, 0, 0]

/** 0 to 1 onto itself, with quadratic steps at the ends asked for. */
function graded(s: number, start: boolean, finish: boolean): number {
  if (start && finish) return s < 0.5 ? 2 * s * s : 1 - 2 * (1 - s) ** 2
  if (start) return s * s
  return finish ? 1 - (1 - s) ** 2 : s
}

/** What two lists of parts of an edge, from and to in turn [m], have in common. */
export function commonParts(some: readonly number[], others: readonly number[]): number[] {
  const both: number[] = []
  for (let i = 0; i < some.length; i += 2)
    for (let j = 0; j < others.length; j += 2) {
      const from = Math.max(some[i], others[j])
      const to = Math.min(some[i + 1], others[j + 1])
      if (to > from) both.push(from, to)
    }
  return both
}
