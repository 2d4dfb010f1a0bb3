// Over 300 lines: one boundary value problem, whose parts share its paths.
import type { Complex } from '../../scene/complex.js'
import {
  add,
  asin,
  cos,
  divide,
  exp,
  log,
  magnitude,
  multiply,
  scale,
  sin,
  subtract,
  tanh,
} from './complex.js'
import { type Condition, conditionOf, DIRICHLET, NEUMANN } from './maliuzhinets.js'
import { solveInPlace } from './linear.js'
import type { MaterialWedge } from './surface-spectrum.js'

/** An impedance over that of space between E and n x H along a face: a symmetric tensor, x away from the edge, z along it. */
export interface FaceImpedance {
  xx: Complex
  xz: Complex
  zz: Complex
}

/** E_z and H_z (over space's admittance) of the incident wave with E_z = 1, and of that with H_z = 1. */
export type Pair = [Complex, Complex, Complex, Complex]

/** Steps of the quadrature in ln t: of impedances with a phase up to the first one, and from the second one on, where zeros come close [rad]. */
const STEPS = [0.5, 0.3]
const PHASES = [0.3, 1.2]
/** Its first t, and its last one over N. */
const LEAST = 3e-3
const REACH = 6
/** The path leaves w = jt by this much of the impedance's phase. */
const TURN = 0.9
/** Places this close to a path, as an angle in ln t, take what the quadrature misses of its pole. */
const CLOSE = 0.7
/** Of places past a face, as a tangent. */
const PAST = 0.55
/** As good as a perfect conductor where currents are taken from the fields. */
export const METAL: FaceImpedance = { xx: [1e-6, 0], xz: [0, 0], zz: [1e-6, 0] }

/** What of a face is chosen by its impedance at one frequency and kept over a band, so that fields are analytic in frequency. */
export interface FaceShape {
  /** Of the path w(t) = jt + tanh(t) (mean + size tanh(ln t - middle)). */
  mean: number
  size: number
  middle: number
  /** Impedances below that of space. */
  isLow: boolean
  /** Of the quadrature in ln t. */
  step: number
}

export function shapeOf({ xx, zz }: FaceImpedance, sinBeta: number): FaceShape {
  const phases = [xx, zz].map(([re, im]) => Math.atan2(im, re))
  const places = [magnitude(xx) / sinBeta, 1 / (magnitude(zz) * sinBeta)].map((s) => Math.log(Math.asinh(s)))
  // Zeros of det(A - sin w) are to stay on the right: with inductive faces near the first place; the other ones on the left, near the second.
  const turns = [-TURN * phases[0], TURN * phases[1]]
  const [low, high] = places[0] <= places[1] ? turns : [turns[1], turns[0]]
  const phase = Math.max(...phases.map(Math.abs))
  const part = Math.min(1, Math.max(0, (phase - PHASES[0]) / (PHASES[1] - PHASES[0])))
  return {
    mean: (low + high) / 2,
    size: (high - low) / 2,
    middle: (places[0] + places[1]) / 2,
    isLow: magnitude(zz) < 1,
    step: STEPS[0] + part * (STEPS[1] - STEPS[0]),
  }
}

/** One face with its path: no points where it conducts perfectly. */
interface Path {
  index: number
  face: FaceImpedance
  sE: Complex
  sH: Complex
  mixed: Complex
  /** cos(b) along the face's own z. */
  kappa: number
  shape: FaceShape
  /** cos(mu w) of its points, and (1/2 pi j) mu sin(mu w) dw: re and im in turn. */
  c: Float64Array
  q: Float64Array
  /** S of E and H under both incident waves: 8 numbers each. */
  S: Float64Array
}

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
 */
