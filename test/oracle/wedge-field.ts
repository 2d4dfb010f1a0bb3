import { phasor, scaled, sum, type Complex } from './complex.js'

/*
 * The exact field of a perfectly conducting wedge under a plane wave in the plane across its edge (Sommerfeld 1896; in this
 * form J. J. Bowman, T. B. A. Senior, P. L. E. Uslenghi, "Electromagnetic and acoustic scattering by simple shapes", 1969,
 * section 6.2), in double precision. exp(+jwt); the wave exp(jX cos(phi - phi0)), X = k rho; free space is 0 < phi < N pi.
 *   E along the edge: u = (4/N) sum_(m > 0) j^nu J_nu(X) sin(nu phi) sin(nu phi0),                nu = m/N
 *   H along the edge: u = (2/N) sum_(m >= 0) eps_m j^nu J_nu(X) cos(nu phi) cos(nu phi0),         eps_0 = 1, else 2
 */

/** Gamma function of x > 0 (Lanczos, g = 7). */
function gamma(x: number): number {
  const c = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ]
  const t = x + 6.5
  const sum = c.reduce((s, v, i) => (i === 0 ? v : s + v / (x - 1 + i)), 0)
  return Math.sqrt(2 * Math.PI) * t ** (x - 0.5) * Math.exp(-t) * sum
}

/** Largest X: beyond, the power series of J loses more than five digits. */
export const LARGEST_X = 12

/** Bessel function J of order nu by its power series. */
export function besselJ(nu: number, x: number): number {
  if (x > LARGEST_X) throw new RangeError(`J(${nu}, ${x}) has lost its digits`)
  let term = (x / 2) ** nu / gamma(nu + 1)
  let sum = term
  for (let m = 1; m < 80 && Math.abs(term) > 1e-18 * Math.abs(sum); m++) {
    term *= -((x / 2) ** 2) / (m * (m + nu))
    sum += term
  }
  return sum
}

/** Sum over m of (2/N) eps_m j^nu times a real function of nu. */
function modes(N: number, X: number, mode: (nu: number) => number): Complex {
  let total: Complex = [0, 0]
  for (let m = 0; m / N < X + 25; m++) {
    const nu = m / N
    total = sum(total, scaled(((m === 0 ? 2 : 4) / N) * mode(nu), phasor((Math.PI / 2) * nu)))
  }
  return total
}

/** The total field u where E lies along the edge. */
export const electricField = (N: number, X: number, phi: number, phi0: number): Complex =>
  modes(N, X, (nu) => besselJ(nu, X) * Math.sin(nu * phi) * Math.sin(nu * phi0))

/** The total field u where H lies along the edge. */
export const magneticField = (N: number, X: number, phi: number, phi0: number): Complex =>
  modes(N, X, (nu) => besselJ(nu, X) * Math.cos(nu * phi) * Math.cos(nu * phi0))

/** (1/X) du/dphi on the face phi = 0 where E lies along the edge. */
export const electricSlope = (N: number, X: number, phi0: number): Complex =>
  modes(N, X, (nu) => (nu / X) * besselJ(nu, X) * Math.sin(nu * phi0))

/** du/dX on the face phi = 0 where H lies along the edge, with J' = (nu/X) J_nu - J_(nu+1). */
export const magneticSlope = (N: number, X: number, phi0: number): Complex =>
  modes(N, X, (nu) => ((nu / X) * besselJ(nu, X) - besselJ(nu + 1, X)) * Math.cos(nu * phi0))
