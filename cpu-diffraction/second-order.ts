import { type Aspect, type Band, dot, isMonostatic, type Vec3 } from '../scene/index.js'
import { type RayScene } from '../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { CornerStrips } from './corner-strips.js'
import { EdgeToEdge } from './edge-to-edge.js'
import type { EdgeField } from './edge-field.js'
import { EdgeFace, END_ON } from './face.js'
import { boundsOf } from '../scene/frequency-steps.js'
import { ImageLight } from './image-light.js'
import { facetPlaneNumbers, type LightWave } from './image-waves.js'
import { type Lighting, setLighting } from './lighting.js'
import type { SecondOrder } from './mechanisms.js'
import { SegmentFinder } from './segments.js'
import { StripFolds } from './strip-folds.js'
import { StripPieces, type TakePiece } from './strip-pieces.js'
import type { Truncation } from './strip.js'
import { WedgeCache } from './wedge.js'

/** Pieces of an edge whose strips are taken together are at most this part of a Fresnel zone of theirs. */
const LONGEST_PIECE = 0.5

/** Adds the mechanisms `wall` and `double`. One object per thread; keeps what depends on the band only. */
export class SecondOrderEdges {
  /** What images of the transmitter light, and what those of the receiver see. */
  private readonly light: ImageLight
  private readonly seenBy: ImageLight
  private rxLight!: ImageLight
  private readonly folds: StripFolds
  private readonly wedges: WedgeCache
  private readonly corners: CornerStrips
  private readonly edgeToEdge: EdgeToEdge
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  private readonly shortest: number
  private readonly size: number
  private segmentLength = NaN
  private finder!: SegmentFinder
  private pieces!: StripPieces
  /** The aspect being added, its phase path at the arrays' origin [m], and the wave. */
  private aspect!: Aspect
  private shift = 0.5
  /** Mechanisms being added. Which waves light the edges depends on all of them. */
  private wanted: readonly SecondOrder[] = []
  /** Parts of the edge that a wave lights, and those of them that count: under a reflected wave, those that the receiver sees. */
  private ends: number[] = []
  private readonly direct: number[] = []
  private counting: number[] = []
  /** What the receiver sees of the edge `watched`. */
  private readonly seen: number[] = []
  private watched = -1

  /**
   * @param mechanisms  all of the run: `reflected` has images of the transmitter light the edges
   * @param truncation  of the fringe currents
   * @param field       of the band, where they are added
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly mechanisms: readonly SecondOrder[],
    band: Band,
    truncation: Truncation,
    private readonly field: EdgeField,
  ) {
    const { lowest, highest } = boundsOf(band)
    const planes = facetPlaneNumbers(rays)
    const shortest = (2 * Math.PI) / highest
    this.shortest = shortest
    this.size = rays.size
    const following = mechanisms.includes('reflected')
    this.light = new ImageLight(scene, rays, following, shortest, this.size, planes)
    this.seenBy = new ImageLight(scene, rays, following, shortest, this.size, planes)
    this.folds = new StripFolds(scene, rays)
    this.corners = new CornerStrips(scene, this.folds, new EdgeFace(truncation))
    this.wedges = new WedgeCache(highest / lowest)
    this.edgeToEdge = new EdgeToEdge(
      scene,
      truncation,
      this.wedges,
      field,
      this.size,
      mechanisms.includes('wall') ? this.folds : null,
    )
  }

  /**
   * Adds the part of the edges first to end - 1, referred to the mesh's origin.
   * @param only  the mechanism to add; all when left out
   */
  add(aspect: Aspect, segmentLength: number, first: number, end: number, only?: SecondOrder): void {
    const { scene, light } = this
    const { tx, rx } = aspect
    light.set(tx, segmentLength)
    this.rxLight = light
    if (!isMonostatic(aspect)) {
      this.rxLight = this.seenBy
      this.seenBy.set(rx, segmentLength)
    }
    const { waves } = light
    this.aspect = aspect
    this.watched = -1
    if (segmentLength !== this.segmentLength) this.setSegmentLength(segmentLength)
    this.shift = dot(tx.r, scene.origin) + dot(aspect.rx.r, scene.origin)
    this.wanted = only ? this.mechanisms.filter((name) => name === only) : this.mechanisms
    if (this.wanted.length === 0) return
    for (let e = first; e < end; e++) for (let w = 0; w < waves.length; w++) this.addWave(e, w)
  }

