import type { RayScene } from '../../rays/index.js'
import { boundsOf } from '../../scene/band.js'
import { type Aspect, type Band, dot, type Vec3 } from '../../scene/index.js'
import { EdgeField } from '../currents/edge-field.js'
import { EdgeFace, END_ON } from '../currents/face.js'
import type { Truncation } from '../currents/strip.js'
import { CLEAR_OF_GRAZING, offGrazing, versine, WedgeWave } from '../currents/wedge-wave.js'
import { WedgeCache } from '../currents/wedge.js'
import { addSegments } from '../engine/evaluate.js'
import {
  along,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  grazingAt,
  HALF_PLANE,
} from '../geometry/edge-scene.js'
import type { ImageLight, LightWave } from '../light/image-light.js'
import { type BundleSink, coneDirection, FanTracer, type RayBundle } from '../light/ray-fan.js'
import {
  awayFromFaces,
  commonParts,
  grazes,
  type Lighting,
  SEGMENT_SIZE,
  SegmentFinder,
  setLighting,
} from '../light/segments.js'
import { StripFan } from '../light/strip-walk.js'
import { MeetingEdges } from './meeting-edges.js'

/** Footprints are at most this part of the shortest wavelength wide across the fan near the edge, */
const FOOTPRINT = 0.35
/** and beyond this many wavelengths grow as Fresnel zones do, */
const NEAR = 2
/** and span at most this angle [rad]. */
const WIDEST = 0.15
/** Least |cos| of incidence for which footprints are made narrower to keep their width on the facet. */
const OBLIQUE = 0.05
/** Where amplitudes stand in `EdgeField.footprint`. */
const SOFT = 8
const HARD = 12

/**
 * What the diffracted wave of an edge does to other faces (docs/second-order.md): the wave of the edge's uniform theory, less the
 * sharply cut waves of geometrical optics, lights them; they radiate as under the rays, J = 2 n x H at every bounce. With unit
 * vectors of the ray d, along the fan e2 and across both e1, and E_z, H_z of the diffracted wave (u_d of `WedgeWave` times those of
 * the incident one), E = (E_z e1 + Z H_z e2)/sin beta0, and a footprint adds
 *   F += (jk/4pi) (-2 p . (n x (d x E))) exp(-jk(psi + path - s.r)) area sinc sinc.
 */
class ReflectedWave implements BundleSink {
  private readonly frame: Float64Array
  /** sin and cos of the Keller cone's half angle, and azimuth of the light [rad], set by `light`. */
  sinBeta = 0.5
  cosBeta = 0.5
  phi0 = 0.5
  private N = 2
  /** 1/2 where the light grazes a face: what comes along it is incident and reflected wave in one. */
  private hard = 1
  /** See `comesOver`, and of the piece. */
  private late: ((middle: number) => number) | null = null
  private over = Infinity
  private middle = NaN
  private rx!: Aspect['rx']
  private edgeStart: Vec3 = [0.5, 0.5, 0.5]
  private tangent: Vec3 = [0.5, 0.5, 0.5]
  private r0: Vec3 = [0.5, 0.5, 0.5]
  /** Phase path of the light at the arrays' origin [m]. */
  private path = 0.5
  private delay = 0.5
  private length = 0.5
  /** By how much the azimuth of what is added grows along the edge [rad/m]. */
  private slope = 0
  /** Way to the plane that the path was taken to last [m]. */
  private step = 0
  private at = 0
  private readonly point = new Float64Array(3)
  /** E_z and Z H_z at the edge for both transmit polarisations [1]. */
  private readonly ez = new Float64Array(2)
  private readonly hz = new Float64Array(2)
  private readonly minus = new WedgeWave()
  private readonly plus = new WedgeWave()
  // Along a path: ray, edge and fan directions mirrored at each bounce, fields of unit E_z and Z H_z; position.
  private readonly d = new Float64Array(3)
  private readonly z = new Float64Array(3)
  private readonly across = new Float64Array(3)
  private readonly soft = new Float64Array(3)
  private readonly hardField = new Float64Array(3)
  private readonly r = new Float64Array(3)
  private readonly n = new Float64Array(3)

