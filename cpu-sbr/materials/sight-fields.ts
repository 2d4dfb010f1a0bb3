import type { RayScene, SceneMaterials } from '../../rays/index.js'
import { type Direction } from '../../scene/index.js'
import { longer } from '../facet-lists.js'
import { facetCoefficients, HIT, type HitPlace, REFLECTED, split } from './hit.js'

/** A sight through nothing. */
export const CLEAR = 0

/**
 * Polarisations of the receiver as they reach a current through sheets on the way, and across a ground: e_rx, transmitted by each of them like a wave
 * along s, from the receiver inwards (transmission is symmetric, by reciprocity). Exact for plane sheets.
 */
export class SightFields {
  /** Sights so far. */
  count = 1
  /** e_rx per sight and frequency: of V re x y z, im x y z, then of H. */
  private fields: Float64Array
  private readonly known = new Map<number, number>()
  /** 1 for sights that begin, at the current's end, below a ground. */
  private readonly below: number[] = []
  private readonly coefficients = new Float64Array(8)
  private readonly hit = new Float64Array(HIT.size)
  private readonly reflected = new Float64Array(18)

  constructor(
    private readonly scene: RayScene,
    private readonly materials: SceneMaterials,
    private readonly rx: Direction,
    private readonly frequencies: Float64Array,
  ) {
    this.fields = new Float64Array(32 * 12 * frequencies.length)
    for (let p = 0; p < frequencies.length; p++) {
      this.fields.set(rx.thetaHat, 12 * p)
      this.fields.set(rx.phiHat, 12 * p + 6)
    }
    this.below[CLEAR] = rx.r[2] < 0 ? 1 : 0
  }

  forget(): void {
    this.count = 1
    this.known.clear()
  }

  /** A sight from facet f: across the ground where it would begin on the other side. */
  from(f: number, sight: number): number {
    const { ground } = this.materials
    if (!ground || ground.below[f] === this.below[sight]) return sight
    return this.next(sight, this.scene.count, ground.below[f])
  }

  /** The sight through facet f of a sheet, and then through those of `beyond`. */
  through(beyond: number, f: number): number {
    return this.next(this.from(f, beyond), f, this.materials.ground?.below[f] ?? 0)
  }

  private next(beyond: number, f: number, below: number): number {
    const key = beyond * (this.scene.count + 1) + f
    const known = this.known.get(key)
    if (known !== undefined) return known
    const sight = this.count++
    this.known.set(key, sight)
    this.below[sight] = below
    const size = 12 * this.frequencies.length
    if (size * this.count > this.fields.length) this.fields = longer(this.fields, 2 * this.fields.length)
    this.transmit(beyond, f, sight)
    return sight
  }

  private transmit(beyond: number, f: number, sight: number): void {
    const { fields, frequencies, hit, coefficients, reflected, rx } = this
    const { normals } = this.scene
    const { r: s } = rx
    const ns = normals[4 * f] * s[0] + normals[4 * f + 1] * s[1] + normals[4 * f + 2] * s[2]
    const side = ns > 0 ? -1 : 1
    for (let c = 0; c < 3; c++) {
      hit[HIT.incidence + c] = s[c]
      hit[HIT.normal + c] = side * normals[4 * f + c]
    }
    hit[HIT.cosine] = side * ns
    const place = { hits: hit, at: 0 }
    for (let p = 0; p < frequencies.length; p++) {
      facetCoefficients(this.materials, f, frequencies[p], -side * ns, coefficients, side < 0)
      for (let e = 0; e < 12; e += 6) {
        const from = 12 * (frequencies.length * beyond + p) + e
        reflected.set(fields.subarray(from, from + 6))
        split(coefficients, place, reflected, 0, 6, 12)
        fields.set(reflected.subarray(12), 12 * (frequencies.length * sight + p) + e)
      }
    }
  }

  /**
   * The vector, re x y z, im x y z, whose product with E_r (`kind` REFLECTED) or with E_i - E_t (TRANSMITTED) of a hit is what the receiver's
   * polarisation rx (0: V, 1: H) gets of its currents: -e.eta J - (s x e).M with eta J = d' (n.E) - (n.d') E and M = E x n for a wave
   * along d', counted negative where it leaves the other side, is
   *
   *     E . [ -(n.d) e - (e.d_r) n - n x (s x e) ]     of E_r,     E . [ (n.d) e - (e.d) n - n x (s x e) ]     of E_i - E_t
   */
  project(
    sight: number,
    p: number,
    rx: number,
    { hits, at }: HitPlace,
    kind: number,
    out: Float64Array,
  ): void {
    const { fields, frequencies } = this
    const { r: s } = this.rx
    const e = 12 * (frequencies.length * sight + p) + 6 * rx
    const d = at + (kind === REFLECTED ? HIT.reflected : HIT.incidence)
    const n = at + HIT.normal
    const cosine = kind === REFLECTED ? -hits[at + HIT.cosine] : hits[at + HIT.cosine]
    const ns = hits[n] * s[0] + hits[n + 1] * s[1] + hits[n + 2] * s[2]
    for (let part = 0; part < 6; part += 3) {
      const x = fields[e + part]
      const y = fields[e + part + 1]
      const z = fields[e + part + 2]
      const along = x * hits[d] + y * hits[d + 1] + z * hits[d + 2]
      const across = x * hits[n] + y * hits[n + 1] + z * hits[n + 2]
      // n x (s x e) = s (n.e) - e (n.s)
      out[part] = (cosine + ns) * x - along * hits[n] - across * s[0]
      out[part + 1] = (cosine + ns) * y - along * hits[n + 1] - across * s[1]
      out[part + 2] = (cosine + ns) * z - along * hits[n + 2] - across * s[2]
    }
  }
}
