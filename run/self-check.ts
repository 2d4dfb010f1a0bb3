import {
  type Aspect,
  type Band,
  cross,
  direction,
  type Direction,
  dot,
  type Vec3,
  wavelength,
  wavenumber,
} from '../scene/index.js'
import type { PowerBalance } from '../cpu-sbr/materials/power-balance.js'
import { type AspectField, RayCaster, type RayScene } from '../rays/index.js'
import { atStep, type Engines, facetField } from './sweep/index.js'

/** Number of aspects checked, spread over the sweep: each costs two more solutions, and another with its neighbour. */
const CHECKED = 4
/** Rays along a side of the lattice that samples the shadow's area: an error of some tenths of a percent. */
const LATTICE = 400
/** The same on targets with materials, whose rays take longer. */
const MATERIAL_LATTICE = 150
/** Shadows of less than this part of the diagonal's square are none: of a sheet in its plane. */
const NO_SHADOW = 1e-9
/** Above it the ray density is too low: far more than the error of the lattice and of ten tubes per wavelength. */
export const ENERGY_LIMIT = 0.05

/** Largest errors found, each with its aspect. */
export interface SelfCheck {
  freq_hz: number
  aspects: number
  /**
   * What the wave loses to the target: wavelength times the forward amplitude of first bounces, which for currents of
   * physical optics is the area of the target's shadow (half the extinction cross-section of the optical theorem), against
   * that area as counted by rays of a lattice of its own. Relative. Behind sheets the area counts by 1 - T, polarisation V.
   */
  energy: { error: number; theta_deg: number; phi_deg: number }
  /**
   * Transmitter and receiver exchanged: for each aspect HV against VH before they are averaged, and between
   * neighbouring ones all four channels. Largest difference over the largest amplitude. Physical optics and first-order
   * diffraction are not reciprocal themselves: this is a measure of them, not of a defect.
   */
  reciprocity: { error: number; theta_deg: number; phi_deg: number; rx_theta_deg: number; rx_phi_deg: number }
  /**
   * Of a target with materials: what becomes of the power that meets it, by the rays of that lattice, as parts of 1 (means over aspects and
   * polarisations): reflected and transmitted away, absorbed, of waves too weak to be followed, and cut off by the bounce limit.
   * `least_absorbed`: least part of its power that a facet takes from a wave; below 0 there is a gain.
   */
  power?: { leaves: number; absorbed: number; ended: number; cut_off: number; least_absorbed: number }
}

/** The aspects that are checked. */
export const checkedAspects = (aspects: readonly Aspect[]): Aspect[] => {
  const step = Math.max(1, Math.ceil(aspects.length / CHECKED))
  return aspects.filter((_, i) => i % step === 0)
}

/** Checks a run's engines on some of its aspects, at its highest frequency. Rejects with the engines' failure. */
export async function selfCheck(
  run: Engines,
  scene: RayScene,
  aspects: readonly Aspect[],
  freqHz: number,
  signal: AbortSignal,
): Promise<SelfCheck> {
  const band: Band = { f0: freqHz, df: 0, n: 1 }
  const engines = atStep(run, band)
  const towards = checkedAspects(aspects).map(({ tx }) => tx)
  const balances = await materialBalances(engines, scene, towards, band)
  return {
    freq_hz: freqHz,
    aspects: towards.length,
    energy: await checkEnergy(engines, scene, towards, band, signal, balances),
    reciprocity: await checkReciprocity(engines, towards, band, signal),
    ...(balances && { power: meanPower(balances) }),
  }
}

/** What becomes of the power of the rays of a lattice, and the area that one of them stands for [m^2]. */
interface Balance {
  balance: PowerBalance
  area: number
}