  /**
   * @param field      what contributions are added to
   * @param shortest, longest  wavelengths [m]: footprints are as small as the shortest needs, paths as long as the penumbras of the longest
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly field: EdgeField,
    private readonly shortest: number,
    private readonly longest: number,
  ) {
    this.frame = scene.frames
  }

  /**
   * Takes an edge lit by a wave. False where it is seen end-on and does not diffract.
   *
   * @param at     position of its first face's frame
   * @param start  relative to the origin of the ray scene [m], and unit tangent
   * @param shift  phase path of the ray scene's origin, (tx + rx).origin [m]
   */
  light(
    wave: LightWave,
    at: number,
    N: number,
    start: Vec3,
    tangent: Vec3,
    { rx }: Aspect,
    shift: number,
  ): boolean {
    const { frame, ez, hz } = this
    const { r } = wave
    const along = (v: ArrayLike<number>, i: number): number =>
      v[0] * frame[at + i] + v[1] * frame[at + i + 1] + v[2] * frame[at + i + 2]
    const [ix, iy, iz] = [along(r, 0), along(r, 3), along(r, 6)]
    this.sinBeta = Math.hypot(ix, iy)
    this.cosBeta = -iz
    if (this.sinBeta < END_ON) return false
    const full = N * Math.PI
    let phi0 = Math.atan2(iy, ix)
    if (phi0 < 0) phi0 += 2 * Math.PI
    if (phi0 > full) phi0 = phi0 - full < 2 * Math.PI - phi0 ? full : 0
    this.phi0 = phi0
    this.hard = grazes(this.scene, at / FRAMES_SIZE, phi0, full) ? 0.5 : 1
    this.N = N
    this.at = at
    this.rx = rx
    this.edgeStart = start
    this.tangent = tangent
    this.r0 = r
    this.path = wave.path + shift
    for (let t = 0; t < 2; t++) {
      const e = t === 0 ? wave.thetaHat : wave.phiHat
      ez[t] = along(e, 6)
      hz[t] = along([e[1] * r[2] - e[2] * r[1], e[2] * r[0] - e[0] * r[2], e[0] * r[1] - e[1] * r[0]], 6)
    }
    return true
  }

  /**
   * Takes what the way along a face is longer by than the direct one, where light comes over it, by the distance from the edge's start [m];
   * null where none does.
   */
  comesOver(late: ((middle: number) => number) | null): void {
    this.late = late
    this.middle = NaN
    this.over = Infinity
  }

  /** Takes a piece of the edge: distance of its midpoint from the edge's start, and length [m]. */
  openPiece(middle: number, length: number): void {
    const { point, edgeStart, tangent, r0 } = this
    this.length = length
    this.delay = this.path
    if (this.late && middle !== this.middle) this.over = this.late(middle)
    this.middle = middle
    for (let c = 0; c < 3; c++) {
      point[c] = edgeStart[c] + middle * tangent[c]
      this.delay += r0[c] * point[c]
    }
  }

  /** Adds what the faces lit by a bundle of the piece's fan radiate. */
  add(bundle: RayBundle): void {
    const { from, to, fromSlope, toSlope } = bundle
    if (!(to > from)) return
    const widest = Math.min(this.widest(bundle, from), this.widest(bundle, to))
    const steps = Math.max(1, Math.ceil((to - from) / widest - 1e-9))
    const width = (to - from) / steps
    for (let i = 0; i < steps; i++) {
      const part = (i + 0.5) / steps
      this.slope = fromSlope + part * (toSlope - fromSlope)
      this.footprints(bundle, from + part * (to - from), width, this.rx)
    }
  }

