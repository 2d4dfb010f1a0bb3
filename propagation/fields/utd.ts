import { fresnel } from './fresnel.js'

/** A wedge seen by one ray: angles from its first face, counter-clockwise about the edge, through the empty space [rad]. */
export interface WedgeRay {
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