/** Of each direction; null where everything conducts. */
async function materialBalances(
  { options }: Engines,
  scene: RayScene,
  towards: Direction[],
  band: Band,
): Promise<Balance[] | null> {
  const { materials } = scene
  if (!materials) return null
  // Loaded on demand: most targets conduct.
  const { PowerBalance } = await import('../cpu-sbr/materials/power-balance.js')
  return towards.map((tx) => {
    const d = tx.r.map((x) => -x)
    const balance = new PowerBalance(scene, materials, { tx, rx: tx }, d, wavenumber(band.f0), options)
    const area = overLattice(scene, tx, MATERIAL_LATTICE, (x, y, z) => balance.trace(x, y, z))
    return { balance, area }
  })
}

function meanPower(balances: Balance[]): SelfCheck['power'] {
  // A sheet seen in its own plane meets no ray.
  const met = balances.filter(({ balance }) => balance.rays > 0)
  const mean = (part: (of: PowerBalance) => number): number =>
    met.reduce((sum, { balance }) => sum + part(balance) / balance.rays, 0) / Math.max(1, met.length)
  return {
    leaves: mean(({ shares }) => shares.leaves),
    absorbed: mean(({ shares }) => shares.absorbed),
    ended: mean(({ shares }) => shares.ended),
    cut_off: mean(({ shares }) => shares.cutOff),
    least_absorbed: Math.min(...balances.map(({ balance }) => balance.leastAbsorbed)),
  }
}

async function checkEnergy(
  { facets, options }: Engines,
  scene: RayScene,
  towards: Direction[],
  band: Band,
  signal: AbortSignal,
  balances: Balance[] | null,
): Promise<SelfCheck['energy']> {
  // Every tube's currents at its first hit: with the exit formulation a tube that is reflected further contributes none there.
  const first = { facets, options: { ...options, formulation: undefined } }
  let worst: SelfCheck['energy'] = { error: -1, theta_deg: 0, phi_deg: 0 }
  for (const [i, tx] of towards.entries()) {
    const rx = direction(180 - tx.thetaDeg, tx.phiDeg + 180)
    const { field } = await facetField(first, { tx, rx }, band, signal, 1)
    const of = balances?.[i]
    const least = NO_SHADOW * scene.diagonal ** 2
    const error = of
      ? lossError(of, field, band, least)
      : shadowError(shadowArea(scene, tx), field, band, least)
    if (!(error <= worst.error)) worst = { error, theta_deg: tx.thetaDeg, phi_deg: tx.phiDeg }
  }
  return worst
}

const shadowError = (shadow: number, field: AspectField, { f0 }: Band, least: number): number =>
  Math.abs(wavelength(f0) * Math.hypot(field[0], field[1]) - shadow) / Math.max(shadow, least)

/** lambda F against -j times the sum of 1 - T over the area that is met. */
function lossError(
  { balance: { lost, rays }, area }: Balance,
  field: AspectField,
  { f0 }: Band,
  least: number,
): number {
  const re = wavelength(f0) * field[0] - area * lost[1]
  const im = wavelength(f0) * field[1] + area * lost[0]
  return Math.hypot(re, im) / Math.max(area * rays, least)
}

/** Area that the target hides along a direction [m^2], by the rays of a square lattice. */
export function shadowArea(scene: RayScene, towards: Direction): number {
  const { r } = towards
  const caster = new RayCaster(scene)
  let hits = 0
  const area = overLattice(scene, towards, LATTICE, (x, y, z) => {
    if (caster.occluded(x, y, z, -r[0], -r[1], -r[2], -1)) hits++
  })
  return hits * area
}

/** Visits where rays along -r start: those of a square lattice before the target. Returns the area of one [m^2]. */
function overLattice(
  scene: RayScene,
  { r, thetaHat }: Direction,
  side: number,
  visit: (x: number, y: number, z: number) => void,
): number {
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
  const start = nearest + 1e-3 * scene.diagonal
  for (let i = 0; i < side; i++)
    for (let j = 0; j < side; j++) {
      const a = low[0] + ((i + 0.5) / side) * sides[0]
      const b = low[1] + ((j + 0.5) / side) * sides[1]
      visit(...(r.map((x, k) => start * x + a * u[k] + b * v[k]) as Vec3))
    }
  return (sides[0] * sides[1]) / side ** 2
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