export class SkewWedge {
  private readonly mu: number
  private readonly half: number
  private readonly nu0: number
  private readonly references: Condition[][]
  private readonly paths: Path[]
  /** Strength of the incident pole of y_E and y_H. */
  private readonly pole: Complex[]
  private readonly y = new Float64Array(8)

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
    private readonly sinBeta: number,
    kappa: number,
    phi0: number,
  ) {
    this.mu = 1 / wedge.N
    this.half = (Math.PI * wedge.N) / 2
    const a0 = this.mu * (phi0 - this.half)
    this.nu0 = Math.sin(a0)
    this.references = faces.map((face, i) => this.reference(face, shapes[i]))
    this.pole = this.factors(0, [phi0, 0]).map((psi) => divide([this.mu * Math.cos(a0), 0], psi))
    this.paths = faces.map((face, i) => pathOf(i, face, shapes[i], sinBeta, i === 0 ? kappa : -kappa))
    this.solve(faces)
  }

  /** G = 2 (A + sin w)^{-1} f at w from a face: u = jg on it, G = int g e^{-j cos(w) X} dX. */
  onFace(side: number, w: Complex): Pair {
    return both(inverse(this.paths[side], w), this.seenFrom(side, w), 2)
  }

  /** G of physical optics is this over cos(phi0) - cos(w), phi0 from the face. */
  optics(side: number, phi0: number): Pair {
    const [e, a, b, h] = inverse(this.paths[side], [phi0, 0])
    return [e, b, a, h].map((x) => scale(2 * Math.sin(phi0), x)) as Pair
  }

  /**
   * What E_z and H_z of a face radiate by J = n x H and M = E x n (over 377 ohm), received with these components of e and s x e: factors
   * of E_z and of H_z. E_z = Z_zz J_z + Z_xz J_x, E_x = Z_xx J_x + Z_xz J_z.
   */
  received(side: number, electric: Float64Array, magnetic: Float64Array): [Complex, Complex] {
    const { xx, xz, zz } = this.paths[side].face
    const ofJz = add([electric[2], 0], scale(magnetic[2], xz))
    const E = divide(ofJz, zz)
    return [
      [E[0] - magnetic[0], E[1]],
      add([electric[0], 0], subtract(scale(magnetic[2], xx), multiply(xz, E))),
    ]
  }

  /** Poles of G at w from a face, of guided waves and others near the cut, with the residues in mu = -cos(w). */
  guided(side: number): { w: Complex; residue: Pair }[] {
    const path = this.paths[side]
    if (path.c.length === 0) return []
    const { xx, zz } = path.face
    const determinant = (at: Complex): Complex => {
      const [e, a, , h] = matrix(path, at)
      const s = sin(at)
      return add(multiply(add(e, s), add(h, s)), multiply(a, a))
    }
    const slopeOf = ([re, im]: Complex): Complex =>
      scale(0.5 / NEAR, subtract(determinant([re + NEAR, im]), determinant([re - NEAR, im])))
    const angles = [scale(1 / this.sinBeta, xx), divide([1 / this.sinBeta, 0], zz)].map(asin)
    const roots: Complex[] = []
    for (const side of [1, -1])
      for (const theta of angles) {
        // theta or pi - theta: exact where waves with E and with H across the plane of incidence have the same impedance.
        let w: Complex = [Math.PI + (side > 0 ? theta[0] : Math.PI - theta[0]), side * theta[1]]
        for (let i = 0; i < 12; i++) {
          const value = determinant(w)
          // Newton's step for what is left without the roots that are known.
          const slope = roots.reduce(
            (sum, root) => subtract(sum, divide(value, subtract(w, root))),
            slopeOf(w),
          )
          const step = divide(value, slope)
          if (!(magnitude(step) < 0.5)) break
          w = subtract(w, step)
          if (magnitude(step) < 1e-11) break
        }
        roots.push(w)
      }
    return roots.map((w) => {
      const slope = slopeOf(w)
      const [e, a, b, h] = matrix(path, w)
      const s = sin(w)
      const size = divide(scale(2, s), slope)
      // On a plane f may be infinite there by another reflection.
      const [f, other] = [NEAR_POLE, -NEAR_POLE].map((d) => this.seenFrom(side, [w[0] + d, w[1]]))
      const mean = f.map((x, i) => scale(0.5, add(x, other[i]))) as Pair
      const residue = both([add(h, s), scale(-1, a), scale(-1, b), add(e, s)], mean, 1)
      return { w, residue: residue.map((x) => multiply(size, x)) as Pair }
    })
  }

  /** f at w from a face. */
  private seenFrom(side: number, w: Complex): Pair {
    if (side === 0) return this.at(w)
    return this.at([2 * this.half - w[0], -w[1]]).map((x): Complex => [-x[0], -x[1]]) as Pair
  }

  /** f at w from the first face. */
  private at(w: Complex): Pair {
    const [near, far] = this.paths
    const beyond: Complex = [w[0] - 2 * this.half, w[1]]
    const before: Complex = [-w[0], -w[1]]
    for (const [path, past] of [
      [near, before],
      [far, beyond],
    ] as const) {
      if (path.c.length === 0 || past[1] <= 0 || past[0] < -PAST * past[1]) continue
      // Past a face: f(-w) = (A + sin w)^{-1} (A - sin w) f(w).
      const sine = sin(past)
      const [e, a, b, h] = matrix(path, past)
      const inner = this.at(path === near ? past : [2 * this.half - past[0], -past[1]])
      return both(inverse(path, past), both([subtract(e, sine), a, b, subtract(h, sine)], inner, 1), 1)
    }
    this.sum(sin(scale(this.mu, [w[0] - this.half, w[1]])))
    if (near.c.length > 0 && w[1] > 0) this.correct(near, w)
    else if (far.c.length > 0 && w[1] < 0) this.correct(far, [-beyond[0], -beyond[1]])
    const { y } = this
    const [psiE, psiH] = this.factors(0, w)
    return [
      multiply(psiE, [y[0], y[1]]),
      multiply(psiH, [y[2], y[3]]),
      multiply(psiE, [y[4], y[5]]),
      multiply(psiH, [y[6], y[7]]),
    ]
  }

  /** Sets y at nu, its integrals by the quadrature alone. */
  private sum(nu: Complex): void {
    const { y, pole, paths } = this
    const off: Complex = [nu[0] - this.nu0, nu[1]]
    y.fill(0)
    y.set(divide(pole[0], off), 0)
    y.set(divide(pole[1], off), 6)
    for (const { index, c, q, S } of paths) {
      const sign = index === 0 ? 1 : -1
      for (let k = 0, o = 0; k < c.length; k += 2, o += 8) {
        const x = c[k] + sign * nu[0]
        const z = c[k + 1] + sign * nu[1]
        const size = 1 / (x * x + z * z)
        const re = (q[k] * x + q[k + 1] * z) * size
        const im = (q[k + 1] * x - q[k] * z) * size
        for (let i = 0; i < 8; i += 2) {
          y[i] += re * S[o + i] - im * S[o + i + 1]
          y[i + 1] += re * S[o + i + 1] + im * S[o + i]
        }
      }
    }
  }

  /** Close to a path: what the quadrature misses of the pole there, -cot(pi (x - x_0)/h)/2j of S, and the half of S of its side. */
  private correct(path: Path, w: Complex): void {
    const x = placeOn(path.shape, w)
    if (!x || Math.abs(x[1]) > CLOSE) return
    const turn = scale(Math.PI / path.shape.step, subtract(x, [Math.log(LEAST), 0]))
    // Not at a point of the quadrature itself.
    const isPoint = Math.abs(Math.sin(turn[0])) + Math.abs(turn[1]) < 1e-5
    const c = cotangent(isPoint ? [turn[0] + 1e-5, turn[1]] : turn)
    const share: Complex = [0.5 - c[1] / 2, c[0] / 2]
    const [e, a, b, h] = this.jump(path, w).map((T, i) =>
      subtract([i % 3 === 0 ? 1 : 0, 0], multiply(share, T)),
    )
    const determinant = subtract(multiply(e, h), multiply(a, b))
    const { y } = this
    for (const o of [0, 4]) {
      const [E, H]: Complex[] = [
        [y[o], y[o + 1]],
        [y[o + 2], y[o + 3]],
      ]
      y.set(divide(subtract(multiply(h, E), multiply(a, H)), determinant), o)
      y.set(divide(subtract(multiply(e, H), multiply(b, E)), determinant), o + 2)
    }
  }

  /** Of two possible conditions on one side of the path those that leave it more room. */
  private reference(face: FaceImpedance | null, { isLow }: FaceShape): Condition[] {
    if (!face) return [DIRICHLET, NEUMANN]
    const { sinBeta } = this
    const { sE, sH } = uncoupled(face, sinBeta)
    return isLow
      ? [conditionOf([1, 0], scale(sinBeta, face.zz)), conditionOf(sH, [1, 0])]
      : [conditionOf(sE, [1, 0]), conditionOf(scale(1 / sinBeta, face.xx), [1, 0])]
  }

  /** Psi of E and H at w from the face. */
  private factors(face: number, w: Complex): Complex[] {
    const { wedge, references } = this
    const { psi, N } = wedge
    return references[face].map((condition, p): Complex => {
      psi.begin()
      psi.multiplyFace(w[0] - N * Math.PI, w[1], condition)
      psi.multiplyFace(w[0], w[1], references[1 - face][p])
      psi.end(factor, 0)
      return [factor[0], factor[1]]
    })
  }

  /** T = 2 sin w ((s - sin w) Psi)^{-1} (s - A)(A + sin w)^{-1} Psi, s of the reference, at w from the face of a path. */
  private jump(path: Path, w: Complex): Complex[] {
    const sine = sin(w)
    const A = matrix(path, w)
    const [i0, i1, i2, i3] = inverse(path, w)
    const psi = this.factors(path.index, w)
    const ratio = divide(psi[1], psi[0])
    const s = this.references[path.index].map((condition) => divide(condition.s, condition.d))
    const e = subtract(s[0], A[0])
    const h = subtract(s[1], A[3])
    const [first, second] = s.map((x) => divide(scale(2, sine), subtract(x, sine)))
    return [
      multiply(first, subtract(multiply(e, i0), multiply(A[1], i2))),
      multiply(multiply(first, ratio), subtract(multiply(e, i1), multiply(A[1], i3))),
      divide(multiply(second, subtract(multiply(h, i2), multiply(A[2], i0))), ratio),
      multiply(second, subtract(multiply(h, i3), multiply(A[2], i1))),
    ]
  }

  private solve(faces: readonly (FaceImpedance | null)[]): void {
    const { paths, mu, wedge } = this
    const points = paths.flatMap((path) => {
      if (!faces[path.index]) return []
      const { step } = path.shape
      const count = Math.ceil(Math.log((REACH * wedge.N) / LEAST) / step) + 1
      path.c = new Float64Array(2 * count)
      path.q = new Float64Array(2 * count)
      path.S = new Float64Array(8 * count)
      return Array.from({ length: count }, (_, k) => {
        const { w, slope } = pointOn(path.shape, [Math.log(LEAST) + k * step, 0])
        const turned = scale(mu, w)
        path.c.set(cos(turned), 2 * k)
        path.q.set(scale((mu * step) / (2 * Math.PI), multiply([0, -1], multiply(sin(turned), slope))), 2 * k)
        return {
          path,
          k,
          c: cos(turned),
          q: [path.q[2 * k], path.q[2 * k + 1]] as Complex,
          T: this.jump(path, w),
        }
      })
    })
    const n = points.length
    if (n === 0) return
    // Rows and columns: E of all points, H of all points; then both right-hand sides.
    const width = 2 * (2 * n + 2)
    if (room.length < 2 * n * width) room = new Float64Array(2 * n * width)
    const a = room.fill(0)
    for (let m = 0; m < n; m++) {
      const to = points[m]
      const nu = to.path.index === 0 ? scale(-1, to.c) : to.c
      const off = subtract(nu, [this.nu0, 0])
      for (let p = 0; p < 2; p++) a.set(divide(this.pole[p], off), (p * n + m) * width + 2 * (2 * n + p))
      for (let k = 0; k < n; k++) {
        const from = points[k]
        const isOwn = to.path === from.path
        let re = k === m ? -0.5 : 0
        let im = 0
        if (!isOwn || (from.k - to.k) % 2 !== 0) {
          const x = from.c[0] + (isOwn ? -1 : 1) * to.c[0]
          const z = from.c[1] + (isOwn ? -1 : 1) * to.c[1]
          const size = (isOwn ? -2 : -1) / (x * x + z * z)
          re = (from.q[0] * x + from.q[1] * z) * size
          im = (from.q[1] * x - from.q[0] * z) * size
        } else if (k !== m) continue
        for (let p = 0; p < 2; p++)
          for (let r = 0; r < 2; r++) {
            const T = from.T[2 * p + r]
            const o = (p * n + m) * width + 2 * (r * n + k)
            a[o] = re * T[0] - im * T[1] + (k === m && p === r ? 1 : 0)
            a[o + 1] = re * T[1] + im * T[0]
          }
      }
    }
    solveInPlace(a, 2 * n, 2)
    points.forEach(({ path, k, T }, m) => {
      for (let i = 0; i < 2; i++) {
        const [e, h] = [m, n + m].map((row): Complex => {
          const o = row * width + 2 * (2 * n + i)
          return [a[o], a[o + 1]]
        })
        path.S.set(add(multiply(T[0], e), multiply(T[1], h)), 8 * k + 4 * i)
        path.S.set(add(multiply(T[2], e), multiply(T[3], h)), 8 * k + 4 * i + 2)
      }
    })
  }
}

