import { RayCaster } from '../../rays/index.js'
import { C0 } from '../../scene/index.js'
import type { PropagationPath } from '../paths/path-walker.js'
import { antennaVector, type PropagationSetup, SUM } from '../setup.js'
import { WEDGE_NUMBERS } from '../scene/solids.js'
import { type TaskResult, TaskSums } from '../sums.js'
import { fresnel, PathFields } from './path-fields.js'

/** A wedge seen by one ray: angles from its first face, counter-clockwise about the edge, through the empty space [rad]. */
interface WedgeRay {
  /** Opening of the empty space in half turns: 2 for a half-plane, 1.5 for a right-angled corner. */
  n: number
  /** Angle of the edge with the ray. */
  sinBeta: number
  /** Where the ray comes from, and where it goes. */
  phiIn: number
  phiOut: number
  /** Wavenumber times distance parameter, k s s' sin^2 beta / (s + s'). */
  kL: number
  k: number
  /** Complex relative permittivity of the first and the last face (null: a perfect conductor). */
  first: [number, number] | null
  last: [number, number] | null
}

/** Faces are never met at a smaller cosine. */
const GRAZING = 1e-9

/**
 * Diffraction coefficients D_s, D_h (re, im each) of the uniform theory of diffraction, exp(+jwt) (R. G. Kouyoumjian, P. H. Pathak,
 * Proc. IEEE 62, 1974, eq. (25)); faces that are no conductors weigh the reflection terms with their Fresnel coefficients (R. J.
 * Luebbers, IEEE Trans. Antennas Propag. 32, 1984). Their incidence on a face is that of the arm of the ray nearer to the face:
 * right where geometrical optics has its reflection, and the same both ways, which Luebbers' choice is not.
 */
export function utdCoefficients(ray: WedgeRay, out: Float64Array): void {
  const { n, sinBeta, phiIn, phiOut, kL, k } = ray
  const open = n * Math.PI
  const first = fresnel(ray.first, Math.max(GRAZING, sinBeta * Math.sin(Math.min(phiIn, phiOut))))
  const last = fresnel(ray.last, Math.max(GRAZING, sinBeta * Math.sin(open - Math.max(phiIn, phiOut))))
  const minus = phiOut - phiIn
  const plus = phiOut + phiIn
  const a = term(n, kL, minus, 1)
  const b = term(n, kL, minus, -1)
  const c = term(n, kL, plus, -1)
  const d = term(n, kL, plus, 1)
  // -exp(-j pi/4) / (2 n sqrt(2 pi k) sin beta)
  const size = -1 / (2 * n * Math.sqrt(2 * Math.PI * k) * sinBeta)
  const [fr, fi] = [size * Math.SQRT1_2, -size * Math.SQRT1_2]
  ;[
    [first.rTe, last.rTe],
    [first.rTm, last.rTm],
  ].forEach(([r0, rN], p) => {
    const re = a[0] + b[0] + r0[0] * c[0] - r0[1] * c[1] + rN[0] * d[0] - rN[1] * d[1]
    const im = a[1] + b[1] + r0[0] * c[1] + r0[1] * c[0] + rN[0] * d[1] + rN[1] * d[0]
    out[2 * p] = fr * re - fi * im
    out[2 * p + 1] = fr * im + fi * re
  })
}

/** cot((pi + sign beta) / 2n) F(kL a(beta)), finite where the two cancel (eqs. (25) to (32)). */
function term(n: number, kL: number, beta: number, sign: 1 | -1): [number, number] {
  const turns = Math.round((beta + sign * Math.PI) / (2 * Math.PI * n))
  const a = 2 * Math.cos((2 * n * Math.PI * turns - beta) / 2) ** 2
  const angle = (Math.PI + sign * beta) / (2 * n)
  // Distance to the boundary, where the cotangent has its pole.
  const off = angle - Math.PI * Math.round(angle / Math.PI)
  if (Math.abs(off) < 1e-7) {
    const epsilon = 2 * n * off
    // n (sqrt(2 pi kL) sgn(epsilon) - 2 kL epsilon exp(j pi/4)) exp(j pi/4)
    const root = n * Math.sqrt(2 * Math.PI * kL) * (epsilon < 0 ? -1 : 1)
    return [root * Math.SQRT1_2, root * Math.SQRT1_2 - 2 * n * kL * epsilon]
  }
  const [re, im] = transition(kL * a)
  const cot = 1 / Math.tan(angle)
  return [cot * re, cot * im]
}

/** Levels of the continued fraction below, times x: it then stands to 1e-12. */
const LEVELS = 600

