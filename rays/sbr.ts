import {
  type Band,
  frequency,
  highestFrequency,
  middleWavelength,
  wavelength,
  wavenumber,
} from '../scene/band.js'
import { type Aspect, type Direction, dot, type Vec3 } from '../scene/direction.js'
import { type Aperture, fitAperture, type TileRange, wholeAperture } from './aperture.js'
import type { RayScene } from './ray-scene.js'

/** Which currents radiate (docs/theory.md, "5. Current"). */
export type Formulation = 'all-bounces' | 'exit'

/** `direct`: every contribution at every frequency. `fast`: one evaluation serves the band, with an error below `sumTolerance`. */
export type FrequencySum = 'direct' | 'fast'
export const SUM_TOLERANCE = 1e-5

/** How shooting and bouncing rays sample and follow the field. */
export interface SbrOptions {
  /** Tubes per wavelength at the band's highest frequency. */
  raysPerWavelength: number
  /** Reflections followed, 1 to MAX_BOUNCES. */
  maxBounces: number
  /** Times an invalid tube is cut into 2 x 2, 0 to MAX_SUBDIVISIONS. */
  subdivisions: number
  /** `all-bounces` where absent. */
  formulation?: Formulation
  /** How the frequencies of a band are summed (docs/numerics.md, "Frequency summation"); where absent `fast` for bands of enough frequencies to gain by it. */
  frequencySum?: FrequencySum
  /** Error of `fast` sums, as a part of the peak; SUM_TOLERANCE where absent. */
  sumTolerance?: number
  /** When set, only this bounce (1, 2, ...) contributes: its part of the total. */
  onlyBounce?: number
}

/** Bounces a path can hold. The GPU counts those of 256 tubes in 14 bits (shaders/collect.wgsl). */
export const MAX_BOUNCES = 50
/**
 * Bounces in which the rays of a valid tube have to agree, unless the formulation is `exit`. Tubes of more, in ducts and gaps, are cut
 * once, and their central rays decide.
 */
export const COMPARED_BOUNCES = 5
/** Whether rays are those of the papers, whose last hit alone radiates: the only place that asks for the formulation. */
export const isExitForm = ({ formulation }: Pick<SbrOptions, 'formulation'>): boolean =>
  formulation === 'exit'
/** Bounces in which the rays of a job's valid tubes agree. */
export const comparedBounces = (options: SbrOptions): number =>
  isExitForm(options) ? options.maxBounces : Math.min(COMPARED_BOUNCES, options.maxBounces)
/** Times a job's invalid tube is cut before it is dropped. */
export const cutsOf = (options: SbrOptions): number => (isExitForm(options) ? 0 : options.subdivisions)
/** Cell positions within a batch of 128 tiles fit 16 bits at this depth. */
export const MAX_SUBDIVISIONS = 4

/** Channels of polarisation: transmit, then receive; V is theta-hat, H is phi-hat. Fields hold them in this order. */
export const CHANNELS = ['vv', 'hh', 'vh', 'hv'] as const
/** One of the channels. */
export type Channel = (typeof CHANNELS)[number]

/**
 * Directions that one aspect's rays serve, monostatic (docs/numerics.md, "Aspect extrapolation"). A contribution has a delay L, and P, the
 * sum of its first and its last hit: turning the radar from r to r' changes its phase path by (r - r') . P to first order
 * (Fermat; R. Bhalla and H. Ling, IEEE Trans. AP 41, 1993). Its amplitude and its shape stay what they are.
 */
export interface Extrapolation {
  directions: Direction[]
}

/** One aspect of a sweep, as every SBR engine takes it. */
export interface SbrJob {
  /** Approximate fields of all these directions in the place of the aspect's own, [direction][frequency]; monostatic. */
  extrapolation?: Extrapolation
  aspect: Aspect
  band: Band
  options: SbrOptions
  /** Only these tiles of the aperture; the result then has `totals`. All of them where absent. */
  tiles?: TileRange
}

/** A ray tube that radiates, and the facets that its rays meet. */
export interface RayPath {
  /** Times the tube was halved along both axes, and its cell of the lattice so refined: it spans i ... i + 1, j ... j + 1. */
  level: number
  i: number
  j: number
  /** Facets that the central ray meets, bounce by bounce. */
  facets: Int32Array
  /** Bounce by bounce 1 where it radiates, else 0. */
  radiating: Uint8Array
  /** Of a tube across facets of one smooth surface: those that the corner rays meet, in the order ++ -+ -- +-; else null. */
  corners: Int32Array | null
}

