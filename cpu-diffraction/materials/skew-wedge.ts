import type { Complex } from '../../scene/complex.js'
import { add, divide, multiply, scale, subtract } from './complex.js'
import { applyTo, invert, solveInPlace } from './linear.js'
import type { MaterialWedge } from './material-wedge.js'
import { SkewFace } from './skew-face.js'
import { type FaceImpedance, type FaceShape, missedJump, pathPoint, pointCount } from './skew-path.js'

/** Places beside a pole. */
const NEAR_POLE = 1e-3

/** 2x2 matrix, two numbers of a place, and Psi of E and H. */
const matrix = new Float64Array(8)
const missed = new Float64Array(2)
const point = new Float64Array(4)
const psi = new Float64Array(4)
/** By points what they have in y: q/(c -+ nu). */
let kernel = new Float64Array()
/** T of points, and memory of equations. */
let jumps = new Float64Array()
let room = new Float64Array()

/**
 * Oblique incidence on a wedge of impedance faces, exactly. E_z and H_z are Sommerfeld integrals of f = (f_E, f_H), for which each face asks
 * (A - sin w) f(w) = (A + sin w) f(-w), w from the face, with
 *   A = (s_E, a; -a, s_H), s_E = sin(b)/Z_zz, s_H = sin(b) det Z/Z_zz, a = cos(b) cos(w) - sin(b) Z_xz/Z_zz,
 * b the angle between edge and incidence, whose cosine couples both. f = Psi y with Maliuzhinets' Psi of uncoupled conditions leaves y a jump
 * S = T y on either face. In nu = sin(mu (w - Phi)), mu = pi/2 Phi, both faces are cuts of one plane, so that
 *   y = y_incident + (1/2 pi j) int S dnu'/(nu' - nu):
 * singular integral equations of both faces, solved at points even in ln t along paths w = jt + rho(t) (odd ones bring the principal values
 * to even ones). rho leads them between the zeros of det(A - sin w), on their right, and of det(A + sin w), on their left, which come close to
 * w = jt where losses are low. (Maliuzhinets 1958 for b = 90 degrees; other integral equations: Lyalinov and Zhu, 2006.)
 *
 * Fields are 8 numbers, re and im of E_z and H_z (over space's admittance) of the incident wave with E_z = 1, and of that with H_z = 1.
 */
export class SkewWedge {
  private readonly mu: number
  private readonly full: number
  private readonly nu0: number
  private readonly faces: SkewFace[]
  /** Strength of the incident pole of y_E and y_H. */
  private readonly pole: Complex[]
  /** Points, those of the first face at the beginning. */
  private readonly count: number
  private readonly first: number
  /** cos(mu w) of points, and (1/2 pi j) mu sin(mu w) dw: re and im in turn. */
  private readonly c: Float64Array
  private readonly q: Float64Array
  /** S of E and H under both incident waves: 8 numbers each. */
  private readonly S: Float64Array
  private readonly f = new Float64Array(8)

  /**
   * @param faces   of the face that angles are counted from, and of the other one; null: conducts perfectly
   * @param shapes  of both faces
   * @param sinBeta,kappa  sine of the angle b, and the component of the direction of incidence along the first face's z
   * @param phi0    direction towards the transmitter, from the first face [rad]
   */
  constructor(
    private readonly wedge: MaterialWedge,
    faces: readonly (FaceImpedance | null)[],
    shapes: readonly FaceShape[],
    sinBeta: number,
    kappa: number,
    phi0: number,
  ) {
    this.mu = 1 / wedge.N
    this.full = Math.PI * wedge.N
    const a0 = this.mu * (phi0 - this.full / 2)
    this.nu0 = Math.sin(a0)
    this.faces = faces.map((face, i) => new SkewFace(face, shapes[i], sinBeta, i === 0 ? kappa : -kappa))
    this.setPsi(phi0, 0)
    this.pole = [0, 2].map((i) => divide([this.mu * Math.cos(a0), 0], [psi[i], psi[i + 1]]))
    const counts = faces.map((face, i) => (face ? pointCount(shapes[i], wedge.N) : 0))
    this.first = counts[0]
    this.count = counts[0] + counts[1]
    this.c = new Float64Array(2 * this.count)
    this.q = new Float64Array(2 * this.count)
    this.S = new Float64Array(8 * this.count)
    if (this.count > 0) this.solve()
  }

  /** G = 2 (A + sin w)^{-1} f at w from a face: u = jg on it, G = int g e^{-j cos(w) X} dX. Holds until the next call. */
  onFace(side: number, re: number, im: number): Float64Array {
    this.seenFrom(side, re, im)
    this.faces[side].inverse(re, im, 2, matrix)
    applyTo(matrix, this.f)
    return this.f
  }

  /** G of physical optics is this over cos(phi0) - cos(w), phi0 from the face. */
  optics(side: number, phi0: number): Float64Array {
    this.faces[side].inverse(phi0, 0, 2 * Math.sin(phi0), matrix)
    return Float64Array.of(...[0, 1, 4, 5, 2, 3, 6, 7].map((i) => matrix[i]))
  }

