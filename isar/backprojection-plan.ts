import { C0, InputError, type Vec3 } from '../scene/index.js'
import type { PixelGrid } from './backprojection.js'
import { axisPoints } from './chirp.js'
import { pixelAxis } from './image.js'
import {
  type Aperture,
  apertureOf,
  imagePlane,
  type ImagePlane,
  type PlaneName,
  type PulseHistory,
} from './pulses.js'
import { windowSamples, type WindowName } from './window.js'

/** How the pulses of a history become an image. */
export interface BackprojectionOptions {
  plane: PlaneName
  /** Height of the ground plane [m]; default 0. */
  heightM?: number
  /** Window over frequency and over the aperture. */
  window: WindowName
  /** Ends of the image along its axes, across and along [m]; default: about the origin, what pulses and frequencies resolve unambiguously. */
  acrossM?: [number, number]
  alongM?: [number, number]
  /** Spacing of pixels, of both axes or across and along [m]; default a quarter of a resolution cell, half of one in large images. */
  pixelM?: number | [across: number, along: number]
}

/** An image to be computed: its pixels, weights and what to say of it. */
export interface BackprojectionPlan {
  plane: ImagePlane
  grid: PixelGrid
  /** Places of columns and rows along the plane's axes [m]. */
  acrossM: Float64Array
  alongM: Float64Array
  /** Of the frequencies; of the pulses, with the image's factor sqrt(4 pi) / sum w_m w_n. */
  frequencyWeights: Float64Array
  pulseWeights: Float64Array
  aperture: Aperture
  /** c / 2B, and lambda_c / (4 sin(span / 2) sin(theta)) [m]. */
  rangeResolutionM: number
  crossRangeResolutionM: number
  notes: string[]
}

/** Most pixels along an axis that is not asked for. */
const MOST_DEFAULT = 2048
/** Pixels along an axis above which the default is two to a cell instead of four. */
const FINE = 1024
const MOST_PIXELS = 2 ** 26
/** An aperture of more degrees has no ends that a window could taper. */
const FULL_CIRCLE = 300

/** @throws InputError for a history without bandwidth or aperture, and options that do not fit it */
export function planBackprojection(
  history: Omit<PulseHistory, 'f'>,
  options: BackprojectionOptions,
): BackprojectionPlan {
  const { freqHz, pulses } = history
  if (freqHz.length < 2 || pulses < 2)
    throw new InputError(`phase history: ${freqHz.length} frequencies and ${pulses} pulses; an image needs at least 2 of each`) // prettier-ignore
  const aperture = apertureOf(history)
  const plane = imagePlane(options.plane, aperture, options.heightM)
  const nf = freqHz.length
  const step = (freqHz[nf - 1] - freqHz[0]) / (nf - 1)
  const wavelength = (2 * C0) / (freqHz[0] + freqHz[nf - 1])
  const sinTheta = Math.abs(Math.sin(radians(aperture.centre.thetaDeg)))
  const halfSpan = radians(Math.min(180, aperture.spanDeg) / 2)
  if (!(halfSpan > 0 && sinTheta > 1e-6))
    throw new InputError('phase history: its pulses all come from one azimuth; an image needs an aperture')
  const rangeResolutionM = C0 / (2 * nf * step)
  const crossRangeResolutionM = wavelength / (4 * Math.sin(halfSpan) * sinTheta)
  const unambiguousM = C0 / (2 * step)
  const crossM = C0 / freqHz[nf - 1] / (2 * radians(middleStep(aperture.phiDeg)) * sinTheta)
  const ground = plane.name === 'ground'
  const both = Math.min(unambiguousM, crossM)
  const finest = Math.min(rangeResolutionM / sinTheta, crossRangeResolutionM)
  const notes: string[] = []
  const axisOf = (
    name: string,
    window: [number, number] | undefined,
    given: number | undefined,
    cell: number,
    most: number,
  ) => {
    const wanted = window ? window[1] - window[0] : most
    const pixel = given ?? cell / (4 * wanted <= FINE * cell ? 4 : 2)
    const width = window ? wanted : Math.min(wanted, MOST_DEFAULT * pixel)
    if (width < 0.999 * wanted)
      notes.push(`${name}: ${width.toPrecision(3)} m of the unambiguous ${wanted.toPrecision(3)} m are shown; --extent gives more`) // prettier-ignore
    if (wanted > 1.001 * most)
      notes.push(
        `${name}: the samples repeat after ${most.toPrecision(3)} m; what lies farther apart is folded over`,
      )
    return pixelAxis(
      name,
      window ?? [-width / 2, width / 2],
      most,
      cell,
      Math.max(2, Math.round(width / pixel)),
    )
  }
  const [across, along] = pixelSteps(options.pixelM)
  const x = axisOf(
    ground ? 'x' : 'cross-range',
    options.acrossM,
    across,
    ground ? finest : crossRangeResolutionM,
    ground ? both : crossM,
  )
  const y = axisOf(
    ground ? 'y' : 'range',
    options.alongM,
    along,
    ground ? finest : rangeResolutionM,
    ground ? both : unambiguousM,
  )
  if (x.count * y.count > MOST_PIXELS)
    throw new InputError(`image: ${y.count} x ${x.count} pixels are too many; give coarser pixels or a smaller extent`) // prettier-ignore
  const wf = windowSamples(options.window, nf)
  const wp = apertureWeights(options.window, aperture)
  const scale = Math.sqrt(4 * Math.PI) / (sum(wf) * sum(wp))
  return {
    plane,
    grid: {
      rows: y.count,
      cols: x.count,
      first: plane.origin.map((o, a) => o + x.start * plane.across[a] + y.start * plane.along[a]) as Vec3,
      across: plane.across.map((v) => v * x.step) as Vec3,
      along: plane.along.map((v) => v * y.step) as Vec3,
    },
    acrossM: axisPoints(x),
    alongM: axisPoints(y),
    frequencyWeights: wf,
    pulseWeights: wp.map((w) => w * scale),
    aperture,
    rangeResolutionM,
    crossRangeResolutionM,
    notes,
  }
}

/** Spacing of pixels across and along; undefined where not given. */
export const pixelSteps = (
  pixelM: BackprojectionOptions['pixelM'],
): [number, number] | [undefined, undefined] =>
  typeof pixelM === 'number' ? [pixelM, pixelM] : (pixelM ?? [undefined, undefined])

/** The window over the azimuths of the aperture, wherever its pulses lie; 1 for a full circle. */
function apertureWeights(window: WindowName, { phiDeg, spanDeg }: Aperture): Float64Array {
  const count = phiDeg.length
  if (spanDeg > FULL_CIRCLE) return new Float64Array(count).fill(1)
  const samples = windowSamples(window, count)
  const low = phiDeg.reduce((a, b) => Math.min(a, b))
  return phiDeg.map((phi) => {
    const place = ((phi - low) / spanDeg) * (count - 1)
    const at = Math.min(count - 2, Math.floor(place))
    return samples[at] + (place - at) * (samples[at + 1] - samples[at])
  })
}

/** Median difference of neighbouring azimuths [degrees]; of several passes over one aperture that of all. */
function middleStep(phiDeg: Float64Array): number {
  const sorted = phiDeg.toSorted()
  const steps = sorted
    .slice(1)
    .map((phi, i) => phi - sorted[i])
    .sort()
  return Math.max(steps[steps.length >> 1], 1e-9)
}

const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0)
const radians = (deg: number): number => (deg * Math.PI) / 180
