// Amplitudes of a face's segment at the wavenumbers of the nodes, two at a time. Arrays are padded to an even number of nodes.
import { fresnelW, imaginary } from './fresnel'
import { exp, sinc } from './functions'
import { add, mul, same, splat, sub } from './lanes'

/** Positions in a face's record, in doubles; cpu-diffraction/face-ends.ts writes it. */
const COEF_S = 32
const COEF_T = 64
const COEF_R = 96
const C = 128
const A = 136
const A2 = 144
/** Of W(ra), W(rc), W(r), W(r a2) in S/j, then in T and in V e^{jL} (`endWeights`). */
const WEIGHTS = 152
const TERMS = 248
/** A term, and where its numbers stand (cpu-diffraction/smooth-remainder.ts). */
const TERM_SIZE = 56
const TERM_S = 8
const TERM_T = 24
const TERM_V = 40

/** exp(-45) is below the last digit of any term. */
const NEGLIGIBLE: f64 = 45

let nodes: i32 = 0
let wavenumbers: usize = 0

/** The nodes, and where their wavenumbers stand. */
export function setNodes(count: i32, k: usize): void {
  nodes = count
  wavenumbers = k
}

/** Adds a face's untruncated part, length sinc(k x) A_ch, to `sum` (pairs, four channels a node). */
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
    // R = -(V + j mu S); rIm is minus its imaginary part.
    const rRe = mul(scale, sub(mul(splat(mu), sIm), vRe))
    const rIm = mul(scale, add(mul(splat(mu), sRe), vIm))
    sIm = mul(scale, sIm)
    sRe = mul(scale, sRe)
    tRe = mul(scale, tRe)
    tIm = mul(scale, tIm)
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
}
