import {
  add,
  asin,
  type Complex,
  cos,
  divide,
  exp,
  magnitude,
  multiply,
  scale,
  sin,
  subtract,
} from '../../../math/complex.js'
import { type Condition, conditionOf, DIRICHLET, Maliuzhinets } from '../../../math/maliuzhinets.js'
import { lagrange } from '../../../math/chebyshev.js'

/*
 * The branch cut of G (`SurfaceSpectrum`) at mu = 1 - j v^2, v > 0: nodes of the quadrature along it, and what it misses of poles beside.
 */

/** Nodes v of the branch cut, from the largest down, evenly spaced in their logarithm. */
export const H = 0.28
const LARGEST = 405.5
/** The node v = LARGEST, which serves most edges, and nodes kept: from 1e6 for edges seen nearly end-on, whose strips are short, to 9e-10. */
export const FIRST = 28
export const MANY = FIRST + 97
export const NODES = Float64Array.from({ length: MANY }, (_, n) => LARGEST * Math.exp((FIRST - n) * H))
/** Their angles, and sin(phi) of these, re and im. */
export const ANGLES: Complex[] = Array.from(NODES, (v) => angleOf([v, 0]))
export const SINES = Float64Array.from(ANGLES.flatMap(sin))
/** Poles of a smaller arg v are no part of the field, and too far from the cut to disturb its sum [rad]; from -pi/4 on theirs grow along the face. */
const LEAST_ARGUMENT = -0.75

/** phi with cos(phi) = 1 - j v^2, 2 asin(e^{j pi/4} v/sqrt 2). */
export function angleOf(v: Complex): Complex {
  return scale(2, asin([(v[0] - v[1]) / 2, (v[0] + v[1]) / 2]))
}

/** v of the wave guided along a face: cos(theta) = 1 - j v^2. */
export const poleOf = (theta: Complex): Complex => multiply([1, -1], sin(scale(0.5, theta)))

/** What the nodes' sum misses of a pole of the terms at v, over 2 pi times its residue in ln v; null of one too far from the cut. */
export function missedShare(v: Complex): Complex | null {
  const t: Complex = [Math.log(magnitude(v)), Math.atan2(v[1], v[0])]
  if (t[1] <= LEAST_ARGUMENT) return null
  const [re, im] = t[0] < Math.log(LARGEST) ? t : [t[0], t[1] > 0 ? 1 : -1]
  const turns = scale((2 * Math.PI) / H, [re - Math.log(LARGEST), im])
  return divide([0, 1], subtract(exp([-turns[1], turns[0]]), [1, 0]))
}

/** A wedge: Maliuzhinets' function and what was computed of it for faces. */
export class MaterialWedge {
  readonly psi: Maliuzhinets
  /** sin((w - Phi)/N) at w = pi - phi and pi + phi of each node, 4 numbers. */
  readonly sines: Float64Array
  private readonly room = [new Float64Array(4 * MANY), new Float64Array(4 * MANY)]
  /** Of conditions that serve many edges, their factors about both faces of the wedge. */
  private readonly kept = new WeakMap<Condition, [Float64Array | null, Float64Array | null]>()

  /** @param N  exterior angle over pi */
  constructor(readonly N: number) {
    this.psi = new Maliuzhinets((Math.PI * N) / 2)
    const half = Math.PI * (1 - N / 2)
    this.sines = Float64Array.from(
      ANGLES.flatMap(([re, im]) => [...sin([(half - re) / N, -im / N]), ...sin([(half + re) / N, im / N])]),
    )
  }

  /**
   * Factors of a face at w = pi - phi and pi + phi of nodes start to count - 1, 4 numbers each: of the face itself, or of the other one. They
   * hold until the next call.
   */
  factors(condition: Condition, isOther: boolean, start: number, count: number): Float64Array {
    const i = isOther ? 1 : 0
    if (!condition.isFixed) return this.compute(condition, isOther, start, this.room[i], count)
    let kept = this.kept.get(condition)
    if (!kept) this.kept.set(condition, (kept = [null, null]))
    let found = kept[i]
    if (!found || found.length < 4 * count)
      kept[i] = found = this.compute(condition, isOther, 0, new Float64Array(4 * count), count)
    return found
  }

