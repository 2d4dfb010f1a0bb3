import { CornerIntegrals, type FockFunctions, fockFunctions, RANGE } from '../../../math/fock.js'
import { RayCaster, type RayScene } from '../../../rays/index.js'
import { boundsOf } from '../../../scene/band.js'
import { type Aspect, type Band, cross, dot, type Vec3 } from '../../../scene/index.js'
import { CHANNELS, type EdgeScenes, type Mechanism } from '../../engine/mechanism.js'
import { areaOf, vectorAt } from '../../geometry/edge-scene.js'
import { chebyshevBasis, type PathSink, type PathSum, pathSum } from '../../engine/delay-amplitudes.js'
import { bendAlong, type CurvedFaces, findCurvedFaces } from './curved-faces.js'

/**
 * Numbers of a point: position [m], normal, n.s, turn of the normal since the shadow boundary [rad], the delays of the waves from this and the
 * other side [m], e_q . eta J of unit hard and soft currents and of physical optics, four channels each, and re, im of what the waves are larger by
 * for the width that they have converged to.
 */
const POINT_SIZE = 26
const NORMAL_AT = 3
const COSINE = 6
const TURN = 7
const DELAY = 8
const HARD = 10
const SOFT = 14
const OPTICS = 18
const WIDTH = 22

/** Argument of the Fock functions up to which their currents are taken whole; down to `RANGE.lit` they go over into physical optics. */
const WHOLE = -2
/** Waves converge to no less than this part of their width: the currents at a focus are finite. */
const NARROWEST = 0.15
/** Triangles in which the argument of the Fock functions changes by more are cut in halves. */
const STEP = 0.25
/** Cuts at most. */
const DEEPEST = 24

/**
 * Currents of a plane wave on facets of a smooth convex conductor, less those of physical optics, integrated. With n the normal, c = n.s, b across
 * the plane of incidence, R the radius of the surface along it, m = (kR/2)^(1/3) and x = -m c in the light, m asin(-c) in the shadow:
 *
 *   eta J = [(n x b) (b.H) g(x) + b (b.E) (-j f(x))/m] exp(-jk R (asin(-c) + c)),   H = d x E
 *
 * the last factor in the shadow alone, where the wave runs along the arc (Fock 1946; Pathak 1979 with the torsion left out). In the shadow its width
 * goes as cos(a sqrt(R/R_b)), a the angle along the arc, with exp(j pi/2) past a focus. Where the body is round, the wave from its other side
 * is added, with the angle pi - asin(-c).
 *
 * Amplitudes and phases are linear between the corners of triangles in which x changes by `STEP` at most.
 */
class SurfaceWaves {
  /** 8 numbers per wavenumber, VV, HH, VH, HV [m]. */
  private readonly amplitudes: Float64Array
  /** Points of a facet: its corners, and middles between them. */
  private readonly data = new Float64Array(POINT_SIZE * (3 + DEEPEST))
  /** e_q . eta J of physical optics on the facet, and how much of it is that of the surface instead. */
  private readonly optics = new Float64Array(4)
  private asSurface = NaN
  private aspect!: Aspect
  /** See `setFace`; radius along the bend [m], and part of the bend that is along the plane of incidence, 0 to 1. */
  private bend: Vec3 = [NaN, NaN, NaN]
  private side: Vec3 = [NaN, NaN, NaN]
  private lit = NaN
  private arm = NaN
  private climb = NaN
  private readonly integrals = new CornerIntegrals()
  private readonly functions = new Float64Array(4)
  private readonly wave = new Float64Array(4)
  /** Cube roots of the wavenumbers and of their bounds, and m of the face at each. */
  private readonly roots: Float64Array
  private readonly highest: number
  private readonly lowest: number
  private readonly radii: Float64Array
  /** Sides of triangles are cut where this times the difference of x/m is above 1. */
  private most = NaN
  /** Least m. */
  private least = NaN
  /** 1 or 2: this side's, and that of the other side of the body. */
  private waves = 1
  private shift = NaN
  private converges = NaN
  private other = NaN

