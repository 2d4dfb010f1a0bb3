import { type Aspect, dot, type Vec3 } from '../../scene/index.js'
import type { PathSum } from '../path-sum.js'
import { RANGE, type FockFunctions } from './fock.js'
import { CornerIntegrals } from './linear-phase.js'

/** Argument of the Fock functions up to which their currents are taken whole; down to `RANGE.lit` they go over into physical optics. */
const WHOLE = -2
/** Waves converge to no less than this part of their width: the currents at a focus are finite. */
const NARROWEST = 0.15
/** Triangles in which the argument of the Fock functions changes by more are cut in halves. */
const STEP = 0.25
/** Cuts at most. */
const DEEPEST = 24
/**
 * Numbers of a point: position [m], normal, n.s, turn of the normal since the shadow boundary [rad], the delays of the waves from this and the
 * other side [m], and e_q . eta J of unit hard and soft currents and of physical optics, four channels each.
 */
const POINT_SIZE = 22
const [NORMAL, COSINE, TURN, DELAY, HARD, SOFT, OPTICS] = [3, 6, 7, 8, 10, 14, 18]

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
  /** e_q . eta J of physical optics on the facet, and whether it and its corners are in the light. */
  private readonly optics = new Float64Array(4)
  private whollyLit = false
  private readonly points = new Float64Array(POINT_SIZE * (3 + DEEPEST))
  private readonly integrals = new CornerIntegrals()
  private readonly functions = new Float64Array(4)
  private readonly wave = new Float64Array(4)
  /** Cube roots of the wavenumbers, the greatest and the least of them, and m of the facet at each. */
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
  private readonly bend: Vec3 = [0.5, 0.5, 0.5]
  private aspect: Aspect | null = null
  private shift = 0.5
  private arm = 0.5
  private climb = 0.5
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
    this.highest = this.roots.reduce((a, b) => Math.max(a, b))
    this.lowest = this.roots.reduce((a, b) => Math.min(a, b))
  }

  /** Sets the directions of light and receiver. */
  setAspect(aspect: Aspect): void {
    this.aspect = aspect
    this.shift = dot(aspect.tx.r, this.origin) + dot(aspect.rx.r, this.origin)
  }

  /**
   * Adds the currents on a facet; false where none differ from those of physical optics.
   *
   * @param corners    its corners [m] and @param normals the surface's normals there, 9 numbers each from `at` on
   * @param own        its own normal: what physical optics has
   * @param bend       change of the normal along the plane of incidence, dn/ds [1/m]
   * @param curvature  its part along that plane, and @param across the curvature across it [1/m]
   * @param other      how much of the wave from the other side of the body is there, 0 to 1
   */
  addFacet(
    corners: Float64Array,
    normals: Float64Array,
    at: number,
    own: Vec3,
    bend: Vec3,
    curvature: number,
    across: number,
    other: number,
  ): boolean {
    const { optics, points, roots } = this
    const s = this.aspect!.tx.r
    const rate = Math.hypot(bend[0], bend[1], bend[2])
    for (let c = 0; c < 3; c++) this.bend[c] = bend[c]
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
    let lit = dot(own, s) > 0
    optics.fill(0)
    if (lit) this.setOptics(own[0], own[1], own[2], optics, 0)
    for (let i = at; i < at + 9; i += 3)
      lit &&= normals[i] * s[0] + normals[i + 1] * s[1] + normals[i + 2] * s[2] > 0
    this.whollyLit = lit
    for (let i = 0; i < 3; i++) {
      for (let c = 0; c < 3; c++) {
        points[POINT_SIZE * i + c] = corners[at + 3 * i + c]
        points[POINT_SIZE * i + NORMAL + c] = normals[at + 3 * i + c]
      }
      this.setPoint(POINT_SIZE * i)
    }
    const p = POINT_SIZE
    const [ax, ay, az] = [points[p] - points[0], points[p + 1] - points[1], points[p + 2] - points[2]]
    const q = 2 * POINT_SIZE
    const [bx, by, bz] = [points[q] - points[0], points[q + 1] - points[1], points[q + 2] - points[2]]
    const area = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx) / 2
    return this.integrate(0, p, q, area, 0)
  }

  /** Sets e_q . eta J of physical optics on a lit surface with normal n: J = 2n x (d x E), d = -s. */
  private setOptics(nx: number, ny: number, nz: number, out: Float64Array, at: number): void {
    const { tx, rx } = this.aspect!
    const n: Vec3 = [nx, ny, nz]
    for (let c = 0; c < 4; c++) {
      const e = c === 0 || c === 2 ? tx.thetaHat : tx.phiHat
      const q = c === 0 || c === 3 ? rx.thetaHat : rx.phiHat
      out[at + c] = 2 * (dot(e, q) * dot(n, tx.r) - dot(tx.r, q) * dot(n, e))
    }
  }

  /** Sets what follows from position and normal of the point at p. */
  private setPoint(p: number): void {
    const { points, bend, arm, climb, optics } = this
    const { tx, rx } = this.aspect!
    const s = tx.r
    const e = tx.thetaHat
    const h = tx.phiHat
    const nx = points[p + NORMAL]
    const ny = points[p + NORMAL + 1]
    const nz = points[p + NORMAL + 2]
    const c = Math.max(-1, Math.min(1, nx * s[0] + ny * s[1] + nz * s[2]))
    let bx = ny * s[2] - nz * s[1]
    let by = nz * s[0] - nx * s[2]
    let bz = nx * s[1] - ny * s[0]
    const length = Math.sqrt(bx * bx + by * by + bz * bz)
    // At normal incidence any two directions will do.
    bx = length > 1e-9 ? bx / length : e[0]
    by = length > 1e-9 ? by / length : e[1]
    bz = length > 1e-9 ? bz / length : e[2]
    // n x b; and b.(d x E) = E.(s x b)
    const ax = ny * bz - nz * by
    const ay = nz * bx - nx * bz
    const az = nx * by - ny * bx
    const cx = s[1] * bz - s[2] * by
    const cy = s[2] * bx - s[0] * bz
    const cz = s[0] * by - s[1] * bx
    const { thetaHat, phiHat } = rx
    const hardV = e[0] * cx + e[1] * cy + e[2] * cz
    const hardH = h[0] * cx + h[1] * cy + h[2] * cz
    const softV = e[0] * bx + e[1] * by + e[2] * bz
    const softH = h[0] * bx + h[1] * by + h[2] * bz
    const alongV = ax * thetaHat[0] + ay * thetaHat[1] + az * thetaHat[2]
    const alongH = ax * phiHat[0] + ay * phiHat[1] + az * phiHat[2]
    const acrossV = bx * thetaHat[0] + by * thetaHat[1] + bz * thetaHat[2]
    const acrossH = bx * phiHat[0] + by * phiHat[1] + bz * phiHat[2]
    points[p + HARD] = hardV * alongV
    points[p + HARD + 1] = hardH * alongH
    points[p + HARD + 2] = hardV * alongH
    points[p + HARD + 3] = hardH * alongV
    points[p + SOFT] = softV * acrossV
    points[p + SOFT + 1] = softH * acrossH
    points[p + SOFT + 2] = softV * acrossH
    points[p + SOFT + 3] = softH * acrossV
    // Over a facet in the light they change as the others: only small differences of both are left, without steps from facet to facet.
    if (this.whollyLit) this.setOptics(nx, ny, nz, points, p + OPTICS)
    else for (let ch = 0; ch < 4; ch++) points[p + OPTICS + ch] = optics[ch]
    // The part of the bend across the normal: the direction in which it turns.
    const up = nx * bend[0] + ny * bend[1] + nz * bend[2]
    const mx = bend[0] - up * nx
    const my = bend[1] - up * ny
    const mz = bend[2] - up * nz
    const turned = -(mx * s[0] + my * s[1] + mz * s[2]) / Math.sqrt(mx * mx + my * my + mz * mz)
    const turn = Math.atan2(-c, turned)
    const path =
      points[p] * (s[0] + rx.r[0]) + points[p + 1] * (s[1] + rx.r[1]) + points[p + 2] * (s[2] + rx.r[2])
    points[p + COSINE] = c
    points[p + TURN] = turn
    // The arc is longer than the way of the light.
    points[p + DELAY] = path - (c > 0 ? 0 : arm * (climb * turn + c))
    points[p + DELAY + 1] = path - arm * (climb * (Math.PI - turn) + c)
  }

  /** Argument of the Fock functions at the point at p, over m. */
  private argument(p: number, wave: number): number {
    const { points, climb } = this
    if (wave === 1) return climb * (Math.PI - points[p + TURN])
    return points[p + COSINE] > 0 ? -points[p + COSINE] : climb * points[p + TURN]
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

  private setMiddle(p: number, a: number, b: number): void {
    const { points } = this
    for (let c = 0; c < 6; c++) points[p + c] = (points[a + c] + points[b + c]) / 2
    const n = p + NORMAL
    const length = Math.sqrt(points[n] ** 2 + points[n + 1] ** 2 + points[n + 2] ** 2)
    for (let c = 0; c < 3; c++) points[n + c] /= length
    this.setPoint(p)
  }

  private addTriangle(a: number, b: number, c: number, area: number, w: number): void {
    const { points, paths, integrals, amplitudes, radii } = this
    const { k } = paths
    const da = points[a + DELAY + w]
    const db = points[b + DELAY + w]
    const dc = points[c + DELAY + w]
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
    const x = m * this.argument(p, w)
    if (x < RANGE.lit) return
    const fade = x > WHOLE ? 1 : smooth((x - RANGE.lit) / (WHOLE - RANGE.lit))
    this.setWave(x, p, m, w)
    const re = factor * fade * integrals.values[integral]
    const im = factor * fade * integrals.values[integral + 1]
    for (let ch = 0; ch < 4; ch++) {
      const hard = points[p + HARD + ch]
      const soft = points[p + SOFT + ch]
      const real = hard * wave[0] + soft * wave[2] - (w === 0 ? points[p + OPTICS + ch] : 0)
      const imaginary = hard * wave[1] + soft * wave[3]
      amplitudes[o + 2 * ch] += re * imaginary + im * real
      amplitudes[o + 2 * ch + 1] -= re * real - im * imaginary
    }
  }

  /** Sets `wave` to re, im of the hard and the soft current of a wave at the point at p. */
  private setWave(x: number, p: number, m: number, w: number): void {
    const { fock, functions, points, wave } = this
    if (x >= RANGE.shadow) return void wave.fill(0)
    fock.at(x, functions)
    const turn = w === 1 ? Math.PI - points[p + TURN] : points[p + COSINE] > 0 ? 0 : points[p + TURN]
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
