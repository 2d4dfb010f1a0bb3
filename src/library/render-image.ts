import { type WindowName, WINDOWS } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import { checkKeys, numberIn, oneOf, positive, wholeIn } from '../../run/settings/types.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/hooks.js'
import { FAST, type Sweep } from '../../run/sweep-job.js'
import type { MeshSource } from '../../run/mesh-source.js'
import { type ChannelsOf, render, type RenderResult } from '../render.js'
import type { RequestedImage } from '../../run/formed-images.js'
import { memoryStore } from '../../run/results.js'
import { resolveSettings, SETTINGS, type SolverSettings } from '../../run/settings/settings.js'

/** Uniform frequencies from f0 to f1, both included [Hz]; their count comes from the target's size where absent. */
export interface BandRange {
  f0: number
  f1: number
  count?: number
}

/** What `renderImage` computes: give `band`, or `resolution`. */
export interface RenderOptions extends SolverSettings, CallOptions {
  /** Frequencies of the sweep [Hz]. */
  band?: BandRange
  /** Instead of a band and an aperture: resolutions [m] about a centre frequency [Hz]; crossRangeM defaults to rangeM. */
  resolution?: { rangeM: number; crossRangeM?: number; centreHz: number }
  /** Centre aspect: direction from the target to the radar, theta from +z, phi from +x towards +y [degrees]. Default 80 and 0. */
  thetaDeg?: number
  phiDeg?: number
  /** Span of the aspects in phi [degrees]; default: cross-range resolution equal to range resolution. */
  apertureDeg?: number
  /** Number of aspects; from the target's size where absent. */
  angles?: number
  /** Spectral window. Default hamming. */
  window?: WindowName
  /** Pixels; default: four to a resolution cell. */
  size?: { rows: number; cols: number }
  /**
   * Resample to a rectangular wavenumber grid first: keeps wide apertures in focus. Default `auto`: where the plain transform would smear
   * some point of the target by more than half a resolution cell (docs/theory.md, "Images").
   */
  polarFormat?: boolean | 'auto'
  /**
   * A preview: traces rays at this many reference aspects (`true`: a number from the target's size) and extrapolates the others, with 3 rays per wavelength, one
   * subdivision and a frequency tolerance of 0.01 where those are not given (docs/numerics.md, "Aspect extrapolation").
   */
  fast?: boolean | number
}

const OPTIONS = [
  ...SETTINGS,
  ...CALL_OPTIONS,
  'band',
  'resolution',
  'thetaDeg',
  'phiDeg',
  'apertureDeg',
  'angles',
  'window',
  'size',
  'polarFormat',
  'fast',
] as const satisfies readonly (keyof RenderOptions)[]

/** Most pixels along a side, and most aspects. */
const MAX_PIXELS = 16_384
const MAX_ASPECTS = 1_000_000

/**
 * ISAR images of a target: sweeps frequency and aspect, computes the scattered field and transforms it, as `isar render` does
 * and with the same bytes. Nothing is written to disk (`saveRender` does). Threads and GPU are its own, and released before
 * the promise settles; calls at the same time do not disturb each other.
 *
 * @throws (rejects) InputError for bad input or an impossible run, the signal's reason, GpuError where the GPU fails
 */
export async function renderImage<O extends RenderOptions>(
  mesh: MeshSource,
  options: O,
): Promise<RenderResult<ChannelsOf<O>>> {
  checkKeys(options, 'renderImage', OPTIONS)
  const hooks = new Hooks(options)
  const { fast = false } = options
  const settings = resolveSettings(fast === false ? options : { ...FAST, ...options })
  const references = fast === false ? undefined : fast === true || wholeIn(fast, 'fast', 1, MAX_ASPECTS)
  const request = { sweep: checkSweep(options), image: imageSettings(options), references }
  const { result, closed } = await render(mesh, request, settings, { store: memoryStore, hooks })
  await closed
  return { ...result, warnings: hooks.warnings } as RenderResult<ChannelsOf<O>>
}

function imageSettings({ window = 'hamming', polarFormat = 'auto', size }: RenderOptions): RequestedImage {
  return {
    window: oneOf(window, 'window', WINDOWS),
    polarFormat:
      typeof polarFormat === 'boolean' ? polarFormat : oneOf(polarFormat, 'polarFormat', ['auto' as const]),
    size: size && {
      rows: wholeIn(size.rows, 'size.rows', 2, MAX_PIXELS),
      cols: wholeIn(size.cols, 'size.cols', 2, MAX_PIXELS),
    },
  }
}

/** @throws InputError naming the option */
function checkSweep(options: RenderOptions): Sweep {
  const { band, resolution, thetaDeg = 80, phiDeg = 0, apertureDeg, angles } = options
  if ((band === undefined) === (resolution === undefined))
    throw new InputError('give band: { f0, f1 } in Hz, or resolution: { rangeM, centreHz }, and not both')
  return {
    thetaDeg: numberIn(thetaDeg, 'thetaDeg', -360, 360),
    phiDeg: numberIn(phiDeg, 'phiDeg', -360, 360),
    ...(band ? { band: checkBand(band) } : {}),
    ...(resolution ? { resolution: checkResolution(resolution) } : {}),
    ...(apertureDeg === undefined ? {} : { apertureDeg: positive(apertureDeg, 'apertureDeg') }),
    ...(angles === undefined ? {} : { angles: wholeIn(angles, 'angles', 2, MAX_ASPECTS) }),
  }
}

/** @throws InputError for a band that is not ascending and positive */
export function checkBand({ f0, f1, count }: BandRange): BandRange {
  positive(f0, 'band.f0')
  positive(f1, 'band.f1')
  if (f1 <= f0) throw new InputError(`band: ${f0} to ${f1} Hz; give f1 above f0`)
  return count === undefined ? { f0, f1 } : { f0, f1, count: wholeIn(count, 'band.count', 2, 1_000_000) }
}

function checkResolution({ rangeM, crossRangeM, centreHz }: NonNullable<RenderOptions['resolution']>) {
  return {
    rangeM: positive(rangeM, 'resolution.rangeM'),
    ...(crossRangeM === undefined ? {} : { crossRangeM: positive(crossRangeM, 'resolution.crossRangeM') }),
    centreHz: positive(centreHz, 'resolution.centreHz'),
  }
}
