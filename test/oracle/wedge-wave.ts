import { setCubicWeights } from '../../math/chebyshev.js'
import { fresnelW } from '../../math/fresnel.js'
import { WAVE_TABLE, WedgeWave as Wave } from '../../cpu-diffraction/currents/wedge-wave.js'
import { HALF_NEAR, NEAR_ZONE, PARTS, PENUMBRA, TABULATED } from '../../cpu-diffraction/wasm/constants.js'

/** What is left of a wave beyond its penumbra, so many wavelengths from the edge. */
export const nearTheEdge = (wavelengths: number): number =>
  wavelengths >= NEAR_ZONE ? 0 : Math.exp(-((wavelengths / HALF_NEAR) ** 8))

const cubic = new Float64Array(4)
const w = new Float64Array(2)

/** The waves of `WedgeWave` one by one, as `footprint` of the module has them two wavenumbers at a time. */
export class WedgeWave extends Wave {
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
