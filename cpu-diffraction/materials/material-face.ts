// Over 300 lines: one face, whose two kinds of field share what depends on directions.
import type { Complex } from '../../scene/complex.js'
import { type Aspect, cross, type Vec3 } from '../../scene/index.js'
import { END_ON } from '../face.js'
import type { Truncation } from '../strip.js'
import {
  clearAmplitudes,
  emptyAmplitudes,
  GONE,
  type FaceAmplitudes,
  setRest,
  setWhole,
  type SurfaceField,
  type Wall,
} from './amplitudes.js'
import { AsConductors } from './as-conductors.js'
import { add, cos, divide, magnitude, multiply, scale, subtract } from './complex.js'
import type { FaceConditions } from './conditions.js'
import type { Gap } from './face-path.js'
import { type Condition, DIRICHLET, NEUMANN } from './maliuzhinets.js'
import { sheetShare, skewShare, weighed } from './missing-waves.js'
import { type SheetCurrent, SkewSheet } from './skew-sheet.js'
import type { Pair, SkewWedge } from './skew-wedge.js'
import {
  ANGLES,
  FIRST,
  missedShare,
  poleOf,
  H,
  type MaterialWedge,
  MANY,
  NODES,
  SurfaceSpectrum,
} from './surface-spectrum.js'

/** Least c: where the receiver lies along the strip both parts of a truncated current are infinite. */
const LEAST_C = 1e-6
/** Smaller ones than this need no nodes of their own. */
const LARGE_C = 1e-4
/** Incidence is kept so far from the plane of a face behind the edge, a = |cos(phi0/2)|: the field varies with v at the size of a. */
const LEAST_A = 1e-7
/** Directions of incidence on a sheet are kept so far off its plane [rad]. */
const OFF_PLANE = 1e-7
/** The cut's smallest node has to be so much smaller than what the field varies with there. */
const FINE = 0.01
/** c sqrt(2L) below which the whole moments of strips and what their ends take away nearly cancel. */
const CANCELLING = 4
/** Directions that close to that of the geometrical wave are interpolated, from places so far apart [rad]. */
const SKEW_OFF = 0.02
/** Of mu, where the whole of oblique incidence is computed: along the path of `SkewWedge` and beyond it is a sum. */
const LEAST_MU = -0.95
/** Times the root of 1 + |mu|, nodes from which on sums of terms do not depend on mu. */
const FAR_OUT = 10
/** Below this cotangent of its angle with the edge incidence is across it. */
const LEAST_SKEW = 1e-3

const turn = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)]
/** (e^{jx} - 1)/(jx) */
const meanTurn = (x: number): Complex =>
  scale(Math.abs(x) < 1e-6 ? 1 : Math.sin(x / 2) / (x / 2), turn(x / 2))

/** A face of an edge with incidence and observation set (docs/materials.md, "Edges"). One object serves many edges in turn. */
export class MaterialFace {
  sinBeta0 = 0.5
  /** See `EdgeFace`. */
  slide = 0.5
  cone = 0.5
  phi0 = 0.5
  /** The largest node that this edge needs, and nodes used: start to count - 1. */
  first = FIRST
  start = FIRST
  count = MANY
  mu = 0.5
  /** cos(beta0): of the direction of incidence along the face's z. */
  kappa = 0.5
  /** Of the directions towards transmitter and receiver, along the face's normal. */
  private fromAbove = 0.5
  private toAbove = 0.5
  private share = 1
  private c = 0.5
  /** c of which c sqrt(2L) is 1 for the longest strip. */
  private unit = 0.5
  /** E of both transmit polarisations; e and s x e of both receive polarisations: components along x, y, z. */
  private readonly incident = [new Float64Array(3), new Float64Array(3)]
  private readonly electric = [new Float64Array(3), new Float64Array(3)]
  private readonly magnetic = [new Float64Array(3), new Float64Array(3)]
  /** Per channel, of E_z and H_z: what jumps of du/dn, of u, and of du/dX radiate. The second have a factor j. */
  private readonly normal = new Float64Array(8)
  private readonly jump = new Float64Array(8)
  private readonly slope = new Float64Array(8)
  /** E_z and H_z of both transmit polarisations. */
  private readonly along = [0, 1].map(() => ({ ez: 0.5, hz: 0.5 }))
  private readonly channels = new Float64Array(16)
  private isMean = false
  readonly strip: AsConductors

  constructor(truncation: Truncation = 'tw-ildc') {
    this.strip = new AsConductors(truncation)
  }

