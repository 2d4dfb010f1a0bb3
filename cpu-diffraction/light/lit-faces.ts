import { type Aspect, type Band, dot, isMonostatic } from '../../scene/index.js'
import type { RayScene } from '../../rays/index.js'
import { along, EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../geometry/edge-scene.js'
import { END_ON } from '../currents/face.js'
import { boundsOf } from '../../scene/band.js'
import { ImageLight, type LightWave } from './image-light.js'
import { commonParts, type Lighting, SegmentFinder, setLighting } from './segments.js'
import { type Wedge, WedgeCache } from '../currents/wedge.js'
import { StripFan } from './strip-walk.js'

/** Pieces of an edge whose strips are taken together are at most this part of a Fresnel zone of theirs. */
const LONGEST_PIECE = 0.5
/** From there to these times it a piece fades into its halves, so that the field has no steps. */
const FADE_PIECE = 1.25

/** Face i of edge e under a wave. */
export interface LitFace {
  e: number
  i: number
  wave: LightWave
  /** The wave and the receiver; what the receiver's images see. */
  lit: Aspect
  seen: ImageLight
  lighting: Lighting
  wedge: Wedge
  /** Length of the edge's parts that the wave lights [m]. */
  whole: number
  /** Phase path of the arrays' origin, (tx + rx).origin; that of the wave at the edge's start, and of the origin; its change per length [m]. */
  shift: number
  psi: number
  perLength: number
}

/**
 * The faces at edges that waves light: the transmitter's, and under its images those parts that the receiver sees. What lights an edge is found
 * once an aspect for all mechanisms. One object per thread.
 */
export class LitFaces {
  readonly wedges: WedgeCache
  /** What images of the receiver see; made when it first stands elsewhere than the transmitter. */
  private seenBy?: ImageLight
  /** Wavelength [m]. */
  private readonly shortest: number
  private rxLight!: ImageLight
  private readonly finder: SegmentFinder
  private readonly pieces: StripPieces
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  /** The aspect, its phase path at the arrays' origin [m], and by wave and edge the parts that are lit and count. */
  private aspect: Aspect | null = null
  private shift = NaN
  private readonly parts = new Map<number, { counting: number[]; whole: number }>()
  /** What the receiver sees of the edge `watched`. */
  private readonly seen: number[] = []
  private watched = -1

  /**
   * @param segmentLength  longest segment of first order [m]
   * @param following      whether images light edges
   * @param light          of the transmitter, also of others' use
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    band: Band,
    private readonly segmentLength: number,
    private readonly following: boolean,
    private readonly light: ImageLight,
  ) {
    const { lowest, highest } = boundsOf(band)
    const shortest = (2 * Math.PI) / highest
    this.shortest = shortest
    this.finder = new SegmentFinder(scene, rays, segmentLength)
    this.pieces = new StripPieces(scene, segmentLength, LONGEST_PIECE, shortest)
    this.wedges = new WedgeCache(highest / lowest)
  }

  /**
   * Cuts the lit parts of the faces at edges first to end - 1 into pieces.
   * @param begin  what takes the pieces of a face; null: nothing
   */
  each(aspect: Aspect, first: number, end: number, begin: (face: LitFace) => TakePiece | null): void {
    this.set(aspect)
    const { waves } = this.light
    for (let e = first; e < end; e++) for (let w = 0; w < waves.length; w++) this.addWave(aspect, e, w, begin)
  }

  private set(aspect: Aspect): void {
    if (aspect === this.aspect) return
    const { tx, rx } = aspect
    this.aspect = aspect
    this.parts.clear()
    this.watched = -1
    this.shift = dot(tx.r, this.scene.origin) + dot(rx.r, this.scene.origin)
    this.light.set(tx, this.segmentLength)
    this.rxLight = this.light
    if (isMonostatic(aspect)) return
    const { scene, rays, following, shortest } = this
    this.seenBy ??= new ImageLight(scene, rays, following, shortest, rays.size, this.light.planes)
    this.rxLight = this.seenBy
    this.seenBy.set(rx, this.segmentLength)
  }

  private addWave(aspect: Aspect, e: number, w: number, begin: (face: LitFace) => TakePiece | null): void {
    const { scene, lighting, light, shift, pieces } = this
    if (!light.mayLight(e, w)) return
    const wave = light.waves[w]
    const { r } = wave
    const { frames, edges } = scene
    setLighting(scene, e, r, lighting)
    if (lighting.share === 0) return
    const f = FRAMES_SIZE * e
    const sin = Math.hypot(along(frames, f, r), along(frames, f + 3, r))
    if (sin < END_ON) return
    const { counting, whole } = this.partsOf(aspect, e, w)
    if (counting.length === 0) return
    const { tx, rx } = aspect
    const lit: Aspect = { tx: { ...tx, r, thetaHat: wave.thetaHat, phiHat: wave.phiHat }, rx }
    const p = EDGE_SIZE * e
    const wedge = this.wedges.get(edges[p + 7])
    const psi = along(edges, p, r) + wave.path + shift
    const perLength = along(edges, p + 3, r)
    for (let i = 0; i < 2; i++) {
      const face = { e, i, wave, lit, seen: this.rxLight, lighting, wedge, whole, shift, psi, perLength }
      const take = begin(face)
      if (!take) continue
      pieces.aim(e, i, sin, -along(frames, f + 9 * i + 6, r))
      for (let a = 0; a < counting.length; a += 2) pieces.cut(counting[a], counting[a + 1], take)
    }
  }

  /** The parts of an edge under a wave that count, from and to in turn, and the length of all that it lights [m]. */
  private partsOf(aspect: Aspect, e: number, w: number): { counting: number[]; whole: number } {
    const { light, finder } = this
    const key = e * light.waves.length + w
    const known = this.parts.get(key)
    if (known) return known
    const wave = light.waves[w]
    const isDirect = wave.planes.length === 0
    let ends: number[] = []
    if (isDirect) finder.findLight(e, wave.r, ends)
    else ends = light.parts(e, w)
    let whole = 0
    for (let a = 0; a < ends.length; a += 2) whole += ends[a + 1] - ends[a]
    const parts = { counting: isDirect ? ends : this.seenOf(aspect, e, ends), whole }
    this.parts.set(key, parts)
    return parts
  }

  /** What the receiver sees of some parts of an edge. */
  private seenOf(aspect: Aspect, e: number, parts: number[]): number[] {
    const { seen, finder } = this
    if (parts.length === 0) return []
    if (e !== this.watched) finder.findLight(e, aspect.rx.r, seen)
    this.watched = e
    return commonParts(parts, seen)
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
  private readonly corners: number[]
  private take!: TakePiece

  /**
   * @param segmentLength  pieces need not be shorter [m]
   * @param zones          longest piece in Fresnel zones of its strips
   * @param wavelength     the shortest [m]
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly segmentLength: number,
    private readonly zones: number,
    private readonly wavelength: number,
  ) {
    this.fan = new StripFan(scene)
    this.corners = [NaN]
    this.corners.length = 0
  }

  /** Takes face i of edge e under a wave whose direction has these components across and along z of the face's frame. */
  aim(e: number, i: number, sinBeta0: number, cosBeta0: number): void {
    const { scene, fan, corners } = this
    fan.aim(e, i, sinBeta0, cosBeta0)
    corners.length = 0
    fan.breaks(scene.edges[EDGE_SIZE * e + 6], corners)
    if (corners.length > 1) corners.sort(ascending)
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
    const most = Math.max(segmentLength, this.zones * Math.sqrt(this.wavelength * length))
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

const ascending = (a: number, b: number): number => a - b
