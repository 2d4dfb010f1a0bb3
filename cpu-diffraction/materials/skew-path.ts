import type { Complex } from '../../scene/complex.js'
import { magnitude } from './complex.js'

/*
 * Paths of the quadratures over a wedge's faces (`SkewWedge`), w(t) = jt + tanh(t) (mean + size tanh(ln t - middle)) from the face, with points even in
 * ln t, and what a quadrature misses of the pole of a place beside its path.
 */

/** An impedance over that of space between E and n x H along a face: a symmetric tensor, x away from the edge, z along it. */
export interface FaceImpedance {
  xx: Complex
  xz: Complex
  zz: Complex
}

/** As good as a perfect conductor where currents are taken from the fields. */
export const METAL: FaceImpedance = { xx: [1e-6, 0], xz: [0, 0], zz: [1e-6, 0] }

/** Steps of the quadrature in ln t: of impedances with a phase up to the first one, and from the second one on, where zeros come close [rad]. */
const STEPS = [0.5, 0.3]
const PHASES = [0.3, 1.2]
/** Its first t, and its last one over N. */
const LEAST = 3e-3
const REACH = 6
/** The path leaves w = jt by this much of the impedance's phase. */
const TURN = 0.9
/** Places this close to a path, as an angle in ln t, take what the quadrature misses of their pole. */
const CLOSE = 0.7
/** Last step of Newton's method. */
const EXACT = 1e-9

/** What of a face is chosen by its impedance at one frequency and kept over a band, so that fields are analytic in frequency. */
export interface FaceShape {
  mean: number
  size: number
  middle: number
  /** Impedances below that of space. */
  isLow: boolean
  /** Of the quadrature in ln t. */
  step: number
}

export function shapeOf({ xx, zz }: FaceImpedance, sinBeta: number): FaceShape {
  const phases = [xx, zz].map(([re, im]) => Math.atan2(im, re))
  const places = [magnitude(xx) / sinBeta, 1 / (magnitude(zz) * sinBeta)].map((s) => Math.log(Math.asinh(s)))
  // Zeros of det(A - sin w) are to stay on the right: with inductive faces near the first place; the other ones on the left, near the second.
  const turns = [-TURN * phases[0], TURN * phases[1]]
  const [low, high] = places[0] <= places[1] ? turns : [turns[1], turns[0]]
  const phase = Math.max(...phases.map(Math.abs))
  const part = Math.min(1, Math.max(0, (phase - PHASES[0]) / (PHASES[1] - PHASES[0])))
  return {
    mean: (low + high) / 2,
    size: (high - low) / 2,
    middle: (places[0] + places[1]) / 2,
    isLow: magnitude(zz) < 1,
    step: STEPS[0] + part * (STEPS[1] - STEPS[0]),
  }
}

/** Points of the quadrature on a face of a wedge of exterior angle N pi. */
export const pointCount = ({ step }: FaceShape, N: number): number =>
  Math.ceil(Math.log((REACH * N) / LEAST) / step) + 1

/** Writes w and dw/d(ln t) at point k: re and im. */
export const pathPoint = (shape: FaceShape, k: number, out: Float64Array): void =>
  pathAt(shape, Math.log(LEAST) + k * shape.step, 0, out)

/**
 * Close to a path: writes how much of the jump of S at w from the face the quadrature misses, -cot(pi (x - x_0)/h)/2j of the pole there and the
 * half of its side, x = ln t. False where w is not close.
 */
export function missedJump(shape: FaceShape, re: number, im: number, out: Float64Array): boolean {
  // Newton's method from the place on w = jt.
  let x = 0.5 * Math.log(re * re + im * im)
  let y = Math.atan2(-re, im)
  let last = Infinity
  for (let i = 0; !(last < EXACT * EXACT); i++) {
    // Beyond, tanh has poles.
    if (i === 8 || !(Math.abs(y) < CLOSE + 0.5)) return false
    pathAt(shape, x, y, place)
    const a = re - place[0]
    const b = im - place[1]
    const size = 1 / (place[2] * place[2] + place[3] * place[3])
    const dx = (a * place[2] + b * place[3]) * size
    const dy = (b * place[2] - a * place[3]) * size
    x += dx
    y += dy
    last = dx * dx + dy * dy
  }
  if (Math.abs(y) > CLOSE) return false
  x = (Math.PI / shape.step) * (x - Math.log(LEAST))
  y *= Math.PI / shape.step
  // Not at a point of the quadrature itself.
  if (Math.abs(Math.sin(x)) + Math.abs(y) < 1e-5) x += 1e-5
  // cot z = -+j (1 + q)/(1 - q), q = e^{+-2jz}
  const sign = y >= 0 ? 1 : -1
  const up = Math.exp(-2 * Math.abs(y))
  const c = up * Math.cos(2 * x)
  const s = up * Math.sin(sign * 2 * x)
  const size = (0.5 * sign) / ((1 - c) * (1 - c) + s * s)
  out[0] = 0.5 + size * (1 - up * up)
  out[1] = size * 2 * s
  return true
}

const place = new Float64Array(4)
const tangent = new Float64Array(2)

/** Writes w and dw/dx at x + jy = ln t. */
function pathAt({ mean, size, middle }: FaceShape, x: number, y: number, out: Float64Array): void {
  const t = Math.exp(x)
  const tRe = t * Math.cos(y)
  const tIm = t * Math.sin(y)
  out[0] = out[2] = -tIm
  out[1] = out[3] = tRe
  if (size === 0 && mean === 0) return
  tanh(x - middle, y, tangent)
  const [vRe, vIm] = [tangent[0], tangent[1]]
  tanh(tRe, tIm, tangent)
  const [uRe, uIm] = [tangent[0], tangent[1]]
  const offRe = mean + size * vRe
  const offIm = size * vIm
  out[0] += uRe * offRe - uIm * offIm
  out[1] += uRe * offIm + uIm * offRe
  // t (1 - u^2) off + size u (1 - v^2)
  const aRe = 1 - uRe * uRe + uIm * uIm
  const aIm = -2 * uRe * uIm
  const bRe = 1 - vRe * vRe + vIm * vIm
  const bIm = -2 * vRe * vIm
  const cRe = tRe * aRe - tIm * aIm
  const cIm = tRe * aIm + tIm * aRe
  out[2] += cRe * offRe - cIm * offIm + size * (uRe * bRe - uIm * bIm)
  out[3] += cRe * offIm + cIm * offRe + size * (uRe * bIm + uIm * bRe)
}

function tanh(re: number, im: number, out: Float64Array): void {
  // 1 - 2/(e^{2z} + 1)
  const up = Math.exp(2 * Math.min(re, 300))
  const c = up * Math.cos(2 * im) + 1
  const s = up * Math.sin(2 * im)
  const size = 2 / (c * c + s * s)
  out[0] = 1 - c * size
  out[1] = s * size
}
