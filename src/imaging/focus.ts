import {
  apertureOf,
  autofocus,
  type AutofocusName,
  type BackprojectionOptions,
  differentialRange,
  imageEntropy,
  planBackprojection,
  rangeProfile,
} from '../../isar/index.js'
import { C0, InputError, type Vec3 } from '../../scene/index.js'
import { type FormedImage, type FormOptions, formPulses, type HistoryPart } from './form.js'
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

/** Scatterers whose returns autofocus follows from pulse to pulse, and pulses at which their places are sought, at the most. */
const MOST_SCATTERERS = 64
const MOST_STOPS = 129
/** Points along an axis at which scatterers are sought, at the most. */
const MOST_PLACES = 256

/**
 * The image of a history with the phase errors of its pulses taken out where that sharpens it: less entropy, and no lower a peak, on the
 * pixels that are written. Otherwise the image as it was.
 * @throws what `formPulses` throws
 */
export async function focusedImage(
  history: HistoryPart,
  method: AutofocusName,
  form: FormOptions,
  device: Pick<Backprojector, 'image'>,
  progress?: (done: number, total: number) => void,
): Promise<FocusedImage> {
  const before = await formPulses(history, form, device, progress)
  const { history: phased, rmsRad } = focused(history, method, form)
  const after = await formPulses(phased, form, device, progress)
  const entropy: [number, number] = [imageEntropy(before.image), imageEntropy(after.image)]
  const peakDb: [number, number] = [peakOf(before.image), peakOf(after.image)]
  const sharpened = entropy[1] < entropy[0] && peakDb[1] >= peakDb[0]
  return { ...(sharpened ? { history: phased, formed: after } : { history, formed: before }), sharpened, entropy, peakDb, rmsRad } // prettier-ignore
}

/**
 * Estimates one phase error for each pulse, common to all ranges, from the scatterers of an image's area, and takes it out. Each is followed
 * through the range cells that it moves through over the aperture, and its return taken from the range profile at its own range. They are
 * found by the sum of the profiles' power along such tracks, on which phases have no effect.
 */
function focused(history: HistoryPart, method: AutofocusName, form: BackprojectionOptions): Focused {
  const { f, pulses } = history
  const { phiDeg, spanDeg } = apertureOf(history)
  const order = [...phiDeg.keys()].sort((a, b) => phiDeg[a] - phiDeg[b])
  const places = scatterers(history, form)
  const profiles = new Float64Array(2 * places.length * pulses)
  places.forEach((place, r) =>
    order.forEach((n, i) => profiles.set(returnAt(history, n, differentialRange(history, n, place)), 2 * (r * pulses + i))),
  ) // prettier-ignore
  const positions = Float64Array.from(order, (n) => (((phiDeg[n] - phiDeg[order[0]]) / spanDeg) * (pulses - 1)) / pulses) // prettier-ignore
  const { phaseRad } = autofocus({ profiles, positions }, pulses, method)
  const own = new Float64Array(pulses)
  order.forEach((n, i) => (own[n] = phaseRad[i]))
  const out = new Float64Array(f.length)
  for (let i = 0; i < f.length; i += 2) turn(f, i, -own[(i / 2) % pulses], out, i)
  const rmsRad = Math.sqrt(phaseRad.reduce((s, p) => s + p * p, 0) / pulses)
  return { history: { ...history, f: out }, rmsRad }
}

/** Sum over frequency of a pulse, of a scatterer beyond the reference by `beyondM`; Hann window. */
function returnAt({ freqHz, f, pulses }: HistoryPart, pulse: number, beyondM: number): [number, number] {
  const nf = freqHz.length
  let [re, im] = [0, 0]
  for (let m = 0; m < nf; m++) {
    const cycles = (2 * freqHz[m] * beyondM) / C0
    const phase = 2 * Math.PI * (cycles - Math.round(cycles))
    const weight = Math.sin((Math.PI * (m + 0.5)) / nf) ** 2
    const i = 2 * (m * pulses + pulse)
    const [cos, sin] = [weight * Math.cos(phase), weight * Math.sin(phase)]
    re += f[i] * cos - f[i + 1] * sin
    im += f[i] * sin + f[i + 1] * cos
  }
  return [re, im]
}

