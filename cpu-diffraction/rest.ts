import { chi, deltaUntruncated, NODE_SIZE, type NodeSet, type Wedge } from './wedge.js'

/** Numbers per term of an `ExponentialSum`: sinh^2 v, then D^h, D^s, D^v as pairs. */
export const TERM_SIZE = 7

/**
 * The smooth rest of a face's fringe current for one direction and one class of strip lengths (tier X):
 * sums of D_n exp(-2L sinh^2 v_n), the last term being the residual node. Refilled for every direction.
 */
export interface ExponentialSum {
  /** Terms, residual node included. */
  count: number
  data: Float64Array
  /** Sums of D^h and of D^s over the terms, as pairs, in the order of the terms. */
  sumS: Float64Array
  sumT: Float64Array
  /** Direction for which the data hold. */
  stamp: number
}

/** What the sum takes of a strip (fields of `FaceStrip`). */
interface StripDirection {
  wedge: Pick<Wedge, 'N'>
  phi0: number
  a: number
  b: number
  c: number
  pole: SecondPole
  rhoH: number
  rhoS: number
}

/** An empty one for node sets of `nodes` nodes. */
export const exponentialSum = (nodes: number): ExponentialSum => ({
  count: nodes + 1,
  data: new Float64Array(TERM_SIZE * (nodes + 1)),
  sumS: new Float64Array(2),
  sumT: new Float64Array(2),
  stamp: -1,
})

/** chi without its pole at pi. */
const chiBar = (x: number, N: number): number => chi(x, N) - 0.5 * Math.tan(x / 2)

/**
 * Residues of the current's kernels at the observation pole, out[o] = rho_h and out[o + 1] = rho_s / j; zero for c >= 1
 * (docs/edge-diffraction.md, "Exact truncation").
 */
export function poleResidues(
  N: number,
  phi0: number,
  c: number,
  pole: SecondPole,
  out: Float64Array,
  o: number,
): void {
  if (c >= 1) {
    out[o] = out[o + 1] = 0
    return
  }
  const w = Math.max(2 * Math.acos(c), 1e-7)
  const sw = Math.sin(w / 2)
  const p = (w + phi0) / 2
  const q = (w - phi0) / 2
  let h: number
  let s: number
  if (pole.present) {
    const alpha = Math.PI - w
    const x1 = chiBar(q, N)
    const x2 = chiBar(Math.PI - p, N)
    const y1 = chiBar((pole.angle - alpha) / 2, N)
    const y2 = chiBar((pole.angle + alpha) / 2, N)
    h = 0.5 * (x1 + x2 - y1 - y2) - pole.a / sw
    s = -(x1 - x2) + (y1 - y2) + (2 * pole.b * c) / (sw * sw)
  } else {
    const x1 = chi(q, N)
    const x2 = chi(p, N)
    const x3 = chi(Math.PI - q, N)
    const x4 = chi(Math.PI - p, N)
    h = 0.5 * (x1 + x2 + x3 + x4)
    s = -(x1 - x4) + (x2 - x3)
  }
  out[o] = h * sw
  out[o + 1] = c * s * sw * sw
}

/** The other face's pole, close to the path of integration only for phi0 > 2 pi (N - 1): a = sin, b = cos of half its angle. */
export interface SecondPole {
  present: boolean
  angle: number
  a: number
  b: number
}

export function secondPole(N: number, phi0: number, out: SecondPole): void {
  out.angle = Math.abs(Math.PI + phi0 - 2 * Math.PI * N)
  out.present = out.angle < Math.PI
  out.a = out.present ? Math.sin(out.angle / 2) : 1
  out.b = out.present ? Math.cos(out.angle / 2) : 0
}

const delta = new Float64Array(2)
const residue = new Float64Array(2)
/** Sums of D^h and D^s over the nodes without the residual one. */
const total = new Float64Array(4)

/** Fills `sum` for the strip's direction (sections "Exact truncation" of docs/edge-diffraction.md). */
export function fillExponentialSum(strip: StripDirection, nodes: NodeSet, sum: ExponentialSum): void {
  const { c, phi0, pole } = strip
  const { N } = strip.wedge
  const data = sum.data
  // The residual node is a limit at c = 0: there it is taken a little beside it.
  const near = c < 1e-5
  const cr = near ? 1.01e-5 : c
  fillNodes(strip, nodes, c, strip.rhoH, strip.rhoS, data)
  let vr = 0
  let vi = 0
  for (let i = 0, t = 0; i < nodes.count; i++, t += TERM_SIZE) {
    vr += data[t + 5]
    vi += data[t + 6]
  }
  const r = TERM_SIZE * nodes.count
  if (near) {
    poleResidues(N, phi0, cr, pole, residue, 0)
    fillNodes(strip, nodes, cr, residue[0], residue[1], null)
  } else {
    residue[0] = strip.rhoH
    residue[1] = strip.rhoS
  }
  deltaUntruncated(N, phi0, cr, delta, 0)
  // Makes S and T those of the untruncated current at L = infinity and V that of the edge at L = 0.
  const p1 = 0.25 / (cr * (cr + 1))
  const pb = 0.25 / (cr * (cr + pole.a))
  data[r] = nodes.residual
  data[r + 1] = -total[0]
  data[r + 2] = delta[0] - residue[0] * p1 - total[1]
  data[r + 3] = delta[1] + residue[1] * p1 - total[2]
  data[r + 4] = -total[3]
  data[r + 5] = 1 / N - 0.5 - vr
  data[r + 6] = -vi
  if (pole.present) {
    data[r + 2] += pb - pole.a * p1
    data[r + 3] -= 2 * pole.b * (p1 - pole.a * pb)
    data[r + 5] -= 0.5 * (1 - pole.a)
  }
  sum.sumS.fill(0)
  sum.sumT.fill(0)
  for (let i = 0, t = 0; i < sum.count; i++, t += TERM_SIZE) {
    sum.sumS[0] += data[t + 1]
    sum.sumS[1] += data[t + 2]
    sum.sumT[0] += data[t + 3]
    sum.sumT[1] += data[t + 4]
  }
}

