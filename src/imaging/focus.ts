import {
  apertureOf,
  autofocus,
  type AutofocusName,
  differentialRange,
  imageEntropy,
  planBackprojection,
  rangeProfile,
} from '../../isar/index.js'
import { C0, InputError, type Vec3 } from '../../scene/index.js'
import { type FormedImage, type FormOptions, formPulses } from './form.js'
import type { HistoryPart } from './history-part.js'
import type { Measurement } from './read-history.js'
import type { Backprojector } from './solve.js'

/** What autofocus did. */
interface Focused {
  history: HistoryPart
  /** Root mean square of the phases taken out [rad]. */
  rmsRad: number
}

/** An image with and without the phases that autofocus found. */
interface FocusedImage {
  /** As they are written. */
  history: HistoryPart
  formed: FormedImage
  /** Whether the image sharpened: else history and image are those given. */
  sharpened: boolean
  /** Of the image on the pixels that are written, before and with the phases taken out: entropy, and the largest pixel [dB]. */
  entropy: [number, number]
  peakDb: [number, number]
  rmsRad: number
}

/** Pulses that autofocus takes: its time grows with their square. */
const MOST_PULSES = 2048
/** Pixels below the peak by more than this do not count as scatterers [power]. */
const FAINT = 1e-3
/** Pulses at which the range of a scatterer is taken. */
const MOST_STOPS = 33

/**
 * The image of a history with the phase errors of its pulses taken out where that sharpens it: less entropy, and no lower a peak, on the
 * pixels that are written. Otherwise the image as it was.
 * @throws InputError where scatterers move through more than a range cell over the aperture, and what `focused` and `formPulses` throw
 */
export async function focusedImage(
  history: HistoryPart,
  method: AutofocusName,
  form: FormOptions,
  device: Pick<Backprojector, 'image'>,
  progress?: (done: number, total: number) => void,
): Promise<FocusedImage> {
  checkPulses(history)
  const before = await formPulses(history, form, device, progress)
  const { middle, reachM } = checkMigration(history, form, before)
  const { history: phased, rmsRad } = focused(history, method, reachM, middle)
  const after = await formPulses(phased, form, device, progress)
  const entropy: [number, number] = [imageEntropy(before.image), imageEntropy(after.image)]
  const peakDb: [number, number] = [peakOf(before.image), peakOf(after.image)]
  const sharpened = entropy[1] < entropy[0] && peakDb[1] >= peakDb[0]
  return { ...(sharpened ? { history: phased, formed: after } : { history, formed: before }), sharpened, entropy, peakDb, rmsRad } // prettier-ignore
}

/**
 * Estimates one phase error for each pulse, common to all ranges, from the range profiles within +-`reachM` of a point, and takes it out.
 * All profiles are referred to the range of that point: a measured history refers each pulse to a range of its own.
 * For apertures over which scatterers stay within a range cell.
 * @throws InputError for more than 2,048 pulses
 */
export function focused(
  history: HistoryPart,
  method: AutofocusName,
  reachM: number,
  middle: Vec3 = [0, 0, 0],
): Focused {
  checkPulses(history)
  const { freqHz, f, pulses } = history
  const { phiDeg, spanDeg } = apertureOf(history)
  const nf = freqHz.length
  const cellM = cellOf(history)
  const half = Math.min(reachM, ((nf - 1) * cellM) / 2)
  const count = Math.max(2, Math.ceil((2 * half) / cellM))
  const profiles = new Float64Array(2 * count * pulses)
  const line = new Float64Array(2 * nf)
  for (let n = 0; n < pulses; n++) {
    const beyondM = differentialRange(history, n, middle)
    for (let m = 0; m < nf; m++) {
      const phase = (4 * Math.PI * freqHz[m] * beyondM) / C0
      turn(f, 2 * (m * pulses + n), phase, line, 2 * m)
    }
    const { profile } = rangeProfile(freqHz, line, { window: 'hamming', rangeM: [-half, half], count })
    for (let r = 0; r < count; r++) profiles.set(profile.subarray(2 * r, 2 * r + 2), 2 * (r * pulses + n))
  }
  const low = phiDeg.reduce((a, b) => Math.min(a, b))
  const positions = phiDeg.map((phi) => (((phi - low) / spanDeg) * (pulses - 1)) / pulses)
  const { phaseRad } = autofocus({ profiles, positions }, pulses, method)
  const out = new Float64Array(f.length)
  for (let i = 0; i < f.length; i += 2) turn(f, i, -phaseRad[(i / 2) % pulses], out, i)
  const rmsRad = Math.sqrt(phaseRad.reduce((s, p) => s + p * p, 0) / pulses)
  return { history: { ...history, f: out }, rmsRad }
}

