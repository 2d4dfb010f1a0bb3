import { C0, InputError } from '../scene/index.js'
import { imageExtent, type ImageExtent } from './outline.js'

/** Target, centre aspect and band or resolution of a sweep. */
export interface SweepRequest {
  /** Points that bound the target, x y z each [m]: its vertices, or boxCorners() of its bounding box. */
  points: Float64Array
  phaseCentre?: readonly [number, number, number]
  /** Centre aspect [degrees]. */
  thetaDeg: number
  phiDeg: number
  /** Lowest and highest frequency, both included [Hz]; count from the target's size where absent. */
  band?: { f0: number; f1: number; count?: number }
  /** Instead of band and aperture: resolutions [m] about a centre frequency [Hz]; crossRangeM defaults to rangeM. */
  resolution?: { rangeM: number; crossRangeM?: number; centreHz: number }
  /** Span of the aspects in phi [degrees]; default: cross-range resolution equal to range resolution. */
  apertureDeg?: number
  /** Number of aspects; from the target's size where absent. */
  angles?: number
}

/** Frequencies and aspects of a sweep, and the image that they give. */
export interface SweepPlan {
  /** Uniform frequencies from f0 to f1 [Hz], as f0 + i (f1 - f0) / (n - 1). */
  freqHz: Float64Array
  thetaDeg: number
  /** Uniform aspects over the aperture, both ends included [degrees]; their middle is the centre aspect. */
  phiDeg: Float64Array
  bandwidthHz: number
  apertureDeg: number
  /** c / 2B, B = f1 - f0 [m]. */
  rangeResolutionM: number
  /** lambda_c / (2 aperture |sin theta|), lambda_c at the middle of the band [m]. */
  crossRangeResolutionM: number
  /** c / (2 df) [m]. */
  unambiguousRangeM: number
  /** lambda / (2 dphi |sin theta|) at the highest frequency, where it is smallest [m]. */
  unambiguousCrossRangeM: number
  /** Target at the centre aspect [m]. */
  extent: ImageExtent
  /** Image window: the target with margin, inside one unambiguous extent [m]. */
  window: ImageExtent
  /** Warnings, one line each (ambiguous, out of focus). */
  notes: string[]
}

/** The sampled extent is the target's times MARGIN, and MARGIN_CELLS resolution cells. */
const MARGIN = 1.3
const MARGIN_CELLS = 8
/** More samples than this along one axis are used only on request. */
const MAX_AUTO = 20_000

/**
 * Frequencies and aspects for an ISAR image of a target.
 *
 * Rotation in phi by delta moves a point's phase by 2k sin(theta) r . phi-hat delta: away from the horizontal plane the arc
 * on the sphere of directions is shortened by sin(theta). With B = f1 - f0 and aperture P [rad] the resolutions (null to
 * peak of the unwindowed response, as in the papers: 0.1 m for 1.5 GHz) are
 *   range c / 2B,  cross-range lambda_c / (2 P |sin theta|),
 * and the extents free of ambiguity
 *   range c / (2 df), df = B / (n - 1);  cross-range lambda / (2 dphi |sin theta|), at f1, to hold over the whole band.
 * The counts make these at least 1.3 times the target's extent plus 8 resolution cells; the extent is the largest
 * over all aspects of the aperture. Counts need not be powers of two.
 * @throws InputError where the request makes no sense; the message says which option.
 */
