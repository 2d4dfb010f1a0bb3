import { direction, InputError, type Vec3 } from '../scene/index.js'
import { PointSpread, type PointSpreadOptions } from './point-spread.js'

/** A point of an image: its position [m] and complex amplitude, |re + j im|^2 its RCS [m^2]. */
export interface ScatteringCentre {
  rangeM: number
  crossRangeM: number
  re: number
  im: number
}

/** Limits of the search. */
export interface CentreOptions {
  /** Maximum number of centres. */
  count: number
  /** Level below the brightest centre at which the search ends [dB]. */
  floorDb: number
}

/** Result of the search. */
export interface Centres {
  /** In the order found: the brightest remaining one each time. */
  centres: ScatteringCentre[]
  /** Residual image. */
  residual: Float64Array
  /** Energy of the residual image over that of the image. */
  residualEnergy: number
}

/** An image with its axes, as `formImage` returns it. */
interface Picture {
  image: Float64Array
  rangeM: Float64Array
  crossRangeM: Float64Array
}

/** Halvings of the step in the search for a centre's position, down to a thousandth of a pixel. */
const HALVINGS = 10

/**
 * Scattering centres of a complex image by CLEAN (J. A. Hogbom, Astron. Astrophys. Suppl. 15, 1974; J. Tsao and B. D.
 * Steinberg, IEEE Trans. AP 36, 1988, for coherent images): the brightest point of the image is fitted, between pixels too,
 * with the image's exact point-spread function and subtracted completely (loop gain 1); this repeats on the residual.
 *
 * The fit is by least squares over the 3 x 3 pixels about the brightest one. Centres closer than a resolution cell are found
 * as one, or as a bright one with weak ones around it; scatterers that are not points (a plate at broadside, a cavity) as several.
 * @throws InputError for a count or floor that is not positive
 */
export function scatteringCentres(
  picture: Picture,
  psf: PointSpread | PointSpreadOptions,
  options: CentreOptions,
): Centres {
  const search = searchCentres(picture, psf, options)
  for (;;) {
    const { done, value } = search.next()
    if (done) return value
  }
}

/** The same step by step: yields the number of centres found so far. */
export function* searchCentres(
  picture: Picture,
  psf: PointSpread | PointSpreadOptions,
  { count, floorDb }: CentreOptions,
): Generator<number, Centres> {
  if (!(Number.isInteger(count) && count > 0))
    throw new InputError(`scattering centres: must be an integer of at least 1, not ${count}`)
  if (!(floorDb > 0))
    throw new InputError(`scattering centres: a floor of ${floorDb} dB; give more than zero`)
  const spread = psf instanceof PointSpread ? psf : new PointSpread(psf)
  const { rangeM, crossRangeM } = picture
  const residual = picture.image.slice()
  const centres: ScatteringCentre[] = []
  const energy = energyOf(residual)
  let floor = 0
  while (centres.length < count) {
    const { at, power } = brightest(residual)
    if (centres.length === 0) floor = power * 10 ** (-floorDb / 10)
    if (!(power > floor)) break
    const centre = fit(residual, rangeM, crossRangeM, at, spread)
    spread.aim(centre.rangeM, centre.crossRangeM)
    spread.subtract(
      residual,
      rangeM,
      crossRangeM,
      [centre.rangeM, centre.crossRangeM],
      [centre.re, centre.im],
    )
    centres.push(centre)
    yield centres.length
  }
  return { centres, residual, residualEnergy: energy > 0 ? energyOf(residual) / energy : 0 }
}

/** Position of a centre in a plane of constant z, and its RCS. */
export interface PlacedCentre extends ScatteringCentre {
  /** RCS [dBsm] and phase of the amplitude [degrees]. */
  sigmaDbsm: number
  phaseDeg: number
  /** Position, assuming the horizontal plane of the phase centre: the image does not determine the height [m]. */
  xM: number
  yM: number
}

