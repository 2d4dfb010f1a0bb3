// Amplitudes of a face's segment at the wavenumbers of the nodes, two at a time. Arrays are padded to an even number of nodes.
import { fresnelW, imaginary } from './fresnel'
import { exp, sinc } from './functions'
import { add, mul, same, splat, sub } from './lanes'

/** Places in a face's record, in doubles; cpu-diffraction/face-ends.ts writes it. */
const COEF_S = 32
const COEF_T = 64
const COEF_R = 96
const C = 128
const A = 136
const A2 = 144
const WEIGHT = 152
const TERMS = 248
const TERM_SIZE = 56

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
 * Writes a face's end part, times exp(+2jLc^2) (docs/edge-diffraction.md, "Frequency interpolation"): W(ra), W(rc), W(r), W(r a2),
 * r = sqrt(2L), with real factors, and decaying exponentials.
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
  const f = face + WEIGHT
  const c = load<f64>(face, C)
  const mu = 1 - 2 * c * c
  for (let p = 0, to = out; p < nodes; p += 2, to += 128) {
    const k = v128.load(wavenumbers + 8 * p)
    const twoL = mul(k, splat(2 * perK))
    const r = f64x2.sqrt(twoL)
    let re = fresnelW(mul(r, same(face + A)))
    let im = imaginary
    let si = mul(same(f), re)
    let sr = mul(same(f), im)
    let tr = mul(same(f + 32), re)
    let ti = mul(same(f + 32), im)
    let vr = mul(same(f + 64), re)
    let vi = mul(same(f + 64), im)
    re = fresnelW(mul(r, splat(c)))
    im = imaginary
    si = add(si, mul(same(f + 8), re))
    sr = f64x2.neg(add(sr, mul(same(f + 8), im)))
    tr = add(tr, mul(same(f + 40), re))
    ti = add(ti, mul(same(f + 40), im))
    vr = add(vr, mul(same(f + 72), re))
    vi = add(vi, mul(same(f + 72), im))
    if (terms > 0) {
      re = fresnelW(r)
      im = imaginary
      si = add(si, mul(same(f + 16), re))
      sr = sub(sr, mul(same(f + 16), im))
      tr = add(tr, mul(same(f + 48), re))
      ti = add(ti, mul(same(f + 48), im))
      vr = add(vr, mul(same(f + 80), re))
      vi = add(vi, mul(same(f + 80), im))
      if (second) {
        re = fresnelW(mul(r, same(face + A2)))
        im = imaginary
        si = add(si, mul(same(f + 24), re))
        sr = sub(sr, mul(same(f + 24), im))
        tr = add(tr, mul(same(f + 56), re))
        ti = add(ti, mul(same(f + 56), im))
        vr = add(vr, mul(same(f + 88), re))
        vi = add(vi, mul(same(f + 88), im))
      }
      const end = face + TERMS + TERM_SIZE * terms
      for (let t = face + TERMS; t < end; t += TERM_SIZE) {
        const y = mul(twoL, same(t))
        if (i64x2.all_true(f64x2.gt(y, splat(NEGLIGIBLE)))) break
        const e = exp(f64x2.neg(y))
        sr = add(sr, mul(e, same(t + 8)))
        si = add(si, mul(e, same(t + 16)))
        tr = add(tr, mul(e, same(t + 24)))
        ti = add(ti, mul(e, same(t + 32)))
        vr = add(vr, mul(e, same(t + 40)))
        vi = add(vi, mul(e, same(t + 48)))
      }
    }
    const g = mul(splat(-length), sinc(mul(k, splat(x))))
    const rr = mul(g, sub(mul(splat(mu), si), vr))
    const ri = mul(g, add(mul(splat(mu), sr), vi))
    si = mul(g, si)
    sr = mul(g, sr)
    tr = mul(g, tr)
    ti = mul(g, ti)
    for (let ch = 0; ch < 4; ch++) {
      const s = same(face + COEF_S + 8 * ch)
      const t = same(face + COEF_T + 8 * ch)
      const q = same(face + COEF_R + 8 * ch)
      const at = to + 16 * ch
      const real = add(add(mul(s, si), mul(t, tr)), mul(q, rr))
      const imag = sub(sub(mul(t, ti), mul(s, sr)), mul(q, ri))
      v128.store(at, v128.shuffle<f64>(real, imag, 0, 2))
      v128.store(at, v128.shuffle<f64>(real, imag, 1, 3), 64)
    }
  }
}