  /** @param origin  mesh origin to which phases refer, in the scene's coordinates [m] */
  constructor(
    private readonly paths: PathSink,
    private readonly fock: FockFunctions,
    private readonly origin: Vec3,
  ) {
    this.amplitudes = new Float64Array(8 * paths.k.length)
    this.roots = paths.k.map(Math.cbrt)
    this.radii = new Float64Array(paths.k.length)
    this.highest = Math.cbrt(paths.highest)
    this.lowest = Math.cbrt(paths.lowest)
  }

  /** Sets the directions of light and receiver. */
  setAspect(aspect: Aspect): void {
    this.aspect = aspect
    this.shift = dot(aspect.tx.r, this.origin) + dot(aspect.rx.r, this.origin)
  }

  /**
   * Sets the face that the next facets are of.
   *
   * @param bend       change of the normal along the plane of incidence, dn/ds [1/m]
   * @param curvature  its part along that plane, and @param across the curvature across it [1/m]
   * @param other      how much of the wave from the other side of the body is there, 0 to 1
   * @param lit        how much of it is lit as the surface, the rest as its plane, 0 to 1
   * @param side       b of the face times the turn of its normals: what b is where the light comes along a normal
   */
  setFace(bend: Vec3, curvature: number, across: number, other: number, lit: number, side: Vec3): void {
    const { roots } = this
    const rate = Math.hypot(bend[0], bend[1], bend[2])
    this.bend = bend
    this.side = side
    this.lit = lit
    this.arm = 1 / rate
    this.climb = curvature / rate
    // Gaussian curvature: what lets neighbouring waves converge.
    this.converges = Math.sqrt(Math.max(0, curvature * (across + curvature) - rate * rate)) / rate
    this.other = other
    this.waves = other > 0 ? 2 : 1
    const bent = Math.cbrt(2 * curvature)
    for (let i = 0; i < roots.length; i++) this.radii[i] = roots[i] / bent
    this.most = this.highest / bent / STEP
    this.least = this.lowest / bent
  }

  /**
   * Adds the currents on a facet; false where none differ from those of physical optics.
   *
   * @param corners  its corners [m] and @param normals the surface's normals there, 9 numbers each from `at` on
   * @param own      its own normal: what physical optics has
   */
  addFacet(corners: Float64Array, normals: Float64Array, at: number, own: Vec3): boolean {
    const { data, optics } = this
    const lit = dot(own, this.aspect.tx.r) > 0
    optics.fill(0)
    if (lit) this.setOptics(own, optics, 0)
    this.asSurface = lit ? this.lit : 0
    for (let i = 0; i < 3; i++) {
      for (let c = 0; c < 3; c++) {
        data[POINT_SIZE * i + c] = corners[at + 3 * i + c]
        data[POINT_SIZE * i + NORMAL_AT + c] = normals[at + 3 * i + c]
      }
      this.setPoint(POINT_SIZE * i)
    }
    return this.integrate(0, POINT_SIZE, 2 * POINT_SIZE, areaOf(corners, at), 0)
  }

  /** Sets the point at p to the middle between two others. */
  private setMiddle(p: number, a: number, b: number): void {
    const { data } = this
    for (let c = 0; c < 6; c++) data[p + c] = (data[a + c] + data[b + c]) / 2
    const n = p + NORMAL_AT
    const length = Math.sqrt(data[n] ** 2 + data[n + 1] ** 2 + data[n + 2] ** 2)
    for (let c = 0; c < 3; c++) data[n + c] /= length
    this.setPoint(p)
  }

  /** Sets e_q . eta J of physical optics on a lit surface with normal n: J = 2n x (d x E), d = -s. */
  private setOptics(n: Vec3, out: Float64Array, at: number): void {
    const { tx, rx } = this.aspect
    for (let c = 0; c < 4; c++) {
      const e = CHANNELS[c][0] === 0 ? tx.thetaHat : tx.phiHat
      const q = CHANNELS[c][1] === 0 ? rx.thetaHat : rx.phiHat
      out[at + c] = 2 * (dot(e, q) * dot(n, tx.r) - dot(tx.r, q) * dot(n, e))
    }
  }

