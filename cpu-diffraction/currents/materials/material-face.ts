import { add, type Complex, divide, multiply, scale, subtract } from '../../../math/complex.js'
import { type Aspect, cross, type Vec3 } from '../../../scene/index.js'
import { along as component, azimuthOf } from '../../geometry/edge-scene.js'
import { END_ON } from '../face.js'
import type { Truncation } from '../strip.js'
import {
  clearAmplitudes,
  emptyAmplitudes,
  type FaceAmplitudes,
  GONE,
  setRest,
  setWhole,
  type SurfaceField,
} from './amplitudes.js'
import { AsConductors, type Gap } from './conditions.js'
import { FIRST, H, MANY, NODES } from './surface-spectrum.js'

/** Least c: where the receiver lies along the strip both parts of a truncated current are infinite. */
const LEAST_C = 1e-6
/** Smaller ones than this need no nodes of their own. */
const LARGE_C = 1e-4
/** Incidence is kept so far from the plane of a face behind the edge, a = |cos(phi0/2)|: the field varies with v at the size of a. */
const LEAST_A = 1e-7
/** Directions of incidence on a sheet are kept so far off its plane [rad]. */
export const OFF_PLANE = 1e-7
/** The cut's smallest node has to be so much smaller than what the field varies with there. */
const FINE = 0.01
/** c sqrt(2L) below which the whole moments of strips and what their ends take away nearly cancel. */
const CANCELLING = 4
/** Below this cotangent of its angle with the edge incidence is across it. */
const LEAST_SKEW = 1e-3

const turn = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)]
/** (e^{jx} - 1)/(jx) */
const meanTurn = (x: number): Complex =>
  scale(Math.abs(x) < 1e-6 ? 1 : Math.sin(x / 2) / (x / 2), turn(x / 2))

/** A face of an edge with incidence and observation set (docs/materials.md, "Edges"). One object serves many edges in turn. */
export class MaterialFace {
  sinBeta0 = NaN
  /** See `EdgeFace`. */
  slide = NaN
  cone = NaN
  phi0 = NaN
  /** The largest node that this edge needs, and nodes used: start to count - 1. */
  first = FIRST
  start = FIRST
  count = MANY
  mu = NaN
  /** cos(beta0): of the direction of incidence along the face's z. */
  kappa = NaN
  /** Of the directions towards transmitter and receiver, along the face's normal. */
  fromAbove = NaN
  toAbove = NaN
  /** Of the sum of both, into the face. */
  bothInto = NaN
  share = 1
  private c = NaN
  /** c of which c sqrt(2L) is 1 for the longest strip. */
  private unit = NaN
  /** E of both transmit polarisations; e and s x e of both receive polarisations: components along x, y, z. */
  readonly incident = [new Float64Array(3), new Float64Array(3)]
  readonly electric = [new Float64Array(3), new Float64Array(3)]
  readonly magnetic = [new Float64Array(3), new Float64Array(3)]
  /** Per channel, of E_z and H_z: what jumps of du/dn, of u, and of du/dX radiate. The second have a factor j. */
  readonly normal = new Float64Array(8)
  readonly jump = new Float64Array(8)
  readonly slope = new Float64Array(8)
  /** E_z and H_z of both transmit polarisations. */
  readonly along = [0, 1].map(() => ({ ez: NaN, hz: NaN }))
  private readonly channels = new Float64Array(16)
  isMean = false
  readonly strip: AsConductors

  constructor(truncation: Truncation = 'tw-ildc') {
    this.strip = new AsConductors(truncation)
  }

