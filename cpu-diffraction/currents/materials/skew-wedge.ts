import {
  add,
  applyTo,
  type Complex,
  cos,
  divide,
  invert,
  magnitude,
  multiply,
  scale,
  sin,
  solveInPlace,
  subtract,
} from '../../../math/complex.js'
import { emptyAmplitudes, type FaceAmplitudes, type SurfaceField } from './amplitudes.js'
import { type MaterialFace, OFF_PLANE } from './material-face.js'
import {
  type FaceImpedance,
  type FaceShape,
  leaveOfOne,
  missedJump,
  pathPoint,
  pointCount,
  SkewFace,
} from './skew-face.js'
import { ANGLES, H, type MaterialWedge, missedShare, NODES, poleOf } from './surface-spectrum.js'
import { lagrange } from '../../../math/chebyshev.js'

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
   * @param first   under this incidence
   */
  constructor(
    private readonly wedge: MaterialWedge,
    faces: readonly (FaceImpedance | null)[],
    shapes: readonly FaceShape[],
    first: Pick<MaterialFace, 'sinBeta0' | 'kappa' | 'phi0'>,
  ) {
    const { sinBeta0: sinBeta, kappa, phi0 } = first
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
    leaveOfOne(matrix, missed[0], missed[1])
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
      c.set(cos([mu * re, mu * im]), 2 * k)
      const step: Complex = [0, (-mu * shape.step) / (2 * Math.PI)]
      q.set(multiply(step, multiply(sin([mu * re, mu * im]), [slopeRe, slopeIm])), 2 * k)
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

/** Directions that close to that of the geometrical wave are interpolated, from places so far apart [rad]. */
const OFF = 0.02
const PLACES = [-2, -1, 1, 2]
/** Of mu, where the whole of oblique incidence is computed: along the path of `SkewWedge` and beyond it is a sum. */
const LEAST_MU = -0.95
/** Times the root of 1 + |mu|, nodes from which on sums of terms do not depend on mu. */
const FAR_OUT = 10

/**
 * The amplitudes of a face of a wedge under oblique incidence.
 *
 * @param side    of the solution's faces
 * @param fields  of E and of H along the edge, for their weights and walls; what is of both has the means of these
 * @param lit     as physical optics has it for this face
 */
export function skewAmplitudes(
  face: MaterialFace,
  solution: SkewWedge,
  side: number,
  fields: readonly Pick<SurfaceField, 'weight' | 'wall'>[],
  lit: boolean,
  out = emptyAmplitudes(),
): FaceAmplitudes {
  const { count, mu } = face
  const phi0 = Math.max(face.phi0, OFF_PLANE)
  const optics = lit ? solution.optics(side, phi0) : null
  const parts = channels(face, solution, side, fields)
  /** Adds what a field, times a number, has in the channels. */
  const put = (field: Float64Array, fRe: number, fIm: number, to: Float64Array, at: number): void => {
    for (let channel = 0; channel < 8; channel += 2) {
      let re = 0
      let im = 0
      for (let i = 0, o = 4 * channel; i < 8; i += 2, o += 2) {
        re += parts[o] * field[i] - parts[o + 1] * field[i + 1]
        im += parts[o] * field[i + 1] + parts[o + 1] * field[i]
      }
      to[at + channel] += fRe * re - fIm * im
      to[at + channel + 1] += fRe * im + fIm * re
    }
  }
  const putFringe = (w: number, factor: number, to: Float64Array): void => {
    put(solution.onFace(side, w, 0), factor, 0, to, 0)
    if (optics) put(optics, -factor / (Math.cos(phi0) - Math.cos(w)), 0, to, 0)
  }
  // Nodes far out are alike at any mu, as the field closest to the edge.
  const apart = FAR_OUT * Math.sqrt(1 + Math.abs(mu))
  let begin = face.first
  while (begin < face.start && NODES[begin] > apart) begin++
  const terms = new Float64Array(8 * Math.max(0, count - begin))
  for (let n = begin; n < count; n++) {
    const v = NODES[n]
    const re = ANGLES[n][0]
    const im = ANGLES[n][1]
    // Below the last node the terms go on like v^3.
    const f = ((n === count - 1 ? 1 / (1 - Math.exp(-3 * H)) : 1) * H * v * v) / Math.PI
    put(solution.onFace(side, Math.PI - re, -im), 0, f, terms, 8 * (n - begin))
    put(solution.onFace(side, Math.PI + re, im), 0, -f, terms, 8 * (n - begin))
  }
  const guided = solution.guided(side).flatMap((w) => {
    const theta: Complex = [w[0] - Math.PI, w[1]]
    const v = poleOf(theta)
    const missed = missedShare(v)
    // Far out it belongs to the field closest to the edge.
    const size = magnitude(v)
    if (!missed || size > FAR_OUT || size < NODES[count - 1]) return []
    return [{ missed, residue: solution.residue(side, w), e: multiply([0, 1], cos(theta)) }]
  })
  // Along the strips' plane and beyond, and where wholes and ends cancel, wholes are sums of what is left.
  face.fill(mu < LEAST_MU ? LEAST_MU : face.sure, out, (at) => {
    const w = Math.acos(-Math.min(at, 1 - 1e-9))
    if (at < LEAST_MU) out.untruncated.fill(0)
    else if (!optics || Math.abs(w - phi0) > 2 * OFF) putFringe(w, 1, out.untruncated)
    else {
      // Through places beside the geometrical wave, where both terms are infinite.
      const places = Float64Array.from(PLACES, (p) => Math.max(phi0, 3 * OFF) + p * OFF)
      lagrange(places, w).forEach((weight, i) => putFringe(places[i], weight, out.untruncated))
    }
    for (let n = begin; n < count; n++) {
      const [y, z] = [NODES[n] * NODES[n], 1 - at]
      const size = 1 / (y * y + z * z)
      for (let c = 0, o = 8 * (n - begin); c < 8; c += 2, o += 2) {
        out.nodes[8 * n + c] = size * (terms[o] * y + terms[o + 1] * z)
        out.nodes[8 * n + c + 1] = size * (terms[o + 1] * y - terms[o] * z)
      }
    }
    for (const { missed, residue, e } of guided) {
      const amplitudes = new Float64Array(8)
      const [re, im] = divide(missed, [e[0], e[1] - at])
      put(residue, re, im, amplitudes, 0)
      out.guided.push({ decay: [e[0], e[1] - 1], amplitudes })
    }
  })
  return out
}

/** By channel what it has of E and H under a wave of E, and of E and H under one of H: 8 numbers each. */
function channels(
  { share, sinBeta0, along, electric, magnetic }: MaterialFace,
  solution: SkewWedge,
  side: number,
  fields: readonly Pick<SurfaceField, 'weight' | 'wall'>[],
): Float64Array {
  const amplitude = share / (4 * Math.PI * sinBeta0)
  const [E, H] = fields.map(({ weight, wall }) => ({ weight, phase: wall?.phase ?? ([1, 0] as Complex) }))
  const sum = add(E.phase, H.phase)
  const mean = scale(Math.sqrt(E.weight * H.weight) / Math.max(magnitude(sum), 1e-9), sum)
  const factors = [scale(E.weight, E.phase), mean, mean, scale(H.weight, H.phase)]
  const parts = new Float64Array(32)
  for (let q = 0; q < 2; q++) {
    const received = solution.received(side, electric[q], magnetic[q])
    for (let t = 0; t < 2; t++)
      factors.forEach((factor, i) => {
        const size = amplitude * (i < 2 ? along[t].ez : along[t].hz)
        parts.set(scale(size, multiply(received[i % 2], factor)), 8 * (t === q ? t : 2 + t) + 2 * i)
      })
  }
  return parts
}
