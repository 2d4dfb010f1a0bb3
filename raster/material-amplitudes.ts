import type { SceneMaterials } from '../rays/index.js'
import { type Aspect, cross, dot, type Vec3 } from '../scene/index.js'
import { slab } from '../scene/materials/slab.js'

const coefficients = new Float64Array(8)

/** Parts of what a facet radiates that do not depend on frequency, for each channel. */
interface Channel {
  /** Of -(eta J + M x s) . e for the incident wave alone: eta J = n x H_i, M = E_i x n. */
  incident: number
  /** The same for the three vectors that make the reflected wave: E_i, a n, a (n + c d). */
  reflected: [number, number, number]
}

/**
 * Radiated amplitudes of VV HH VH HV for the currents eta J = n x (H_i + H_r) and M = (E_i + E_r) x n on an opaque facet: of metal those of
 * `facetAmplitudes`. With a = n.E, c = -n.d and R of `slab` (exp(+jwt)), E_r = R_s E + a [2 R_p n - Q (n + c d)], Q = (R_p + R_s)/(1 - c^2), as
 * rays have it (docs/materials.md, "Rays").
 *
 * @param n     normal on the lit side
 * @param back  whether that is the back of the facet
 */
export class MaterialAmplitudes {
  private readonly channels: Channel[]
  private readonly c: number

  constructor(
    { tx, rx }: Aspect,
    n: Vec3,
    private readonly material: SceneMaterials['list'][number],
    private readonly back: boolean,
  ) {
    const d = tx.r.map((x) => -x) as Vec3
    const c = Math.min(1, -dot(n, d))
    this.c = c
    const onwards = d.map((x, i) => x + 2 * c * n[i]) as Vec3
    /** Of a wave of field e along `along`, received as `to`. */
    const radiated = (e: Vec3, along: Vec3, to: Vec3): number =>
      -(dot(cross(n, cross(along, e)), to) + dot(cross(cross(e, n), rx.r), to))
    const channel = (e: Vec3, to: Vec3): Channel => {
      const a = dot(n, e)
      const parts = [e, n.map((x) => a * x) as Vec3, n.map((x, i) => a * (x + c * d[i])) as Vec3]
      return {
        incident: radiated(e, d, to),
        reflected: parts.map((part) => radiated(part, onwards, to)) as Channel['reflected'],
      }
    }
    this.channels = [
      channel(tx.thetaHat, rx.thetaHat),
      channel(tx.phiHat, rx.phiHat),
      channel(tx.thetaHat, rx.phiHat),
      channel(tx.phiHat, rx.thetaHat),
    ]
  }

  /** Writes re and im of the channels at a frequency into `out`. */
  at(frequencyHz: number, out: Float64Array): void {
    slab(this.material, frequencyHz, this.c, coefficients, this.back)
    const sineSqr = 1 - this.c * this.c
    // At normal incidence R_p = -R_s.
    const across = sineSqr < 1e-24 ? 0 : 1 / sineSqr
    this.channels.forEach(({ incident, reflected: [own, normal, plane] }, ch) => {
      for (let part = 0; part < 2; part++) {
        const [s, p] = [coefficients[part], coefficients[2 + part]]
        out[2 * ch + part] = (part === 0 ? incident : 0) + s * own + 2 * p * normal - (p + s) * across * plane
      }
    })
  }
}
