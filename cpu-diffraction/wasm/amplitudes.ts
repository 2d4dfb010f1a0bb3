// Amplitudes of a face's segment at the wavenumbers of the nodes, two at a time. Arrays are padded to an even number of nodes.
import {
  add,
  cosine,
  div,
  exp,
  fresnelW,
  imaginary,
  mul,
  rotated,
  same,
  sin,
  sinc,
  splat,
  sub,
} from './functions'

/** Positions in a face's record, in doubles; cpu-diffraction/currents/face.ts writes it. */
const COEF_S = 32
const COEF_T = 64
const COEF_R = 96
const C = 128
const A = 136
const A2 = 144
/** Of W(ra), W(rc), W(r), W(r a2) in S/j, then in T and in V e^{jL} (`endWeights`). */
const WEIGHTS = 152
const TERMS = 248
/** A term, and where its numbers stand (cpu-diffraction/currents/strip.ts). */
const TERM_SIZE = 56
const TERM_S = 8
const TERM_T = 24
const TERM_V = 40

/** exp(-45) is below the last digit of any term. */
const NEGLIGIBLE: f64 = 45
/** Phases below this do not count along a piece. */
const FLAT: f64 = 1e-5

export let nodes: i32 = 0
export let wavenumbers: usize = 0

/** The nodes, and where their wavenumbers stand. */
export function setNodes(count: i32, k: usize): void {
  nodes = count
  wavenumbers = k
}

/** Adds untruncated amplitudes A_ch, the four numbers at `face`, as length sinc(k x) A_ch to `sum` (pairs, four channels a node). */
export function addUntruncated(face: usize, length: f64, x: f64, sum: usize): void {
  const zero = splat(0)
  for (let p = 0, to = sum; p < nodes; p += 2, to += 128) {
    const k = v128.load(wavenumbers + 8 * p)
    const s = mul(splat(length), sinc(mul(k, splat(x))))
    for (let ch = 0; ch < 4; ch++) {
      const at = to + 16 * ch
      const value = mul(s, same(face + 8 * ch))
      v128.store(at, add(v128.load(at), v128.shuffle<f64>(value, zero, 0, 2)))
      v128.store(at, add(v128.load(at, 64), v128.shuffle<f64>(value, zero, 1, 2)), 64)
    }
  }
}

/**
 * Writes a face's end part, A = -j S coefS + T coefT + R coefR, times exp(+2jLc^2) (docs/edge-diffraction.md, "Frequency
 * interpolation"): W(ra), W(rc), W(r), W(r a2), r = sqrt(2L), with real factors, and decaying exponentials.
 *
 * @param terms   exponentials, 0 where there is no W(r) either
 * @param second  whether there is W(r a2)
 * @param perK    L per wavenumber [m]
 * @param x       half the length times the phase slope of the end [m]
 * @param out     pairs, four channels a node
 */
