import {
  DOUBLE_OFFSET,
  RayCaster,
  type RayScene,
  type SbrOptions,
  type SceneMaterials,
} from '../../rays/index.js'
import type { Aspect } from '../../scene/index.js'
import { CUT_OFF, ENDS, HIT, LAUNCH, PathFields, REFLECTED, TRANSMITTED } from './path-fields.js'

/** Where the power of the rays that met the target goes, in rays: means over the two transmitted polarisations. */
export interface PowerShares {
  /** Reflected and transmitted away. */
  leaves: number
  absorbed: number
  /** Of waves that the stop rule ends. */
  ended: number
  /** Of waves that would meet the target again after the last reflection followed. */
  cutOff: number
}

/** Follows rays of one incidence at one frequency through all their branches, and adds up what becomes of their power. */
export class PowerBalance {
  /** Rays that met the target. */
  rays = 0
  readonly shares: PowerShares = { leaves: 0, absorbed: 0, ended: 0, cutOff: 0 }
  /** Least part of its power that a facet takes from a wave; below 0 it gives some. */
  leastAbsorbed = 1
  /** Sum of 1 - T, T being what the sheets on the straight way leave of polarisation V, 0 behind opaque facets: re, im. */
  readonly lost: [re: number, im: number] = [0, 0]
  private readonly fields: PathFields
  private readonly caster: RayCaster
  private readonly lift: number

  /**
   * @param d  direction of incidence, unit
   * @param k  wavenumber [rad/m]
   */
  constructor(
    scene: RayScene,
    materials: SceneMaterials,
    private readonly aspect: Aspect,
    private readonly d: ArrayLike<number>,
    k: number,
    options: SbrOptions,
  ) {
    this.fields = new PathFields(scene, materials, { aspect, options }, d, Float64Array.of(k))
    this.caster = new RayCaster(scene)
    this.lift = DOUBLE_OFFSET * scene.diagonal
  }

  /** Follows the ray from (x, y, z). */
  trace(x: number, y: number, z: number): void {
    const { d, caster, fields } = this
    if (!caster.nearest(x, y, z, d[0], d[1], d[2], -1)) return
    this.rays++
    this.meet(fields.child(LAUNCH, REFLECTED, caster.facet), 1, x, y, z, true)
    fields.limit()
  }

  /** The end of a path, which a ray from (ox, oy, oz) meets with so much power; `straight`: sent through sheets alone. */
  private meet(path: number, power: number, ox: number, oy: number, oz: number, straight: boolean): void {
    const { fields, shares, caster } = this
    const { hits, reflects, transmits } = fields
    const at = HIT.size * path
    const n = at + HIT.normal
    const d = at + HIT.incidence
    const t =
      (hits[at + HIT.offset] - hits[n] * ox - hits[n + 1] * oy - hits[n + 2] * oz) / hits[at + HIT.cosine]
    const x = ox + t * hits[d]
    const y = oy + t * hits[d + 1]
    const z = oz + t * hits[d + 2]
    const parts = [fields.power(path, REFLECTED), fields.power(path, TRANSMITTED)]
    const absorbed = power - parts[REFLECTED] - parts[TRANSMITTED]
    shares.absorbed += absorbed
    this.leastAbsorbed = Math.min(this.leastAbsorbed, absorbed / power)
    let goesStraight = false
    for (const kind of [REFLECTED, TRANSMITTED]) {
      const to = at + (kind === REFLECTED ? HIT.reflected : HIT.incidence)
      const lift = kind === REFLECTED ? this.lift : -this.lift
      const from = [x + lift * hits[n], y + lift * hits[n + 1], z + lift * hits[n + 2]] as const
      const towards = [hits[to], hits[to + 1], hits[to + 2]] as const
      const facet = fields.facet[path]
      if (kind === REFLECTED ? reflects[path] === ENDS : transmits[path] === 0) shares.ended += parts[kind]
      else if (kind === REFLECTED && reflects[path] === CUT_OFF)
        shares[caster.occluded(...from, ...towards, facet) ? 'cutOff' : 'leaves'] += parts[kind]
      else if (caster.nearest(...from, ...towards, facet)) {
        const on = straight && kind === TRANSMITTED
        goesStraight ||= on
        this.meet(fields.child(path, kind, caster.facet), parts[kind], ...from, on)
      } else shares.leaves += parts[kind]
    }
    if (!straight || goesStraight) return
    const [re, im] = fields.transmitted(path, this.aspect.tx.thetaHat)
    this.lost[0] += 1 - re
    this.lost[1] -= im
  }
}