  /**
   * Sets what depends on directions. False where the edge is seen end-on.
   *
   * @param frame    see `EdgeFace.aim`
   * @param N        exterior angle over pi
   * @param reach,least  largest and smallest k l of any strip
   */
  aim(
    frame: Float64Array,
    at: number,
    { tx, rx }: Aspect,
    N: number,
    reach: number,
    share: number,
    least = 0,
  ): boolean {
    const along = (v: readonly number[], i: number): number =>
      v[0] * frame[at + i] + v[1] * frame[at + i + 1] + v[2] * frame[at + i + 2]
    const ix = along(tx.r, 0)
    const iy = along(tx.r, 3)
    const iz = along(tx.r, 6)
    const sin = Math.hypot(ix, iy)
    if (sin < END_ON) return false
    this.sinBeta0 = sin
    this.kappa = -iz
    this.fromAbove = iy
    this.toAbove = along(rx.r, 3)
    const full = N * Math.PI
    let phi0 = Math.atan2(iy, ix)
    if (phi0 < 0) phi0 += 2 * Math.PI
    if (phi0 > full) phi0 = phi0 - full < 2 * Math.PI - phi0 ? full : 0
    this.phi0 = phi0
    const s = rx.r
    let square = 0
    for (let i = 0; i < 3; i++) square += (s[i] - sin * frame[at + i] + iz * frame[at + 6 + i]) ** 2
    const exact = Math.sqrt(square) / (2 * sin)
    this.cone = 2 * sin * sin * exact * exact
    this.strip.aim(N, phi0, exact)
    const c = Math.max(this.strip.c, LEAST_C)
    this.mu = 1 - 2 * c * c
    this.slide = along(s, 6) + iz
    this.c = c
    this.unit = this.strip.truncation === 'eec' ? 0 : 1 / (sin * Math.sqrt(2 * reach))
    const a = Math.abs(Math.cos(phi0 / 2))
    const finest = Math.min(Math.max(c, LARGE_C), Math.max(a, LEAST_A), 1 / (sin * Math.sqrt(2 * reach)))
    this.count = 1 + NODES.findIndex((v) => v < FINE * finest) || MANY
    // Terms that have decayed before the shortest strip ends have no part in any.
    const most = Math.sqrt(GONE / (sin * sin * least))
    this.first = Math.max(0, FIRST - Math.max(0, Math.ceil(-Math.log(sin * Math.sqrt(reach)) / H)))
    this.start = this.first
    if (!this.cancels()) while (this.start < this.count && NODES[this.start] > most) this.start++
    this.share = share
    this.isMean = false
    const one = share / (4 * Math.PI * sin)
    const two = one / sin
    for (let t = 0; t < 2; t++) {
      const e = t === 0 ? tx.thetaHat : tx.phiHat
      const ez = along(e, 6)
      const hz = along(cross(e, tx.r), 6)
      this.along[t].ez = ez
      this.along[t].hz = hz
      for (let i = 0; i < 3; i++) this.incident[t][i] = along(e, 3 * i)
      for (let q = 0; q < 2; q++) {
        const p = q === 0 ? rx.thetaHat : rx.phiHat
        const m: Vec3 = cross(s, p)
        const channel = t === q ? t : 2 + t
        for (let i = 0; i < 3; i++) {
          this.electric[q][i] = along(p, 3 * i)
          this.magnetic[q][i] = along(m, 3 * i)
        }
        this.normal[channel] = -two * ez * along(p, 6)
        this.jump[channel] = one * ez * along(m, 0)
        this.slope[channel] = two * iz * ez * along(m, 6)
        this.normal[4 + channel] = -two * hz * along(m, 6)
        this.jump[4 + channel] = -one * hz * along(p, 0)
        this.slope[4 + channel] = -two * iz * hz * along(p, 6)
      }
    }
    return true
  }

  /**
   * Takes the mean of the limits from both sides of a rim's plane, for incidence in it: electric currents of waves with E across the plane
   * have opposite ones.
   */
  takeMean(): void {
    this.isMean = true
    for (const factors of [this.jump, this.slope]) factors.fill(0, 4)
  }