export function endPart(
  face: usize,
  terms: i32,
  second: bool,
  length: f64,
  perK: f64,
  x: f64,
  out: usize,
): void {
  const weights = face + WEIGHTS
  const c = load<f64>(face, C)
  const mu = 1 - 2 * c * c
  for (let p = 0, to = out; p < nodes; p += 2, to += 128) {
    const k = v128.load(wavenumbers + 8 * p)
    const twoL = mul(k, splat(2 * perK))
    const r = f64x2.sqrt(twoL)
    let wRe = fresnelW(mul(r, same(face + A)))
    let wIm = imaginary
    let sIm = mul(same(weights), wRe)
    let sRe = mul(same(weights), wIm)
    let tRe = mul(same(weights + 32), wRe)
    let tIm = mul(same(weights + 32), wIm)
    let vRe = mul(same(weights + 64), wRe)
    let vIm = mul(same(weights + 64), wIm)
    wRe = fresnelW(mul(r, splat(c)))
    wIm = imaginary
    sIm = add(sIm, mul(same(weights + 8), wRe))
    sRe = f64x2.neg(add(sRe, mul(same(weights + 8), wIm)))
    tRe = add(tRe, mul(same(weights + 40), wRe))
    tIm = add(tIm, mul(same(weights + 40), wIm))
    vRe = add(vRe, mul(same(weights + 72), wRe))
    vIm = add(vIm, mul(same(weights + 72), wIm))
    if (terms > 0) {
      wRe = fresnelW(r)
      wIm = imaginary
      sIm = add(sIm, mul(same(weights + 16), wRe))
      sRe = sub(sRe, mul(same(weights + 16), wIm))
      tRe = add(tRe, mul(same(weights + 48), wRe))
      tIm = add(tIm, mul(same(weights + 48), wIm))
      vRe = add(vRe, mul(same(weights + 80), wRe))
      vIm = add(vIm, mul(same(weights + 80), wIm))
      if (second) {
        wRe = fresnelW(mul(r, same(face + A2)))
        wIm = imaginary
        sIm = add(sIm, mul(same(weights + 24), wRe))
        sRe = sub(sRe, mul(same(weights + 24), wIm))
        tRe = add(tRe, mul(same(weights + 56), wRe))
        tIm = add(tIm, mul(same(weights + 56), wIm))
        vRe = add(vRe, mul(same(weights + 88), wRe))
        vIm = add(vIm, mul(same(weights + 88), wIm))
      }
      const end = face + TERMS + TERM_SIZE * terms
      for (let t = face + TERMS; t < end; t += TERM_SIZE) {
        const exponent = mul(twoL, same(t))
        if (i64x2.all_true(f64x2.gt(exponent, splat(NEGLIGIBLE)))) break
        const decay = exp(f64x2.neg(exponent))
        sRe = add(sRe, mul(decay, same(t + TERM_S)))
        sIm = add(sIm, mul(decay, same(t + TERM_S + 8)))
        tRe = add(tRe, mul(decay, same(t + TERM_T)))
        tIm = add(tIm, mul(decay, same(t + TERM_T + 8)))
        vRe = add(vRe, mul(decay, same(t + TERM_V)))
        vIm = add(vIm, mul(decay, same(t + TERM_V + 8)))
      }
    }
    const scale = mul(splat(-length), sinc(mul(k, splat(x))))
    putChannels(face, mu, scale, sRe, sIm, tRe, tIm, vRe, vIm, to)
  }
}

/** Writes `scale` times A_ch of the parts S, T and V e^{jL} at two nodes. */
function putChannels(
  face: usize,
  mu: f64,
  scale: v128,
  s1: v128,
  s2: v128,
  t1: v128,
  t2: v128,
  vRe: v128,
  vIm: v128,
  to: usize,
): void {
  // R = -(V + j mu S); rIm is minus its imaginary part.
  const rRe = mul(scale, sub(mul(splat(mu), s2), vRe))
  const rIm = mul(scale, add(mul(splat(mu), s1), vIm))
  const sIm = mul(scale, s2)
  const sRe = mul(scale, s1)
  const tRe = mul(scale, t1)
  const tIm = mul(scale, t2)
  for (let ch = 0; ch < 4; ch++) {
    const s = same(face + COEF_S + 8 * ch)
    const t = same(face + COEF_T + 8 * ch)
    const q = same(face + COEF_R + 8 * ch)
    const at = to + 16 * ch
    const real = add(add(mul(s, sIm), mul(t, tRe)), mul(q, rRe))
    const imag = sub(sub(mul(t, tIm), mul(s, sRe)), mul(q, rIm))
    v128.store(at, v128.shuffle<f64>(real, imag, 0, 2))
    v128.store(at, v128.shuffle<f64>(real, imag, 1, 3), 64)
  }
}

/** Adds `factor` A_ch / (jk) to `sum`: what one end of a straight piece has of the integral of A e^{jk slide t}, factor = +-1/slide. */
export function addUntruncatedEnd(face: usize, factor: f64, sum: usize): void {
  for (let p = 0, to = sum; p < nodes; p++, to += 64) {
    const perK = -factor / load<f64>(wavenumbers + 8 * p)
    for (let ch = 0; ch < 4; ch++) {
      const at = to + 16 * ch
      store<f64>(at, load<f64>(at, 8) + perK * load<f64>(face + 8 * ch), 8)
    }
  }
}

