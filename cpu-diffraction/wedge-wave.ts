import { fresnelW } from './fresnel.js'

/** Nearer than this to a pole of the cotangent its product with the vanishing modulus is taken in the limit. */
const AT_POLE = 1e-9

/** The penumbra of a boundary of light ends where x |cos| of `WedgeWave` is this; */
export const PENUMBRA = 3
/** at least this many wavelengths from the edge; */
export const NEAR_ZONE = 16
/** and begins to fade at this part of it. */
const FADING = 0.5

/** What is left of a wave at x |cos| of `WedgeWave`, so many wavelengths from the edge: 1 to 0. */
export function penumbraFading(x: number, wavelengths: number): number {
  const near = (NEAR_ZONE - wavelengths) / ((1 - FADING) * NEAR_ZONE + 1e-9)
  const t = Math.min(1, Math.max(0, near, (PENUMBRA - x) / ((1 - FADING) * PENUMBRA)))
  return t * t * (3 - 2 * t)
}

const w = new Float64Array(2)

/**
 * Edge-diffracted part v(beta) of the two-dimensional field of a wedge 0 < phi < N pi lit by a plane wave of unit amplitude at the
 * edge, beta = phi - phi0 or phi + phi0, without exp(-jk_t rho):
 *   u_d = v(phi - phi0) -+ v(phi + phi0) for E (H) along the edge,
 *   v = -1/(2N) sum_+- cot((pi +- beta)/2N) |cos(pi N n_+- - beta/2)| W(sqrt(2 k_t rho) |cos(pi N n_+- - beta/2)|),
 * with n_+- the integers for which 2 pi N n - beta is nearest to +-pi: the uniform theory of Kouyoumjian and Pathak (Proc. IEEE 62,
 * 1974, equations 25 to 30) with its transition function written by W. Exact for N = 2; total field less sharply cut geometrical waves.
 */
export class WedgeWave {
  private readonly weight = new Float64Array(2)
  private readonly modulus = new Float64Array(2)
  private readonly faded = new Float64Array(2)

  set(N: number, beta: number): void {
    for (let i = 0; i < 2; i++) {
      const sign = 1 - 2 * i
      const x = (Math.PI + sign * beta) / (2 * N)
      const y = x - Math.PI * Math.round(x / Math.PI)
      const n = Math.round((beta + sign * Math.PI) / (2 * Math.PI * N))
      const c = Math.abs(Math.cos(Math.PI * N * n - 0.5 * beta))
      this.modulus[i] = c
      this.weight[i] = Math.abs(y) < AT_POLE ? (y < 0 ? 0.5 : -0.5) : -c / (2 * N * Math.tan(y))
    }
    this.faded.set(this.weight)
  }

  /**
   * Leaves the waves of either boundary out beyond its penumbra: from x |cos| = FADING PENUMBRA on they fade, smoothly, so that no
   * boundary of another kind comes of it. Gives whether anything is left.
   */
  fade(x: number, wavelengths: number): boolean {
    const { weight, modulus, faded } = this
    for (let i = 0; i < 2; i++) faded[i] = weight[i] * penumbraFading(x * modulus[i], wavelengths)
    return faded[0] !== 0 || faded[1] !== 0
  }

  /** v at x = sqrt(2 k_t rho), to out[o], out[o + 1]. */
  at(x: number, out: Float64Array, o: number): void {
    const { faded, modulus } = this
    out[o] = 0
    out[o + 1] = 0
    for (let i = 0; i < 2; i++) {
      if (faded[i] === 0) continue
      fresnelW(x * modulus[i], w, 0)
      out[o] += faded[i] * w[0]
      out[o + 1] += faded[i] * w[1]
    }
  }
}
