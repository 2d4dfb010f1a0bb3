import { apertureOf, imageCorrelation } from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import { type FormedImage, type HistoryPart, type PulseProfiles, pulseProfiles } from './form.js'
/** How a simulation was moved and scaled to a measurement. */
interface Alignment {
  /** Added to the simulation's range [m]. */
  shiftM: number
  /** Factor of its amplitudes [dB]. */
  gainDb: number
}

/** Power over range, mean over the pulses. */
export interface MeanProfile {
  rangeM: Float64Array
  power: Float64Array
}

/** Pulses that mean profiles are made of, at the most. */
const PULSES = 512
/** Samples of mean profiles to a resolution cell. */
const FINE = 16

export function meanProfile(
  history: HistoryPart,
  window: Parameters<typeof pulseProfiles>[1],
  reachM: number,
): MeanProfile {
  return meanOf(pulseProfiles(history, window, reachM, { mostPulses: PULSES, samplesPerCell: FINE }))
}

function meanOf({ pulse, rangeM, profiles }: PulseProfiles): MeanProfile {
  const power = new Float64Array(rangeM.length)
  for (let i = 0; i < profiles.length; i += 2)
    power[(i / 2) % rangeM.length] += (profiles[i] ** 2 + profiles[i + 1] ** 2) / pulse.length
  return { rangeM, power }
}

/** Power at a range by linear interpolation; 0 outside. */
function powerAt({ rangeM, power }: MeanProfile, range: number): number {
  const place = (range - rangeM[0]) / (rangeM[1] - rangeM[0])
  // The last sample belongs to the interval before it, and rounding moves no end out.
  const i = Math.min(power.length - 2, Math.max(0, Math.floor(place)))
  if (!(Math.abs(place - i - 0.5) <= 0.5 + 1e-6)) return 0
  return power[i] + (place - i) * (power[i + 1] - power[i])
}

/** Levels that count in the alignment of profiles [dB below the highest]. */
const ALIGNED_DB = 40

/** Levels above the floor that counts [dB]. */
function levels(power: ArrayLike<number>): Float64Array {
  const decibels = Float64Array.from(power, (p) => 10 * Math.log10(Math.max(1e-30, p)))
  const floor = decibels.reduce((a, b) => Math.max(a, b), -Infinity) - ALIGNED_DB
  return decibels.map((level) => Math.max(0, level - floor))
}

/**
 * The shift in range with the highest correlation of the mean profiles' levels, 40 dB down from their peaks: levels, for in magnitude one
 * scatterer that differs outweighs the shape. Tried at every fourth sample up to half of the profile, then about the best, and between samples
 * by a parabola. The correlation returned is that of magnitudes there.
 */
export function rangeShift(
  measured: MeanProfile,
  simulated: MeanProfile,
): { shiftM: number; correlation: number } {
  const { rangeM } = measured
  const step = rangeM[1] - rangeM[0]
  const own = levels(measured.power)
  const moved = (shift: number): Float64Array => rangeM.map((r) => powerAt(simulated, r - shift))
  const at = (samples: number): number => pearson(own, levels(moved(samples * step)))
  const best = (from: number, to: number, by: number): number => {
    let [found, highest] = [from, -Infinity]
    for (let k = from; k <= to; k += by) {
      const correlation = at(k)
      if (correlation > highest) [found, highest] = [k, correlation]
    }
    return found
  }
  const half = FINE * Math.floor(rangeM.length / (2 * FINE))
  const near = best(-half, half, 4)
  const whole = best(near - 4, near + 4, 1)
  const [low, middle, high] = [at(whole - 1), at(whole), at(whole + 1)]
  const curve = low - 2 * middle + high
  const between = whole + (curve < 0 ? (0.5 * (low - high)) / curve : 0)
  const shiftM = (at(between) > middle ? between : whole) * step
  return { shiftM, correlation: pearson(measured.power.map(Math.sqrt), moved(shiftM).map(Math.sqrt)) }
}