/** The transition function F(x) = 2 j sqrt(x) exp(jx) int_sqrt(x)^inf exp(-j t^2) dt (eq. (26)). */
export function transition(x: number): [number, number] {
  const root = Math.sqrt(x)
  if (x > 4) {
    // sqrt(pi) exp(z^2) erfc(z) = 1 / (z + (1/2) / (z + 1 / (z + (3/2) / (z + ...)))), z = sqrt(jx)
    const z = root * Math.SQRT1_2
    let [re, im] = [z, z]
    for (let m = Math.ceil(LEVELS / x) + 10; m >= 1; m--) {
      const f = m / 2 / (re * re + im * im)
      ;[re, im] = [z + f * re, z - f * im]
    }
    // times j sqrt(x) exp(-j pi/4)
    const size = (root * Math.SQRT1_2) / (re * re + im * im)
    return [size * (re + im), size * (re - im)]
  }
  // int_0^sqrt(x) exp(-j t^2) dt as a power series.
  let [sr, si, tr, ti] = [root, 0, root, 0]
  for (let m = 1; m < 200; m++) {
    ;[tr, ti] = [(ti * x) / m, (-tr * x) / m]
    sr += tr / (2 * m + 1)
    si += ti / (2 * m + 1)
    if (Math.abs(tr) + Math.abs(ti) < 1e-18) break
  }
  const half = Math.sqrt(Math.PI / 8)
  const [rr, ri] = [half - sr, -half - si]
  const [c, s] = [Math.cos(x), Math.sin(x)]
  const [er, ei] = [c * rr - s * ri, c * ri + s * rr]
  return [-2 * root * ei, 2 * root * er]
}

/** Receivers, by slot, whose paths over edges are wanted. */
export interface DiffractionTask {
  first: number
  count: number
  /** 1 for slots of receivers whose paths are wanted one by one. */
  listed?: Uint8Array
}

/** Rays to an edge end beside it by this part of the box diagonal, on the side of the empty space, so as not to meet its faces. */
const BESIDE = 1e-7

/** First-order edge diffraction: one path from the transmitter over each edge that both ends see, at the point of Fermat. */
export function runDiffractionTask(
  setup: PropagationSetup,
  { first, count, listed }: DiffractionTask,
): TaskResult {
  const edges = new EdgePaths(setup)
  const sums = new TaskSums(listed)
  let diffracted = 0
  for (let slot = first; slot < first + count; slot++)
    for (let w = 0; w < setup.wedges!.edge.length; w++) {
      if (!edges.find(w, slot)) continue
      diffracted++
      sums.add(slot, edges.numbers, () => edges.path(slot))
    }
  return sums.finish({ diffracted })
}

class EdgePaths {
  /** The numbers of `SUM` of the last path. */
  readonly numbers: Float64Array
  private readonly caster: RayCaster
  private readonly fields: PathFields
  private readonly point = new Float64Array(3)
  private readonly departure = new Float64Array(3)
  private readonly field = new Float64Array(6)
  private readonly out = new Float64Array(6)
  private readonly coefficients = new Float64Array(4)
  private length = 0
  private wedge = 0
  private r0 = 0
  private arrival: [number, number, number] = [0, 0, 0]

  constructor(private readonly setup: PropagationSetup) {
    this.numbers = new Float64Array(SUM.length * setup.excitations.length)
    this.caster = new RayCaster(setup.scene)
    this.fields = new PathFields(setup)
  }

  /** True where there is a path over wedge w to the receiver; its fields are then in `numbers`. */
  find(w: number, slot: number): boolean {
    const { setup, point, departure } = this
    const { numbers: g } = setup.wedges!
    const at = WEDGE_NUMBERS * w
    const s = setup.transmitter
    const p = setup.receivers.points.subarray(3 * slot, 3 * slot + 3)
    // Along the edge, and in the plane across it from the first face: x into the face, y along its normal.
    const local = (q: ArrayLike<number>): [number, number, number] => {
      const [x, y, z] = [q[0] - g[at], q[1] - g[at + 1], q[2] - g[at + 2]]
      const dot = (k: number): number => x * g[at + k] + y * g[at + k + 1] + z * g[at + k + 2]
      return [dot(3), dot(8), dot(11)]
    }
    const [sz, sx, sy] = local(s)
    const [pz, px, py] = local(p)
    const [sr, pr] = [Math.hypot(sx, sy), Math.hypot(px, py)]
    if (!(sr > 0 && pr > 0)) return false
    const along = (sz * pr + pz * sr) / (sr + pr)
    if (!(along > 0 && along < g[at + 6])) return false
    const n = g[at + 7]
    const turn = (x: number, y: number): number => {
      const angle = Math.atan2(y, x)
      return angle < 0 ? angle + 2 * Math.PI : angle
    }
    const [phiIn, phiOut] = [turn(sx, sy), turn(px, py)]
    if (phiIn > n * Math.PI || phiOut > n * Math.PI) return false
    for (let a = 0; a < 3; a++) point[a] = g[at + a] + along * g[at + 3 + a]
    const { min, max } = setup.region
    for (let a = 0; a < 3; a++) if (point[a] < min[a] || point[a] > max[a]) return false
    // Beside the edge towards the middle of the empty space.
    const beside = BESIDE * setup.scene.diagonal
    const middle = (n * Math.PI) / 2
    const q = [0, 1, 2].map(
      (a) => point[a] + beside * (Math.cos(middle) * g[at + 8 + a] + Math.sin(middle) * g[at + 11 + a]),
    )
    if (!this.sees(s, q) || !this.sees(p, q)) return false
    const incident = distance(s, point)
    const onward = distance(p, point)
    const sinBeta = sr / incident
    this.length = incident + onward
    this.wedge = w
    this.r0 = distance(s, p)
    for (let a = 0; a < 3; a++) {
      departure[a] = (point[a] - s[a]) / incident
      this.arrival[a] = (point[a] - p[a]) / onward
    }
    this.evaluate(w, { n, sinBeta, phiIn, phiOut }, incident, onward)
    return true
  }

