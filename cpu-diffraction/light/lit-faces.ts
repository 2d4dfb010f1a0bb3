import { type Aspect, type Band, type Direction, dot, isMonostatic } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'
import { along, EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../geometry/edge-scene.js'
import { END_ON } from '../currents/face.js'
import { boundsOf } from '../../scene/band.js'
import { ImageLight, type LightWave } from './image-light.js'
import { commonParts, doubles, type Lighting, SegmentFinder, setLighting } from './segments.js'
import { type Wedge, WedgeCache } from '../currents/wedge.js'
import { StripFan } from './strip-walk.js'

/** Pieces of an edge whose strips are taken together are at most this part of a Fresnel zone of theirs. */
const LONGEST_PIECE = 0.5
/** From there to these times it a piece fades into its halves, so that the field has no steps. */
const FADE_PIECE = 1.25

/** An edge under a wave. */
export interface LitEdge {
  e: number
  wave: LightWave
  /** The wave and the receiver. */
  lit: Aspect
  lighting: Lighting
  /** Of the angle between the edge and the wave. */
  sin: number
  /** What of the edge the wave lights, from and to in turn [m from its start]. */
  parts: number[]
  /** Phase path of the arrays' origin, (tx + rx).origin [m]. */
  shift: number
}

/** Face i of an edge under a wave. */
export interface LitFace extends LitEdge {
  i: number
  /** What the receiver's images see. */
  seen: ImageLight
  wedge: Wedge
  /** Length of the edge's parts that the wave lights [m]. */
  whole: number
  /** Phase path of the wave at the edge's start, and of the origin; its change per length [m]. */
  psi: number
  perLength: number
}

/**
 * The edges that waves light, and their faces: the transmitter's wave, and under its images those parts that the receiver sees. What lights an
 * edge is found once an aspect for all mechanisms. One object per thread.
 */
export class LitFaces {
  /** What the transmitter and its images light. */
  readonly light: ImageLight
  readonly wedges: WedgeCache
  /** Also cuts edges for others. */
  readonly finder: SegmentFinder
  /** What images of the receiver see; made when it first stands elsewhere than the transmitter. */
  private seenBy?: ImageLight
  /** Wavelength [m]. */
  private readonly shortest: number
  private readonly pieces: StripPieces
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  /** The aspect, its phase path at the arrays' origin [m], the parts that are lit by edge and wave, and what the receiver sees by edge. */
  private aspect: Aspect | null = null
  private shift = NaN
  private readonly parts = new Map<number, number[]>()
  private readonly seen = new Map<number, number[]>()

  /**
   * @param segmentLength  longest segment of first order [m]
   * @param following      whether images light edges
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    band: Band,
    private readonly segmentLength: number,
    private readonly following: boolean,
  ) {
    const { lowest, highest } = boundsOf(band)
    this.shortest = (2 * Math.PI) / highest
    this.light = new ImageLight(scene, rays, following, this.shortest, rays.size)
    this.finder = new SegmentFinder(scene, rays, segmentLength)
    this.pieces = new StripPieces(scene, segmentLength, this.shortest)
    this.wedges = new WedgeCache(highest / lowest)
  }

  /** Takes the edges first to end - 1 under the waves that light them. */
  eachEdge(aspect: Aspect, first: number, end: number, take: (edge: LitEdge) => void): void {
    this.set(aspect)
    const { waves } = this.light
    for (let e = first; e < end; e++)
      for (let w = 0; w < waves.length; w++) if (this.light.mayLight(e, w)) this.takeEdge(aspect, e, w, take)
  }

  /**
   * Cuts the lit parts of the faces at edges first to end - 1 into pieces.
   * @param begin  what takes the pieces of a face; null: nothing
   */
  each(aspect: Aspect, first: number, end: number, begin: (face: LitFace) => TakePiece | null): void {
    const { scene, pieces } = this
    const { frames, edges } = scene
    const images = this.imagesOf(aspect)
    this.eachEdge(aspect, first, end, (edge) => {
      const { e, wave, lit, lighting, sin, parts, shift } = edge
      const { r } = wave
      const counting = wave.planes.length === 0 ? parts : commonParts(parts, this.seenOf(e, aspect.rx))
      if (counting.length === 0) return
      let whole = 0
      for (let a = 0; a < parts.length; a += 2) whole += parts[a + 1] - parts[a]
      const p = EDGE_SIZE * e
      const wedge = this.wedges.get(edges[p + 7])
      const psi = along(edges, p, r) + wave.path + shift
      const perLength = along(edges, p + 3, r)
      for (let i = 0; i < 2; i++) {
        const take = begin({
          e,
          wave,
          lit,
          lighting,
          sin,
          parts,
          shift,
          i,
          seen: images,
          wedge,
          whole,
          psi,
          perLength,
        })
        if (!take) continue
        pieces.aim(e, i, sin, -along(frames, FRAMES_SIZE * e + 9 * i + 6, r))
        for (let a = 0; a < counting.length; a += 2) pieces.cut(counting[a], counting[a + 1], take)
      }
    })
  }

  /** What the receiver of the aspect sees of an edge, from and to in turn [m from its start]. */
  seenOf(e: number, rx: Direction): number[] {
    let seen = this.seen.get(e)
    if (!seen) {
      this.finder.findLight(e, rx.r, (seen = []))
      this.seen.set(e, seen)
    }
    return seen
  }

  private set(aspect: Aspect): void {
    if (aspect === this.aspect) return
    const { tx, rx } = aspect
    this.aspect = aspect
    this.parts.clear()
    this.seen.clear()
    this.shift = dot(tx.r, this.scene.origin) + dot(rx.r, this.scene.origin)
    this.light.set(tx, this.segmentLength)
  }

  /** What images of the receiver see. */
  private imagesOf(aspect: Aspect): ImageLight {
    const { scene, rays, following, shortest, light } = this
    if (isMonostatic(aspect)) return light
    this.seenBy ??= new ImageLight(scene, rays, following, shortest, rays.size, light.planes)
    this.seenBy.set(aspect.rx, this.segmentLength)
    return this.seenBy
  }

  private takeEdge(aspect: Aspect, e: number, w: number, take: (edge: LitEdge) => void): void {
    const { scene, lighting, light, shift } = this
    const wave = light.waves[w]
    const { r, thetaHat, phiHat } = wave
    setLighting(scene, e, r, lighting)
    if (lighting.share === 0) return
    const f = FRAMES_SIZE * e
    const sin = Math.hypot(along(scene.frames, f, r), along(scene.frames, f + 3, r))
    if (sin < END_ON) return
    const parts = this.partsOf(e, w)
    if (parts.length === 0) return
    const lit: Aspect = { tx: { ...aspect.tx, r, thetaHat, phiHat }, rx: aspect.rx }
    take({ e, wave, lit, lighting, sin, parts, shift })
  }

  /** The parts of an edge that a wave lights, from and to in turn. */
  private partsOf(e: number, w: number): number[] {
    const { light, finder } = this
    if (w > 0) return light.parts(e, w)
    let parts = this.parts.get(e)
    if (!parts) {
      finder.findLight(e, light.waves[0].r, (parts = []))
      this.parts.set(e, parts)
    }
    return parts
  }
}

/** A piece of an edge whose strips are taken together. */
export interface StripPiece {
  /** Midpoint from the edge's start, and length [m]. */
  t: number
  piece: number
  /** Strip length at the midpoint [m], and its slope along z of the face's frame. */
  length: number
  slope: number
  /** Of all that it adds: below 1 where it stands beside its own halves. */
  weight: number
}

export type TakePiece = (piece: StripPiece) => void

/**
 * Cuts parts of an edge into pieces over which the strips of one face end on a line, and which are short against the Fresnel zones of
 * their strips. One object per thread.
 */
class StripPieces {
  private readonly fan: StripFan
  private readonly corners = doubles()
  private take!: TakePiece

  /**
   * @param segmentLength  pieces need not be shorter [m]
   * @param wavelength     the shortest [m]
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly segmentLength: number,
    private readonly wavelength: number,
  ) {
    this.fan = new StripFan(scene)
  }

  /** Takes face i of edge e under a wave whose direction has these components across and along z of the face's frame. */
  aim(e: number, i: number, sinBeta0: number, cosBeta0: number): void {
    const { scene, fan, corners } = this
    fan.aim(e, i, sinBeta0, cosBeta0)
    corners.length = 0
    fan.breaks(scene.edges[EDGE_SIZE * e + 6], corners)
  }

  /** Hands over the pieces between two places. */
  cut(from: number, to: number, take: TakePiece): void {
    const { corners, scene } = this
    this.take = take
    const least = Math.min(scene.tolerance, 0.5 * (to - from))
    for (let i = 0; i < corners.length; i++) {
      const corner = corners[i]
      if (corner - from < least || to - corner < least) continue
      this.between(from, corner, 1)
      from = corner
    }
    this.between(from, to, 1)
  }

  private between(from: number, to: number, weight: number): void {
    const { fan, segmentLength } = this
    const middle = 0.5 * (from + to)
    const piece = to - from
    fan.at(middle)
    const { length, slope } = fan
    const most = Math.max(segmentLength, LONGEST_PIECE * Math.sqrt(this.wavelength * length))
    const halved = weight * grown(piece / most, FADE_PIECE)
    if (halved < weight) this.take({ t: middle, piece, length, slope, weight: weight - halved })
    if (halved === 0) return
    this.between(from, middle, halved)
    this.between(middle, to, halved)
  }
}

/** 0 up to 1, then growing smoothly to 1 at `whole`. */
export function grown(x: number, whole: number): number {
  const y = (x - 1) / (whole - 1)
  return y <= 0 ? 0 : y >= 1 ? 1 : y * y * (3 - 2 * y)
}
