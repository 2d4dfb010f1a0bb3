import type { RayScene } from '../../rays/index.js'
import { boundsOf } from '../../scene/band.js'
import { type Aspect, type Band, cross, dot, type Vec3 } from '../../scene/index.js'
import { addSegments, EdgeField } from '../currents/edge-field.js'
import { EdgeFace } from '../currents/face.js'
import type { Truncation } from '../currents/strip.js'
import { offGrazing, versine } from '../currents/wedge-wave.js'
import {
  along,
  azimuthOf,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  grazingAt,
  HALF_PLANE,
  pointOn,
  vectorAt,
} from '../geometry/edge-scene.js'
import type { LitEdge, LitFaces } from '../light/lit-faces.js'
import { fanRoom, FanTracer } from '../light/ray-fan.js'
import { awayFromFaces, commonParts, grazes, SEGMENT_SIZE } from '../light/segments.js'
import { StripFan } from '../light/strip-walk.js'
import { CLEAR_OF_GRAZING } from '../wasm/constants.js'
import { MeetingEdges } from './meeting-edges.js'

/** By the distance from an edge's start, what `lateOver` gives. */
type LateOver = ((middle: number) => number) | null

/** Cosine to an edge up to which a direction is across it. */
const ACROSS = 1e-6

/**
 * Adds the mechanism `reflected` (docs/second-order.md) at the frequencies of one step (`bandsOfSteps`). One object per thread.
 *
 * The diffracted wave of an edge lights other faces: the wave of the edge's uniform theory, less the sharply cut waves of geometrical
 * optics. They radiate as under the rays, J = 2 n x H at every bounce. With unit vectors of the ray d, along the fan e2 and across both e1,
 * and E_z, H_z of the diffracted wave (u_d of `WedgeWave` times those of the incident one), E = (E_z e1 + Z H_z e2)/sin beta0, and a footprint adds
 *   F += (jk/4pi) (-2 p . (n x (d x E))) exp(-jk(psi + path - s.r)) area sinc sinc.
 */
export class ReflectedEdges {
  /** Of the edges being added, at the step's frequencies. */
  readonly field: EdgeField
  /** In the middle of the step, and its lowest [rad/m]. */
  private readonly k: number
  private readonly lowest: number
  private readonly fan: FanTracer
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly meeting: MeetingEdges
  /** Strips from an edge towards the light. */
  private readonly upstream: StripFan