export function planSweep(request: SweepRequest): SweepPlan {
  const { thetaDeg, phiDeg } = request
  if (!Number.isFinite(thetaDeg) || !Number.isFinite(phiDeg))
    throw new InputError('theta and phi must be finite numbers of degrees')
  const sinTheta = Math.abs(Math.sin((thetaDeg * Math.PI) / 180))
  if (sinTheta < 1e-6)
    throw new InputError(
      `theta = ${thetaDeg} degrees looks along the z axis: rotation in phi gives no cross-range; choose theta away from 0 and 180`,
    )
  const { f0, f1 } = bandOf(request)
  const bandwidthHz = f1 - f0
  const rangeResolutionM = C0 / (2 * bandwidthHz)
  const centreWavelength = (2 * C0) / (f0 + f1)
  const apertureDeg = apertureOf(request, centreWavelength, rangeResolutionM, sinTheta)
  const aperture = (apertureDeg * Math.PI) / 180
  const crossRangeResolutionM = centreWavelength / (2 * aperture * sinTheta)

  const extent = imageExtent(request.points, thetaDeg, phiDeg, request.phaseCentre)
  const widest = widestExtent(request, apertureDeg)
  const needRange = MARGIN * widest.range + MARGIN_CELLS * rangeResolutionM
  const needCross = MARGIN * widest.crossRange + MARGIN_CELLS * crossRangeResolutionM
  const nFreq =
    requestedCount('band', 'frequencies', request.band?.count) ??
    automatic('frequencies', Math.ceil(needRange / rangeResolutionM) + 1, widest.range)
  const perAngle = C0 / (2 * f1 * sinTheta) // unambiguous cross-range times angle step
  const nAngle =
    requestedCount('angles', 'aspects', request.angles) ??
    automatic('angles', Math.ceil((needCross * aperture) / perAngle) + 1, widest.crossRange)

  const df = bandwidthHz / (nFreq - 1)
  const dphi = apertureDeg / (nAngle - 1)
  const unambiguousRangeM = C0 / (2 * df)
  const unambiguousCrossRangeM = perAngle / ((dphi * Math.PI) / 180)
  const window: ImageExtent = {
    rangeM: showing(extent.rangeM, MARGIN_CELLS * rangeResolutionM, unambiguousRangeM),
    crossRangeM: showing(extent.crossRangeM, MARGIN_CELLS * crossRangeResolutionM, unambiguousCrossRangeM),
  }
  return {
    freqHz: Float64Array.from({ length: nFreq }, (_, i) => f0 + i * df),
    thetaDeg,
    phiDeg: Float64Array.from({ length: nAngle }, (_, i) => phiDeg + (i - (nAngle - 1) / 2) * dphi),
    bandwidthHz,
    apertureDeg,
    rangeResolutionM,
    crossRangeResolutionM,
    unambiguousRangeM,
    unambiguousCrossRangeM,
    extent,
    window,
    notes: [
      ...ambiguity('frequencies', nFreq, unambiguousRangeM, widest.range, 'range'),
      ...ambiguity('aspects', nAngle, unambiguousCrossRangeM, widest.crossRange, 'cross-range'),
    ],
  }
}

/** By how many resolution cells the worst point of a target smears in each kind of image. */
export interface Smear {
  smallAngle: number
  polarFormat: number
}

/**
 * Smear of the worst point over the aperture P [rad], in cells (rho_r, rho_x: the resolutions). A point x towards the radar in the horizontal
 * plane, c in cross-range and h above the phase centre walks while the aspect turns
 * - in the small-angle image through c |sin theta| P in range, from one end of the aperture to the other (in cells as many as the c B / f_c by
 *   which the band stretches cross-range), and x P in cross-range: cells = P max(|c sin theta| / rho_r, |x| / rho_x). Half a cell of the latter
 *   is a phase of pi / 8 at the aperture's ends.
 * - with polarFormat, exact at h = 0, through h cot(theta) P in cross-range: cells = P |h cot theta| / rho_x.
 * @param points x y z of each [m]: the target's vertices
 */
