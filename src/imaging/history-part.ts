import { requireFinite } from '../../isar/image.js'
import type { PulseHistory } from '../../isar/index.js'
import { direction, InputError } from '../../scene/index.js'

/** The pulses of one channel in one file. */
export interface HistoryPart extends PulseHistory {
  channel: string
}

/** Unit vectors towards the radar, x y z of each. */
export function directionsOf(thetaDeg: Float64Array, phiDeg: Float64Array): Float64Array {
  const out = new Float64Array(3 * phiDeg.length)
  phiDeg.forEach((phi, n) => out.set(direction(thetaDeg[n], phi).r, 3 * n))
  return out
}

/** Steps between frequencies may differ by this share of a step: files hold them in single precision. */
const UNEVEN = 0.02

/** Frequencies beyond these are in another unit [Hz]. */
const BAND_HZ = [1e6, 1e13]

/**
 * A part with exactly uniform, ascending frequencies. @throws InputError where they are not uniform, sizes do not fit, or numbers are not finite
 */
export function checkedPart(part: HistoryPart): HistoryPart {
  const { pulses, antenna, referenceM } = part
  let { freqHz, f } = part
  const nf = freqHz.length
  if (f.length !== 2 * nf * pulses)
    throw new InputError(`${f.length / 2} samples for ${nf} frequencies x ${pulses} pulses`)
  if (nf < 2) throw new InputError(`${nf} frequencies; an image needs at least 2`)
  if (antenna.length !== 3 * pulses || referenceM.length !== pulses)
    throw new InputError(`positions of ${antenna.length / 3} pulses for ${pulses} pulses`)
  if (![...antenna, ...referenceM].every(Number.isFinite))
    throw new InputError('positions and ranges of the radar must be finite numbers')
  requireFinite(f)
  if (freqHz[0] > freqHz[nf - 1]) {
    freqHz = freqHz.toReversed()
    const turned = new Float64Array(f.length)
    for (let m = 0; m < nf; m++)
      turned.set(f.subarray(2 * pulses * m, 2 * pulses * (m + 1)), 2 * pulses * (nf - 1 - m))
    f = turned
  }
  const step = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
  const uneven = freqHz.findIndex((hz, m) => !(Math.abs(hz - freqHz[0] - m * step) <= UNEVEN * step))
  if (uneven >= 0 || !(freqHz[0] > 0 && step > 0))
    throw new InputError(`frequencies must be positive and uniformly spaced; number ${Math.max(0, uneven)} is ${freqHz[Math.max(0, uneven)]} Hz; resample them`) // prettier-ignore
  if (freqHz[0] < BAND_HZ[0] || freqHz[nf - 1] > BAND_HZ[1])
    throw new InputError(`frequencies of ${freqHz[0]} to ${freqHz[nf - 1]} Hz are those of no radar; check their unit`) // prettier-ignore
  return { ...part, f, freqHz: freqHz.map((_, m) => freqHz[0] + m * step) }
}

/** Several files' pulses as one history. @throws InputError for other frequencies or another kind of geometry than the first's */
export function joinedParts(parts: HistoryPart[], files: string[]): HistoryPart {
  const [first] = parts
  if (parts.length === 1) return first
  const nf = first.freqHz.length
  const step = first.freqHz[1] - first.freqHz[0]
  parts.forEach(({ freqHz, farField }, i) => {
    const apart = Math.max(
      Math.abs(freqHz[0] - first.freqHz[0]),
      Math.abs(freqHz.at(-1)! - first.freqHz[nf - 1]),
    )
    if (freqHz.length !== nf || apart > UNEVEN * step)
      throw new InputError(`${files[i]}: its frequencies are not those of ${files[0]}; make an image of each`)
    if (farField !== first.farField)
      throw new InputError(
        `${files[i]}: its geometry is not of the kind of ${files[0]}; make an image of each`,
      )
  })
  const pulses = parts.reduce((n, p) => n + p.pulses, 0)
  const f = new Float64Array(2 * nf * pulses)
  let before = 0
  for (const part of parts) {
    for (let m = 0; m < nf; m++)
      f.set(part.f.subarray(2 * m * part.pulses, 2 * (m + 1) * part.pulses), 2 * (m * pulses + before))
    before += part.pulses
  }
  const all = (key: 'antenna' | 'referenceM'): Float64Array =>
    Float64Array.from(parts.flatMap((part) => [...part[key]]))
  return { ...first, pulses, antenna: all('antenna'), referenceM: all('referenceM'), f }
}

/** The pulses and frequencies with these numbers. */
export function selected<H extends PulseHistory>(history: H, frequencies: number[], pulses: number[]): H {
  const f = new Float64Array(2 * frequencies.length * pulses.length)
  frequencies.forEach((m, i) =>
    pulses.forEach((n, k) => {
      const [to, from] = [2 * (i * pulses.length + k), 2 * (m * history.pulses + n)]
      f[to] = history.f[from]
      f[to + 1] = history.f[from + 1]
    }),
  )
  return {
    ...history,
    freqHz: Float64Array.from(frequencies, (m) => history.freqHz[m]),
    pulses: pulses.length,
    antenna: Float64Array.from(pulses.flatMap((n) => [...history.antenna.subarray(3 * n, 3 * n + 3)])),
    referenceM: Float64Array.from(pulses, (n) => history.referenceM[n]),
    f,
  }
}
