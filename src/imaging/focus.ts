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
import type { Backprojector } from './solve.js'

/** What autofocus did. */
export interface Focused {
  history: HistoryPart
  /** Root mean square of the phases taken out [rad]. */
  rmsRad: number
}

/** An image with and without the phases that autofocus found. */
export interface FocusedImage {
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