  private compute(
    condition: Condition,
    isOther: boolean,
    start: number,
    out: Float64Array,
    count: number,
  ): Float64Array {
    const { psi } = this
    const x = isOther ? Math.PI : Math.PI * (1 - this.N)
    for (let n = start; n < count; n++) {
      const [re, im] = ANGLES[n]
      psi.begin()
      psi.multiplyFace(x - re, -im, condition)
      psi.end(out, 4 * n)
      psi.begin()
      psi.multiplyFace(x + re, im, condition)
      psi.end(out, 4 * n + 2)
    }
    return out
  }
}

/** That on one side of a plane, as sheets have it. */
export const HALF_SPACE = new MaterialWedge(1)

/** Angles that close to that of the geometrical wave are interpolated from places so far off [rad]: both terms are infinite there. */
const OFF = 8e-3
const PLACES = [-2, -1, 1, 2]
/** Directions of incidence are kept so far off both faces, and off their planes behind the edge [rad]. */
const OFF_FACE = 1e-7
const OFF_PLANE = 2e-7
/** Poles less far apart, as squares of mu over their size, are taken so far apart: their residues nearly cancel. */
const CONFLUENT = 1e-6
/** Where the field at an edge is taken from: mu = -exp of these. */
const FAR = [24, 28]

const product = new Float64Array(2)

/** At x what goes through the values at these places. */
const interpolated = (places: number[], x: number, valueAt: (i: number) => Complex): Complex =>
  Array.from(lagrange(Float64Array.from(places), x), (weight, i) => scale(weight, valueAt(i))).reduce(add)

/** b e^{-eX} */
interface Exponential {
  b: Complex
  e: Complex
}

/**
 * The fringe field on one face of a wedge with impedance faces (Maliuzhinets), in two dimensions with k = 1: u = j d g and du/dn = -s g on
 * the face, s and d of its condition, less what physical optics has there. With X the distance from the edge,
 *   G(mu) = int_0^inf g e^{j mu X} dX = 2 f(w - Phi)/(s + d sin w),  cos w = -mu,
 * where f is Maliuzhinets' spectral function: his inversion of the Sommerfeld integral. g itself is the integral along the cut of G from
 * mu = 1 down, mu = 1 - j v^2, by the trapezoidal rule in ln v, sum_n b_n e^{-e_n X} with e_n = j + v_n^2 (`terms`), and `poles`: strips of any
 * length follow in closed form.
 */
export class SurfaceSpectrum {
  private readonly scale: Complex
  private readonly mu: number
  private readonly sine0: number
  private readonly phi0: number
  /** G of physical optics is this over mu + cos(phi0). */
  readonly optics: Complex

  /**
   * @param phi0   direction towards the transmitter, from the face [rad]
   * @param lit    as physical optics has it for this face
   * @param face,other  conditions of this face and the other one
   * @param factor  of the field
   */
  constructor(
    private readonly wedge: MaterialWedge,
    phi0: number,
    private readonly lit: boolean,
    readonly face: Condition,
    private readonly other: Condition,
    factor: Complex = [1, 0],
  ) {
    const full = wedge.N * Math.PI
    this.phi0 = Math.min(Math.max(phi0, OFF_FACE), full - OFF_FACE)
    // In the plane of a face that is not lit, its field has the limit from the shadow.
    if (!lit && wedge.N > 1 && Math.abs(this.phi0 - Math.PI) < OFF_PLANE) this.phi0 = Math.PI + OFF_PLANE
    this.mu = 1 / wedge.N
    const a0 = this.phi0 - full / 2
    this.sine0 = Math.sin(this.mu * a0)
    this.scale = divide(scale(2 * this.mu * Math.cos(this.mu * a0), factor), this.factors([this.phi0, 0]))
    const sine = Math.sin(this.phi0)
    this.optics = lit ? divide(scale(2 * sine, factor), add(face.s, scale(sine, face.d))) : [0, 0]
  }