  /** The amplitudes of the face with these surface fields. @param gap  see `opticsGap` */
  amplitudes(
    fields: readonly SurfaceField[],
    out = emptyAmplitudes(),
    gap: Gap | null = null,
  ): FaceAmplitudes {
    const terms = fields.map(({ spectrum }) => spectrum.terms(this.count, this.start))
    const poles = fields.map(({ spectrum }) => spectrum.poles(this.count))
    this.fill(this.cancels() ? this.apart() : this.mu, out, (mu) =>
      fields.forEach((field, i) => {
        const { spectrum } = field
        const whole = spectrum.fringe(mu)
        // int g' e^{j mu X} = -g(0) - j mu G.
        const edge: Complex = field.jump && this.kappa !== 0 ? spectrum.atEdge() : [0, 0]
        const slope: Complex = [mu * whole[1] - edge[0], -mu * whole[0] - edge[1]]
        this.add(field, whole, slope, out.untruncated, 0)
        this.addTerms(field, terms[i], mu, out)
        for (const { b, e } of poles[i]) {
          const G = divide(b, [e[0], e[1] - mu])
          const amplitudes = new Float64Array(8)
          this.add(field, G, scale(-1, multiply(e, G)), amplitudes, 0)
          out.guided.push({ decay: [e[0], e[1] - 1], amplitudes })
        }
      }),
    )
    const weightOf = (e: boolean): number => fields.find(({ isE }) => isE === e)?.weight ?? 0
    if (gap) this.addGap(gap, [weightOf(true), weightOf(false)], out)
    return out
  }

  /** Adds a current along the edge where physical optics ends: the other ends of strips have their own. */
  private addGap(gap: Gap, weights: readonly number[], { untruncated }: FaceAmplitudes): void {
    gap.forEach((x, i) => {
      for (let ch = 0; ch < 4; ch++) {
        const size = -weights[i] * this.normal[4 * i + ch]
        untruncated[2 * ch] += size * x[0]
        untruncated[2 * ch + 1] += size * x[1]
      }
    })
  }

  /**
   * Adds to a lit wedge's amplitudes what physical optics has off the edge of its walls, where `amplitudes` takes it off: the strip of the
   * facet beyond, and the incident and reflected waves across the way down to the walls (Kirchhoff's integral).
   */
  addOverhang(
    { spectrum, isE, weight }: SurfaceField,
    { x, depth, phase }: Wall,
    k: number,
    { untruncated }: FaceAmplitudes,
  ): void {
    const { sinBeta0, phi0, mu, fromAbove, toAbove } = this
    const { s, d } = spectrum.face
    const [sine, cosine] = [Math.max(Math.sin(phi0), OFF_PLANE), Math.cos(phi0)]
    const size = weight * k * sinBeta0
    const R = divide(subtract(scale(sine, d), s), add(scale(sine, d), s))
    const facet = multiply(R, turn(-2 * k * depth * fromAbove))
    const strip = scale(size * x, meanTurn(k * x * sinBeta0 * (mu + cosine)))
    const down = add(
      meanTurn(k * depth * (toAbove + fromAbove)),
      multiply(R, meanTurn(k * depth * (toAbove - fromAbove))),
    )
    const across = scale(size * depth * (cosine - mu), multiply(phase, down))
    const first = isE ? 0 : 4
    for (let ch = 0; ch < 4; ch++) {
      const a = this.normal[first + ch]
      const b = this.jump[first + ch] + cosine * this.slope[first + ch]
      const current = add([a * sine + b, 0], scale(b - a * sine, facet))
      const sum = add(multiply(strip, current), scale(a, across))
      // times -j
      untruncated[2 * ch] += sum[1]
      untruncated[2 * ch + 1] -= sum[0]
    }
  }

  private cancels(): boolean {
    return this.c < Math.min(CANCELLING * this.unit, Math.SQRT1_2)
  }

  /** The nearest mu where wholes and ends do not nearly cancel; at most across the face. */
  private apart(): number {
    return Math.max(0, 1 - 2 * (CANCELLING * this.unit) ** 2)
  }

  /**
   * Fills `out` by a function that adds what it has at a mu. The field closest to the edge, nearly the same at any mu, is that of a mu where
   * the whole is `sure`; elsewhere the whole is the sum of all parts: so what the nodes are off by cancels where whole and end nearly do.
   */
  private fill(sure: number, out: FaceAmplitudes, add: (mu: number) => void): void {
    clearAmplitudes(out)
    add(sure)
    setRest(out)
    if (sure === this.mu) return
    const rest = out.rest.slice()
    clearAmplitudes(out)
    add(this.mu)
    setWhole(out, rest)
  }

