import { createCpuEngine } from '../../cpu-sbr/index.js'
import {
  type Band,
  C0,
  direction,
  type Aspect,
  type Mesh,
  prepareTarget,
  type Target,
} from '../../scene/index.js'
import {
  buildRayScene,
  type RayScene,
  CHANNELS,
  type AspectResult,
  type Channel,
  type SbrJob,
  type SbrOptions,
} from '../../rays/index.js'

export const OPTIONS: SbrOptions = {
  raysPerWavelength: 10,
  maxBounces: 5,
  subdivisions: 2,
  formulation: 'all-bounces',
}

export interface TestScene {
  scene: RayScene
  area: number
}

export function testScene(mesh: Mesh, smoothAngleDeg = 20): TestScene & { target: Target } {
  const target = prepareTarget(mesh, { smoothAngleDeg })
  return { target, scene: buildRayScene(target), area: target.area }
}

/** A frequency alone [Hz]. */
export const at = (freqHz: number): Band => ({ f0: freqHz, df: 0, n: 1 })

/** One frequency whose wavelength is `lambda` [m]. */
export const oneFrequency = (lambda: number): Band => at(C0 / lambda)

/** n frequencies of 5 % from 90 % of `top` [Hz] on: three end there. */
export const bandUpTo = (top: number, n = 3): Band => ({ f0: 0.9 * top, df: 0.05 * top, n })

export function monostatic(thetaDeg: number, phiDeg: number): Aspect {
  const d = direction(thetaDeg, phiDeg)
  return { tx: d, rx: d }
}

export const sbrJob = (aspect: Aspect, band: Band, options: Partial<SbrOptions> = {}): SbrJob => ({
  aspect,
  band,
  options: { ...OPTIONS, ...options },
})

/** One aspect on the double-precision engine, on this thread. */
export const solve = ({ scene, area }: TestScene, job: SbrJob): Promise<AspectResult> =>
  createCpuEngine(scene, area, 0).field(job)

/** Amplitude [re, im] of a channel at frequency n of the band [m]. */
export function amplitude(field: Float64Array, channel: Channel, n = 0): [number, number] {
  const at = 8 * n + 2 * CHANNELS.indexOf(channel)
  return [field[at], field[at + 1]]
}

/** sigma = 4 pi |F|^2 of a channel [m^2]. */
export function sigma(field: Float64Array, channel: Channel, n = 0): number {
  const [re, im] = amplitude(field, channel, n)
  return 4 * Math.PI * (re * re + im * im)
}

export const db = (power: number): number => 10 * Math.log10(power)

export const norm = (a: ArrayLike<number>): number => Math.hypot(...Array.from(a))

/** ||a - b|| / ||b||. */
export function relativeDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return norm(Array.from(a, (x, i) => x - b[i])) / norm(b)
}

/** Largest difference of amplitudes, re and im each, over the largest of `b`. */
export function peakDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [most, peak] = [0, 0]
  for (let i = 0; i < b.length; i += 2) {
    most = Math.max(most, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1]))
    peak = Math.max(peak, Math.hypot(b[i], b[i + 1]))
  }
  return peak === 0 ? most : most / peak
}

export const sameBytes = (a: Float64Array, b: Float64Array): boolean =>
  Buffer.from(a.buffer).equals(Buffer.from(b.buffer))