/**
 * A centre in the target's coordinates.
 * @param thetaDeg  centre aspect of the image, from +z [degrees]
 * @param phiDeg  and from +x towards +y [degrees]
 */
export function placeCentre(
  centre: ScatteringCentre,
  thetaDeg: number,
  phiDeg: number,
  phaseCentre: Readonly<Vec3>,
): PlacedCentre {
  const { rangeM, crossRangeM, re, im } = centre
  const { phiHat } = direction(thetaDeg, phiDeg)
  const away = rangeM / Math.sin((thetaDeg * Math.PI) / 180)
  return {
    ...centre,
    sigmaDbsm: 10 * Math.log10(re * re + im * im),
    phaseDeg: (Math.atan2(im, re) * 180) / Math.PI,
    xM: phaseCentre[0] - away * phiHat[1] + crossRangeM * phiHat[0],
    yM: phaseCentre[1] + away * phiHat[0] + crossRangeM * phiHat[1],
  }
}

const energyOf = (image: Float64Array): number => image.reduce((s, x) => s + x * x, 0)

function brightest(image: Float64Array): { at: number; power: number } {
  let at = 0
  let power = -1
  for (let i = 0; i < image.length; i += 2) {
    const p = image[i] * image[i] + image[i + 1] * image[i + 1]
    if (p > power) [at, power] = [i / 2, p]
  }
  return { at, power }
}

/** Least-squares fit of a point to the pixels around number `at`. */
function fit(
  image: Float64Array,
  rangeM: Float64Array,
  crossRangeM: Float64Array,
  at: number,
  spread: PointSpread,
): ScatteringCentre {
  const [rows, cols] = [rangeM.length, crossRangeM.length]
  const [row, col] = [Math.floor(at / cols), at % cols]
  const pixels: number[] = []
  for (let i = Math.max(0, row - 1); i <= Math.min(rows - 1, row + 1); i++)
    for (let l = Math.max(0, col - 1); l <= Math.min(cols - 1, col + 1); l++) pixels.push(i * cols + l)
  const p = new Float64Array(2)
  const projected = { re: 0, im: 0 }
  /** Energy of the pixels explained by a point at (R, c); its amplitude is in `projected`. */
  const explained = (r: number, c: number): number => {
    let [re, im, norm] = [0, 0, 0]
    for (const i of pixels) {
      spread.at(rangeM[Math.floor(i / cols)] - r, crossRangeM[i % cols] - c, p)
      re += p[0] * image[2 * i] + p[1] * image[2 * i + 1]
      im += p[0] * image[2 * i + 1] - p[1] * image[2 * i]
      norm += p[0] * p[0] + p[1] * p[1]
    }
    Object.assign(projected, { re: re / norm, im: im / norm })
    return (re * re + im * im) / norm
  }
  const position = [rangeM[row], crossRangeM[col]]
  spread.aim(position[0], position[1])
  const step = [Math.abs(rangeM[1] - rangeM[0]) / 2, Math.abs(crossRangeM[1] - crossRangeM[0]) / 2]
  let best = explained(position[0], position[1])
  for (let round = 0; round < HALVINGS; round++)
    for (let axis = 0; axis < 2; axis++) {
      const value = (offset: number): number =>
        explained(position[0] + (axis === 0 ? offset : 0), position[1] + (axis === 1 ? offset : 0))
      const h = step[axis]
      const [low, high] = [value(-h), value(h)]
      const curvature = low - 2 * best + high
      const guess =
        curvature < 0 ? Math.max(-h, Math.min(h, (0.5 * h * (low - high)) / curvature)) : low > high ? -h : h
      const there = value(guess)
      if (there > best) {
        best = there
        position[axis] += guess
      }
      step[axis] = h / 2
    }
  explained(position[0], position[1])
  return { rangeM: position[0], crossRangeM: position[1], re: projected.re, im: projected.im }
}