/** D^h, D^s, D^v of the nodes to `data` (unless null) and their sums of D^h, D^s to `total`. rho_s = j rhoS. */
function fillNodes(
  strip: StripDirection,
  nodes: NodeSet,
  c: number,
  rhoH: number,
  rhoS: number,
  data: Float64Array | null,
): void {
  const { phi0, a, b, pole } = strip
  const { N } = strip.wedge
  const theta1 = (Math.PI - phi0) / N
  const theta2 = (Math.PI + phi0) / N - 2 * Math.PI
  const cos1 = Math.cos(theta1)
  const cos2 = Math.cos(theta2)
  const sin1 = Math.sin(theta1)
  const sin2 = Math.sin(theta2)
  const cosHalf = Math.cos(phi0 / 2)
  const aa = a * a
  const cc = c * c
  const a2 = pole.a
  const a22 = a2 * a2
  const d = nodes.data
  total.fill(0)
  for (let i = 0, n = 0, t = 0; i < nodes.count; i++, n += NODE_SIZE, t += TERM_SIZE) {
    const sinh2 = d[n]
    const s4 = sinh2 * sinh2
    // 1/(cosh(t/N) - cos theta)
    const gr1 = d[n + 1] - cos1
    const gr2 = d[n + 1] - cos2
    const gi = d[n + 2]
    const n1 = 1 / (gr1 * gr1 + gi * gi)
    const n2 = 1 / (gr2 * gr2 + gi * gi)
    const r1 = gr1 * n1
    const i1 = -gi * n1
    const r2 = gr2 * n2
    const i2 = -gi * n2
    // 1/(s^2 + x) with s^2 = -j sinh^2 is (x + j sinh^2)/(x^2 + sinh^4)
    const na = 1 / (aa * aa + s4)
    const no = 1 / (1 + s4)
    const ar = aa * na
    const ai = sinh2 * na
    const or = no
    const oi = sinh2 * no
    // g_h = G_h - cos(phi0/2)/(s^2 + a^2)
    const er = sin1 * r1 + sin2 * r2
    const ei = sin1 * i1 + sin2 * i2
    let hr = er * d[n + 5] - ei * d[n + 6] - cosHalf * ar
    let hi = er * d[n + 6] + ei * d[n + 5] - cosHalf * ai
    // g_s = G_s - 2jb s^2/(s^2 + a^2), all divided by j here; s^2/(s^2 + a^2) = -j sinh^2 (ar + j ai)
    const dr = r2 - r1
    const di = i2 - i1
    let sr = (-2 / N) * (d[n + 3] * dr - d[n + 4] * di) - 2 * b * sinh2 * ai
    let si = (-2 / N) * (d[n + 3] * di + d[n + 4] * dr) + 2 * b * sinh2 * ar
    if (pole.present) {
      const nb = 1 / (a22 * a22 + s4)
      const br = a22 * nb
      const bi = sinh2 * nb
      hr += a2 * (br - or)
      hi += a2 * (bi - oi)
      sr += 2 * pole.b * (or - a22 * br)
      si += 2 * pole.b * (oi - a22 * bi)
    }
    const wr = d[n + 7]
    const wi = d[n + 8]
    // D^h = (j/4pi) weight (g_h - rho_h/(s^2+1))/(s^2+c^2)
    const nc = 0.25 / Math.PI / (cc * cc + s4)
    const cr = nc * cc
    const ci = nc * sinh2
    const fr = wr * cr - wi * ci
    const fi = wr * ci + wi * cr
    const xr = hr - rhoH * or
    const xi = hi - rhoH * oi
    const yr = sr - rhoS * or
    const yi = si - rhoS * oi
    const dhr = -(fr * xi + fi * xr)
    const dhi = fr * xr - fi * xi
    // g_s carries one more factor j
    const dsr = -(fr * yr - fi * yi)
    const dsi = -(fr * yi + fi * yr)
    total[0] += dhr
    total[1] += dhi
    total[2] += dsr
    total[3] += dsi
    if (data === null) continue
    data[t] = sinh2
    data[t + 1] = dhr
    data[t + 2] = dhi
    data[t + 3] = dsr
    data[t + 4] = dsi
    data[t + 5] = (-0.5 / Math.PI) * (wr * hr - wi * hi)
    data[t + 6] = (-0.5 / Math.PI) * (wr * hi + wi * hr)
  }
}
