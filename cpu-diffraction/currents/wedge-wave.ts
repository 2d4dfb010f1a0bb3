import { setCubicWeights } from '../../math/chebyshev.js'
import { fresnelW } from '../../math/fresnel.js'
import {
  AT_POLE,
  CLEAR_OF_GRAZING,
  GRAZING,
  HALF_NEAR,
  HALF_PENUMBRA,
  NEAR_ZONE,
  PARTS,
  PENUMBRA,
  TABULATED,
} from '../wasm/constants.js'

export { CLEAR_OF_GRAZING }

/** What is left of a wave beyond its penumbra, so many wavelengths from the edge. */
export const nearTheEdge = (wavelengths: number): number =>
  wavelengths >= NEAR_ZONE ? 0 : Math.exp(-eighth(wavelengths / HALF_NEAR))

const cubic = new Float64Array(4)
const w = new Float64Array(2)

/** W and what is left, 3 numbers for each argument from -1/PARTS on. */
export const WAVE_TABLE = table()

function table(): Float64Array {
  const values = new Float64Array(3 * (TABULATED * PARTS + 4))
  for (let i = 0; i < values.length / 3; i++) {
    const x = (i - 1) / PARTS
    fresnelW(Math.abs(x), values, 3 * i)
    values[3 * i + 2] = Math.exp(-eighth(x / HALF_PENUMBRA))
  }
  // W is analytic through 0: the one value before it, by the four that follow it to the order of the cubics.
  for (let c = 0; c < 3; c++)
    values[c] = 5 * (values[3 + c] - 2 * values[6 + c] + 2 * values[9 + c] - values[12 + c]) + values[15 + c]
  return values
}

/** x^8, faster than as a power. */
function eighth(x: number): number {
  const square = x * x
  const fourth = square * square
  return fourth * fourth
}

/**
 * What is left of a wave that runs along a face at a grazing angle, where the way along the face and the direct one differ by `late` = k
 * (difference) [rad]: 0 where the face is edge-on, from which side ever, else 1. There the waves over the edges before and behind cancel, and
 * what they leave out changes sign or is hidden. As narrow as continuous fields need: a wider transition, 1 - W(sqrt(late)), moves
 * dihedrals away from the method of moments.
 */
export const offGrazing = (late: number): number =>
  late > CLEAR_OF_GRAZING ? 1 : 1 - Math.exp(-late / GRAZING)

/** 1 - cos of the angle of which this is the sine. */
export const versine = (sin: number): number => (sin * sin) / (1 + Math.sqrt(Math.max(0, 1 - sin * sin)))

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
  }

  /** Whether anything is left of the waves at x = sqrt(2 k_t rho), so many wavelengths from the edge, and further on. */
  reaches(x: number, wavelengths: number): boolean {
    const { modulus } = this
    return wavelengths < NEAR_ZONE || x * Math.min(modulus[0], modulus[1]) < PENUMBRA
  }

  /** Writes the weights of both waves to out[o], out[o + 1], and their moduli |cos| to out[o + 4], out[o + 5]. */
  put(out: Float64Array, o: number): void {
    const { weight, modulus } = this
    out[o] = weight[0]
    out[o + 1] = weight[1]
    out[o + 4] = modulus[0]
    out[o + 5] = modulus[1]
  }

  /**
   * v at x = sqrt(2 k_t rho) to out[o], out[o + 1]. Each boundary's wave fades beyond its penumbra, as an entire function of frequency, so that no boundary of
   * another kind comes of leaving it out.
   * @param near  `nearTheEdge`
   */
  at(x: number, near: number, out: Float64Array, o: number): void {
    const { weight, modulus } = this
    out[o] = 0
    out[o + 1] = 0
    for (let i = 0; i < 2; i++) {
      const y = x * modulus[i]
      if (near === 0 && y >= PENUMBRA) continue
      if (y >= TABULATED) {
        fresnelW(y, w, 0)
        out[o] += weight[i] * near * w[0]
        out[o + 1] += weight[i] * near * w[1]
        continue
      }
      const part = y * PARTS
      const first = Math.floor(part)
      setCubicWeights(part - first, cubic)
      const [a, b, c, d] = [cubic[0], cubic[1], cubic[2], cubic[3]]
      const at = 3 * first
      const far =
        a * WAVE_TABLE[at + 2] + b * WAVE_TABLE[at + 5] + c * WAVE_TABLE[at + 8] + d * WAVE_TABLE[at + 11]
      const left = weight[i] * (far + (1 - far) * near)
      out[o] +=
        left * (a * WAVE_TABLE[at] + b * WAVE_TABLE[at + 3] + c * WAVE_TABLE[at + 6] + d * WAVE_TABLE[at + 9])
      out[o + 1] +=
        left *
        (a * WAVE_TABLE[at + 1] + b * WAVE_TABLE[at + 4] + c * WAVE_TABLE[at + 7] + d * WAVE_TABLE[at + 10])
    }
  }
}
