import { type Aspect, type Band, type Direction, dot, frequency, wavenumber } from '../../scene/index.js'
import { RayCaster, type RayScene } from '../../rays/index.js'
import type { EdgeScene } from '../edge-scene.js'
import { boundsOf } from '../../scene/frequency-steps.js'
import type { Mechanism } from '../mechanisms.js'
import { Geodesics } from './geodesic.js'
import { GeodesicLaunch } from './launch.js'
import { findTips, type Tip } from './tips.js'

/**
 * Reflection of a tip of half angle a: REFLECTION (1 - sin a) exp(j PHASE). A fit, without a derivation: constants to full-wave fields of
 * ogives of 6 and 12 wavelengths with a = 22.6 degrees, the factor to those with 16.3 and 33.7 degrees (1.2 and .75 times as strong, where
 * it gives 1.17 and .72); zero where the tip is flat.
 */
const REFLECTION = 0.294
const PHASE = (74 * Math.PI) / 180

/** Shadow rays start this many tolerances above their face. */
const LIFT = 4

/**
 * Waves that run along a smooth surface to a pointed end behind, are reflected there and radiate on the way back:
 *
 *   F_pq = (G/k) f_p f_q,   G = 0.294 (1 - sin a) exp(j 74 deg)
 *
 * summed over the tips that point away from the radar, with f of `GeodesicLaunch` over the lit parts of the geodesics in the plane of tip axis and
 * direction. Reciprocal: what a direction brings and what it is sent are one number. One object per thread.
 */
export class TravellingWaves implements Mechanism {
  private readonly tips: Tip[]
  private readonly geodesics: Geodesics
  private readonly caster: RayCaster
  private readonly launches: [GeodesicLaunch, GeodesicLaunch]
  private readonly f: [Float64Array, Float64Array] = [new Float64Array(4), new Float64Array(4)]

  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    private readonly band: Band,
  ) {
    const shortest = 1 / boundsOf(band).highest
    this.tips = findTips(scene)
    this.geodesics = new Geodesics(scene)
    this.caster = new RayCaster(rays)
    this.launches = [new GeodesicLaunch(shortest), new GeodesicLaunch(shortest)]
  }

  /** The target's tips. */
  get units(): number {
    return this.tips.length
  }

  /** See `Mechanism`. */
  add(aspect: Aspect, unit: number, out: Float64Array): boolean {
    const [there, back] = this.launches
    const { tx, rx } = aspect
    const alike = tx.thetaDeg === rx.thetaDeg && tx.phiDeg === rx.phiDeg
    const tip = this.tips[unit]
    this.launch(tip, tx, there)
    if (there.isEmpty) return false
    if (!alike) this.launch(tip, rx, back)
    if (!alike && back.isEmpty) return false
    this.reflect(tip, aspect, alike, out)
    return true
  }

  /** Sets what light from a direction does along the geodesics to a tip. */
  private launch(tip: Tip, { r, thetaHat, phiHat }: Direction, launch: GeodesicLaunch): void {
    launch.clear()
    if (dot(r, tip.axis) >= 0) return
    const { scene, caster } = this
    const { normals } = scene
    const lift = LIFT * scene.tolerance
    let u = 0
    this.geodesics.fromTip(
      tip,
      r,
      (face, p, d, length) => {
        const n = 3 * face
        if (r[0] * normals[n] + r[1] * normals[n + 1] + r[2] * normals[n + 2] > 0) {
          const path = r[0] * p[0] + r[1] * p[1] + r[2] * p[2]
          const slope = r[0] * d[0] + r[1] * d[1] + r[2] * d[2]
          const v = -(thetaHat[0] * d[0] + thetaHat[1] * d[1] + thetaHat[2] * d[2])
          const h = -(phiHat[0] * d[0] + phiHat[1] * d[1] + phiHat[2] * d[2])
          launch.add(u, u + length, path, slope, v, h, (l) => {
            const x = p[0] + l * d[0] + lift * normals[n]
            const y = p[1] + l * d[1] + lift * normals[n + 1]
            const z = p[2] + l * d[2] + lift * normals[n + 2]
            return !caster.occluded(x, y, z, r[0], r[1], r[2], -1)
          })
        }
        u += length
      },
      (sharp) => {
        launch.end(sharp ? u : Infinity)
        u = 0
      },
    )
  }

  /** Sets `part` to the field of the wave that a tip reflects. */
  private reflect({ halfAngle }: Tip, { tx, rx }: Aspect, alike: boolean, part: Float64Array): void {
    const { scene, band, launches } = this
    const [a, b] = alike ? [this.f[0], this.f[0]] : this.f
    const shiftTx = dot(tx.r, scene.origin)
    const shiftRx = dot(rx.r, scene.origin)
    const g = REFLECTION * (1 - Math.sin(halfAngle))
    for (let i = 0; i < band.n; i++) {
      const k = wavenumber(frequency(band, i))
      launches[0].at(k, shiftTx, a)
      if (!alike) launches[1].at(k, shiftRx, b)
      const re = (g / k) * Math.cos(PHASE)
      const im = (g / k) * Math.sin(PHASE)
      // VV, HH, VH, HV: transmit, then receive.
      setProduct(part, 8 * i, a, 0, b, 0, re, im)
      setProduct(part, 8 * i + 2, a, 2, b, 2, re, im)
      setProduct(part, 8 * i + 4, a, 0, b, 2, re, im)
      setProduct(part, 8 * i + 6, a, 2, b, 0, re, im)
    }
  }
}

/** out = a b c, complex: elements of a and b, and c = re + j im. */
function setProduct(
  out: Float64Array,
  at: number,
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  re: number,
  im: number,
): void {
  const x = a[i] * b[j] - a[i + 1] * b[j + 1]
  const y = a[i] * b[j + 1] + a[i + 1] * b[j]
  out[at] = x * re - y * im
  out[at + 1] = x * im + y * re
}
