import { type Aspect, dot, type Vec3 } from '../../../scene/index.js'

/**
 * Numbers of a point: position [m], normal, n.s, turn of the normal since the shadow boundary [rad], the delays of the waves from this and the
 * other side [m], and e_q . eta J of unit hard and soft currents and of physical optics, four channels each.
 */
export const POINT_SIZE = 22
const NORMAL = 3
export const COSINE = 6
export const TURN = 7
export const DELAY = 8
export const HARD = 10
export const SOFT = 14
export const OPTICS = 18

/** Points of a facet of a smooth surface in light: its corners, and middles between them. */
export class SurfacePoints {
  readonly data: Float64Array
  /** e_q . eta J of physical optics on the facet, and how much of it is that of the surface instead. */
  private readonly optics = new Float64Array(4)
  private lit = 0.5
  private asSurface = 0.5
  private readonly bend: Vec3 = [0.5, 0.5, 0.5]
  private readonly side: Vec3 = [0.5, 0.5, 0.5]
  private arm = 0.5
  private climb = 0.5
  private aspect: Aspect | null = null

  constructor(count: number) {
    this.data = new Float64Array(POINT_SIZE * count)
  }

  /** Sets the directions of light and receiver. */
  setAspect(aspect: Aspect): void {
    this.aspect = aspect
  }

  /**
   * Sets the face that the next facets are of. Parameters as of `SurfaceWaves`.
   *
   * @param climb  part of the bend that is along the plane of incidence, 0 to 1
   */
  setFace(bend: Vec3, climb: number, lit: number, side: Vec3): void {
    for (let c = 0; c < 3; c++) {
      this.bend[c] = bend[c]
      this.side[c] = side[c]
    }
    this.arm = 1 / Math.hypot(bend[0], bend[1], bend[2])
    this.climb = climb
    this.lit = lit
  }

  /** Sets the first three points to a triangle's corners, and returns its area [m^2]. Parameters as of `SurfaceWaves`. */
  setFacet(corners: Float64Array, normals: Float64Array, at: number, own: Vec3): number {
    const { data, optics } = this
    const lit = dot(own, this.aspect!.tx.r) > 0
    optics.fill(0)
    if (lit) this.setOptics(own[0], own[1], own[2], optics, 0)
    this.asSurface = lit ? this.lit : 0
    for (let i = 0; i < 3; i++) {
      for (let c = 0; c < 3; c++) {
        data[POINT_SIZE * i + c] = corners[at + 3 * i + c]
        data[POINT_SIZE * i + NORMAL + c] = normals[at + 3 * i + c]
      }
      this.setPoint(POINT_SIZE * i)
    }
    const p = POINT_SIZE
    const q = 2 * POINT_SIZE
    const ax = data[p] - data[0]
    const ay = data[p + 1] - data[1]
    const az = data[p + 2] - data[2]
    const bx = data[q] - data[0]
    const by = data[q + 1] - data[1]
    const bz = data[q + 2] - data[2]
    return Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx) / 2
  }

  /** Sets the point at p to the middle between two others. */
  setMiddle(p: number, a: number, b: number): void {
    const { data } = this
    for (let c = 0; c < 6; c++) data[p + c] = (data[a + c] + data[b + c]) / 2
    const n = p + NORMAL
    const length = Math.sqrt(data[n] ** 2 + data[n + 1] ** 2 + data[n + 2] ** 2)
    for (let c = 0; c < 3; c++) data[n + c] /= length
    this.setPoint(p)
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
    const { data, bend, side, arm, climb, optics } = this
    const { tx, rx } = this.aspect!
    const s = tx.r
    const e = tx.thetaHat
    const h = tx.phiHat
    const nx = data[p + NORMAL]
    const ny = data[p + NORMAL + 1]
    const nz = data[p + NORMAL + 2]
    const c = Math.max(-1, Math.min(1, nx * s[0] + ny * s[1] + nz * s[2]))
    // Where the normal goes through the light's direction b would turn over: it is the face's there.
    let bx = ny * s[2] - nz * s[1] + side[0]
    let by = nz * s[0] - nx * s[2] + side[1]
    let bz = nx * s[1] - ny * s[0] + side[2]
    const up = s[0] * bx + s[1] * by + s[2] * bz
    bx -= up * s[0]
    by -= up * s[1]
    bz -= up * s[2]
    const length = Math.sqrt(bx * bx + by * by + bz * bz)
    bx /= length
    by /= length
    bz /= length
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
    data[p + HARD] = hardV * alongV
    data[p + HARD + 1] = hardH * alongH
    data[p + HARD + 2] = hardV * alongH
    data[p + HARD + 3] = hardH * alongV
    data[p + SOFT] = softV * acrossV
    data[p + SOFT + 1] = softH * acrossH
    data[p + SOFT + 2] = softV * acrossH
    data[p + SOFT + 3] = softH * acrossV
    // Over a face in the light they change as the others: only small differences of both are left, without steps from face to face.
    if (this.asSurface > 0) this.setOptics(nx, ny, nz, data, p + OPTICS)
    for (let ch = 0; ch < 4; ch++)
      data[p + OPTICS + ch] = optics[ch] + this.asSurface * (data[p + OPTICS + ch] - optics[ch])
    // The part of the bend across the normal: the direction in which it turns.
    const over = nx * bend[0] + ny * bend[1] + nz * bend[2]
    const mx = bend[0] - over * nx
    const my = bend[1] - over * ny
    const mz = bend[2] - over * nz
    const turned = -(mx * s[0] + my * s[1] + mz * s[2]) / Math.sqrt(mx * mx + my * my + mz * mz)
    const turn = Math.atan2(-c, turned)
    const path = data[p] * (s[0] + rx.r[0]) + data[p + 1] * (s[1] + rx.r[1]) + data[p + 2] * (s[2] + rx.r[2])
    data[p + COSINE] = c
    data[p + TURN] = turn
    // The arc is longer than the way of the light.
    data[p + DELAY] = path - (c > 0 ? 0 : arm * (climb * turn + c))
    data[p + DELAY + 1] = path - arm * (climb * (Math.PI - turn) + c)
  }

  /** Argument of the Fock functions at the point at p, over m. */
  argument(p: number, wave: number): number {
    const { data, climb } = this
    if (wave === 1) return climb * (Math.PI - data[p + TURN])
    return data[p + COSINE] > 0 ? -data[p + COSINE] : climb * data[p + TURN]
  }
}