  /** What edge e does under a wave. */
  private addWave(e: number, w: number): void {
    const { scene, lighting, light, finder, wanted } = this
    const wave = light.waves[w]
    const { frames } = scene
    setLighting(scene, e, wave.r, lighting)
    if (lighting.share === 0) return
    const f = FRAMES_SIZE * e
    const sin = Math.hypot(along(frames, f, wave.r), along(frames, f + 3, wave.r))
    if (sin < END_ON) return
    const direct = wave.planes.length === 0
    if (direct) {
      finder.findLight(e, wave.r, this.direct)
      this.ends = this.direct
      this.counting = this.ends
    } else {
      this.ends = light.parts(e, w)
      this.counting = this.seenOf(e, this.ends)
    }
    const { ends } = this
    if (ends.length === 0) return
    const { tx, rx } = this.aspect
    const lit: Aspect = { tx: { ...tx, r: wave.r, thetaHat: wave.thetaHat, phiHat: wave.phiHat }, rx }
    if (this.counting.length === 0) return
    let whole = 0
    for (let a = 0; a < ends.length; a += 2) whole += ends[a + 1] - ends[a]
    const walls = wanted.includes('wall')
    const double = wanted.includes('double')
    for (let i = 0; i < 2; i++) {
      const crosses = double && this.edgeToEdge.aim(e, i, whole, lit, lighting, this.rxLight)
      const folds = walls && this.folds.mayFold(e, i)
      if (crosses || folds) this.addStrips(e, i, sin, wave, lit, crosses, folds)
    }
  }

  /** What becomes of the waves along a face's strips at other edges, and at walls. */
  private addStrips(
    e: number,
    i: number,
    sin: number,
    wave: LightWave,
    lit: Aspect,
    crosses: boolean,
    folds: boolean,
  ): void {
    const { scene, pieces, edgeToEdge, corners, field, shift, counting } = this
    const { edges, frames } = scene
    const p = EDGE_SIZE * e
    const { r } = wave
    const wedge = this.wedges.get(edges[p + 7])
    const psi0 = r[0] * edges[p] + r[1] * edges[p + 1] + r[2] * edges[p + 2] + wave.path + shift
    const perLength = r[0] * edges[p + 3] + r[1] * edges[p + 4] + r[2] * edges[p + 5]
    pieces.aim(e, i, sin, -along(frames, FRAMES_SIZE * e + 9 * i + 6, r))
    const take: TakePiece = (t, piece, length, slope) => {
      if (crosses) edgeToEdge.add(t, piece, length, slope, psi0 + t * perLength)
      if (folds) corners.add(e, i, t, piece, length, slope, wave, lit, wedge, shift, field)
    }
    for (let a = 0; a < counting.length; a += 2) pieces.cut(counting[a], counting[a + 1], take)
  }

  /** What the receiver sees of some parts of an edge. */
  private seenOf(e: number, parts: number[]): number[] {
    const { seen, finder } = this
    const both: number[] = []
    if (parts.length === 0) return both
    if (e !== this.watched) finder.findLight(e, this.aspect.rx.r, seen)
    this.watched = e
    for (let i = 0; i < parts.length; i += 2)
      for (let j = 0; j < seen.length; j += 2) {
        const from = Math.max(parts[i], seen[j])
        const to = Math.min(parts[i + 1], seen[j + 1])
        if (to > from) both.push(from, to)
      }
    return both
  }

  private setSegmentLength(length: number): void {
    this.segmentLength = length
    this.finder = new SegmentFinder(this.scene, this.rays, length)
    this.pieces = new StripPieces(this.scene, length, LONGEST_PIECE, this.shortest)
  }
}

/** Component of a vector along the one at a position of an array. */
const along = (frames: Float64Array, at: number, r: Vec3): number =>
  r[0] * frames[at] + r[1] * frames[at + 1] + r[2] * frames[at + 2]