  /** Greatest width [rad] of footprints about an azimuth. */
  private widest(bundle: RayBundle, azimuth: number): number {
    let widest = WIDEST
    let path = 0
    this.start(azimuth)
    for (let m = 0; m < bundle.count; m++) {
      const nd = this.next(bundle.facets[m])
      if (!this.onTarget()) break
      path += this.step
      const reach = Math.max(path * this.sinBeta, 1e-9 * this.shortest)
      const growth = Math.sqrt(Math.max(1, reach / (NEAR * this.shortest)))
      widest = Math.min(widest, (FOOTPRINT * growth * this.shortest * Math.max(OBLIQUE, -nd)) / reach)
      this.reflect()
    }
    return widest
  }

  /** Adds the bounces of one narrow bundle of rays about an azimuth. */
  private footprints(bundle: RayBundle, azimuth: number, width: number, rx: Aspect['rx']): void {
    const { d, n, r, z, across, minus, plus, field } = this
    const s = rx.r
    minus.set(this.N, azimuth - this.phi0)
    minus.put(field.footprint, 0)
    plus.set(this.N, azimuth + this.phi0)
    plus.put(field.footprint, 2)
    this.start(azimuth)
    let path = 0
    for (let m = 0; m < bundle.count; m++) {
      const nd = this.next(bundle.facets[m])
      if (!this.onTarget()) return
      path += this.step
      const rho = path * this.sinBeta
      const x = Math.sqrt((4 * Math.PI * this.sinBeta * rho) / this.longest)
      const waves = path / this.longest
      if (!minus.reaches(x, waves) && !plus.reaches(x, waves)) return
      if ((bundle.visible >> m) & 1) {
        // The piece of the edge and the fan's width, slid along the ray onto the facet.
        const ka = (n[0] * z[0] + n[1] * z[1] + n[2] * z[2]) / nd
        const kb = (n[0] * across[0] + n[1] * across[1] + n[2] * across[2]) / nd
        const la = this.length
        const lb = rho * width
        const qx = lb * (across[0] - kb * d[0])
        const qy = lb * (across[1] - kb * d[1])
        const qz = lb * (across[2] - kb * d[2])
        // Along the edge it goes across the fan too.
        const turned = (la * this.slope) / width
        const px = la * (z[0] - ka * d[0]) + turned * qx
        const py = la * (z[1] - ka * d[1]) + turned * qy
        const pz = la * (z[2] - ka * d[2]) + turned * qz
        const ax = py * qz - pz * qy
        const ay = pz * qx - px * qz
        const az = px * qy - py * qx
        const area = Math.sqrt(ax * ax + ay * ay + az * az)
        const wx = s[0] - d[0]
        const wy = s[1] - d[1]
        const wz = s[2] - d[2]
        const alongP = 0.5 * (wx * px + wy * py + wz * pz)
        const alongQ = 0.5 * (wx * qx + wy * qy + wz * qz)
        this.coefficients(rx, area)
        const delay = this.delay - path + s[0] * r[0] + s[1] * r[1] + s[2] * r[2]
        const ns = n[0] * s[0] + n[1] * s[1] + n[2] * s[2]
        const [late, seen] = [path * versine(nd), path * versine(ns)]
        field.addFootprint(delay, this.sinBeta, path, late, seen, this.over, alongP, alongQ)
      }
      this.reflect()
    }
  }

  /** Real amplitudes per unit of u_d, soft and hard, of the four channels; without jk. */
  private coefficients(rx: Aspect['rx'], area: number): void {
    const { ez, hz } = this
    const { footprint } = this.field
    for (let q = 0; q < 2; q++) {
      const p = q === 0 ? rx.thetaHat : rx.phiHat
      const soft = (area / (4 * Math.PI)) * this.radiated(this.soft, p)
      const hard = (area / (4 * Math.PI)) * this.radiated(this.hardField, p) * this.hard
      for (let t = 0; t < 2; t++) {
        const channel = t === q ? t : 2 + t
        footprint[SOFT + channel] = soft * ez[t]
        footprint[HARD + channel] = hard * hz[t]
      }
    }
  }

