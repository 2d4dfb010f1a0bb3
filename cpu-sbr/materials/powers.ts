import type { SceneMaterials } from '../../rays/index.js'
import { C0 } from '../../scene/index.js'
import { crossing } from '../../scene/ground/index.js'
import { greatestPower, slab } from '../../scene/materials/slab.js'

/** Intervals of the cosine between samples, as on the GPU (`powers` of branches.wgsl). */
const COSINES = 1024

const coefficients = new Float64Array(8)

/**
 * The greatest parts of its power that a facet reflects and transmits, over polarisations and frequencies: sampled over the cosine of the angle of
 * incidence as they are asked for, linear in between.
 */
export class Powers {
  /** |R|^2 and |T|^2 by material, side and cosine; NaN where not asked for yet. */
  private readonly samples: Float64Array
  /** Of the last facet asked for. */
  reflected = 0.5
  transmitted = 0.5

  readonly frequencies: Float64Array

  /** @param k  wavenumbers [rad/m] */
  constructor(
    private readonly materials: SceneMaterials,
    k: Float64Array,
  ) {
    this.frequencies = k.map((x) => (x * C0) / (2 * Math.PI))
    this.samples = new Float64Array(4 * (materials.list.length + 1) * (COSINES + 1)).fill(NaN)
  }

  /** Sets both for facet f, the plane of the ground as the one after the last. @param back  seen from behind */
  find(f: number, back: boolean, c: number): void {
    const { list, of } = this.materials
    const x = Math.min(Math.max(c, 0), 1) * COSINES
    const first = Math.min(Math.floor(x), COSINES - 1)
    const side = 2 * (f < of.length ? of[f] : list.length) + (back ? 1 : 0)
    const [a, b] = [this.sample(side, first), this.sample(side, first + 1)]
    const { samples } = this
    const share = x - first
    this.reflected = samples[a] + share * (samples[b] - samples[a])
    this.transmitted = samples[a + 1] + share * (samples[b + 1] - samples[a + 1])
  }

  /** Place of a sample. */
  private sample(side: number, i: number): number {
    const { samples, frequencies, materials } = this
    const at = 2 * (side * (COSINES + 1) + i)
    if (!Number.isNaN(samples[at])) return at
    samples[at] = samples[at + 1] = 0
    const material = materials.list[side >> 1]
    for (const frequency of frequencies) {
      if (material) slab(material, frequency, i / COSINES, coefficients, side % 2 === 1)
      else {
        coefficients.fill(0)
        crossing(materials.ground!.ground, frequency, i / COSINES, coefficients.subarray(4))
      }
      samples[at] = Math.max(samples[at], greatestPower(coefficients, 0))
      samples[at + 1] = Math.max(samples[at + 1], greatestPower(coefficients, 4))
    }
    return at
  }
}