/** Step of the path hash (FNV-1a on whole words); the GPU computes the same 32-bit numbers. */
export const hashStep = (hash: number, word: number): number => Math.imul(hash ^ word, 0x01000193) >>> 0
export const HASH_START = 0x811c9dc5

/**
 * Word of the unit normal n[at ... at + 2], in steps of 2^-13: the same for coplanar facets, but for the few whose rounding lies across
 * a step. The GPU computes the same numbers (`normal_key` in shaders/path.wgsl).
 */
export function normalKey(n: Float64Array, at: number): number {
  const x = Math.floor(Math.fround(8192 * Math.fround(n[at]) + 0.5))
  const y = Math.floor(Math.fround(8192 * Math.fround(n[at + 1]) + 0.5))
  const z = Math.floor(Math.fround(8192 * Math.fround(n[at + 2]) + 0.5))
  return hashStep(hashStep(hashStep(HASH_START, x), y), z)
}

/**
 * One aspect taken sub-grid by sub-grid, for schedules that do something else meanwhile: per part `trace`, then
 * `field`, in the order of the parts; then `finish`. No other aspect may be in flight on the same engine.
 */
export interface SbrRun {
  /** Sub-grids of the aperture (or pieces of one that is too large for the device's lists). */
  parts: TileRange[]
  /** Resolves when the device has traced the part. */
  trace(part: number): Promise<unknown>
  /** Resolves when the device has computed the traced part's fields. */
  field(part: number): Promise<unknown>
  /** The aspect's result; null when a list of the device overflowed and the aspect must be taken again. */
  finish(): Promise<AspectResult | null>
}

/** Shooting and bouncing rays for one target: on the GPU, on worker threads in double precision, or on a cluster. */
export type SbrEngine = FieldEngine<SbrJob>

/** An engine that also takes an aspect step by step, as the schedules of paper 003 do. */
export interface SteppedSbrEngine extends SbrEngine {
  begin(job: SbrJob, signal?: AbortSignal): Promise<SbrRun>
}

/** Side of a tube [m]: the tubes are as many per wavelength at the highest frequency as the options say. */
export const tubeSide = (job: SbrJob): number =>
  wavelength(highestFrequency(job.band)) / job.options.raysPerWavelength

/**
 * A run's options for a band of one half octave (`bandsOfSteps`): tubes are as many per wavelength as asked for in the middle of the half octave,
 * .84 and 1.19 times as many at its ends, so that a datum does not depend on the run's other frequencies. On average its error and its
 * cost are those of tubes that follow its own frequency; shorter steps would divide more bands, whose every part is traced, and
 * longer ones be coarser at their ends.
 */
export const optionsOfStep = (options: SbrOptions, band: Band): SbrOptions => ({
  ...options,
  raysPerWavelength:
    (options.raysPerWavelength * wavelength(highestFrequency(band))) / middleWavelength(band),
})

/** The virtual aperture of a job. */
export const jobAperture = (scene: RayScene, job: SbrJob): Aperture =>
  fitAperture(scene, job.aspect.tx, tubeSide(job))

/** The tiles of a job: those it names, or all of its aperture. @throws RangeError for tiles that are not the aperture's */
export function jobTiles(aperture: Aperture, { tiles }: SbrJob): TileRange {
  const whole = wholeAperture(aperture)
  if (!tiles) return whole
  const inside = (at: number, n: number, first: number, count: number): boolean =>
    n > 0 && at >= first && at + n <= first + count
  if (inside(tiles.i0, tiles.ni, whole.i0, whole.ni) && inside(tiles.j0, tiles.nj, whole.j0, whole.nj))
    return tiles
  throw new RangeError(`tiles ${JSON.stringify(tiles)} are not tiles of ${JSON.stringify(whole)}`)
}

/** Generous bound of |sum V I| [m^2]: every facet lit at every bounce with |V| <= 2, and footprints up to 16 times too large. */
export const fieldBound = (facetArea: number, maxBounces: number): number => 32 * facetArea * maxBounces

/** `finishField` of an aspect, or of every extrapolated direction. */
export function finishFields(
  origin: Vec3,
  { aspect, band, extrapolation }: SbrJob,
  fields: Float64Array,
): void {
  const aspects = extrapolation ? extrapolation.directions.map((d) => ({ tx: d, rx: d })) : [aspect]
  aspects.forEach((of, m) =>
    finishField(origin, { aspect: of, band }, fields.subarray(8 * band.n * m, 8 * band.n * (m + 1))),
  )
}