/** Adds `factor` e^{jk delay} times the amplitudes at `from` to `sum`. */
export function addRotated(from: usize, factor: f64, delay: f64, sum: usize): void {
  for (let p = 0, at: usize = 0; p < nodes; p += 2, at += 128) {
    const s2 = mul(splat(factor), sin(mul(v128.load(wavenumbers + 8 * p), splat(delay))))
    const c2 = mul(splat(factor), cosine)
    rotate(from + at, sum + at, f64x2.extract_lane(c2, 0), f64x2.extract_lane(s2, 0))
    rotate(from + at + 64, sum + at + 64, f64x2.extract_lane(c2, 1), f64x2.extract_lane(s2, 1))
  }
}

/** Adds the four pairs at `from` times cos + j sin to those at `to`. */
function rotate(from: usize, to: usize, cos: f64, sin: f64): void {
  const c = splat(cos)
  const s = f64x2(-sin, sin)
  for (let i: usize = 0; i < 64; i += 16) {
    v128.store(to + i, add(v128.load(to + i), rotated(v128.load(from + i), c, s)))
  }
}

/** Of `endLimit`: what its integrals share, and the last one. */
let phaseSlope: f64 = 0
let stripSlope: f64 = 0
let perKp: v128 = i64x2(0, 0)
let perK1: v128 = i64x2(0, 0)
let twoKl: v128 = i64x2(0, 0)
let otherRe: v128 = i64x2(0, 0)
let otherIm: v128 = i64x2(0, 0)
let reachOf: f64 = 0
let integralRe: v128 = i64x2(0, 0)
let integralIm: v128 = i64x2(0, 0)

/** Sets the last integral to that of W(rx), r = sqrt(2L), up to this end. */
function integrateW(x: f64): void {
  const q = abs(phaseSlope / stripSlope)
  if ((x * x + q) * reachOf < FLAT) {
    // L (1 + 2 W)/3: W falls by the square root.
    const f = mul(mul(twoKl, perKp), splat(1.0 / 3))
    integralRe = mul(f, add(splat(1), mul(splat(2), fresnelW(mul(f64x2.sqrt(twoKl), splat(x))))))
    integralIm = mul(f, mul(splat(2), imaginary))
    return
  }
  const other = splat(x / sqrt(q))
  const f = mul(perK1, splat(1 / (phaseSlope + stripSlope * x * x)))
  const re = fresnelW(mul(f64x2.sqrt(twoKl), splat(x)))
  integralIm = f64x2.neg(mul(f, sub(re, mul(other, otherRe))))
  integralRe = mul(f, sub(imaginary, mul(other, otherIm)))
}

/**
 * Writes what one end of a piece has of the integral of a face's end part along the edge (docs/edge-diffraction.md, "Intervals"), times
 * exp(+2jLc^2), with the end part's sign: the limit at the piece's end less that at its start, each with its phase, is the integral.
 * L = k l sin^2 beta0 grows by k times half of `slope` per metre.
 *
 * @param terms   exponentials that serve all L of the piece, 0 where there is no W(r) either
 * @param second  whether there is W(r a2)
 * @param perK    L per wavenumber at this end [m]
 * @param phase   slope of the end part's phase path along the edge, not 0
 * @param slope   2 sin^2 beta0 dl/dt, not 0
 * @param reach   greatest 2L of the piece
 * @param out     pairs, four channels a node
 */