const factor = new Float64Array(2)
/** Memory of equations. */
let room = new Float64Array()
/** Places beside a pole. */
const NEAR_POLE = 1e-3
/** For derivatives by differences. */
const NEAR = 1e-5

/** s_E, s_H, and sin(b) Z_xz/Z_zz. */
function uncoupled({ xx, xz, zz }: FaceImpedance, sinBeta: number): Pick<Path, 'sE' | 'sH' | 'mixed'> {
  const determinant = subtract(multiply(xx, zz), multiply(xz, xz))
  return {
    sE: divide([sinBeta, 0], zz),
    sH: scale(sinBeta, divide(determinant, zz)),
    mixed: scale(sinBeta, divide(xz, zz)),
  }
}

function pathOf(
  index: number,
  material: FaceImpedance | null,
  shape: FaceShape,
  sinBeta: number,
  kappa: number,
): Path {
  const face = material ?? METAL
  return {
    ...uncoupled(face, sinBeta),
    index,
    face,
    kappa,
    shape,
    c: new Float64Array(),
    q: new Float64Array(),
    S: new Float64Array(),
  }
}

function matrix({ sE, sH, mixed, kappa }: Path, w: Complex): Complex[] {
  const a = subtract(scale(kappa, cos(w)), mixed)
  return [sE, a, scale(-1, a), sH]
}

