import { apertureOf, autofocus, type AutofocusName, rangeProfile } from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import type { HistoryPart } from './history-part.js'

/** What autofocus did. */
export interface Focused {
  history: HistoryPart
  /** Entropy of the coarse image that it works on, before and after. */
  entropy: [number, number]
  /** Root mean square of the phases taken out [rad]. */
  rmsRad: number
}

/** Pulses that autofocus takes: its time grows with their square. */
const MOST_PULSES = 2048

/**
 * Estimates one phase error for each pulse, common to all ranges, from the range profiles within +-`reachM` of the reference, and takes it out.
 * For apertures over which scatterers stay within a range cell or two.
 * @throws InputError for more than 2,048 pulses
 */
export function focused(history: HistoryPart, method: AutofocusName, reachM: number): Focused {
  const { freqHz, f, pulses } = history
  if (pulses > MOST_PULSES)
    throw new InputError(`--autofocus: ${pulses} pulses, ${MOST_PULSES} at the most; give a coarser --resolution or fewer files`) // prettier-ignore
  const { phiDeg, spanDeg } = apertureOf(history)
  const nf = freqHz.length
  const cellM = C0 / (2 * (freqHz[nf - 1] - freqHz[0]))
  const half = Math.min(reachM, ((nf - 1) * cellM) / 2)
  const count = Math.max(2, Math.ceil((2 * half) / cellM))
  const profiles = new Float64Array(2 * count * pulses)
  const line = new Float64Array(2 * nf)
  for (let n = 0; n < pulses; n++) {
    for (let m = 0; m < nf; m++) {
      line[2 * m] = f[2 * (m * pulses + n)]
      line[2 * m + 1] = f[2 * (m * pulses + n) + 1]
    }
    const { profile } = rangeProfile(freqHz, line, { window: 'hamming', rangeM: [-half, half], count })
    for (let r = 0; r < count; r++) profiles.set(profile.subarray(2 * r, 2 * r + 2), 2 * (r * pulses + n))
  }
  const low = phiDeg.reduce((a, b) => Math.min(a, b))
  const positions = phiDeg.map((phi) => (((phi - low) / spanDeg) * (pulses - 1)) / pulses)
  const { phaseRad, entropy } = autofocus({ profiles, positions }, pulses, method)
  // What is sharp already is left as it is.
  if (entropy[1] >= entropy[0]) return { history, entropy: [entropy[0], entropy[0]], rmsRad: 0 }
  const out = Float64Array.from(f)
  for (let i = 0; i < f.length; i += 2) {
    const phase = -phaseRad[(i / 2) % pulses]
    const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
    out[i] = f[i] * cos - f[i + 1] * sin
    out[i + 1] = f[i] * sin + f[i + 1] * cos
  }
  const rmsRad = Math.sqrt(phaseRad.reduce((s, p) => s + p * p, 0) / pulses)
  return { history: { ...history, f: out }, entropy, rmsRad }
}