export function endLimit(
  face: usize,
  terms: i32,
  second: bool,
  perK: f64,
  phase: f64,
  slope: f64,
  reach: f64,
  out: usize,
): void {
  const weights = face + WEIGHTS
  const c = load<f64>(face, C)
  const mu = 1 - 2 * c * c
  phaseSlope = phase
  stripSlope = slope
  reachOf = reach
  const q = abs(phase / slope)
  const backwards = phase / slope < 0
  for (let p = 0, to = out; p < nodes; p += 2, to += 128) {
    const k = v128.load(wavenumbers + 8 * p)
    twoKl = mul(k, splat(2 * perK))
    perK1 = div(splat(1), k)
    perKp = mul(perK1, splat(1 / slope))
    // Integral of exp(jqs)/sqrt(s), s = 2L, from this end on.
    otherRe = fresnelW(f64x2.sqrt(mul(twoKl, splat(q))))
    otherIm = imaginary
    if (!backwards) {
      const re = otherRe
      otherRe = otherIm
      otherIm = re
    }
    integrateW(load<f64>(face, A))
    let sIm = mul(same(weights), integralRe)
    let sRe = mul(same(weights), integralIm)
    let tRe = mul(same(weights + 32), integralRe)
    let tIm = mul(same(weights + 32), integralIm)
    let vRe = mul(same(weights + 64), integralRe)
    let vIm = mul(same(weights + 64), integralIm)
    integrateW(c)
    sIm = add(sIm, mul(same(weights + 8), integralRe))
    sRe = f64x2.neg(add(sRe, mul(same(weights + 8), integralIm)))
    tRe = add(tRe, mul(same(weights + 40), integralRe))
    tIm = add(tIm, mul(same(weights + 40), integralIm))
    vRe = add(vRe, mul(same(weights + 72), integralRe))
    vIm = add(vIm, mul(same(weights + 72), integralIm))
    if (terms > 0) {
      integrateW(1)
      sIm = add(sIm, mul(same(weights + 16), integralRe))
      sRe = sub(sRe, mul(same(weights + 16), integralIm))
      tRe = add(tRe, mul(same(weights + 48), integralRe))
      tIm = add(tIm, mul(same(weights + 48), integralIm))
      vRe = add(vRe, mul(same(weights + 80), integralRe))
      vIm = add(vIm, mul(same(weights + 80), integralIm))
      if (second) {
        integrateW(load<f64>(face, A2))
        sIm = add(sIm, mul(same(weights + 24), integralRe))
        sRe = sub(sRe, mul(same(weights + 24), integralIm))
        tRe = add(tRe, mul(same(weights + 56), integralRe))
        tIm = add(tIm, mul(same(weights + 56), integralIm))
        vRe = add(vRe, mul(same(weights + 88), integralRe))
        vIm = add(vIm, mul(same(weights + 88), integralIm))
      }
      const end = face + TERMS + TERM_SIZE * terms
      for (let t = face + TERMS; t < end; t += TERM_SIZE) {
        const exponent = mul(twoKl, same(t))
        if (i64x2.all_true(f64x2.gt(exponent, splat(NEGLIGIBLE)))) break
        const y = load<f64>(t)
        const decay = mul(exp(f64x2.neg(exponent)), perK1)
        // exp(-ys)/(jq - y)
        let re: v128
        let im: v128
        if ((y + q) * reach < FLAT) {
          re = mul(decay, mul(twoKl, splat(1 / slope)))
          im = splat(0)
        } else {
          const modulus = 1 / (phase * phase + slope * slope * y * y)
          re = mul(decay, splat(-slope * y * modulus))
          im = mul(decay, splat(-phase * modulus))
        }
        sRe = add(sRe, sub(mul(re, same(t + TERM_S)), mul(im, same(t + TERM_S + 8))))
        sIm = add(sIm, add(mul(re, same(t + TERM_S + 8)), mul(im, same(t + TERM_S))))
        tRe = add(tRe, sub(mul(re, same(t + TERM_T)), mul(im, same(t + TERM_T + 8))))
        tIm = add(tIm, add(mul(re, same(t + TERM_T + 8)), mul(im, same(t + TERM_T))))
        vRe = add(vRe, sub(mul(re, same(t + TERM_V)), mul(im, same(t + TERM_V + 8))))
        vIm = add(vIm, add(mul(re, same(t + TERM_V + 8)), mul(im, same(t + TERM_V))))
      }
    }
    putChannels(face, mu, splat(-1), sRe, sIm, tRe, tIm, vRe, vIm, to)
  }
}