  /** Sets what follows from position and normal of the point at p. */
  private setPoint(p: number): void {
    const { data, bend, side, arm, climb, optics, asSurface } = this
    const { tx, rx } = this.aspect
    const s = tx.r
    const n = vectorAt(data, p + NORMAL_AT)
    const c = Math.max(-1, Math.min(1, dot(n, s)))
    // Where the normal goes through the light's direction b would turn over: it is the face's there.
    const b = cross(n, s)
    for (let i = 0; i < 3; i++) b[i] += side[i]
    const up = dot(s, b)
    for (let i = 0; i < 3; i++) b[i] -= up * s[i]
    normalise(b)
    const along = cross(n, b)
    // b.(d x E) = E.(s x b)
    const magnetic = cross(s, b)
    for (let ch = 0; ch < 4; ch++) {
      const e = CHANNELS[ch][0] === 0 ? tx.thetaHat : tx.phiHat
      const q = CHANNELS[ch][1] === 0 ? rx.thetaHat : rx.phiHat
      data[p + HARD + ch] = dot(e, magnetic) * dot(along, q)
      data[p + SOFT + ch] = dot(e, b) * dot(b, q)
    }
    // Over a face in the light they change as the others: only small differences of both are left, without steps from face to face.
    if (asSurface > 0) this.setOptics(n, data, p + OPTICS)
    for (let ch = 0; ch < 4; ch++)
      data[p + OPTICS + ch] = optics[ch] + asSurface * (data[p + OPTICS + ch] - optics[ch])
    // The part of the bend across the normal: the direction in which it turns.
    const over = dot(n, bend)
    const m: Vec3 = [bend[0] - over * n[0], bend[1] - over * n[1], bend[2] - over * n[2]]
    const turn = Math.atan2(-c, -dot(m, s) / Math.sqrt(dot(m, m)))
    const path = data[p] * (s[0] + rx.r[0]) + data[p + 1] * (s[1] + rx.r[1]) + data[p + 2] * (s[2] + rx.r[2])
    data[p + COSINE] = c
    data[p + TURN] = turn
    // The arc is longer than the way of the light.
    data[p + DELAY] = path - (c > 0 ? 0 : arm * (climb * turn + c))
    data[p + DELAY + 1] = path - arm * (climb * (Math.PI - turn) + c)
    this.setWidth(p + WIDTH, c > 0 ? 0 : turn, 1)
    if (this.waves === 2) this.setWidth(p + WIDTH + 2, Math.PI - turn, this.other)
  }

  /** Sets re, im at `at` for a wave of amplitude `full` that has turned by so much; past a focus it is ahead by a quarter. */
  private setWidth(at: number, turn: number, full: number): void {
    const { data } = this
    const width = Math.cos(turn * this.converges)
    const wide = full / Math.sqrt(Math.max(NARROWEST, Math.abs(width)))
    data[at] = width < 0 ? 0 : wide
    data[at + 1] = width < 0 ? wide : 0
  }

  /** Argument of the Fock functions at the point at p, over m. */
  private argument(p: number, wave: number): number {
    const { data, climb } = this
    if (wave === 1) return climb * (Math.PI - data[p + TURN])
    return data[p + COSINE] > 0 ? -data[p + COSINE] : climb * data[p + TURN]
  }

  /** Adds the waves of a triangle with the points a, b, c, cut in halves until they are linear. @param area [m^2] */
  private integrate(a: number, b: number, c: number, area: number, depth: number): boolean {
    const { most, least } = this
    let any = false
    let ab = 0
    let bc = 0
    let ca = 0
    for (let w = 0; w < this.waves; w++) {
      const xa = this.argument(a, w)
      const xb = this.argument(b, w)
      const xc = this.argument(c, w)
      if (least * Math.max(xa, xb, xc) < RANGE.lit || least * Math.min(xa, xb, xc) >= RANGE.shadow) continue
      any = true
      ab = Math.max(ab, most * Math.abs(xa - xb))
      bc = Math.max(bc, most * Math.abs(xb - xc))
      ca = Math.max(ca, most * Math.abs(xc - xa))
    }
    if (!any) return false
    const worst = Math.max(ab, bc, ca)
    if (worst <= 1 || depth === DEEPEST) {
      for (let w = 0; w < this.waves; w++) this.addTriangle(a, b, c, area, w)
      return true
    }
    if (worst === bc) return this.cut(b, c, a, area, depth)
    return worst === ab ? this.cut(a, b, c, area, depth) : this.cut(c, a, b, area, depth)
  }