/** The complex number at `from` times exp(j phase), at `to` of another array. */
function turn(given: Float64Array, from: number, phase: number, out: Float64Array, to: number): void {
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  out[to] = given[from] * cos - given[from + 1] * sin
  out[to + 1] = given[from] * sin + given[from + 1] * cos
}

function checkPulses({ pulses }: HistoryPart): void {
  if (pulses > MOST_PULSES)
    throw new InputError(`--autofocus: ${pulses} pulses, ${MOST_PULSES} at the most; give a coarser --resolution or fewer files`) // prettier-ignore
}

/** c / 2B [m]. */
const cellOf = ({ freqHz }: HistoryPart): number => C0 / (2 * (freqHz[freqHz.length - 1] - freqHz[0]))

const peakOf = (image: Float64Array): number => {
  let most = 0
  for (let i = 0; i < image.length; i += 2) most = Math.max(most, image[i] ** 2 + image[i + 1] ** 2)
  return 10 * Math.log10(Math.max(most, 1e-30))
}

/**
 * How far the scatterers of an image move in range over the aperture, beside its middle: the mean over its pixels, weighted by the square of
 * their power. Returns that middle and how far the image reaches from it [m].
 * @throws InputError where they move through more than a range cell
 */
function checkMigration(
  history: HistoryPart,
  form: FormOptions,
  { image, alongM, acrossM }: FormedImage,
): { middle: Vec3; reachM: number } {
  const { plane } = planBackprojection(history, form)
  const at = (across: number, along: number): Vec3 => [0, 1, 2].map((i) => plane.origin[i] + across * plane.across[i] + along * plane.along[i]) as Vec3 // prettier-ignore
  const mean = (axis: Float64Array): number => (axis[0] + axis[axis.length - 1]) / 2
  const middle = at(mean(acrossM), mean(alongM))
  const reachM = Math.hypot(mean(acrossM) - acrossM[0], mean(alongM) - alongM[0])
  const { pulses } = history
  const stops = Math.min(MOST_STOPS, pulses)
  const pulse = Array.from({ length: stops }, (_, k) => Math.round((k * (pulses - 1)) / (stops - 1)))
  const own = pulse.map((n) => differentialRange(history, n, middle))
  const faint = FAINT * 10 ** (peakOf(image) / 10)
  let [sum, weights] = [0, 0]
  for (let i = 0; i < image.length; i += 2) {
    const power = image[i] ** 2 + image[i + 1] ** 2
    if (!(power > faint)) continue
    const pixel = i / 2
    const p = at(acrossM[pixel % acrossM.length], alongM[Math.floor(pixel / acrossM.length)])
    let [near, far] = [Infinity, -Infinity]
    for (const [k, n] of pulse.entries()) {
      const d = differentialRange(history, n, p) - own[k]
      near = Math.min(near, d)
      far = Math.max(far, d)
    }
    sum += power * power * (far - near)
    weights += power * power
  }
  const cells = weights > 0 ? sum / weights / cellOf(history) : 0
  if (cells > 1)
    throw new InputError(
      `--autofocus: the brightest scatterers move through ${cells.toPrecision(2)} range cells over the aperture, 1 at the most; give a coarser --resolution, fewer files, or --extent and --centre about one target`,
    )
  return { middle, reachM }
}