  /**
   * What E_z and H_z of a face radiate by J = n x H and M = E x n (over 377 ohm), received with these components of e and s x e: factors
   * of E_z and of H_z. E_z = Z_zz J_z + Z_xz J_x, E_x = Z_xx J_x + Z_xz J_z.
   */
  received(side: number, electric: Float64Array, magnetic: Float64Array): [Complex, Complex] {
    const { xx, xz, zz } = this.faces[side].face
    const ofJz = add([electric[2], 0], scale(magnetic[2], xz))
    const E = divide(ofJz, zz)
    return [
      [E[0] - magnetic[0], E[1]],
      add([electric[0], 0], subtract(scale(magnetic[2], xx), multiply(xz, E))),
    ]
  }

  /** Poles w of G from a face, of guided waves and others near the cut. */
  guided(side: number): Complex[] {
    return this.faces[side].isMetal ? [] : this.faces[side].zeros()
  }

  /** Residue in mu = -cos(w) of G at one of its poles. */
  residue(side: number, w: Complex): Float64Array {
    // On a plane f may be infinite there by another reflection.
    this.seenFrom(side, w[0] + NEAR_POLE, w[1])
    const above = this.f.slice()
    this.seenFrom(side, w[0] - NEAR_POLE, w[1])
    const mean = above.map((x, i) => 0.5 * (x + this.f[i]))
    this.faces[side].residue(w, matrix)
    applyTo(matrix, mean)
    return mean
  }

  /** Sets f at w from a face. */
  private seenFrom(side: number, re: number, im: number): void {
    if (side === 0) return this.at(re, im)
    this.at(this.full - re, -im)
    for (let i = 0; i < 8; i++) this.f[i] = -this.f[i]
  }

  /** Sets f at w from the first face. */
  private at(re: number, im: number): void {
    const { faces, f, full } = this
    // Past a face: f(-w) = (A + sin w)^{-1} (A - sin w) f(w).
    if (faces[0].isPast(-re, -im)) {
      this.at(-re, -im)
      faces[0].reflection(-re, -im, matrix)
      return applyTo(matrix, f)
    }
    if (faces[1].isPast(re - full, im)) {
      this.at(2 * full - re, -im)
      faces[1].reflection(re - full, im, matrix)
      return applyTo(matrix, f)
    }
    this.sum(re, im)
    this.setPsi(re, im)
    for (let i = 0; i < 8; i += 2) {
      const x = f[i]
      const p = i & 2
      f[i] = psi[p] * x - psi[p + 1] * f[i + 1]
      f[i + 1] = psi[p] * f[i + 1] + psi[p + 1] * x
    }
    const near = im > 0 ? 0 : 1
    if (im === 0 || faces[near].isMetal) return
    const [x, y] = near === 0 ? [re, im] : [full - re, -im]
    if (!missedJump(faces[near].shape, x, y, missed)) return
    // f + missed T f = what the sum has.
    faces[near].jump(x, y, matrix)
    for (let i = 0; i < 8; i += 2) {
      const t = matrix[i]
      matrix[i] = (i % 6 === 0 ? 1 : 0) - (missed[0] * t - missed[1] * matrix[i + 1])
      matrix[i + 1] = -(missed[0] * matrix[i + 1] + missed[1] * t)
    }
    invert(matrix)
    applyTo(matrix, f)
  }

  /** Sets f to y at w from the first face, its integrals by the quadrature alone. */
  private sum(re: number, im: number): void {
    const { f, S, mu, count, nu0, pole } = this
    const x = mu * (re - this.full / 2)
    const up = Math.exp(mu * im)
    const nuRe = Math.sin(x) * 0.5 * (up + 1 / up)
    const nuIm = Math.cos(x) * 0.5 * (up - 1 / up)
    this.weigh(nuRe, nuIm)
    const size = 1 / ((nuRe - nu0) * (nuRe - nu0) + nuIm * nuIm)
    const zRe = (nuRe - nu0) * size
    const zIm = -nuIm * size
    const [E, H] = pole
    let a = E[0] * zRe - E[1] * zIm
    let b = E[1] * zRe + E[0] * zIm
    let [c, d, e, g] = [0, 0, 0, 0]
    let h = H[0] * zRe - H[1] * zIm
    let l = H[1] * zRe + H[0] * zIm
    for (let k = 0, o = 0; k < 2 * count; k += 2, o += 8) {
      const r = kernel[k]
      const i = kernel[k + 1]
      a += r * S[o] - i * S[o + 1]
      b += r * S[o + 1] + i * S[o]
      c += r * S[o + 2] - i * S[o + 3]
      d += r * S[o + 3] + i * S[o + 2]
      e += r * S[o + 4] - i * S[o + 5]
      g += r * S[o + 5] + i * S[o + 4]
      h += r * S[o + 6] - i * S[o + 7]
      l += r * S[o + 7] + i * S[o + 6]
    }
    f.set([a, b, c, d, e, g, h, l])
  }