  /** Cuts a triangle in the middle of its side from a to b. */
  private cut(a: number, b: number, c: number, area: number, depth: number): boolean {
    const middle = POINT_SIZE * (3 + depth)
    this.setMiddle(middle, a, b)
    const first = this.integrate(a, middle, c, area / 2, depth + 1)
    return this.integrate(middle, b, c, area / 2, depth + 1) || first
  }

  private addTriangle(a: number, b: number, c: number, area: number, w: number): void {
    const { paths, integrals, amplitudes, radii, data } = this
    const { k } = paths
    const da = data[a + DELAY + w]
    const db = data[b + DELAY + w]
    const dc = data[c + DELAY + w]
    const delay = (da + db + dc) / 3
    amplitudes.fill(0)
    for (let i = 0; i < k.length; i++) {
      const m = radii[i]
      integrals.set(k[i] * (da - delay), k[i] * (db - delay), k[i] * (dc - delay))
      // F = -jk/4pi times the integral of e_q . eta J.
      const factor = (area * k[i]) / (4 * Math.PI)
      this.addCorner(a, 0, m, factor, 8 * i, w)
      this.addCorner(b, 2, m, factor, 8 * i, w)
      this.addCorner(c, 4, m, factor, 8 * i, w)
    }
    paths.add(delay + this.shift, amplitudes)
  }

  /** Adds the currents at a corner times its integral. */
  private addCorner(p: number, integral: number, m: number, factor: number, o: number, w: number): void {
    const { integrals, amplitudes, wave, data } = this
    const x = m * this.argument(p, w)
    if (x < RANGE.lit) return
    const fade = x > WHOLE ? 1 : smooth((x - RANGE.lit) / (WHOLE - RANGE.lit))
    this.setWave(x, p + WIDTH + 2 * w, m)
    const re = factor * fade * integrals.values[integral]
    const im = factor * fade * integrals.values[integral + 1]
    for (let ch = 0; ch < 4; ch++) {
      const hard = data[p + HARD + ch]
      const soft = data[p + SOFT + ch]
      const real = hard * wave[0] + soft * wave[2] - (w === 0 ? data[p + OPTICS + ch] : 0)
      const imaginary = hard * wave[1] + soft * wave[3]
      amplitudes[o + 2 * ch] += re * imaginary + im * real
      amplitudes[o + 2 * ch + 1] -= re * real - im * imaginary
    }
  }

  /** Sets `wave` to re, im of the hard and the soft current of a wave with the width at `at`. */
  private setWave(x: number, at: number, m: number): void {
    const { fock, functions, wave, data } = this
    if (x >= RANGE.shadow) return void wave.fill(0)
    fock.at(x, functions)
    const cos = data[at]
    const sin = data[at + 1]
    wave[0] = functions[0] * cos - functions[1] * sin
    wave[1] = functions[0] * sin + functions[1] * cos
    wave[2] = (functions[2] * cos - functions[3] * sin) / m
    wave[3] = (functions[2] * sin + functions[3] * cos) / m
  }
}

const smooth = (x: number): number => x * x * (3 - 2 * x)

/** Pieces of faces whose currents are summed as one, at least, and such units of a target, at most: enough for threads to share. */
const LEAST = 64
const UNITS = 32
/** The surface is where its bend at a point puts it at the shadow boundary, to within this part of the arc between them. */
const OFF_ARC = 0.3
/**
 * Waves from the other side of a body, which has to be round for them: they are weaker by 1/e where the surface there is off by so many times that,
 * or its normal by so much (1 - cosine). Chosen on a sphere, cone-sphere, cylinder and spheroid.
 */