/** A target of known response, measured with the same radar. */
interface Reference {
  measured: Measurement
  /** Its RCS [dBsm], or its computed response over the same frequencies. */
  known: number | Measurement
  /** Where it stood [m]. */
  at: Vec3
}

/** Frequencies of two histories may differ by this share of a step. */
const SAME = 0.02

/**
 * Amplitudes of a measurement in metres: at each frequency multiplied by F_known / F_measured of the reference, F_measured the mean over its
 * pulses referred to the place where it stood. With the RCS alone F_known = sqrt(sigma / 4 pi): phases then refer to the reference's.
 * @throws InputError where channels or frequencies differ, or the reference returns nothing at a frequency
 */
export function calibrated(measurement: Measurement, { measured, known, at }: Reference): Measurement {
  const channels = measurement.channels.map((history): HistoryPart => {
    const { channel, freqHz, pulses } = history
    const own = sameChannel(measured, channel, freqHz, '--reference')
    const response = meanResponse(own, at)
    const wanted =
      typeof known === 'number'
        ? null
        : meanResponse(sameChannel(known, channel, freqHz, '--reference-known'), [0, 0, 0])
    const f = Float64Array.from(history.f)
    for (let m = 0; m < freqHz.length; m++) {
      const [re, im] = [response[2 * m], response[2 * m + 1]]
      const power = re * re + im * im
      if (!(power > 0))
        throw new InputError(
          `--reference: no return in ${channel} at ${freqHz[m]} Hz; calibrate with another file`,
        )
      const [kre, kim] = wanted
        ? [wanted[2 * m], wanted[2 * m + 1]]
        : [Math.sqrt(10 ** ((known as number) / 10) / (4 * Math.PI)), 0]
      const [gre, gim] = [(kre * re + kim * im) / power, (kim * re - kre * im) / power]
      for (let i = 2 * m * pulses; i < 2 * (m + 1) * pulses; i += 2) {
        const [x, y] = [f[i], f[i + 1]]
        f[i] = x * gre - y * gim
        f[i + 1] = x * gim + y * gre
      }
    }
    return { ...history, f }
  })
  return { ...measurement, channels, calibrated: true }
}

function sameChannel(
  { channels, files }: Measurement,
  channel: string,
  freqHz: Float64Array,
  option: string,
): HistoryPart {
  const found =
    channels.find((c) => c.channel === channel) ?? (channels.length === 1 ? channels[0] : undefined)
  if (!found) throw new InputError(`${option}: ${files[0]} has no channel ${channel}; give a file with it`)
  const step = freqHz[1] - freqHz[0]
  const apart = found.freqHz.length === freqHz.length && found.freqHz.every((f, m) => Math.abs(f - freqHz[m]) <= SAME * step) // prettier-ignore
  if (!apart)
    throw new InputError(`${option}: ${files[0]} has other frequencies than the measurement; give the same`)
  return found
}

/** Mean over pulses of the amplitudes referred to a place, [frequency], interleaved. */
function meanResponse(history: HistoryPart, at: Vec3): Float64Array {
  const { freqHz, f, pulses } = history
  const out = new Float64Array(2 * freqHz.length)
  for (let n = 0; n < pulses; n++) {
    const d = differentialRange(history, n, at)
    for (let m = 0; m < freqHz.length; m++) {
      const cycles = (2 * freqHz[m] * d) / C0
      const phase = 2 * Math.PI * (cycles - Math.round(cycles))
      const i = 2 * (m * pulses + n)
      out[2 * m] += (f[i] * Math.cos(phase) - f[i + 1] * Math.sin(phase)) / pulses
      out[2 * m + 1] += (f[i] * Math.sin(phase) + f[i + 1] * Math.cos(phase)) / pulses
    }
  }
  return out
}
