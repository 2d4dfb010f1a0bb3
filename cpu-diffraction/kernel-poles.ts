import { chi } from './wedge.js'

/**
 * The other face's pole psi = |pi + phi0 - 2 pi N|, close to the path of integration only for phi0 > 2 pi (N - 1):
 * a = sin(psi/2), b = cos(psi/2) (docs/edge-diffraction.md, "Exact truncation").
 */
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

/** chi(x) without its pole at pi: chi(x) - tan(x/2)/2. */
const chiWithoutPole = (x: number, N: number): number => chi(x, N) - 0.5 * Math.tan(x / 2)

/**
 * Residues of the steepest-descent kernels g_h and g_s (`fillRemainderSum`) at the observation pole s^2 = -c^2, out[o] = rho_h and
 * out[o + 1] = rho_s / j; zero for c >= 1 (docs/edge-diffraction.md, "Exact truncation"). With w = 2 acos c, p, q = (w +- phi0)/2,
 *   rho_h   = sin(w/2) [chi(q) + chi(p) + chi(pi - q) + chi(pi - p)] / 2,
 *   rho_s/j = c sin^2(w/2) [chi(p) - chi(q) + chi(pi - p) - chi(pi - q)];
 * where the second pole is present its part, which has a term of its own, is taken out of them.
 */
export function poleResidues(
  N: number,
  phi0: number,
  c: number,
  second: SecondPole,
  out: Float64Array,
  o: number,
): void {
  if (c >= 1) {
    out[o] = out[o + 1] = 0
    return
  }
  const w = Math.max(2 * Math.acos(c), 1e-7)
  const sinHalfW = Math.sin(w / 2)
  const p = (w + phi0) / 2
  const q = (w - phi0) / 2
  let sumH: number
  let sumS: number
  if (second.present) {
    const alpha = Math.PI - w
    const chiQ = chiWithoutPole(q, N)
    const chiPiP = chiWithoutPole(Math.PI - p, N)
    const chiMinus = chiWithoutPole((second.angle - alpha) / 2, N)
    const chiPlus = chiWithoutPole((second.angle + alpha) / 2, N)
    sumH = 0.5 * (chiQ + chiPiP - chiMinus - chiPlus) - second.a / sinHalfW
    sumS = -(chiQ - chiPiP) + (chiMinus - chiPlus) + (2 * second.b * c) / (sinHalfW * sinHalfW)
  } else {
    const chiQ = chi(q, N)
    const chiP = chi(p, N)
    const chiPiQ = chi(Math.PI - q, N)
    const chiPiP = chi(Math.PI - p, N)
    sumH = 0.5 * (chiQ + chiP + chiPiQ + chiPiP)
    sumS = -(chiQ - chiPiP) + (chiP - chiPiQ)
  }
  out[o] = sumH * sinHalfW
  out[o + 1] = c * sumS * sinHalfW * sinHalfW
}