/**
 * Turns the sums of A exp(-jkL) I [m^2], 8 numbers per frequency, into amplitudes F [m] referred to the mesh's own
 * origin: the factor jk / 4 pi, and the phase of `origin`, the point that the sums are referred to.
 */
export function finishField(origin: Vec3, job: Pick<SbrJob, 'aspect' | 'band'>, field: Float64Array): void {
  const { tx, rx } = job.aspect
  const shift = dot(rx.r, origin) + dot(tx.r, origin)
  for (let n = 0; n < job.band.n; n++) {
    const k = wavenumber(frequency(job.band, n))
    const a = k / (4 * Math.PI)
    const c = Math.cos(k * shift)
    const s = Math.sin(k * shift)
    for (let o = 8 * n; o < 8 * n + 8; o += 2) {
      const re = -a * field[o + 1]
      const im = a * field[o]
      field[o] = re * c - im * s
      field[o + 1] = re * s + im * c
    }
  }
}

/**
 * A field becomes its mean with `back`, where transmitter and receiver are exchanged (VH there is HV back): of a monostatic field, which is its own,
 * HV and VH. By reciprocity they are equal; physical optics over several bounces and first-order edge currents break that, with an error about as
 * large either way, which the mean halves (docs/theory.md, "Ray tubes").
 * @param weights  of both, with the sum 1
 */
export function symmetrise(field: Float64Array, back = field, [here, there] = [0.5, 0.5]): void {
  const mean = (o: number, from: number): number => here * field[o] + there * back[from]
  for (let o = 0; o < field.length; o += 8)
    for (let part = o; part < o + 2; part++) {
      const [vh, hv] = [mean(part + 4, part + 6), mean(part + 6, part + 4)]
      field[part] = mean(part, part)
      field[part + 2] = mean(part + 2, part + 2)
      field[part + 4] = vh
      field[part + 6] = hv
    }
}

/**
 * Scattering amplitudes of one aspect: 8 numbers per frequency, real and imaginary part of F [m] for VV, HH, VH, HV
 * (transmit, receive), with E_s = F exp(-jkr)/r for a unit incident plane wave and time factor exp(+jwt).
 */
export type AspectField = Float64Array

/** What an engine says of itself. */
export interface EngineDescription {
  device: 'gpu' | 'cpu'
  /** A GPU that is a software adapter: much slower. */
  isSoftware?: boolean
  /** One line, e.g. `gpu, NVIDIA H200`. */
  text: string
  /** Aspects that keep the device busy when asked for at once. */
  aspectsInFlight: number
}

/** What gives the field of one target's facets: rays (`SbrEngine`), a raster (`RasterEngine`), or a cluster of either. */
export interface FieldEngine<Job> {
  describe(): EngineDescription
  /** Raw amplitudes (HV and VH not averaged). Rejects with an AbortError when the signal fires. */
  field(job: Job, signal?: AbortSignal): Promise<AspectResult>
  /** Releases threads or device; nothing else may be called then. */
  close(): Promise<void>
}

/** What one aspect cost. Counts are exact and the same on every device that traces the same paths. */
export interface AspectStatistics {
  /** Tubes of the aperture, before those across edges are cut. */
  tubes: number
  /** Rays launched from the aperture, corner and central ones, where the engine counts them. */
  rays?: number
  /** Tubes and sub-tubes that contributed. */
  leaves: number
  /** Contributions (a tube's bounce each). */
  contributions: number
  /** Aperture of the tubes that contribute, in tubes of full size: in proportion to it stands the power that they bring. */
  lit?: number
  /** Part of `lit` whose central ray meets the target once more after the last reflection followed. */
  cutOff?: number
}

/** Counts of nothing yet. */
export const noStatistics = (): Required<AspectStatistics> => ({
  tubes: 0,
  rays: 0,
  leaves: 0,
  contributions: 0,
  lit: 0,
  cutOff: 0,
})

/** The field of one aspect, and what it cost. */
export interface AspectResult {
  field: AspectField
  statistics: AspectStatistics
  /** Busy seconds of the device in each sub-grid. */
  partSeconds: number[]
  /** Seconds: ray-tube tracing, field integrals and reduction as busy time of the device, and the time it took in all. */
  times: { trace: number; field: number; reduction: number; total: number }
  /**
   * Where the job names its tiles: their exact sums in units of the engine's own. Those of disjoint parts of an aperture
   * add up, modulo 2^64, to the sums that the whole aspect's field is made of (`cpuField`, `gpuField`).
   */
  totals?: BigInt64Array
}