const ROUND = 0.06
const TILT = 0.02
/** Least cosine of the angle between the normal there and the one expected. */
const ALIGNED = 0.8
/** Part of its amplitude that a wave may have left behind a surface that does not count. */
const NOTHING = 0.005
/** Decay per radian of the creeping wave that lasts longest (E across the surface), over (kR/2)^(1/3): the first zero of Ai' times cos 30 degrees. */
const DECAY = 1.01879 * Math.cos(Math.PI / 6)
/** Light this near to a surface's normal (sine) has no direction along it. */
const NORMAL = 1e-3
/**
 * Mean radius [m] of the largest surface with edges that counts at a wavenumber [rad/m]: once half around a cylinder of more,
 * exp(-DECAY pi (kR/2)^(1/3)) is below `NOTHING`, at kR = 14. What ends at edges before is theirs (decision 018).
 */
export const largestRadius = (k: number): number => (2 / k) * (Math.log(1 / NOTHING) / (DECAY * Math.PI)) ** 3

/** Facets of a target that have creeping waves at the frequencies of a band. */
export function creepingFacets({ rays, edges }: EdgeScenes, band: Band): number {
  const largest = largestRadius(boundsOf(band).lowest)
  return rays.surface.reduce((count, s) => count + (edges.meanRadii[s] <= largest ? 1 : 0), 0)
}

/** Those of a target in a band; null where no surface counts. */
export function creepingWaves(scenes: EdgeScenes, band: Band, exact: boolean): Mechanism | null {
  const curved = findCurvedFaces(scenes, largestRadius(boundsOf(band).lowest))
  return curved.most.length > 0 ? new CreepingWaves(scenes.rays, curved, band, exact) : null
}

/**
 * Currents near the shadow boundaries of smooth convex surfaces and waves that creep into their shadow, less what physical optics has there:
 *
 *   F_pq = -(jk/4 pi) int e_q . (eta J - eta J_PO) exp(jk (s_tx + s_rx) . r) dS
 *
 * with J of `SurfaceWaves`, over the faces of closed smooth regions, whose normals are interpolated: those without edges, and those small enough
 * for waves to get around (`largestRadius`). One object per thread.
 */
class CreepingWaves implements Mechanism {
  /** Units of faces that are added. */
  readonly units: number
  private readonly unit: number
  private readonly caster: RayCaster
  private readonly paths: PathSum
  private readonly waves: SurfaceWaves
  private aspect: Aspect | null = null
  /** (k/2)^(1/3) at the lower bound of the frequencies (`boundsOf`). */
  private readonly lowest: number
  /** Of the face being added: its middle, the normal there, the direction in which light runs over it, and changes of the normal. */
  private readonly p: Vec3 = [NaN, NaN, NaN]
  private readonly n: Vec3 = [NaN, NaN, NaN]
  private readonly along: Vec3 = [NaN, NaN, NaN]
  private readonly bend: Vec3 = [NaN, NaN, NaN]
  private readonly sideways: Vec3 = [NaN, NaN, NaN]

  constructor(
    private readonly rays: RayScene,
    private readonly curved: CurvedFaces,
    band: Band,
    exact: boolean,
  ) {
    const { length } = curved.most
    this.unit = Math.max(LEAST, Math.ceil(length / UNITS))
    this.units = Math.ceil(length / this.unit)
    this.caster = new RayCaster(rays)
    this.paths = pathSum(band, exact ? null : chebyshevBasis(band))
    this.waves = new SurfaceWaves(this.paths, fockFunctions(), rays.origin)
    this.lowest = Math.cbrt(boundsOf(band).lowest / 2)
  }

  /** See `Mechanism`. */
  add(aspect: Aspect, unit: number, out: Float64Array): boolean {
    const faces = this.curved.most.length
    if (aspect !== this.aspect) this.waves.setAspect(aspect)
    this.aspect = aspect
    this.paths.reset()
    let added = false
    for (let face = this.unit * unit; face < Math.min(faces, this.unit * (unit + 1)); face++)
      added = this.addFace(face, aspect.tx.r) || added
    if (!added) return false
    this.paths.finish(out)
    return true
  }