/** (A + sin w)^{-1} */
function inverse(path: Path, w: Complex): Complex[] {
  const [e, a, b, h] = matrix(path, w)
  const sine = sin(w)
  const [p, q] = [add(e, sine), add(h, sine)]
  const determinant = subtract(multiply(p, q), multiply(a, b))
  return [q, scale(-1, a), scale(-1, b), p].map((x) => divide(x, determinant))
}

/** w and dw/dx at x = ln t of a path. */
function pointOn({ mean, size, middle }: FaceShape, x: Complex): { w: Complex; slope: Complex } {
  const t = exp(x)
  const straight = multiply([0, 1], t)
  if (size === 0 && mean === 0) return { w: straight, slope: straight }
  const up = tanh(t)
  const turn = tanh(subtract(x, [middle, 0]))
  const rest = (z: Complex): Complex => subtract([1, 0], multiply(z, z))
  const off = add([mean, 0], scale(size, turn))
  return {
    w: add(straight, multiply(up, off)),
    slope: add(straight, add(multiply(multiply(t, rest(up)), off), scale(size, multiply(up, rest(turn))))),
  }
}

/** ln t of a w, complex beside the path; null where it is nowhere near. */
function placeOn(shape: FaceShape, w: Complex): Complex | null {
  let x = log([w[1], -w[0]])
  for (let i = 0; i < 8; i++) {
    // Beyond, tanh has poles.
    if (!(Math.abs(x[1]) < CLOSE + 0.5)) return null
    const { w: got, slope } = pointOn(shape, x)
    const step = divide(subtract(w, got), slope)
    x = add(x, step)
    if (magnitude(step) < 1e-9) return x
  }
  return null
}

function cotangent(z: Complex): Complex {
  // -+j (1 + q)/(1 - q), q = e^{+-2jz}
  const sign = z[1] >= 0 ? 1 : -1
  const q = exp([-2 * Math.abs(z[1]), sign * 2 * z[0]])
  return multiply([0, -sign], divide(add([1, 0], q), subtract([1, 0], q)))
}

/** A matrix times both pairs of E_z and H_z, times a number. */
const both = (m: Complex[], [e, h, e2, h2]: Pair, size: number): Pair => [
  scale(size, add(multiply(m[0], e), multiply(m[1], h))),
  scale(size, add(multiply(m[2], e), multiply(m[3], h))),
  scale(size, add(multiply(m[0], e2), multiply(m[1], h2))),
  scale(size, add(multiply(m[2], e2), multiply(m[3], h2))),
]
