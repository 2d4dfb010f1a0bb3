// What a footprint of a fan radiates (`ReflectedEdges`, cpu-diffraction/mechanisms/reflected.ts) at the wavenumbers of the nodes, two at a time.
import { nodes, wavenumbers } from './amplitudes'
import { CLEAR_OF_GRAZING, GRAZING, HALF_NEAR, NEAR_ZONE, PARTS, PENUMBRA, TABULATED } from './constants'
import { add, div, exp, fresnelW, imaginary, mul, same, sinc, splat, sub } from './functions'

/** Positions in a footprint's numbers, in bytes: weights of the four waves (`WedgeWave`) come first. */
const MODULI = 32
const SOFT = 64
const HARD = 96

/** `WAVE_TABLE` of cpu-diffraction/currents/wedge-wave.ts. */
let table: usize = 0

export function setWaveTable(at: usize): void {
  table = at
}

/**
 * Writes the amplitudes of a footprint to `sum`: pairs, four channels a node.
 *
 * @param numbers  of `FOOTPRINT` (cpu-diffraction/currents/edge-field.ts): of v(phi - phi0), then of v(phi + phi0), two weights and then two moduli
 *                 each; real amplitudes per unit of u_d of the channels, soft, then hard
 * @param path     from the edge [m]; late, seen, over: what `offGrazing` takes, per wavenumber [m]
 * @param alongP,alongQ  half the change of the phase path over either side of the footprint [m]
 */
export function footprint(
  numbers: usize,
  sinBeta: f64,
  path: f64,
  late: f64,
  seen: f64,
  over: f64,
  alongP: f64,
  alongQ: f64,
  sum: usize,
): void {
  for (let p = 0, to = sum; p < nodes; p += 2, to += 128) {
    const k = v128.load(wavenumbers + 8 * p)
    const x = mul(splat(sinBeta), f64x2.sqrt(mul(mul(splat(2), k), splat(path))))
    const near = nearTheEdge(div(mul(k, splat(path)), splat(2 * Math.PI)))
    setWaves(numbers, x, near)
    const minus0 = wave0
    const minus1 = wave1
    setWaves(numbers + 16, x, near)
    let shape = mul(k, mul(shortSinc(mul(k, splat(alongP))), shortSinc(mul(k, splat(alongQ)))))
    shape = mul(shape, mul(offGrazing(mul(k, splat(late))), offGrazing(mul(k, splat(seen)))))
    const hard = mul(shape, offGrazing(mul(k, splat(over))))
    put(numbers, to, timesJ(sub(minus0, wave0), shape, 0), timesJ(add(minus0, wave0), hard, 0))
    put(numbers, to + 64, timesJ(sub(minus1, wave1), shape, 1), timesJ(add(minus1, wave1), hard, 1))
  }
}

function put(numbers: usize, to: usize, soft: v128, hard: v128): void {
  for (let ch: usize = 0; ch < 4; ch++)
    v128.store(
      to + 16 * ch,
      add(mul(same(numbers + SOFT + 8 * ch), soft), mul(same(numbers + HARD + 8 * ch), hard)),
    )
}

/** A pair times j and a lane of `factors`. */
function timesJ(pair: v128, factors: v128, lane: i32): v128 {
  const factor = lane === 0 ? f64x2.extract_lane(factors, 0) : f64x2.extract_lane(factors, 1)
  return mul(v128.shuffle<f64>(pair, pair, 1, 0), f64x2(-factor, factor))
}

/** sin(x)/x, by its series for footprints within a radian, as most are. */
function shortSinc(x: v128): v128 {
  const y = mul(x, x)
  if (v128.any_true(f64x2.gt(y, splat(1)))) return sinc(x)
  let s = sub(splat(1), mul(y, splat(1.0 / 210)))
  s = sub(splat(1), mul(mul(y, splat(1.0 / 156)), s))
  s = sub(splat(1), mul(mul(y, splat(1.0 / 110)), s))
  s = sub(splat(1), mul(mul(y, splat(1.0 / 72)), s))
  s = sub(splat(1), mul(mul(y, splat(1.0 / 42)), s))
  s = sub(splat(1), mul(mul(y, splat(1.0 / 20)), s))
  return sub(splat(1), mul(mul(y, splat(1.0 / 6)), s))
}

function eighth(x: v128): v128 {
  const square = mul(x, x)
  const fourth = mul(square, square)
  return mul(fourth, fourth)
}

function nearTheEdge(wavelengths: v128): v128 {
  const near = f64x2.lt(wavelengths, splat(NEAR_ZONE))
  if (!v128.any_true(near)) return splat(0)
  return v128.and(near, exp(f64x2.neg(eighth(div(wavelengths, splat(HALF_NEAR))))))
}

function offGrazing(late: v128): v128 {
  const clear = f64x2.gt(late, splat(CLEAR_OF_GRAZING))
  if (i64x2.all_true(clear)) return splat(1)
  return v128.bitselect(splat(1), sub(splat(1), exp(f64x2.neg(div(late, splat(GRAZING))))), clear)
}

/** v of both nodes, as pairs (`WedgeWave.at`). */
let wave0: v128 = i64x2(0, 0)
let wave1: v128 = i64x2(0, 0)

/** Sets `wave0` and `wave1` by two weights and moduli. */
function setWaves(numbers: usize, x: v128, near: v128): void {
  const near0 = f64x2.extract_lane(near, 0)
  const near1 = f64x2.extract_lane(near, 1)
  let v0 = splat(0)
  let v1 = splat(0)
  for (let at = numbers; at < numbers + 16; at += 8) {
    const weight = load<f64>(at)
    const y = mul(x, same(at + MODULI))
    const y0 = f64x2.extract_lane(y, 0)
    const y1 = f64x2.extract_lane(y, 1)
    const beyond0 = !(y0 < TABULATED)
    const beyond1 = !(y1 < TABULATED)
    if (!beyond0 && (y0 < PENUMBRA || near0 !== 0)) v0 = add(v0, tabulated(y0, near0, weight))
    if (!beyond1 && (y1 < PENUMBRA || near1 !== 0)) v1 = add(v1, tabulated(y1, near1, weight))
    if ((beyond0 && near0 !== 0) || (beyond1 && near1 !== 0)) {
      const re = fresnelW(y)
      if (beyond0) v0 = add(v0, mul(splat(weight * near0), v128.shuffle<f64>(re, imaginary, 0, 2)))
      if (beyond1) v1 = add(v1, mul(splat(weight * near1), v128.shuffle<f64>(re, imaginary, 1, 3)))
    }
  }
  wave0 = v0
  wave1 = v1
}

function tabulated(y: f64, near: f64, weight: f64): v128 {
  const part = y * PARTS
  const first = floor(part)
  const t = part - first
  const a = (t * (t - 1) * (2 - t)) / 6
  const b = 0.5 * (t + 1) * (t - 1) * (t - 2)
  const c = 0.5 * (t + 1) * t * (2 - t)
  const d = ((t + 1) * t * (t - 1)) / 6
  const at = table + 24 * <usize>first
  const far = a * load<f64>(at, 16) + b * load<f64>(at, 40) + c * load<f64>(at, 64) + d * load<f64>(at, 88)
  const w = add(
    add(mul(splat(a), v128.load(at)), mul(splat(b), v128.load(at, 24))),
    add(mul(splat(c), v128.load(at, 48)), mul(splat(d), v128.load(at, 72))),
  )
  return mul(splat(weight * (far + (1 - far) * near)), w)
}
