import { type Aspect, type Band, dot, type Vec3 } from '../scene/index.js'
import { GRAZING_COSINE, type RayScene } from '../rays/index.js'
import { along, EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { addSegments } from './evaluate.js'
import { EdgeField } from './edge-field.js'
import { EdgeFace, END_ON } from './face.js'
import { boundsOf } from '../scene/frequency-steps.js'
import type { ImageLight } from './image-light.js'
import { facetPlaneNumbers, type LightWave } from './image-waves.js'
import { type Lighting, setLighting } from './lighting.js'
import { MeetingEdges } from './meeting-edges.js'
import { FanTracer } from './ray-fan.js'
import { ReflectedWave } from './reflected-wave.js'
import { awayFromFaces, commonParts, SEGMENT_SIZE, SegmentFinder } from './segments.js'
import type { Truncation } from './strip.js'
import { StripFan } from './strip-fan.js'
import { WedgeCache } from './wedge.js'
import { offGrazing, versine } from './wedge-wave.js'

/** Wedges of more than this N are half-planes: both of their faces lie in one plane. */
const HALF_PLANE = 2 - 1e-6

/** Adds the mechanism `reflected` (docs/second-order.md) at the frequencies of one step (`bandsOfSteps`). One object per thread. */
export class ReflectedEdges {
  /** Of the edges being added, at the step's frequencies. */
  readonly field: EdgeField
  /** In the middle of the step [rad/m]. */
  private readonly k: number
  private readonly fan: FanTracer
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly wedges: WedgeCache
  private readonly meeting: MeetingEdges
  private readonly reflected: ReflectedWave
  private readonly lighting: Lighting = { lit: [false, false], share: 1 }
  private readonly finder: SegmentFinder
  /** Strips from an edge towards the light. */
  private readonly upstream: StripFan
  /** The aspect being added, and its phase path at the arrays' origin [m]. */
  private aspect!: Aspect
  private shift = 0.5
  /** See `lateOver`, of the edge and wave being added. */
  private late: ((middle: number) => number) | null = null
  /** Parts of the edge that a wave lights. */
  private ends: number[] = []
  private readonly direct: number[] = []
  /** What the receiver sees of the edge `watched`. */
  private readonly seen: number[] = []
  private watched = -1

  /**
   * @param truncation     of the fringe currents
   * @param exact          evaluate at every frequency instead of interpolating
   * @param segmentLength  longest segment of first order at the step's shortest wavelength [m]
   * @param light          of the transmitter, also of others' use
   * @param size           see `RayScene.size`
   */
  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    band: Band,
    truncation: Truncation,
    exact: boolean,
    private readonly segmentLength: number,
    size: number,
    private readonly light: ImageLight,
  ) {
    const { lowest, highest } = boundsOf(band)
    const shortest = (2 * Math.PI) / highest
    const longest = (2 * Math.PI) / lowest
    const planes = facetPlaneNumbers(rays)
    this.field = EdgeField.of(band, exact)
    this.k = Math.sqrt(lowest * highest)
    this.fan = new FanTracer(rays, planes, shortest, longest, size)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.wedges = new WedgeCache(highest / lowest)
    this.upstream = new StripFan(scene)
    this.finder = new SegmentFinder(scene, rays, segmentLength)
    this.reflected = new ReflectedWave(scene.frames, rays, this.field, shortest, longest)
    this.meeting = new MeetingEdges(scene, rays, truncation, this.wedges, this.field, shortest, longest)
  }

  /** Adds the part of the edges first to end - 1 to `field`, referred to the mesh's origin. */
  add(aspect: Aspect, first: number, end: number): void {
    const { scene, light } = this
    const { tx, rx } = aspect
    light.set(tx, this.segmentLength)
    this.aspect = aspect
    this.watched = -1
    this.shift = dot(tx.r, scene.origin) + dot(rx.r, scene.origin)
    for (let e = first; e < end; e++) for (let w = 0; w < light.waves.length; w++) this.addWave(e, w)
  }

  /** What edge e does under a wave. */
  private addWave(e: number, w: number): void {
    const { scene, lighting, light, finder, direct } = this
    const wave = light.waves[w]
    const { frames } = scene
    setLighting(scene, e, wave.r, lighting)
    if (lighting.share === 0) return
    const f = FRAMES_SIZE * e
    const sin = Math.hypot(along(frames, f, wave.r), along(frames, f + 3, wave.r))
    if (sin < END_ON) return
    const isDirect = wave.planes.length === 0
    if (isDirect) finder.findLight(e, wave.r, direct)
    this.ends = isDirect ? direct : light.parts(e, w)
    if (this.ends.length === 0) return
    this.late = this.lateOver(e, wave.r)
    this.addFans(e, wave)
    if (isDirect) this.meeting.add(e, wave, this.ends, this.aspect, this.shift, finder, this.late)
    else this.addFringe(e, wave)
  }

  /** Fans of diffracted rays from the lit parts of an edge, and what they light. */
  private addFans(e: number, wave: LightWave): void {
    const { scene, reflected, fan, aspect, shift, ends } = this
    const { edges, frames } = scene
    const p = EDGE_SIZE * e
    const N = edges[p + 7]
    const at = FRAMES_SIZE * e
    const point: Vec3 = [edges[p], edges[p + 1], edges[p + 2]]
    const tangent: Vec3 = [edges[p + 3], edges[p + 4], edges[p + 5]]
    if (!reflected.light(wave, at, N, point, tangent, aspect, shift)) return
    const { sinBeta, cosBeta, phi0 } = reflected
    reflected.comesOver(this.late)
    const start = awayFromFaces(scene, e, point, wave.r)
    fan.aim({ start, tangent, frame: frames, at, N, sinBeta, cosBeta, phi0 }, aspect.rx.r)
    for (let i = 0; i < ends.length; i += 2) fan.trace(ends[i], ends[i + 1], reflected)
  }

  /**
   * By the distance from the edge's start, what the way along the face is longer by than the direct one of light that comes over one of the
   * edge's faces [m] (`offGrazing`); null where it comes over neither.
   */
  private lateOver(e: number, r: Vec3): ((middle: number) => number) | null {
    const { upstream, scene } = this
    const { edges, frames } = scene
    for (let i = 0; i < 2; i++) {
      const f = FRAMES_SIZE * e + 9 * i
      const x = along(frames, f, r)
      const y = along(frames, f + 3, r)
      // A wedge's other face is lit from behind its plane; a face in whose plane the light lies takes part from either side.
      if (x <= 0 || (y < -GRAZING_COSINE && edges[EDGE_SIZE * e + 7] < HALF_PLANE)) continue
      upstream.aim(e, i, Math.hypot(x, y), along(frames, f + 6, r))
      // Light in the plane through the edge at right angles to the face comes over no face: no step where it passes that plane.
      const steep = (versine(y) * (x * x + y * y)) / (x * x)
      return (middle) => {
        upstream.at(middle)
        return upstream.length * steep
      }
    }
    return null
  }

  /** Fringe currents of an edge under a reflected wave, where the receiver sees them. */
  private addFringe(e: number, wave: LightWave): void {
    const { scene, wedges, field, finder, aspect } = this
    const { tx, rx } = aspect
    // As the waves of fans, at a frequency in the middle of the step.
    const left = this.late ? offGrazing(this.k * this.late(0.5 * scene.edges[EDGE_SIZE * e + 6])) : 1
    const scaled = (v: Vec3): Vec3 => [left * v[0], left * v[1], left * v[2]]
    const lit: Aspect = {
      tx: { ...tx, r: wave.r, thetaHat: scaled(wave.thetaHat), phiHat: scaled(wave.phiHat) },
      rx,
    }
    const count = finder.cut(lit, e, this.seenOf(e))
    if (count === 0) return
    // The pieces' phase paths are those of a wave from the image's direction with phase 0 at the mesh's origin.
    const path = wave.path + dot(tx.r, scene.origin) - dot(wave.r, scene.origin)
    for (let i = 0; i < count; i++) finder.data[SEGMENT_SIZE * i + 1] += path
    addSegments(scene, wedges, this.faces, lit, finder.data, 0, SEGMENT_SIZE * count, field)
  }

  /** What the receiver sees of the lit parts of an edge. */
  private seenOf(e: number): number[] {
    const { seen, finder, ends } = this
    if (e !== this.watched) finder.findLight(e, this.aspect.rx.r, seen)
    this.watched = e
    return commonParts(ends, seen)
  }
}