  /**
   * Sets what depends on directions. False where the edge is seen end-on.
   *
   * @param frame    see `EdgeFace.aim`
   * @param N        exterior angle over pi
   * @param strips   largest and smallest k l of any strip
   */
  aim(
    frame: Float64Array,
    at: number,
    { tx, rx }: Aspect,
    N: number,
    { reach, least = 0 }: { reach: number; least?: number },
    share = 1,
  ): boolean {
    const along = (v: Vec3, i: number): number => component(frame, at + i, v)
    const ix = along(tx.r, 0)
    const iy = along(tx.r, 3)
    const iz = along(tx.r, 6)
    const sin = Math.hypot(ix, iy)
    if (sin < END_ON) return false
    this.sinBeta0 = sin
    this.kappa = -iz
    this.fromAbove = iy
    this.toAbove = along(rx.r, 3)
    this.bothInto = ix + along(rx.r, 0)
    const phi0 = azimuthOf(ix, iy, N * Math.PI)
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
    if (this.sure === this.mu) while (this.start < this.count && NODES[this.start] > most) this.start++
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

  /** The amplitudes of the face with these surface fields. */
  amplitudes(fields: readonly SurfaceField[], out = emptyAmplitudes()): FaceAmplitudes {
    const terms = fields.map(({ spectrum }) => spectrum.terms(this.count, this.start))
    const poles = fields.map(({ spectrum }) => spectrum.poles(this.count))
    this.fill(this.sure, out, (mu) =>
      fields.forEach((field, i) => {
        const { spectrum } = field
        const whole = spectrum.fringe(mu)
        // int g' e^{j mu X} = -g(0) - j mu G.
        const edge: Complex = field.jump && this.kappa !== 0 ? spectrum.atEdge() : [0, 0]
        const slope: Complex = [mu * whole[1] - edge[0], -mu * whole[0] - edge[1]]
        this.add(field, whole, slope, out.untruncated)
        this.addTerms(field, terms[i], mu, out)
        for (const { b, e } of poles[i]) {
          const G = divide(b, [e[0], e[1] - mu])
          const amplitudes = new Float64Array(8)
          this.add(field, G, scale(-1, multiply(e, G)), amplitudes)
          out.guided.push({ decay: [e[0], e[1] - 1], amplitudes })
        }
      }),
    )
    return out
  }

  /** Adds a current along the edge where physical optics ends (`opticsGap`), by the weights of E and H: the other ends of strips have their own. */
  addGap(gap: Gap, weights: readonly number[], { untruncated }: FaceAmplitudes): void {
    gap.forEach((x, i) => {
      for (let ch = 0; ch < 4; ch++) {
        const size = -weights[i] * this.normal[4 * i + ch]
        untruncated[2 * ch] += size * x[0]
        untruncated[2 * ch + 1] += size * x[1]
      }
    })
  }

  /** mu of observation, or the nearest where wholes and ends do not nearly cancel; at most across the face. */
  get sure(): number {
    const apart = CANCELLING * this.unit
    return this.c < Math.min(apart, Math.SQRT1_2) ? Math.max(0, 1 - 2 * apart ** 2) : this.mu
  }

  /**
   * Fills `out` by a function that adds what it has at a mu. The field closest to the edge, nearly the same at any mu, is that of a mu where
   * the whole is `sure`; elsewhere the whole is the sum of all parts: so what the nodes are off by cancels where whole and end nearly do.
   */
  fill(sure: number, out: FaceAmplitudes, add: (mu: number) => void): void {
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

  /** Reflection of a field's plane wave at the plane of its walls. */
  private reflection({ spectrum: { face } }: SurfaceField): Complex {
    const sine = Math.max(Math.sin(this.phi0), OFF_PLANE)
    return divide(subtract(scale(sine, face.d), face.s), add(scale(sine, face.d), face.s))
  }

  /** Takes from a lit wedge's amplitudes the strip of the facet beyond the edge of its walls, which physical optics has. */
  addStrip(field: SurfaceField, k: number, { untruncated }: FaceAmplitudes): void {
    const { sinBeta0, phi0, bothInto, fromAbove } = this
    const { isE, weight, wall } = field
    const { x, depth } = wall!
    const [sine, cosine] = [Math.max(Math.sin(phi0), OFF_PLANE), Math.cos(phi0)]
    const R = multiply(this.reflection(field), turn(-2 * k * depth * fromAbove))
    const strip = scale(weight * k * sinBeta0 * x, meanTurn(k * x * bothInto))
    const first = isE ? 0 : 4
    for (let ch = 0; ch < 4; ch++) {
      const a = this.normal[first + ch]
      const b = this.jump[first + ch] + cosine * this.slope[first + ch]
      const [re, im] = multiply(strip, add([a * sine + b, 0], scale(b - a * sine, R)))
      // times -j
      untruncated[2 * ch] += im
      untruncated[2 * ch + 1] -= re
    }
  }

  /**
   * Adds to a lit wedge's amplitudes the incident and reflected waves across the way down from the facet to the edge of its walls. With physical
   * optics on the facet, less the strip beyond, they radiate as it does on the walls (Kirchhoff's integral over the space between):
   * X = p . J + m . M, m = s x p, J = n x H and M = E x n on the plane across x, n = -x, of unit E_z (H_z = 0) or unit 377 ohm H_z (E_z = 0).
   */
  addWayDown(field: SurfaceField, k: number, { untruncated }: FaceAmplitudes): void {
    const { sinBeta0, phi0, fromAbove, toAbove, kappa } = this
    const { isE, weight, wall } = field
    const { depth, phase } = wall!
    const [sine, cosine] = [Math.max(Math.sin(phi0), OFF_PLANE) / sinBeta0, Math.cos(phi0) / sinBeta0]
    const size = scale((weight * this.share * k * depth) / (4 * Math.PI), phase)
    const down = multiply(size, meanTurn(k * depth * (toAbove + fromAbove)))
    const up = multiply(this.reflection(field), multiply(size, meanTurn(k * depth * (toAbove - fromAbove))))
    for (let ch = 0; ch < 4; ch++) {
      const t = ch & 1
      const q = ch < 2 ? t : 1 - t
      const [p, m] = [this.electric[q], this.magnetic[q]]
      const { ez, hz } = this.along[t]
      const both = isE ? -ez * (cosine * p[2] + m[1]) : hz * (p[1] - cosine * m[2])
      // Of the component along y of the direction, which the reflected wave has reversed.
      const turned = kappa * sine * (isE ? ez * m[2] : -hz * p[2])
      const [re, im] = add(scale(both + turned, down), scale(both - turned, up))
      // times -j
      untruncated[2 * ch] += im
      untruncated[2 * ch + 1] -= re
    }
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
  private add(field: SurfaceField, G: Complex, slope: Complex, out: Float64Array): void {
    this.setChannels(field)
    const { channels } = this
    // That of g' + jg.
    const [re, im] = [slope[0] - G[1], slope[1] + G[0]]
    for (let c = 0, o = 0; c < 16; c += 4, o += 2) {
      out[o] += channels[c] * G[0] - channels[c + 1] * G[1] - (channels[c + 2] * re - channels[c + 3] * im)
      out[o + 1] +=
        channels[c] * G[1] + channels[c + 1] * G[0] - (channels[c + 2] * im + channels[c + 3] * re)
    }
  }
}

/** Weights of the fields of E and of H along an edge. */
export const weightsOf = (fields: readonly Pick<SurfaceField, 'isE' | 'weight'>[]): [E: number, H: number] =>
  [true, false].map((e) => fields.find(({ isE }) => isE === e)?.weight ?? 0) as [number, number]