  /** Whether incidence is oblique to the edge: then the parts of E_z and H_z of a sheet's field are not independent. */
  get isSkew(): boolean {
    return Math.abs(this.kappa) > LEAST_SKEW * this.sinBeta0
  }

  /** |cot(beta0)| */
  get cotangent(): number {
    return Math.abs(this.kappa) / this.sinBeta0
  }

  /** See `skewShare`. */
  skewWeight(conditions: Condition[]): number {
    return skewShare(conditions, this.cotangent)
  }

  /**
   * The amplitudes of a rim under oblique incidence: of an electric and a magnetic current, each by its divergence and its curl.
   *
   * @param of   conditions for waves with E, and with H, across the plane of incidence
   * @param kL,end  see `sheetShare`
   */
  rimAmplitudes(
    wedge: MaterialWedge,
    of: FaceConditions,
    kL: number,
    end: number,
    out = emptyAmplitudes(),
    gap: Gap | null = null,
  ): FaceAmplitudes {
    const { count, sinBeta0: sin, kappa: dz, mu } = this
    const phi0 = Math.min(Math.max(this.phi0, OFF_PLANE), Math.PI - OFF_PLANE)
    const [dx, dy] = [-sin * Math.cos(phi0), -sin * Math.sin(phi0)]
    const across = Math.hypot(dx, dz)
    const [sx, sz] = [-dz / across, dx / across]
    const [E, jumpE, H, jumpH] = [of.E, of.jumpE, of.H, of.jumpH].map(
      (face, i) => new SurfaceSpectrum(wedge, phi0, true, face, i % 2 === 0 ? NEUMANN : DIRICHLET),
    )
    // Half of a share where the wave comes from, half where it goes: both may be exchanged.
    const shares = [sheetShare(E, jumpE, mu, kL, 0), sheetShare(H, jumpH, mu, kL, end)]
    const share = shares.map(Math.sqrt)
    const incident = weighed(this.incident, this.incident, share)
    const received = [this.electric, this.magnetic].map((pair) => weighed(pair, this.electric, share))
    // Shares 1 - R - T and 1 + R - T of the current of an infinite sheet.
    const sine = Math.sin(phi0)
    const ofSheet = (part: Complex, { s, d }: Condition): Complex =>
      divide(scale(2, part), add(s, scale(sine, d)))
    const sheets = [false, true].flatMap((isMagnetic) => {
      const spectra: [SurfaceSpectrum, SurfaceSpectrum] = isMagnetic ? [jumpE, H] : [jumpH, E]
      const [divergence, curl] = spectra.map(({ face }) => face)
      if (divergence === DIRICHLET && curl === NEUMANN) return []
      const jump = scale(sine, ofSheet(divergence.d, divergence))
      const normal = scale(-dy, ofSheet(curl.s, curl))
      const currents = incident.map((e): SheetCurrent => {
        const A = e[0] * sx + e[2] * sz
        const b = e[0] * dy * sz + e[1] * (dz * sx - dx * sz) - e[2] * dy * sx
        const B = this.isMean && !isMagnetic ? 0 : b
        // J = A c (1 - R_s - T_s) s - B (1 + R_p - T_p) n x s, M = A (1 + R_s - T_s) s x n - B c (1 - R_p - T_p) s
        const [along, turned] = isMagnetic ? [-B, -A] : [A, -B]
        return {
          x: add(scale(along * sx, normal), scale(turned * sz, jump)),
          z: add(scale(along * sz, normal), scale(-turned * sx, jump)),
        }
      })
      const sheet = new SkewSheet(spectra, dz / sin, phi0, this.start, count)
      return [{ sheet, currents, received: received[isMagnetic ? 1 : 0] }]
    })
    const amplitude = -this.share / (4 * Math.PI * sin)
    this.fill(this.cancels() ? this.apart() : mu, out, (at) => {
      for (const { sheet, currents, received } of sheets) {
        const { length } = out.guided
        currents.forEach((current, t) => {
          const { whole, nodes, guided } = sheet.moments(current, at)
          const put = (moments: SheetCurrent, to: Float64Array, first: number): void => {
            for (let q = 0; q < 2; q++) {
              const o = first + 2 * (t === q ? t : 2 + t)
              const [ex, , ez] = received[q]
              to[o] -= amplitude * (ex * moments.x[1] + ez * moments.z[1])
              to[o + 1] += amplitude * (ex * moments.x[0] + ez * moments.z[0])
            }
          }
          put(whole, out.untruncated, 0)
          nodes.forEach((moments, n) => put(moments, out.nodes, 8 * (this.start + n)))
          guided.forEach(({ e, moments }, i) => {
            out.guided[length + i] ??= { decay: [e[0], e[1] - 1], amplitudes: new Float64Array(8) }
            put(moments, out.guided[length + i].amplitudes, 0)
          })
        })
      }
    })
    if (gap) this.addGap(gap, shares, out)
    return out
  }