  path(slot: number): PropagationPath {
    const { setup, point, departure, length, wedge, r0, fields, arrival } = this
    const { origin } = setup.scene
    return {
      receiver: setup.receivers.order[slot],
      length,
      departure: [departure[0], departure[1], departure[2]],
      arrival: [...arrival],
      points: [[point[0] + origin[0], point[1] + origin[1], point[2] + origin[2]]],
      facets: [-1 - setup.wedges!.edge[wedge]],
      transfers: fields.transfersOver(r0),
    }
  }

  private sees(p: ArrayLike<number>, q: number[]): boolean {
    const d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]]
    const length = Math.hypot(d[0], d[1], d[2])
    const hit = this.caster.nearest(p[0], p[1], p[2], d[0] / length, d[1] / length, d[2] / length, -1)
    return !hit || this.caster.t > length * (1 - 1e-12)
  }

  private evaluate(
    w: number,
    angles: { n: number; sinBeta: number; phiIn: number; phiOut: number },
    incident: number,
    onward: number,
  ): void {
    const { sinBeta } = angles
    const { setup, departure: d, arrival, field, out, coefficients } = this
    const path = { length: incident + onward, departure: d, arrival }
    const { numbers: g, facets } = setup.wedges!
    const at = WEDGE_NUMBERS * w
    const e: [number, number, number] = [g[at + 3], g[at + 4], g[at + 5]]
    const u: [number, number, number] = [-this.arrival[0], -this.arrival[1], -this.arrival[2]]
    // phi' = -e x s', beta' = phi' x s'; phi = e x s, beta = phi x s (eq. (16) and Fig. 2 of Kouyoumjian and Pathak).
    const phi1 = unit(cross(d, e))
    const beta1 = cross(phi1, d)
    const phi2 = unit(cross(e, u))
    const beta2 = cross(phi2, u)
    setup.excitations.forEach(({ freqHz, transmit, permittivity }, index) => {
      const k = (2 * Math.PI * freqHz) / C0
      utdCoefficients(
        {
          ...angles,
          k,
          kL: (k * incident * onward * sinBeta * sinBeta) / (incident + onward),
          first: permittivity[setup.facetMaterial[facets[2 * w]]],
          last: permittivity[setup.facetMaterial[facets[2 * w + 1]]],
        },
        coefficients,
      )
      antennaVector(setup.transmitAntenna, transmit, d[0], d[1], d[2], field)
      const [sr, si, hr, hi] = coefficients
      const br = dot(field, 0, beta1)
      const bi = dot(field, 3, beta1)
      const fr = dot(field, 0, phi1)
      const fi = dot(field, 3, phi1)
      for (let a = 0; a < 3; a++) {
        out[a] = -(sr * br - si * bi) * beta2[a] - (hr * fr - hi * fi) * phi2[a]
        out[3 + a] = -(sr * bi + si * br) * beta2[a] - (hr * fi + hi * fr) * phi2[a]
      }
      // 1/s' sqrt(s' / (s (s' + s))), relative to the 1/r of a path of this length.
      const spread = (incident + onward) / Math.sqrt(incident * onward * (incident + onward))
      for (let c = 0; c < 6; c++) out[c] *= spread
      this.fields.receive(out, path, this.r0, index, this.numbers)
    })
  }
}

const distance = (p: ArrayLike<number>, q: ArrayLike<number>): number =>
  Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])

const dot = (field: Float64Array, at: number, v: number[]): number =>
  field[at] * v[0] + field[at + 1] * v[1] + field[at + 2] * v[2]

const cross = (a: ArrayLike<number>, b: ArrayLike<number>): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

function unit(v: number[]): number[] {
  const size = Math.hypot(v[0], v[1], v[2])
  return v.map((x) => x / size)
}
