import { C0, direction, dot, type Vec3 } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { PURPOSE, Random } from './random.js'

/** Motion and phase errors at the N aspects of an image. */
export interface Motion {
  /** Shift of the target towards the radar at each aspect [m]: the two-way phase grows by 2k times it. */
  pathM: Float64Array
  /** Further phase [rad], the same at all frequencies. */
  phaseRad: Float64Array
  /** 1, or 0 where the aspect is lost. */
  gain: Float64Array
}

/** Range shift at each aspect of a target that moves by (range, cross-range) seen from the centre aspect [m]. */
export function shiftPath(
  thetaDeg: number,
  phiDeg: Float64Array,
  [range, crossRange]: [number, number],
): Float64Array {
  const { phiHat } = direction(thetaDeg, (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2)
  // In the plane of rotation, so that the image moves as a whole and stays in focus; away from the radar is (-phiHat_y, phiHat_x).
  const away = range / Math.sin((thetaDeg * Math.PI) / 180)
  const d: Vec3 = [-away * phiHat[1] + crossRange * phiHat[0], away * phiHat[0] + crossRange * phiHat[1], 0]
  return phiDeg.map((phi) => dot(direction(thetaDeg, phi).r, d))
}

/**
 * The errors of motion and phase of one image.
 *
 * - vibration: amplitude uniform up to its bound, phase random: A sin(2 pi (cycles x + phase)), x from 0 to 1 over the aperture
 * - centre error: the target rotates about a point displaced by a normal (range, cross-range), and is tracked as if about the
 *   phase centre; its image moves
 * - phase: quadratic up to its bound either way, a random walk of independent steps that reaches its deviation at the end, white
 * - dropout: `blocks` runs of aspects lost, `fraction` of all together
 */
export function drawMotion(
  { nuisance, seed }: DatasetConfig,
  chip: number,
  thetaDeg: number,
  phiDeg: Float64Array,
): Motion {
  const n = phiDeg.length
  const random = new Random(seed, PURPOSE.motion, chip)
  const motion: Motion = {
    pathM: new Float64Array(n),
    phaseRad: new Float64Array(n),
    gain: new Float64Array(n).fill(1),
  }
  const { vibration, centreErrorM, phase, dropout } = nuisance
  if (vibration) {
    const amplitude = vibration.amplitudeM * random.uniform()
    const start = random.uniform()
    for (let m = 0; m < n; m++)
      motion.pathM[m] += amplitude * Math.sin(2 * Math.PI * ((vibration.cycles * m) / (n - 1) + start))
  }
  if (centreErrorM) {
    const error: [number, number] = [centreErrorM * random.normal(), centreErrorM * random.normal()]
    const path = shiftPath(thetaDeg, phiDeg, error)
    const still = shiftPath(thetaDeg, Float64Array.of((phiDeg[0] + phiDeg[n - 1]) / 2), [error[0], 0])[0]
    for (let m = 0; m < n; m++) motion.pathM[m] += path[m] - still
  }
  if (phase) {
    const quadratic = random.within(phase.quadraticDeg)
    let walk = 0
    for (let m = 0; m < n; m++) {
      const x = (2 * m) / (n - 1) - 1
      walk += (phase.walkDeg * random.normal()) / Math.sqrt(n)
      motion.phaseRad[m] = ((quadratic * x * x + walk + phase.whiteDeg * random.normal()) * Math.PI) / 180
    }
  }
  if (dropout) lose(motion.gain, dropout.fraction, dropout.blocks, new Random(seed, PURPOSE.dropout, chip))
  return motion
}

/** Zeroes runs of aspects: one in each of `blocks` equal stretches, at a random position in it. */
function lose(gain: Float64Array, fraction: number, blocks: number, random: Random): void {
  const n = gain.length
  for (let b = 0; b < blocks; b++) {
    const from = Math.round((b * n) / blocks)
    const to = Math.round(((b + 1) * n) / blocks)
    const lost = Math.round(fraction * (to - from))
    const start = from + Math.floor(random.uniform() * (to - from - lost + 1))
    gain.fill(0, start, start + lost)
  }
}

/** Fields F [frequency][aspect] (interleaved re, im) after the motion: F gain exp(j (2k path + phase)). */
export function moved(f: Float64Array, freqHz: ArrayLike<number>, motion: Motion): Float64Array {
  const { pathM, phaseRad, gain } = motion
  const n = pathM.length
  const out = new Float64Array(f.length)
  for (let i = 0; i < freqHz.length; i++) {
    const k2 = (4 * Math.PI * freqHz[i]) / C0
    for (let m = 0; m < n; m++) {
      const angle = k2 * pathM[m] + phaseRad[m]
      const [c, s] = [gain[m] * Math.cos(angle), gain[m] * Math.sin(angle)]
      const at = 2 * (i * n + m)
      out[at] = f[at] * c - f[at + 1] * s
      out[at + 1] = f[at] * s + f[at + 1] * c
    }
  }
  return out
}