  /**
   * The amplitudes of a face of a wedge under oblique incidence.
   *
   * @param side    of the solution's faces
   * @param fields  of E and of H along the edge, for their weights and walls; what is of both has the means of these
   * @param lit     as physical optics has it for this face
   */
  skewAmplitudes(
    solution: SkewWedge,
    side: number,
    fields: readonly SurfaceField[],
    lit: boolean,
    out = emptyAmplitudes(),
    gap: Gap | null = null,
  ): FaceAmplitudes {
    const { count, sinBeta0: sin, mu, along } = this
    const phi0 = Math.max(this.phi0, OFF_PLANE)
    const optics = lit ? solution.optics(side, phi0) : null
    const amplitude = this.share / (4 * Math.PI * sin)
    const weights = fields.map(({ weight }) => weight)
    const phases = fields.map(({ wall }): Complex => wall?.phase ?? [1, 0])
    const sum = add(phases[0], phases[1])
    const mean = scale(Math.sqrt(weights[0] * weights[1]) / Math.max(magnitude(sum), 1e-9), sum)
    const factors = [scale(weights[0], phases[0]), mean, mean, scale(weights[1], phases[1])]
    /** Per channel what it has of E and H under a wave of E, and of E and H under one of H. */
    const parts: Complex[][] = []
    for (let q = 0; q < 2; q++) {
      const [E, H] = solution.received(side, this.electric[q], this.magnetic[q])
      for (let t = 0; t < 2; t++) {
        const { ez, hz } = along[t]
        parts[t === q ? t : 2 + t] = [E, H, E, H].map((x, i) =>
          scale(amplitude * (i < 2 ? ez : hz), multiply(x, factors[i])),
        )
      }
    }
    const put = (pair: Pair, to: Float64Array, at: number): void => {
      parts.forEach((part, channel) => {
        let re = 0
        let im = 0
        for (let i = 0; i < 4; i++) {
          const [a, b] = [part[i], pair[i]]
          re += a[0] * b[0] - a[1] * b[1]
          im += a[0] * b[1] + a[1] * b[0]
        }
        to[at + 2 * channel] += re
        to[at + 2 * channel + 1] += im
      })
    }
    const fringe = (w: number): Pair => {
      const whole = solution.onFace(side, [w, 0])
      if (!optics) return whole
      const pole = Math.cos(phi0) - Math.cos(w)
      return whole.map((x, i) => subtract(x, scale(1 / pole, optics[i]))) as Pair
    }
    // Nodes far out are alike at any mu, as the field closest to the edge.
    const apart = FAR_OUT * Math.sqrt(1 + Math.abs(mu))
    let begin = this.first
    while (begin < this.start && NODES[begin] > apart) begin++
    const terms = new Float64Array(8 * Math.max(0, count - begin))
    for (let n = begin; n < count; n++) {
      const v = NODES[n]
      const [re, im] = ANGLES[n]
      const [near, far] = [
        solution.onFace(side, [Math.PI - re, -im]),
        solution.onFace(side, [Math.PI + re, im]),
      ]
      // Below the last node the terms go on like v^3.
      const f = ((n === count - 1 ? 1 / (1 - Math.exp(-3 * H)) : 1) * H * v * v) / Math.PI
      put(near.map((x, i) => multiply([0, f], subtract(x, far[i]))) as Pair, terms, 8 * (n - begin))
    }
    const guided = solution.guided(side).flatMap(({ w, residue }) => {
      const theta: Complex = [w[0] - Math.PI, w[1]]
      const v = poleOf(theta)
      const missed = missedShare(v)
      // Far out it belongs to the field closest to the edge.
      const size = magnitude(v)
      if (!missed || size > FAR_OUT || size < NODES[count - 1]) return []
      return [{ b: residue.map((x) => multiply(x, missed)), e: multiply([0, 1], cos(theta)) }]
    })
    // Along the strips' plane and beyond, and where wholes and ends cancel, wholes are sums of what is left.
    const sure = mu < LEAST_MU ? LEAST_MU : this.cancels() ? this.apart() : mu
    this.fill(sure, out, (at) => {
      const w = Math.acos(-Math.min(at, 1 - 1e-9))
      if (at < LEAST_MU) out.untruncated.fill(0)
      else if (!optics || Math.abs(w - phi0) > 2 * SKEW_OFF) put(fringe(w), out.untruncated, 0)
      else {
        // Through places beside the geometrical wave, where both terms are infinite.
        const places = [-2, -1, 1, 2].map((p) => Math.max(phi0, 3 * SKEW_OFF) + p * SKEW_OFF)
        places.forEach((place, i) => {
          const part = places.reduce((f, q, j) => (i === j ? f : (f * (w - q)) / (place - q)), 1)
          put(fringe(place).map((x) => scale(part, x)) as Pair, out.untruncated, 0)
        })
      }
      for (let n = begin; n < count; n++) {
        const [y, z] = [NODES[n] * NODES[n], 1 - at]
        const size = 1 / (y * y + z * z)
        for (let c = 0, o = 8 * (n - begin); c < 8; c += 2, o += 2) {
          out.nodes[8 * n + c] = size * (terms[o] * y + terms[o + 1] * z)
          out.nodes[8 * n + c + 1] = size * (terms[o + 1] * y - terms[o] * z)
        }
      }
      for (const { b, e } of guided) {
        const amplitudes = new Float64Array(8)
        put(b.map((x) => divide(x, [e[0], e[1] - at])) as Pair, amplitudes, 0)
        out.guided.push({ decay: [e[0], e[1] - 1], amplitudes })
      }
    })
    if (gap) this.addGap(gap, weights, out)
    return out
  }