  /** G at a real mu <= 1. */
  fringe(mu: number): Complex {
    // Not along the face, where numerator and denominator may vanish.
    const x = Math.abs(mu + 1) < 1e-8 ? -1 + 1e-8 : Math.min(mu, 1 - 1e-9)
    const { phi0, optics } = this
    const isBeyond = x < -1
    const w = isBeyond ? Math.acosh(-x) : Math.acos(-x)
    if (!this.lit || Math.abs(isBeyond ? w + phi0 : w - phi0) >= OFF / 2)
      return this.difference(isBeyond ? [0, -w] : [w, 0])
    // A function of cos w; towards w = pi one of w.
    if (phi0 < Math.PI / 2) {
      const places = PLACES.map((p) => Math.max(phi0, 3 * OFF) + p * OFF)
      return interpolated(places.map(Math.cos), -x, (i) => this.difference([places[i], 0]))
    }
    // 1/(cos phi0 - cos w) = [cot((w - phi0)/2) - cot((w + phi0)/2)]/(2 sin phi0): the second part, infinite at 2 pi - phi0, stays apart.
    const of = scale(0.5 / Math.sin(phi0), optics)
    const places = PLACES.map((p) => phi0 + p * OFF)
    const smooth = interpolated(places, w, (i) => {
      const at: Complex = [places[i], 0]
      const pole = multiply(this.denominator(at), scale(1 / Math.tan((places[i] - phi0) / 2), of))
      return subtract(this.numerator(at, this.factors(at)), pole)
    })
    return add(divide(smooth, this.denominator([w, 0])), scale(1 / Math.tan((w + phi0) / 2), of))
  }

  /** G of the whole field at any mu but those of the cut. */
  at(mu: Complex): Complex {
    // acos(-mu)
    const [re, im] = asin(mu)
    return this.total([Math.PI / 2 + re, im])
  }

  /** G of the whole field to the left of the cut at mu = 1 - j v^2, less that to its right, both continued to this v. */
  acrossCut(v: Complex): Complex {
    const [re, im] = angleOf(v)
    return subtract(this.total([Math.PI - re, -im]), this.total([Math.PI + re, im]))
  }

  /** g at the edge: -j mu G far out; without physical optics 0 where the other face keeps u at 0. */
  atEdge(): Complex {
    const optical = multiply([0, 1], this.optics)
    if (this.other === DIRICHLET) return optical
    const [near, far] = FAR.map((y) => scale(Math.exp(y), multiply([0, 1], this.total([0, -y - Math.LN2]))))
    // What is left falls like |mu|^(-1/N).
    const ratio = Math.exp((FAR[1] - FAR[0]) * this.mu)
    const limit = scale(1 / (ratio - 1), subtract(scale(ratio, far), near))
    return add(limit, optical)
  }

  /** b_n of nodes start to count - 1, re and im in turn. */
  terms(count: number, start = 0): Float64Array {
    const { wedge, face, other } = this
    const near = wedge.factors(face, false, start, count)
    const far = wedge.factors(other, true, start, count)
    const { sines } = wedge
    const [sRe, sIm] = face.s
    const [dRe, dIm] = face.d
    const b = new Float64Array(2 * count)
    // Below the last node the terms go on like v, or like v^3 far below the pole.
    const last = this.isAbovePole(count) && face !== DIRICHLET ? 1 : 3
    const rest = 1 / (1 - Math.exp(-last * H))
    for (let n = start; n < count; n++) {
      const v = NODES[n]
      const f = ((n === count - 1 ? rest : 1) * H * v * v) / Math.PI
      // d sin(phi)
      const turnRe = dRe * SINES[2 * n] - dIm * SINES[2 * n + 1]
      const turnIm = dRe * SINES[2 * n + 1] + dIm * SINES[2 * n]
      let re = 0
      let im = 0
      for (let o = 4 * n, sign = 1; o < 4 * n + 4; o += 2, sign = -1) {
        const upRe = near[o] * far[o] - near[o + 1] * far[o + 1]
        const upIm = near[o] * far[o + 1] + near[o + 1] * far[o]
        const aRe = sines[o] - this.sine0
        const aIm = sines[o + 1]
        const cRe = sRe + sign * turnRe
        const cIm = sIm + sign * turnIm
        const downRe = aRe * cRe - aIm * cIm
        const downIm = aRe * cIm + aIm * cRe
        const by = sign / (downRe * downRe + downIm * downIm)
        re += by * (upRe * downRe + upIm * downIm)
        im += by * (upIm * downRe - upRe * downIm)
      }
      b[2 * n] = -f * (re * this.scale[1] + im * this.scale[0])
      b[2 * n + 1] = f * (re * this.scale[0] - im * this.scale[1])
    }
    return b
  }