  /**
   * @param diffraction  truncation of the fringe currents
   * @param exact        evaluate at every frequency instead of interpolating
   * @param lit          what lights the edges
   */
  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    band: Band,
    { diffraction, exact = false }: { diffraction: Truncation; exact?: boolean },
    private readonly lit: LitFaces,
  ) {
    const { lowest, highest } = boundsOf(band)
    const shortest = (2 * Math.PI) / highest
    const longest = (2 * Math.PI) / lowest
    this.field = EdgeField.of(band, exact, fanRoom(rays))
    this.k = Math.sqrt(lowest * highest)
    this.lowest = lowest
    const { module, numbers, sum } = this.field.takeFootprints()
    this.fan = new FanTracer(module, rays, lit.light.planes, [shortest, longest], [numbers, sum])
    this.faces = [new EdgeFace(diffraction), new EdgeFace(diffraction)]
    this.upstream = new StripFan(scene)
    this.meeting = new MeetingEdges(scene, rays, diffraction, lit, this.field)
  }

  /** Adds the part of the edges first to end - 1 to `field`, referred to the mesh's origin. */
  add(aspect: Aspect, first: number, end: number): void {
    this.lit.eachEdge(aspect, first, end, (edge) => {
      const late = this.lateOver(edge.e, edge.wave.r)
      this.addFans(edge, late)
      if (edge.wave.planes.length === 0) this.meeting.add(edge, late)
      else this.addFringe(edge, aspect, late)
    })
  }

  /**
   * Fans of diffracted rays from the lit parts of an edge, and what they light; none of an edge seen end-on, which does not diffract. They follow
   * each other away from the receiver, or from the light where it is across the edge, turning from the face that is the first as seen that way.
   */
  private addFans({ e, wave, lit: { rx }, parts, shift }: LitEdge, late: LateOver): void {
    const { scene, fan } = this
    const { edges, frames } = scene
    const p = EDGE_SIZE * e
    const { r } = wave
    const tangent = vectorAt(edges, p + 3)
    const f = FRAMES_SIZE * e
    // Across both, with the light on the left of the wedge's middle, so that no rounding of the edge's own way decides; along it, that way.
    const between = [0, 1, 2].map((c) => frames[f + 3 + c] + frames[f + 12 + c]) as Vec3
    const backwards =
      ([rx.r, r, cross(r, between)].map((v) => dot(tangent, v)).find((c) => Math.abs(c) > ACROSS) ?? 0) > 0
    const at = f + (backwards ? 9 : 0)
    const local = (v: ArrayLike<number>, i: number): number => along(frames, at + i, v)
    const N = edges[p + 7]
    const full = N * Math.PI
    const phi0 = azimuthOf(local(r, 0), local(r, 3), full)
    const length = edges[p + 6]
    const edgeStart = pointOn(scene, e, backwards ? length : 0)
    fan.aim({
      start: awayFromFaces(scene, e, edgeStart, r),
      tangent: backwards ? [-tangent[0], -tangent[1], -tangent[2]] : tangent,
      edgeStart,
      frame: frames,
      at,
      N,
      sinBeta: Math.hypot(local(r, 0), local(r, 3)),
      cosBeta: -local(r, 6),
      phi0,
      receiver: rx,
      ez: [local(wave.thetaHat, 6), local(wave.phiHat, 6)],
      hz: [local(cross(wave.thetaHat, r), 6), local(cross(wave.phiHat, r), 6)],
      hard: grazes(scene, e, backwards ? full - phi0 : phi0, full) ? 0.5 : 1,
      light: r,
      path: wave.path + shift,
      late: late && backwards ? (middle) => late(length - middle) : late,
    })
    if (backwards)
      for (let i = parts.length; i > 0; i -= 2) fan.trace(length - parts[i - 1], length - parts[i - 2])
    else for (let i = 0; i < parts.length; i += 2) fan.trace(parts[i], parts[i + 1])
  }

  /**
   * By the distance from the edge's start, what the way along the face is longer by than the direct one of light that comes over one of the
   * edge's faces [m] (`offGrazing`); null where it comes over neither.
   */
  private lateOver(e: number, r: Vec3): LateOver {
    const { upstream, scene } = this
    const { edges, frames } = scene
    for (let i = 0; i < 2; i++) {
      const f = FRAMES_SIZE * e + 9 * i
      const x = along(frames, f, r)
      const y = along(frames, f + 3, r)
      // A wedge's other face is lit from behind its plane; a face in whose plane the light lies takes part from either side.
      if (x <= 0 || (y < -grazingAt(scene, f) && edges[EDGE_SIZE * e + 7] < HALF_PLANE)) continue
      upstream.aim(e, i, Math.hypot(x, y), along(frames, f + 6, r))
      // Light in the plane through the edge at right angles to the face comes over no face: no step where it passes that plane.
      const steep = (versine(y) * (x * x + y * y)) / (x * x)
      return (middle) => {
        upstream.at(middle, CLEAR_OF_GRAZING / (this.lowest * steep))
        return upstream.length * steep
      }
    }
    return null
  }

  /** Fringe currents of an edge under a reflected wave, where the receiver sees them. */
  private addFringe({ e, wave, lit: { tx, rx }, parts }: LitEdge, aspect: Aspect, late: LateOver): void {
    const { scene, field } = this
    const { finder, wedges } = this.lit
    // As the waves of fans, at a frequency in the middle of the step.
    const left = late ? offGrazing(this.k * late(0.5 * scene.edges[EDGE_SIZE * e + 6])) : 1
    const scaled = (v: Vec3): Vec3 => [left * v[0], left * v[1], left * v[2]]
    const lit: Aspect = { tx: { ...tx, thetaHat: scaled(tx.thetaHat), phiHat: scaled(tx.phiHat) }, rx }
    const count = finder.cut(lit, e, commonParts(parts, this.lit.seenOf(e, rx)))
    // The pieces' phase paths are those of a wave from the image's direction with phase 0 at the mesh's origin.
    const path = wave.path + dot(aspect.tx.r, scene.origin) - dot(wave.r, scene.origin)
    for (let i = 0; i < count; i++) finder.data[SEGMENT_SIZE * i + 1] += path
    addSegments(scene, wedges, this.faces, lit, finder.data.subarray(0, SEGMENT_SIZE * count), field)
  }
}