  private addTerms(field: SurfaceField, b: Float64Array, mu: number, out: FaceAmplitudes): void {
    const beyond = 1 - mu
    this.setChannels(field)
    const { channels } = this
    const { nodes } = out
    for (let n = this.start; n < this.count; n++) {
      const y = NODES[n] * NODES[n]
      // b/(e - j mu), and -e times as much.
      const size = 1 / (y * y + beyond * beyond)
      const re = size * (b[2 * n] * y + b[2 * n + 1] * beyond)
      const im = size * (b[2 * n + 1] * y - b[2 * n] * beyond)
      for (let c = 0, o = 8 * n; c < 16; c += 4, o += 2) {
        const x = channels[c] + y * channels[c + 2]
        const z = channels[c + 1] + y * channels[c + 3]
        nodes[o] += x * re - z * im
        nodes[o + 1] += x * im + z * re
      }
    }
  }

  /** Sets what the channels have of a G whose g falls like e^{-(j + y)X}, for a y of 0 and per y: 4 numbers each. */
  private setChannels({ spectrum, isE, normal, jump, weight }: SurfaceField): void {
    const { s, d } = spectrum.face
    const first = isE ? 0 : 4
    const { channels } = this
    for (let ch = 0; ch < 4; ch++) {
      const a = normal ? -weight * this.normal[first + ch] : 0
      const b = jump ? -weight * this.jump[first + ch] : 0
      const c = jump ? weight * this.slope[first + ch] : 0
      // -j (j + y) = 1 - jy times d.
      channels[4 * ch] = a * s[0] + (b + c) * d[0]
      channels[4 * ch + 1] = a * s[1] + (b + c) * d[1]
      channels[4 * ch + 2] = c * d[1]
      channels[4 * ch + 3] = -c * d[0]
    }
  }

  /** Adds the amplitudes of a G, and of that of g', to `out`: du/dn = -s g, u = j d g. */
  private add(
    { spectrum, isE, normal, jump, weight }: SurfaceField,
    G: Complex,
    slope: Complex,
    out: Float64Array,
    at: number,
  ): void {
    const { s, d } = spectrum.face
    const first = isE ? 0 : 4
    const none: Complex = [0, 0]
    const byNormal = normal ? scale(-weight, multiply(s, G)) : none
    // j times j d G.
    const byJump = jump ? scale(-weight, multiply(d, G)) : none
    const bySlope = jump ? scale(weight, multiply(multiply([0, 1], d), slope)) : none
    for (let ch = 0; ch < 4; ch++) {
      const a = this.normal[first + ch]
      const b = this.jump[first + ch]
      const c = this.slope[first + ch]
      const sum = add(add(scale(a, byNormal), scale(b, byJump)), scale(c, bySlope))
      out[at + 2 * ch] += sum[0]
      out[at + 2 * ch + 1] += sum[1]
    }
  }
}
