import { type Aspect, dot, type Vec3 } from '../../scene/index.js'
import type { PathSum } from '../path-sum.js'
import { RANGE, type FockFunctions } from './fock.js'
import { CornerIntegrals } from './linear-phase.js'
import { COSINE, DELAY, HARD, OPTICS, POINT_SIZE, SOFT, SurfacePoints, TURN } from './surface-points.js'

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
export class SurfaceWaves {
  /** 8 numbers per wavenumber, VV, HH, VH, HV [m]. */
  private readonly amplitudes: Float64Array
  private readonly points = new SurfacePoints(3 + DEEPEST)
  private readonly integrals = new CornerIntegrals()
  private readonly functions = new Float64Array(4)
  private readonly wave = new Float64Array(4)
  /** Cube roots of the wavenumbers and of their bounds, and m of the face at each. */
  private readonly roots: Float64Array
  private readonly highest: number
  private readonly lowest: number
  private readonly radii: Float64Array
  /** Sides of triangles are cut where this times the difference of x/m is above 1. */
  private most = 0.5
  /** Least m. */
  private least = 0.5
  /** 1 or 2: this side's, and that of the other side of the body. */
  private waves = 1
  private shift = 0.5
  private converges = 0.5
  private other = 0.5

  /** @param origin  mesh origin to which phases refer, in the scene's coordinates [m] */
  constructor(
    private readonly paths: PathSum,
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
    this.points.setAspect(aspect)
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
    const climb = curvature / rate
    // Gaussian curvature: what lets neighbouring waves converge.
    this.converges = Math.sqrt(Math.max(0, curvature * (across + curvature) - rate * rate)) / rate
    this.other = other
    this.waves = other > 0 ? 2 : 1
    const bent = Math.cbrt(2 * curvature)
    for (let i = 0; i < roots.length; i++) this.radii[i] = roots[i] / bent
    this.most = this.highest / bent / STEP
    this.least = this.lowest / bent
    this.points.setFace(bend, climb, lit, side)
  }

  /**
   * Adds the currents on a facet; false where none differ from those of physical optics.
   *
   * @param corners  its corners [m] and @param normals the surface's normals there, 9 numbers each from `at` on
   * @param own      its own normal: what physical optics has
   */
  addFacet(corners: Float64Array, normals: Float64Array, at: number, own: Vec3): boolean {
    const area = this.points.setFacet(corners, normals, at, own)
    return this.integrate(0, POINT_SIZE, 2 * POINT_SIZE, area, 0)
  }

  /** Adds the waves of a triangle with the points a, b, c, cut in halves until they are linear. @param area [m^2] */
  private integrate(a: number, b: number, c: number, area: number, depth: number): boolean {
    const { most, least, points } = this
    let any = false
    let ab = 0
    let bc = 0
    let ca = 0
    for (let w = 0; w < this.waves; w++) {
      const xa = points.argument(a, w)
      const xb = points.argument(b, w)
      const xc = points.argument(c, w)
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
    this.points.setMiddle(middle, a, b)
    const first = this.integrate(a, middle, c, area / 2, depth + 1)
    return this.integrate(middle, b, c, area / 2, depth + 1) || first
  }

  private addTriangle(a: number, b: number, c: number, area: number, w: number): void {
    const { paths, integrals, amplitudes, radii } = this
    const { data } = this.points
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
    const { points, integrals, amplitudes, wave } = this
    const { data } = points
    const x = m * points.argument(p, w)
    if (x < RANGE.lit) return
    const fade = x > WHOLE ? 1 : smooth((x - RANGE.lit) / (WHOLE - RANGE.lit))
    this.setWave(x, p, m, w)
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

  /** Sets `wave` to re, im of the hard and the soft current of a wave at the point at p. */
  private setWave(x: number, p: number, m: number, w: number): void {
    const { fock, functions, wave } = this
    const { data } = this.points
    if (x >= RANGE.shadow) return void wave.fill(0)
    fock.at(x, functions)
    const turn = w === 1 ? Math.PI - data[p + TURN] : data[p + COSINE] > 0 ? 0 : data[p + TURN]
    const width = Math.cos(turn * this.converges)
    const wide = (w === 1 ? this.other : 1) / Math.sqrt(Math.max(NARROWEST, Math.abs(width)))
    const cos = width < 0 ? 0 : wide
    const sin = width < 0 ? wide : 0
    wave[0] = functions[0] * cos - functions[1] * sin
    wave[1] = functions[0] * sin + functions[1] * cos
    wave[2] = (functions[2] * cos - functions[3] * sin) / m
    wave[3] = (functions[2] * sin + functions[3] * cos) / m
  }
}

const smooth = (x: number): number => x * x * (3 - 2 * x)