  /** Adds the currents of a face in light from r; false where it has none. */
  private addFace(face: number, r: Vec3): boolean {
    const { rays, curved, waves, lowest, p, n, along, bend, sideways } = this
    const { corners, normals, facets, start, middles, middleNormals } = curved
    let least = 1
    let greatest = -1
    for (let at = 9 * start[face]; at < 9 * start[face + 1]; at += 3) {
      const cosine = normals[at] * r[0] + normals[at + 1] * r[1] + normals[at + 2] * r[2]
      least = Math.min(least, cosine)
      greatest = Math.max(greatest, cosine)
    }
    // Too far in the light, were it bent as little as it is in any direction.
    if (-least * lowest < RANGE.lit * Math.cbrt(curved.most[face])) return false
    for (let c = 0; c < 3; c++) {
      p[c] = middles[3 * face + c]
      n[c] = middleNormals[3 * face + c]
    }
    const cosine = dot(n, r)
    for (let c = 0; c < 3; c++) along[c] = cosine * n[c] - r[c]
    const sine = Math.hypot(along[0], along[1], along[2])
    if (sine < NORMAL) return false
    for (let c = 0; c < 3; c++) along[c] /= sine
    bendAlong(curved, face, along, bend)
    const curvature = dot(along, bend)
    if (!(curvature > 0) || -least * lowest < RANGE.lit * Math.cbrt(curvature)) return false
    if (this.reachesShadow(r, 0) === 0) return false
    // All of it once the shadow boundary is as far away as the face is wide: no step where a corner comes into the light.
    const lit = Math.max(0, Math.min(1, least / (greatest - least)))
    const b = cross(along, n)
    bendAlong(curved, face, b, sideways)
    const across = dot(b, sideways)
    for (let c = 0; c < 3; c++) b[c] *= 2 * curved.turns[face]
    waves.setFace(bend, curvature, across, this.reachesShadow(r, Math.PI), lit, b)
    let added = false
    for (let t = start[face]; t < start[face + 1]; t++) {
      added = waves.addFacet(corners, normals, 9 * t, vectorAt(rays.normals, 4 * facets[t])) || added
    }
    return added
  }

  /**
   * 1 where the surface, as it bends at the face's middle, goes on to the shadow boundary of light from r, and that is lit; else 0. With
   * `over` = pi to the boundary on the other side of the body, 1 to 0 by how round it is.
   */
  private reachesShadow(r: Vec3, over: number): number {
    const { caster, rays, p, n, along, bend } = this
    const rate = Math.hypot(bend[0], bend[1], bend[2])
    const turn = Math.atan((-dot(n, r) * rate) / dot(bend, r)) - over
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
    const top: Vec3 = [0, 0, 0]
    for (let c = 0; c < 3; c++) top[c] = n[c] * cos + (bend[c] / rate) * sin
    normalise(top)
    const off = (OFF_ARC * Math.abs(turn) + 1e-3) / rate
    const start: Vec3 = [0, 0, 0]
    for (let c = 0; c < 3; c++) start[c] = p[c] + (along[c] * sin - (1 - cos) * n[c]) / rate + off * top[c]
    caster.nearest(start[0], start[1], start[2], -top[0], -top[1], -top[2], -1, 2 * off)
    const { facet } = caster
    if (facet < 0) return 0
    const tilt = 1 - dot(top, vectorAt(rays.normals, 4 * facet))
    if (tilt > 1 - ALIGNED) return 0
    const beside = Math.abs(caster.t - off) / off
    if (caster.occluded(start[0], start[1], start[2], r[0], r[1], r[2], -1)) return 0
    return over > 0 ? Math.exp(-((beside / ROUND) ** 2) - (tilt / TILT) ** 2) : 1
  }
}

function normalise(a: Vec3): void {
  const length = Math.hypot(a[0], a[1], a[2])
  for (let c = 0; c < 3; c++) a[c] /= length
}