function pearson(a: Float64Array, b: Float64Array): number {
  const n = a.length
  const [ma, mb] = [a, b].map((v) => v.reduce((s, x) => s + x, 0) / n)
  let [aa, bb, ab] = [0, 0, 0]
  for (let i = 0; i < n; i++) {
    aa += (a[i] - ma) ** 2
    bb += (b[i] - mb) ** 2
    ab += (a[i] - ma) * (b[i] - mb)
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0
}

/** A history whose scatterers are all farther by `shiftM`. */
export function shifted(history: HistoryPart, shiftM: number): HistoryPart {
  const { freqHz, pulses } = history
  const f = Float64Array.from(history.f)
  for (let m = 0; m < freqHz.length; m++) {
    const phase = (-4 * Math.PI * freqHz[m] * shiftM) / C0
    const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
    for (let i = 2 * m * pulses; i < 2 * (m + 1) * pulses; i += 2) {
      const [re, im] = [f[i], f[i + 1]]
      f[i] = re * cos - im * sin
      f[i + 1] = re * sin + im * cos
    }
  }
  return { ...history, f }
}

/** Part of a measurement's band and aspects that a simulation must cover to say nothing. */
const COVERED = 0.8
/** Elevations may differ by as much [degrees]. */
const LEVEL_DEG = 2

/** What of a measurement a simulation does not cover; undefined where band and aspects are about the same. */
export function otherCoverage(measured: HistoryPart, simulated: HistoryPart): string | undefined {
  const shared = ([a, b]: number[], [c, d]: number[]): boolean =>
    Math.min(b, d) - Math.max(a, c) >= COVERED * Math.max(b - a, d - c)
  const bands = [measured, simulated].map(({ freqHz }) => [freqHz[0] / 1e9, freqHz[freqHz.length - 1] / 1e9])
  const seen = [measured, simulated].map(apertureOf)
  const turn = 360 * Math.round((seen[0].centre.phiDeg - seen[1].centre.phiDeg) / 360)
  const azimuths = seen.map(({ centre, spanDeg }, i) =>
    [-0.5, 0.5].map((half) => centre.phiDeg + half * spanDeg + i * turn),
  )
  const said = (ends: number[][], unit: string): string =>
    ends.map((pair) => pair.map((x) => Number(x.toPrecision(4))).join(' to ') + unit).join(', not ')
  const other = [
    ...(shared(bands[0], bands[1]) ? [] : [said([bands[1], bands[0]], ' GHz')]),
    ...(shared(azimuths[0], azimuths[1]) ? [] : [`azimuths of ${said([azimuths[1], azimuths[0]], '°')}`]),
    ...(Math.abs(seen[0].centre.thetaDeg - seen[1].centre.thetaDeg) <= LEVEL_DEG
      ? []
      : [
          `an elevation of ${seen
            .toReversed()
            .map((s) => (90 - s.centre.thetaDeg).toFixed(1))
            .join('°, not ')}°`,
        ]),
  ]
  return other.length > 0 ? other.join('; ') : undefined
}

/** A row of the comparison's table. */
export interface Comparison extends Alignment {
  channel: string
  /** Of the mean range profiles' magnitudes, and of the images' magnitudes, after alignment. */
  profileCorrelation: number
  imageCorrelation: number
  /** Root mean square difference of levels over pixels within `floorDb` of the measured peak in either image [dB]. */
  rmsDifferenceDb: number
}

/** Levels that count in the difference of images [dB below the peak]. */
const DIFFERENCE_FLOOR_DB = 30

/**
 * Scales a simulated image to the energy of the measured one and compares them on the same pixels.
 * @throws InputError where either shows nothing
 */
export function compareImages(
  measured: FormedImage,
  simulated: FormedImage,
): { scaled: Float64Array; gainDb: number; correlation: number; rmsDb: number; differenceDb: Float32Array } {
  const energy = (image: Float64Array): number => image.reduce((s, x) => s + x * x, 0)
  const [ea, eb] = [energy(measured.image), energy(simulated.image)]
  if (!(ea > 0 && eb > 0))
    throw new InputError('--compare: one of the images shows nothing; check extent and channel')
  const gain = Math.sqrt(ea / eb)
  const scaled = simulated.image.map((x) => gain * x)
  const count = scaled.length / 2
  const levels = (image: Float64Array): Float64Array =>
    Float64Array.from({ length: count }, (_, i) => 10 * Math.log10(Math.max(1e-30, image[2 * i] ** 2 + image[2 * i + 1] ** 2))) // prettier-ignore
  const [a, b] = [levels(measured.image), levels(scaled)]
  const floor = a.reduce((x, y) => Math.max(x, y), -Infinity) - DIFFERENCE_FLOOR_DB
  let [sum, counted] = [0, 0]
  const differenceDb = Float32Array.from(a, (level, i) => {
    const d = Math.max(floor, level) - Math.max(floor, b[i])
    if (level > floor || b[i] > floor) [sum, counted] = [sum + d * d, counted + 1]
    return d
  })
  return {
    scaled,
    gainDb: 20 * Math.log10(gain),
    correlation: imageCorrelation(measured.image, scaled),
    rmsDb: Math.sqrt(sum / Math.max(1, counted)),
    differenceDb,
  }
}
