import {
  type Aspect,
  type Band,
  cross,
  direction,
  type Direction,
  dot,
  type Vec3,
  wavelength,
} from '../scene/index.js'
import { type AspectField, RayCaster, type RayScene } from '../rays/index.js'
import { type Engines, facetField } from '../pipeline/index.js'

/** Number of aspects checked, spread over the sweep: each costs two more solutions, and another with its neighbour. */
const CHECKED = 4
/** Rays along a side of the lattice that samples the shadow's area: an error of some tenths of a percent. */
const LATTICE = 400
/** Above it the ray density is too low: far more than the error of the lattice and of ten tubes per wavelength. */
export const ENERGY_LIMIT = 0.05

/** Largest errors found, each with its aspect. */
export interface SelfCheck {
  freq_hz: number
  aspects: number
  /**
   * What the wave loses to the target: wavelength times the forward amplitude of first bounces, which for currents of
   * physical optics is the area of the target's shadow (half the extinction cross-section of the optical theorem), against
   * that area as counted by rays of a lattice of its own. Relative.
   */
  energy: { error: number; theta_deg: number; phi_deg: number }
  /**
   * Transmitter and receiver exchanged: for each aspect HV against VH before they are averaged, and between
   * neighbouring ones all four channels. Largest difference over the largest amplitude. Physical optics and first-order
   * diffraction are not reciprocal themselves: this is a measure of them, not of a defect.
   */
  reciprocity: { error: number; theta_deg: number; phi_deg: number; rx_theta_deg: number; rx_phi_deg: number }
}

/** Checks a run's engines on some of its aspects, at its highest frequency. Rejects with the engines' failure. */
export async function selfCheck(
  engines: Engines,
  scene: RayScene,
  aspects: readonly Aspect[],
  freqHz: number,
  signal: AbortSignal,
): Promise<SelfCheck> {
  const band: Band = { f0: freqHz, df: 0, n: 1 }
  const step = Math.max(1, Math.ceil(aspects.length / CHECKED))
  const towards = aspects.filter((_, i) => i % step === 0).map(({ tx }) => tx)
  return {
    freq_hz: freqHz,
    aspects: towards.length,
    energy: await checkEnergy(engines, scene, towards, band, signal),
    reciprocity: await checkReciprocity(engines, towards, band, signal),
  }
}

async function checkEnergy(
  { facets, options }: Engines,
  scene: RayScene,
  towards: Direction[],
  band: Band,
  signal: AbortSignal,
): Promise<SelfCheck['energy']> {
  // Every tube's currents at its first hit: with the exit formulation a tube that is reflected further contributes none there.
  const first = { facets, options: { ...options, formulation: 'all-bounces' as const } }
  let worst: SelfCheck['energy'] = { error: -1, theta_deg: 0, phi_deg: 0 }
  for (const tx of towards) {
    const rx = direction(180 - tx.thetaDeg, tx.phiDeg + 180)
    const { field } = await facetField(first, { tx, rx }, band, signal, 1)
    const shadow = shadowArea(scene, tx)
    const lost = wavelength(band.f0) * Math.hypot(field[0], field[1])
    const error = Math.abs(lost - shadow) / shadow
    if (!(error <= worst.error)) worst = { error, theta_deg: tx.thetaDeg, phi_deg: tx.phiDeg }
  }
  return worst
}

/** Area that the target hides along a direction [m^2], by the rays of a square lattice. */
export function shadowArea(scene: RayScene, { r, thetaHat }: Direction): number {
  // Rotated by half a radian against the tubes' own lattice.
  const phiHat = cross(r, thetaHat)
  const [c, s] = [Math.cos(0.8), Math.sin(0.8)]
  const u = thetaHat.map((x, a) => c * x + s * phiHat[a]) as Vec3
  const v = cross(r, u)
  const low = [Infinity, Infinity]
  const high = [-Infinity, -Infinity]
  let nearest = -Infinity
  for (let i = 0; i < scene.points.length; i += 3) {
    const p = [scene.points[i], scene.points[i + 1], scene.points[i + 2]] as Vec3
    nearest = Math.max(nearest, dot(p, r))
    for (const [k, axis] of [u, v].entries()) {
      low[k] = Math.min(low[k], dot(p, axis))
      high[k] = Math.max(high[k], dot(p, axis))
    }
  }
  const sides = [high[0] - low[0], high[1] - low[1]]
  const caster = new RayCaster(scene)
  const start = nearest + 1e-3 * scene.diagonal
  let hits = 0
  for (let i = 0; i < LATTICE; i++)
    for (let j = 0; j < LATTICE; j++) {
      const a = low[0] + ((i + 0.5) / LATTICE) * sides[0]
      const b = low[1] + ((j + 0.5) / LATTICE) * sides[1]
      const o = r.map((x, k) => start * x + a * u[k] + b * v[k])
      if (caster.occluded(o[0], o[1], o[2], -r[0], -r[1], -r[2], -1)) hits++
    }
  return (hits / LATTICE ** 2) * sides[0] * sides[1]
}

async function checkReciprocity(
  engines: Engines,
  towards: Direction[],
  band: Band,
  signal: AbortSignal,
): Promise<SelfCheck['reciprocity']> {
  const total = async (tx: Direction, rx: Direction): Promise<AspectField> => {
    const aspect = { tx, rx }
    const { edges } = engines
    const { field } = await facetField(engines, aspect, band, signal)
    const fringe = await edges?.engine.field({ aspect, band, options: edges.options }, signal)
    return fringe ? field.map((x, i) => x + fringe.field[i]) : field
  }
  let largest = 0
  const found: { difference: number; tx: Direction; rx: Direction }[] = []
  const compare = (there: AspectField, back: AspectField, tx: Direction, rx: Direction): void => {
    for (const field of [there, back])
      for (let i = 0; i < 8; i += 2) largest = Math.max(largest, Math.hypot(field[i], field[i + 1]))
    // VH there is HV back.
    const exchanged = [0, 2, 6, 4]
    const differences = exchanged.map((o, c) =>
      Math.hypot(there[2 * c] - back[o], there[2 * c + 1] - back[o + 1]),
    )
    found.push({ difference: Math.max(...differences), tx, rx })
  }
  for (const [i, tx] of towards.entries()) {
    const own = await total(tx, tx)
    compare(own, own, tx, tx)
    const rx = towards[i + 1]
    if (rx) compare(await total(tx, rx), await total(rx, tx), tx, rx)
  }
  const { difference, tx, rx } = found.reduce((a, b) => (b.difference > a.difference ? b : a))
  return {
    error: largest > 0 ? difference / largest : 0,
    theta_deg: tx.thetaDeg,
    phi_deg: tx.phiDeg,
    rx_theta_deg: rx.thetaDeg,
    rx_phi_deg: rx.phiDeg,
  }
}