  /** -2 p . (n x (d x E)) = 2 (d.n)(p.E) - 2 (p.d)(n.E) with its sign turned: n x (d x E) = d (n.E) - E (n.d). */
  private radiated(e: Float64Array, p: Vec3): number {
    const { n, d } = this
    const ne = n[0] * e[0] + n[1] * e[1] + n[2] * e[2]
    const nd = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
    const pe = p[0] * e[0] + p[1] * e[1] + p[2] * e[2]
    const pd = p[0] * d[0] + p[1] * d[1] + p[2] * d[2]
    return 2 * (nd * pe - ne * pd)
  }

  /** Puts the path at the edge, leaving in the cone's direction of an azimuth. */
  private start(azimuth: number): void {
    const { frame, at, d, z, across, soft, hardField, sinBeta, cosBeta } = this
    const cos = Math.cos(azimuth)
    const sin = Math.sin(azimuth)
    coneDirection(frame, at, sinBeta, cosBeta, cos, sin, d)
    for (let c = 0; c < 3; c++) {
      z[c] = frame[at + 6 + c]
      across[c] = cos * frame[at + 3 + c] - sin * frame[at + c]
      soft[c] = (z[c] - cosBeta * d[c]) / (sinBeta * sinBeta)
      hardField[c] = across[c] / sinBeta
      this.r[c] = this.point[c]
    }
  }

  /**
   * Whether the last step leads to a point that may be on the target: next to a boundary, a bundle's rays need not meet the planes of
   * the ray that it was made from.
   */
  private onTarget(): boolean {
    return this.step > 0 && this.step <= this.rays.diagonal
  }

  /** Goes on to the plane of a facet, `step` further [m]; gives n . d < 0. */
  private next(facet: number): number {
    const { n, d, r } = this
    const { normals } = this.rays
    const f = 4 * facet
    const side = normals[f] * d[0] + normals[f + 1] * d[1] + normals[f + 2] * d[2] > 0 ? -1 : 1
    for (let c = 0; c < 3; c++) n[c] = side * normals[f + c]
    const nd = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
    this.step = (side * normals[f + 3] - n[0] * r[0] - n[1] * r[1] - n[2] * r[2]) / nd
    for (let c = 0; c < 3; c++) r[c] += this.step * d[c]
    return nd
  }

  /** Reflects the path at the plane it is on: directions are mirrored, fields mirrored and turned round. */
  private reflect(): void {
    mirror(this.d, this.n, 1)
    mirror(this.z, this.n, 1)
    mirror(this.across, this.n, 1)
    mirror(this.soft, this.n, -1)
    mirror(this.hardField, this.n, -1)
  }
}

function mirror(v: Float64Array, n: Float64Array, sign: number): void {
  const q = 2 * (n[0] * v[0] + n[1] * v[1] + n[2] * v[2])
  for (let c = 0; c < 3; c++) v[c] = sign * (v[c] - q * n[c])
}

/** Adds the mechanism `reflected` (docs/second-order.md) at the frequencies of one step (`bandsOfSteps`). One object per thread. */
export class ReflectedEdges {
  /** Of the edges being added, at the step's frequencies. */
  readonly field: EdgeField
  /** In the middle of the step, and its lowest [rad/m]. */
  private readonly k: number
  private readonly lowest: number
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
    this.field = EdgeField.of(band, exact)
    this.k = Math.sqrt(lowest * highest)
    this.lowest = lowest
    this.fan = new FanTracer(rays, light.planes, shortest, longest, size)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.wedges = new WedgeCache(highest / lowest)
    this.upstream = new StripFan(scene)
    this.finder = new SegmentFinder(scene, rays, segmentLength)
    this.reflected = new ReflectedWave(scene, rays, this.field, shortest, longest)
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
    if (!light.mayLight(e, w)) return
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
