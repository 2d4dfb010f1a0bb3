import { sinc } from './gordon.js'

// Complex values are pairs (real, imaginary) in a Float64Array at a given position: nothing is allocated.

/** Points of the modified trapezoidal rule; 11 reach double precision (docs/edge-diffraction.md, "Fresnel functions"). */
const POINTS = 11
const STEP = Math.sqrt(Math.PI / (POINTS + 0.5))
const SCALE = Math.PI / STEP
const NODE = Float64Array.from({ length: POINTS }, (_, i) => ((i + 0.5) * STEP) ** 2)
const WEIGHT = NODE.map((t) => Math.exp(-t))
const NODE_SQUARED = NODE.map((t) => t * t)
const POLE = Math.SQRT2 * SCALE
/** exp(-40) is far below the last digit of W. */
const POLE_LIMIT = 40
/** Beyond this argument W is the bare sum over the nodes. */
const BARE_SUM = POLE_LIMIT / POLE

const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI)

/**
 * W(x) = erfcx(e^{j pi/4} x) = e^{jx^2} erfc(e^{j pi/4} x) for x >= 0: twice the modified Fresnel function, W(0) = 1,
 * W(x) -> e^{-j pi/4} / (sqrt(pi) x). Absolute error below 2e-15. Written to out[o], out[o + 1].
 * Modified trapezoidal rule of Alazah, Chandler-Wilde and La Porte, Numer. Math. 128 (2014) 635.
 */
export function fresnelW(x: number, out: Float64Array, o: number): void {
  const x2 = x * x
  const x4 = x2 * x2
  let sum = 0
  let sumT = 0
  for (let i = 0; i < POINTS; i++) {
    const d = WEIGHT[i] / (x4 + NODE_SQUARED[i])
    sum += d
    sumT += d * NODE[i]
  }
  const f = (Math.SQRT2 * x) / SCALE
  let re = f * (x2 * sum + sumT)
  let im = f * (sumT - x2 * sum)
  const z = POLE * x
  if (z < POLE_LIMIT) {
    // The poles of the integrand: 2 e^{jx^2} / (e^{z(1+j)} + 1).
    const e = Math.exp(z)
    const dr = e * Math.cos(z) + 1
    const di = e * Math.sin(z)
    const g = 2 / (dr * dr + di * di)
    const c = Math.cos(x2)
    const s = Math.sin(x2)
    re += g * (c * dr + s * di)
    im += g * (s * dr - c * di)
  }
  out[o] = re
  out[o + 1] = im
}

/**
 * e1(x) = erf(e^{j pi/4} x) / (e^{j pi/4} x) for x >= 0, e1(0) = 2/sqrt(pi), given W(x) at w[iw], w[iw + 1].
 * Written to out[o], out[o + 1].
 */
export function fresnelE1(x: number, w: Float64Array, iw: number, out: Float64Array, o: number): void {
  const y = x * x
  if (x < 0.6) {
    // (2/sqrt(pi)) sum (-jy)^n / (n! (2n+1)): even powers are real, odd ones imaginary.
    let re = 1
    let im = 0
    let t = 1
    for (let n = 1; n < 14; n += 2) {
      t *= y / n
      im -= t / (2 * n + 1)
      t *= -y / (n + 1)
      re += t / (2 * n + 3)
    }
    out[o] = TWO_BY_ROOT_PI * re
    out[o + 1] = TWO_BY_ROOT_PI * im
    return
  }
  // (1 - e^{-jy} W) e^{-j pi/4} / x
  const c = Math.cos(y)
  const s = Math.sin(y)
  const wr = w[iw]
  const wi = w[iw + 1]
  const re = 1 - (c * wr + s * wi)
  const im = s * wr - c * wi
  const f = Math.SQRT1_2 / x
  out[o] = f * (re + im)
  out[o + 1] = f * (im - re)
}

/** Where W(ra), e1(ra) and e1(rc) stand, re and im each, for `psiFrom`. */
interface PsiPlaces {
  wa: number
  ea: number
  ec: number
}

/** W and e1 of the midpoint in `dividedDifference`. */
const middle = new Float64Array(4)

/**
 * Divided difference of q(y) = erf(sqrt y)/sqrt y between j ya and j yc, where ya = xa^2 and yc = xc^2; e1(xa) and e1(xc)
 * stand in e at `ea` and `ec`. Smooth through ya = yc. Written to out[0], out[1].
 */
function dividedDifference(
  ya: number,
  yc: number,
  e: Float64Array,
  { ea, ec }: PsiPlaces,
  out: Float64Array,
): void {
  const d = yc - ya
  if (Math.abs(d) >= 0.5) {
    // (e1(xc) - e1(xa)) / (jd)
    out[0] = (e[ec + 1] - e[ea + 1]) / d
    out[1] = -(e[ec] - e[ea]) / d
    return
  }
  const m = 0.5 * (ya + yc)
  let re = 0
  let im = 0
  if (m > 3) {
    // Taylor about the midpoint jm, with q' and higher by q^{(n+1)} = [(-1)^n e^{-jm}/sqrt(pi) - (n + 1/2) q^{(n)}]/(jm).
    const x = Math.sqrt(m)
    fresnelW(x, middle, 0)
    fresnelE1(x, middle, 0, middle, 2)
    let qr = middle[2]
    let qi = middle[3]
    let er = 0.5 * TWO_BY_ROOT_PI * Math.cos(m)
    let ei = -0.5 * TWO_BY_ROOT_PI * Math.sin(m)
    let factor = 1
    for (let n = 0; n < 10; n++) {
      const tr = (er - (n + 0.5) * qr) / m
      const ti = (ei - (n + 0.5) * qi) / m
      qr = ti
      qi = -tr
      er = -er
      ei = -ei
      if (n > 0) factor /= n + 1
      if (n % 2 === 0) {
        re += qr * factor
        im += qi * factor
        factor *= -0.25 * d * d
      }
    }
    out[0] = re
    out[1] = im
    return
  }
  // Power series: with h_n = sum ya^i yc^(n-1-i) the n-th term is (2/sqrt(pi)) (-1)^n j^(n-1) h_n / (n! (2n+1)).
  let h = 0
  let power = 1
  let factor = 1
  for (let n = 1; n < 26; n++) {
    h = h * yc + power
    power *= ya
    factor /= -n
    const t = (factor * h) / (2 * n + 1)
    const quarter = (n - 1) & 3
    if (quarter === 0) re += t
    else if (quarter === 1) im += t
    else if (quarter === 2) re -= t
    else im -= t
  }
  out[0] = TWO_BY_ROOT_PI * re
  out[1] = TWO_BY_ROOT_PI * im
}