/** Places of an image's area with the most power along their tracks, in other range cells than each other. */
function scatterers(history: HistoryPart, form: BackprojectionOptions): Vec3[] {
  const { plane, acrossM, alongM } = planBackprojection(history, form)
  const { pulses, freqHz, f } = history
  const nf = freqHz.length
  const cellM = cellOf(history)
  const sought = (axis: Float64Array): Float64Array => {
    const extent = axis[axis.length - 1] - axis[0]
    const count = Math.max(2, Math.min(MOST_PLACES, 1 + Math.ceil((2 * extent) / cellM)))
    return Float64Array.from({ length: count }, (_, i) => axis[0] + (extent * i) / (count - 1))
  }
  const [across, along] = [sought(acrossM), sought(alongM)]
  const places = [...along].flatMap((y) => [...across].map((x) => plane.origin.map((o, i) => o + x * plane.across[i] + y * plane.along[i]) as Vec3)) // prettier-ignore
  const stops = Math.min(MOST_STOPS, pulses)
  const power = new Float64Array(places.length)
  const tracks = places.map(() => new Float32Array(stops))
  const line = new Float64Array(2 * nf)
  const half = (nf * cellM) / 2
  for (let k = 0; k < stops; k++) {
    const n = Math.round((k * (pulses - 1)) / (stops - 1))
    for (let m = 0; m < nf; m++) line.set(f.subarray(2 * (m * pulses + n), 2 * (m * pulses + n) + 2), 2 * m)
    const ranges = places.map((place) => differentialRange(history, n, place))
    const [near, far] = [ranges.reduce((a, b) => Math.min(a, b)), ranges.reduce((a, b) => Math.max(a, b))] // prettier-ignore
    const middle = (near + far) / 2
    const reach = Math.min(half, (far - near) / 2 + cellM)
    const count = Math.max(2, Math.ceil((8 * reach) / cellM))
    const { profile, rangeM } = rangeProfile(freqHz, line, { window: 'hamming', rangeM: [middle - reach, middle + reach], count }) // prettier-ignore
    places.forEach((_, i) => {
      tracks[i][k] = ranges[i] - middle
      const at = Math.round((ranges[i] - rangeM[0]) / (rangeM[1] - rangeM[0]))
      if (at >= 0 && at < count) power[i] += profile[2 * at] ** 2 + profile[2 * at + 1] ** 2
    })
  }
  const chosen: number[] = []
  for (const i of [...places.keys()].sort((a, b) => power[b] - power[a])) {
    const apart = (j: number): boolean => tracks[i].some((d, k) => Math.abs(d - tracks[j][k]) > cellM)
    if (chosen.every(apart)) chosen.push(i)
    if (chosen.length === MOST_SCATTERERS) break
  }
  return chosen.map((i) => places[i])
}

/** The complex number at `from` times exp(j phase), at `to` of another array. */
function turn(given: Float64Array, from: number, phase: number, out: Float64Array, to: number): void {
  const [cos, sin] = [Math.cos(phase), Math.sin(phase)]
  out[to] = given[from] * cos - given[from + 1] * sin
  out[to + 1] = given[from] * sin + given[from + 1] * cos
}

/** c / 2B [m]. */
const cellOf = ({ freqHz }: HistoryPart): number => C0 / (2 * (freqHz[freqHz.length - 1] - freqHz[0]))

const peakOf = (image: Float64Array): number => {
  let most = 0
  for (let i = 0; i < image.length; i += 2) most = Math.max(most, image[i] ** 2 + image[i + 1] ** 2)
  return 10 * Math.log10(Math.max(most, 1e-30))
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