  private isAbovePole(count: number): boolean {
    const { theta } = this.face
    return !theta || magnitude(poleOf(theta)) < NODES[count - 1]
  }

  /**
   * What nodes up to count - 1 miss of g: the wave that the face guides, where it is part of the field, or nearly so; and the wave that would
   * grow away from the face, beside the cut but on the other sheet of G (phi = pi - theta, of resistive sheets on |v|^2 = 1/z).
   */
  poles(count: number): Exponential[] {
    const { theta, d } = this.face
    if (!theta || this.isAbovePole(count)) return []
    const out: Exponential[] = []
    for (const phi of [theta, [Math.PI - theta[0], -theta[1]] as Complex]) {
      const share = missedShare(poleOf(phi))
      if (!share) continue
      const w: Complex = [Math.PI + phi[0], phi[1]]
      const cosine = cos(phi)
      const residue = divide(multiply(this.numerator(w, this.factors(w)), sin(phi)), multiply(d, cosine))
      out.push({ b: multiply(residue, share), e: [-cosine[1], cosine[0]] })
    }
    return out
  }

  /** Itself, or where its poles are about mu = -jg and jg, as of half-planes whose impedance is that of space, that of another face. */
  apartFrom(g: number): SurfaceSpectrum {
    const { s, d, theta } = this.face
    if (!theta) return this
    const square = 1 + g * g
    const sine = divide(s, d)
    if (magnitude(subtract(multiply(sine, sine), [square, 0])) > CONFLUENT * square) return this
    const face = conditionOf(scale(1 + 2 * CONFLUENT, s), d)
    return new SurfaceSpectrum(this.wedge, this.phi0, this.lit, face, this.other)
  }

  /**
   * Bound of the guided wave that the edge at the other end of a strip of length kL, alike, turns back: |Gamma| (1 - 1/n^2) exp(-kL Re e), n = Im e its
   * index; 0 of a wave that is not slower than in space. Gamma is the guided wave that leaves the edge where one arrives: from the direction
   * theta, the face's Brewster angle, it comes without a reflected wave.
   */
  turnedBack(kL: number): number {
    const { theta } = this.face
    // Bound to the face.
    if (!theta || theta[1] <= 0) return 0
    const cosine = cos(theta)
    if (cosine[0] <= 1) return 0
    const { mu } = this
    const half = (this.wedge.N * Math.PI) / 2
    const at = (x: number): Complex => [mu * (x - half), mu * theta[1]]
    const [from, to] = [at(theta[0]), at(Math.PI + theta[0])]
    const f = divide(
      multiply(scale(2 * mu, cos(from)), this.factors([Math.PI + theta[0], theta[1]])),
      multiply(subtract(sin(to), sin(from)), this.factors(theta)),
    )
    // e = j cos(theta)
    const decay = Math.exp(kL * Math.min(0, cosine[1]))
    return (
      (magnitude(f) * magnitude(sin(theta)) * (1 - 1 / (cosine[0] * cosine[0])) * decay) / magnitude(cosine)
    )
  }

  /** G at a w that is real or imaginary. */
  private difference(w: Complex): Complex {
    // A face that is not lit has no geometrical wave, whose term would be 0/0 where the directions' cosines are equal.
    if (!this.lit) return this.total(w)
    return subtract(this.total(w), scale(1 / (Math.cos(this.phi0) - cos(w)[0]), this.optics))
  }

  private total(w: Complex): Complex {
    return divide(this.numerator(w, this.factors(w)), this.denominator(w))
  }

  private denominator(w: Complex): Complex {
    const { s, d } = this.face
    return add(s, multiply(d, sin(w)))
  }

  private factors(w: Complex): Complex {
    const { wedge, face, other } = this
    const { psi } = wedge
    psi.begin()
    psi.multiplyFace(w[0] - wedge.N * Math.PI, w[1], face)
    psi.multiplyFace(w[0], w[1], other)
    psi.end(product, 0)
    return [product[0], product[1]]
  }

  /** 2 f(w - Phi). */
  private numerator(w: Complex, factors: Complex): Complex {
    const a = w[0] - (this.wedge.N * Math.PI) / 2
    const denominator = subtract(sin([this.mu * a, this.mu * w[1]]), [this.sine0, 0])
    return divide(multiply(this.scale, factors), denominator)
  }
}