  /** Sets the kernel of all points at nu: infinite at a point itself. */
  private weigh(nuRe: number, nuIm: number): void {
    const { c, q, first } = this
    for (let k = 0; k < c.length; k += 2) {
      const sign = k < 2 * first ? 1 : -1
      const x = c[k] + sign * nuRe
      const z = c[k + 1] + sign * nuIm
      const size = 1 / (x * x + z * z)
      kernel[k] = (q[k] * x + q[k + 1] * z) * size
      kernel[k + 1] = (q[k + 1] * x - q[k] * z) * size
    }
  }

  /** Sets Psi of E and H at w from the first face. */
  private setPsi(re: number, im: number): void {
    const { full, wedge } = this
    const [near, far] = this.faces
    for (let p = 0; p < 2; p++) {
      wedge.psi.begin()
      wedge.psi.multiplyFace(re - full, im, near.reference[p])
      wedge.psi.multiplyFace(re, im, far.reference[p])
      wedge.psi.end(psi, 2 * p)
    }
  }

  /** Sets points, and T there: 2 sin w ((s - sin w) Psi)^{-1} (s - A)(A + sin w)^{-1} Psi. */
  private setPoints(): void {
    const { faces, first, count, mu, full, c, q } = this
    for (let k = 0; k < count; k++) {
      const side = k < first ? 0 : 1
      const { shape } = faces[side]
      pathPoint(shape, side === 0 ? k : k - first, point)
      const [re, im, slopeRe, slopeIm] = point
      const up = Math.exp(mu * im)
      const cosh = 0.5 * (up + 1 / up)
      const sinh = 0.5 * (up - 1 / up)
      const [sin, cos] = [Math.sin(mu * re), Math.cos(mu * re)]
      c[2 * k] = cos * cosh
      c[2 * k + 1] = -sin * sinh
      // -j sin(mu w) dw
      const size = (mu * shape.step) / (2 * Math.PI)
      q[2 * k] = size * (sin * cosh * slopeIm + cos * sinh * slopeRe)
      q[2 * k + 1] = -size * (sin * cosh * slopeRe - cos * sinh * slopeIm)
      if (side === 0) this.setPsi(re, im)
      else this.setPsi(full - re, -im)
      faces[side].jump(re, im, matrix)
      const ratio = divide([psi[2], psi[3]], [psi[0], psi[1]])
      jumps.set(matrix, 8 * k)
      jumps.set(multiply([matrix[2], matrix[3]], ratio), 8 * k + 2)
      jumps.set(divide([matrix[4], matrix[5]], ratio), 8 * k + 4)
    }
  }

  private solve(): void {
    const { count: n, first, c, S } = this
    // Rows and columns: E of all points, H of all points; then both right-hand sides.
    const width = 2 * (2 * n + 2)
    if (room.length < 2 * n * width) {
      room = new Float64Array(2 * n * width)
      kernel = new Float64Array(2 * n)
      jumps = new Float64Array(8 * n)
    }
    this.setPoints()
    const a = room
    for (let m = 0; m < n; m++) {
      const sign = m < first ? -1 : 1
      const off: Complex = [sign * c[2 * m] - this.nu0, sign * c[2 * m + 1]]
      this.weigh(sign * c[2 * m], off[1])
      for (let k = 0; k < n; k++) {
        const isOwn = k < first === m < first
        const size = !isOwn ? -1 : (k - m) % 2 === 0 ? 0 : -2
        kernel[2 * k] = k === m ? -0.5 : size * kernel[2 * k]
        kernel[2 * k + 1] = k === m ? 0 : size * kernel[2 * k + 1]
      }
      for (let p = 0; p < 2; p++) {
        const row = (p * n + m) * width
        for (let r = 0; r < 2; r++) {
          for (let k = 0, o = row + 2 * r * n, t = 4 * p + 2 * r; k < 2 * n; k += 2, o += 2, t += 8) {
            a[o] = kernel[k] * jumps[t] - kernel[k + 1] * jumps[t + 1]
            a[o + 1] = kernel[k] * jumps[t + 1] + kernel[k + 1] * jumps[t]
          }
          a.set(r === p ? divide(this.pole[p], off) : [0, 0], row + 2 * (2 * n + r))
        }
        a[row + 2 * (p * n + m)] += 1
      }
    }
    solveInPlace(a, 2 * n, 2)
    for (let k = 0; k < n; k++) {
      const to = S.subarray(8 * k, 8 * k + 8)
      for (let i = 0; i < 2; i++)
        for (let p = 0; p < 2; p++) {
          const o = (p * n + k) * width + 2 * (2 * n + i)
          to.set(a.subarray(o, o + 2), 4 * i + 2 * p)
        }
      applyTo(jumps.subarray(8 * k, 8 * k + 8), to)
    }
  }
}
