import { WINDOWS } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import {
  aboveZero,
  checkKeys,
  choice,
  oneOf,
  positive,
  real,
  type Setting,
  whole,
  wholeIn,
} from '../../run/settings/types.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import { FAST, type Sweep } from '../../run/sweep-job.js'
import type { MeshSource } from '../../run/mesh-source.js'
import { type ChannelsOf, render, type RenderResult } from '../render.js'
import type { RequestedImage } from '../../run/formed-images.js'
import { memoryStore } from '../../run/results.js'
import {
  type CheckedOf,
  checkDeclared,
  resolveSettings,
  SETTINGS,
  type SettingsOf,
  type SolverSettings,
} from '../../run/settings/settings.js'

/** Uniform frequencies from f0 to f1, both included [Hz]; their count comes from the target's size where absent. */
export interface BandRange {
  f0: number
  f1: number
  count?: number
}

/** Most pixels along a side, and most aspects. */
export const MAX_PIXELS = 16_384
const MAX_ASPECTS = 1_000_000

/** Options of sweep and image of `isar render`, `isar compare` and `renderImage` that have one number or word. */
export const SWEEP = {
  /** Centre aspect: direction from the target to the radar, from +z [degrees]. Default 80. */
  thetaDeg: {
    type: real(-360, 360).default(80),
    help: 'centre aspect, from +z',
    group: 'Sweep',
    option: 'theta',
    value: '<deg>',
  },
  /** The same from +x towards +y [degrees]. Default 0. */
  phiDeg: {
    type: real(-360, 360).default(0),
    help: 'centre aspect, from +x towards +y',
    group: 'Sweep',
    option: 'phi',
    value: '<deg>',
  },
  /** Span of the aspects in phi [degrees]; default: cross-range resolution equal to range resolution. */
  apertureDeg: {
    type: aboveZero().optional(),
    help: 'span in phi (default: dx equal to dr)',
    group: 'Sweep',
    option: 'aperture',
    value: '<deg>',
  },
  /** Number of aspects; from the target's size where absent. */
  angles: {
    type: whole(2, MAX_ASPECTS).optional(),
    help: 'aspects over the aperture (default: from the target’s size)',
    group: 'Sweep',
    value: '<n>',
  },
  /** Spectral window. Default hamming. */
  window: {
    type: choice(WINDOWS).default('hamming'),
    help: 'spectral window',
    group: 'Output',
    value: '<name>',
  },
} as const satisfies Record<string, Setting>

/** What `renderImage` computes: give `band`, or `resolution`. */
export interface RenderOptions extends SolverSettings, SettingsOf<typeof SWEEP>, CallOptions {
  /** Frequencies of the sweep [Hz]. */
  band?: BandRange
  /** Instead of a band and an aperture: resolutions [m] about a centre frequency [Hz]; crossRangeM defaults to rangeM. */
  resolution?: { rangeM: number; crossRangeM?: number; centreHz: number }
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
  ...(Object.keys(SWEEP) as (keyof typeof SWEEP)[]),
  'band',
  'resolution',
  'size',
  'polarFormat',
  'fast',
] as const satisfies readonly (keyof RenderOptions)[]

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
  const given: RenderOptions = options
  const checked = checkDeclared(SWEEP, { ...given })
  const request = { sweep: checkSweep(options, checked), image: imageSettings(options, checked), references }
  const { result, closed } = await render(mesh, request, settings, { store: memoryStore, hooks })
  await closed
  return { ...result, warnings: hooks.warnings } as RenderResult<ChannelsOf<O>>
}

function imageSettings(
  { polarFormat = 'auto', size }: RenderOptions,
  { window }: CheckedSweep,
): RequestedImage {
  return {
    window,
    polarFormat:
      typeof polarFormat === 'boolean' ? polarFormat : oneOf(polarFormat, 'polarFormat', ['auto' as const]),
    size: size && {
      rows: wholeIn(size.rows, 'size.rows', 2, MAX_PIXELS),
      cols: wholeIn(size.cols, 'size.cols', 2, MAX_PIXELS),
    },
  }
}

type CheckedSweep = CheckedOf<typeof SWEEP>

/** The aspects of a sweep. */
export const sweepOf = ({ thetaDeg, phiDeg, apertureDeg, angles }: CheckedSweep): Sweep => ({
  thetaDeg,
  phiDeg,
  ...(apertureDeg !== undefined && { apertureDeg }),
  ...(angles !== undefined && { angles }),
})

/** @throws InputError naming the option */
function checkSweep({ band, resolution }: RenderOptions, checked: CheckedSweep): Sweep {
  if ((band === undefined) === (resolution === undefined))
    throw new InputError('give band: { f0, f1 } in Hz, or resolution: { rangeM, centreHz }, and not both')
  return {
    ...sweepOf(checked),
    ...(band ? { band: checkBand(band) } : {}),
    ...(resolution ? { resolution: checkResolution(resolution) } : {}),
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