export function imageSmear(
  { apertureDeg, thetaDeg, phiDeg, rangeResolutionM, crossRangeResolutionM }: SweepPlan,
  points: Float64Array,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): Smear {
  const rad = Math.PI / 180
  const [sin, cos] = [Math.sin(thetaDeg * rad), Math.cos(thetaDeg * rad)]
  const middle = ((phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2) * rad
  const [ux, uy] = [Math.cos(middle), Math.sin(middle)]
  const most = { x: 0, c: 0, h: 0 }
  for (let i = 0; i < points.length; i += 3) {
    const px = points[i] - phaseCentre[0]
    const py = points[i + 1] - phaseCentre[1]
    most.x = Math.max(most.x, Math.abs(px * ux + py * uy))
    most.c = Math.max(most.c, Math.abs(py * ux - px * uy))
    most.h = Math.max(most.h, Math.abs(points[i + 2] - phaseCentre[2]))
  }
  const aperture = apertureDeg * rad
  return {
    smallAngle:
      aperture * Math.max((most.c * Math.abs(sin)) / rangeResolutionM, most.x / crossRangeResolutionM),
    polarFormat: (aperture * most.h * Math.abs(cos / sin)) / crossRangeResolutionM,
  }
}

/** Smear of the small-angle transform above which `auto` takes polar format [cells]. */
const SMEAR = 0.5

/** Whether `auto` forms an image by polar format: where the small-angle transform smears by more than half a cell, and by more than polar format. */
export const needsPolarFormat = ({ smallAngle, polarFormat }: Smear): boolean =>
  smallAngle > SMEAR && smallAngle > polarFormat

/** The band that a sweep asks for, or that its resolution needs [Hz]. @throws InputError where the request makes no sense */
export function bandOf({
  band,
  resolution,
  apertureDeg,
}: Pick<SweepRequest, 'band' | 'resolution' | 'apertureDeg'>): { f0: number; f1: number } {
  if (band && resolution)
    throw new InputError('give either a band or a resolution with its centre frequency, not both')
  if (band) {
    if (!(band.f0 > 0 && band.f1 > band.f0 && Number.isFinite(band.f1)))
      throw new InputError(
        `band ${band.f0}:${band.f1} Hz: the ends must be positive and ascending, an image needs a bandwidth`,
      )
    return band
  }
  if (!resolution) throw new InputError('give a band (f0:f1) or a resolution with its centre frequency')
  const { rangeM, crossRangeM = rangeM, centreHz } = resolution
  if (!(rangeM > 0 && crossRangeM > 0 && Number.isFinite(rangeM) && Number.isFinite(crossRangeM)))
    throw new InputError(`resolution ${rangeM},${crossRangeM} m: both must be positive`)
  if (!(centreHz > 0 && Number.isFinite(centreHz)))
    throw new InputError(`centre frequency ${centreHz} Hz must be positive`)
  if (apertureDeg !== undefined)
    throw new InputError('a resolution determines the aperture: give one of the two')
  const bandwidth = C0 / (2 * rangeM)
  if (bandwidth >= 2 * centreHz)
    throw new InputError(
      `resolution ${rangeM} m needs ${(bandwidth / 1e9).toPrecision(4)} GHz of bandwidth, which does not fit about ` +
        `${(centreHz / 1e9).toPrecision(4)} GHz; raise the centre frequency or the resolution's length`,
    )
  return { f0: centreHz - bandwidth / 2, f1: centreHz + bandwidth / 2 }
}

function apertureOf(
  request: SweepRequest,
  wavelength: number,
  rangeResolutionM: number,
  sinTheta: number,
): number {
  if (request.apertureDeg !== undefined) {
    if (!(request.apertureDeg > 0 && request.apertureDeg < 180))
      throw new InputError(
        `aperture ${request.apertureDeg} degrees: give more than 0 and less than 180 degrees`,
      )
    return request.apertureDeg
  }
  const wanted = request.resolution?.crossRangeM ?? rangeResolutionM
  const degrees = (wavelength / (2 * wanted * sinTheta)) * (180 / Math.PI)
  if (degrees >= 180)
    throw new InputError(
      `a cross-range resolution of ${wanted.toPrecision(3)} m at theta = ${request.thetaDeg} degrees needs an aperture ` +
        `of ${degrees.toFixed(0)} degrees; give a smaller one (aperture, or a coarser cross-range resolution)`,
    )
  return degrees
}

/** Largest extent of the target over all aspects of the aperture [m], which the sampling must resolve. */
function widestExtent(request: SweepRequest, apertureDeg: number): { range: number; crossRange: number } {
  const halfSteps = Math.ceil(apertureDeg / 10) // at most 5 degrees each
  const range: [number, number] = [Infinity, -Infinity]
  const cross: [number, number] = [Infinity, -Infinity]
  for (let i = -halfSteps; i <= halfSteps; i++) {
    const phi = request.phiDeg + (i / halfSteps) * (apertureDeg / 2)
    const { rangeM, crossRangeM } = imageExtent(request.points, request.thetaDeg, phi, request.phaseCentre)
    range[0] = Math.min(range[0], rangeM[0])
    range[1] = Math.max(range[1], rangeM[1])
    cross[0] = Math.min(cross[0], crossRangeM[0])
    cross[1] = Math.max(cross[1], crossRangeM[1])
  }
  return { range: range[1] - range[0], crossRange: cross[1] - cross[0] }
}

function requestedCount(option: string, what: string, count: number | undefined): number | undefined {
  if (count !== undefined && !(Number.isInteger(count) && count >= 2))
    throw new InputError(`${option}: ${count} ${what}; an image needs a whole number of at least 2`)
  return count
}

function automatic(what: string, count: number, extentM: number): number {
  if (count > MAX_AUTO)
    throw new InputError(
      `the target is ${extentM.toPrecision(4)} m across, which needs ${count} ${what}; check the mesh's units, or give the count`,
    )
  return count
}

/** Window around the target: its extent times MARGIN plus the extra cells, at most one unambiguous extent. */
function showing([low, high]: [number, number], extra: number, unambiguous: number): [number, number] {
  const half = Math.min(MARGIN * (high - low) + extra, unambiguous) / 2
  return [(low + high) / 2 - half, (low + high) / 2 + half]
}

function ambiguity(
  what: string,
  count: number,
  unambiguous: number,
  extentM: number,
  axis: string,
): string[] {
  if (unambiguous >= extentM) return []
  return [
    `${count} ${what} are unambiguous over ${unambiguous.toPrecision(3)} m of ${axis}, but the target spans ` +
      `${extentM.toPrecision(3)} m: it will fold over itself; use at least ${Math.ceil((count - 1) * (extentM / unambiguous)) + 1}`,
  ]
}