/**
 * What is missing from Psi at infinite length, without its phase: [Psi(a, c; infinity) - Psi(a, c; L)] e^{2jLc^2}
 * = (j/4) [c W(ra) - a W(rc)] / [c (c^2 - a^2)], for ra and rc beyond BARE_SUM, where the division can be done term by term:
 * no digits are lost at a = c. Slowly varying in L. Written to out[o], out[o + 1].
 */
export function psiEnd(a: number, c: number, r: number, out: Float64Array, o: number): void {
  const ya = r * r * a * a
  const yc = r * r * c * c
  const product = ya * yc
  const sum = ya + yc
  const ya2 = ya * ya
  const yc2 = yc * yc
  let re = 0
  let im = 0
  for (let i = 0; i < POINTS; i++) {
    const t2 = NODE_SQUARED[i]
    const d = WEIGHT[i] / ((ya2 + t2) * (yc2 + t2))
    re += d * (product - t2)
    im += d * NODE[i]
  }
  im *= sum
  // (j/4) (sqrt2/A) (1 - j) r^3 a (re + j im)
  const f = ((Math.SQRT2 / 4) * r * r * r * a) / SCALE
  out[o] = f * (re - im)
  out[o + 1] = f * (re + im)
}

/** Divided difference, or end part, in `psiFrom`. */
const difference = new Float64Array(2)

/**
 * Psi(a, c; L) = (ja/4pi) * integral over all s of (1 - exp(-2jL(s^2+c^2))) / ((s^2+a^2)(s^2+c^2)) ds, for a, c, L >= 0, from
 * W(ra), e1(ra) and e1(rc) in w with r = sqrt(2L). Finite for all arguments (a = c, a = 0, c = 0);
 * exactly 0 at L = 0; j/(4c(a+c)) at L = infinity, which is not evaluated here. Written to out[0], out[1].
 */
export function psiFrom(
  a: number,
  c: number,
  L: number,
  w: Float64Array,
  places: PsiPlaces,
  out: Float64Array,
): void {
  const iwa = places.wa
  const r = Math.sqrt(2 * L)
  const ya = 2 * L * a * a
  const yc = 2 * L * c * c
  if (r * Math.min(a, c) > BARE_SUM) {
    psiEnd(a, c, r, difference, 0)
    const cos = Math.cos(yc)
    const sin = Math.sin(yc)
    out[0] = -(cos * difference[0] + sin * difference[1])
    out[1] = 0.25 / (c * (a + c)) - (cos * difference[1] - sin * difference[0])
    return
  }
  const ld = L * (c - a) * (c + a)
  const sinc = Math.abs(ld) < 1e-8 ? 1 : Math.sin(ld) / ld
  dividedDifference(ya, yc, w, places, difference)
  // t1 = 2jL e^{-jLd} sinc(Ld) e^{-2jLa^2} W(ra),  t2 = 2jL a r e^{j pi/4} D,  Psi = (j/4)(t1 - t2)
  const angle = ld + ya
  const f = 2 * L * sinc
  const cosA = Math.cos(angle)
  const sinA = Math.sin(angle)
  const g = 2 * L * a * r * Math.SQRT1_2
  const re = f * (cosA * w[iwa] + sinA * w[iwa + 1]) - g * (difference[0] - difference[1])
  const im = f * (cosA * w[iwa + 1] - sinA * w[iwa]) - g * (difference[0] + difference[1])
  out[0] = -0.25 * re
  out[1] = -0.25 * im
}

/** sinc(x) - sinc(x - d), to full relative precision as d -> 0. */
export function sincDifference(x: number, d: number): number {
  const x2 = x - d
  const y1 = x * x
  const y2 = x2 * x2
  if (y1 < 0.25 && y2 < 0.25) {
    // (y2 - y1)/6 times the divided difference of the series in y = x^2.
    const p = y1 + y2
    const q = y1 * y1 + y1 * y2 + y2 * y2
    const r = p * (y1 * y1 + y2 * y2)
    const s = y1 * y1 * q + y1 * y2 * y2 * y2 + y2 * y2 * y2 * y2
    return (-d * (x + x2) * (1 - p / 20 + q / 840 - r / 60480 + s / 6652800)) / 6
  }
  // sin x - sin x2 = 2 cos((x + x2)/2) sin(d/2); the larger of the two arguments divides.
  const rise = 2 * Math.cos(0.5 * (x + x2)) * Math.sin(0.5 * d)
  return y1 >= y2 ? (rise - d * sinc(x2)) / x : (rise - d * sinc(x)) / x2
}
