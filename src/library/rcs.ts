import { basename } from 'node:path'
import type { Channel } from '../../rays/index.js'
import type { EdgeScene } from '../../cpu-diffraction/index.js'
import type { TimingReport } from '../../run/sweep/index.js'
import { type Aspect, InputError, type Target } from '../../scene/index.js'
import { checkKeys, numberIn, positive } from '../../run/settings/types.js'
import { COARSER } from '../../run/error-estimate.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import type { MeshSource } from '../../run/mesh-source.js'
import { computeRcs, rcsFormat, type RcsRequest, uniformFrequencies, writeRcs } from '../../run/rcs.js'
import { barMatrix, channelMatrix, dbsm, type RcsTable, suffix } from '../../formats/rcs-table.js'
import { claimLocation, fileLocation, memoryStore, type SaveOptions } from '../../run/results.js'
import { resolveSettings, SETTINGS, type SolverSettings } from '../../run/settings/settings.js'
import { type BandRange, type ByChannel, type ChannelsOf, checkBand } from '../render.js'
/** One angle or several [degrees]. */
export type Angles = number | ArrayLike<number>

/** What `rcs` computes: every frequency in every direction of the grid theta x phi. */
export interface RcsOptions extends SolverSettings, CallOptions {
  /** Frequencies [Hz]: one, a list in any order, or uniform ones with a count. */
  freqHz: number | ArrayLike<number> | Required<BandRange>
  /** Directions from the target to the transmitter, theta from +z, phi from +x towards +y [degrees]. Default 90 and 0. */
  thetaDeg?: Angles
  phiDeg?: Angles
  /** Directions from the target to the receiver, for bistatic runs; one that is missing is the transmitter's, where that is one. */
  rxThetaDeg?: Angles
  rxPhiDeg?: Angles
  /** Instead: a receiver turned so far in phi, or in [phi, theta], from every transmitter: a fixed bistatic angle [degrees]. */
  bistaticDeg?: number | readonly [number, number]
  /** Also run with fewer tubes and longer segments, and with the other order of edges: two errors of every result. Default false. */
  errorEstimate?: boolean
}

const OPTIONS = [
  ...SETTINGS,
  ...CALL_OPTIONS,
  'freqHz',
  'thetaDeg',
  'phiDeg',
  'rxThetaDeg',
  'rxPhiDeg',
  'bistaticDeg',
  'errorEstimate',
] as const satisfies readonly (keyof RcsOptions)[]

/** Radar cross-sections and scattering amplitudes: Nf frequencies, Nd directions. */
export interface RcsResult<C extends Channel = never> {
  /** The target's name: of its file, without folder and ending. */
  name: string
  /** Nf frequencies as requested, in that order [Hz]. */
  freqHz: Float64Array
  /** Nd directions of the transmitter, theta outermost, then phi, then the receiver's [degrees]. */
  thetaDeg: Float64Array
  phiDeg: Float64Array
  /** Nd directions of the receiver [degrees]; absent for monostatic runs. */
  rxThetaDeg?: Float64Array
  rxPhiDeg?: Float64Array
  /**
   * Scattering amplitudes F [m] by channel, and with mechanisms by `CHANNEL_MECHANISM` (`vv_b1`): [frequency][direction],
   * interleaved re, im. E_s = F exp(-jkr)/r for a unit incident wave, time factor exp(+j w t), phase referred to the phase centre.
   */
  f: ByChannel<C, Float64Array>
  /** RCS 10 log10 (4 pi |F|^2) by the same names [dBsm], [frequency][direction]; -300 for zero. */
  sigmaDbsm: ByChannel<C, Float64Array>
  /**
   * With `errorEstimate`, by channel [m], [frequency][direction]. Far more ray tubes change F by less than the first, the error of sampling
   * rays alone, in 95 % of the results; the second is a bound of the model error, fitted to cover 95 % (docs/error-estimate.md).
   */
  samplingErrorM?: Record<string, Float64Array>
  modelErrorM?: Record<string, Float64Array>
  /** What `meta.json` of `isar rcs` holds: version, device, mesh, options as resolved, counts. */
  meta: Record<string, unknown>
  /** What `timing.json` of `isar rcs` holds [s]. */
  timing: TimingReport
  /** The same results per aspect, as the writers take them. */
  table: RcsTable
  /** The target as solved: welded, cleaned and, where requested, with curved patches [m]. */
  target: Target
  /** Its edges that diffract; null where diffraction was off. */
  edges: EdgeScene | null
  /** One line each on what is odd about mesh, device or plan. */
  warnings: string[]
}

/**
 * Radar cross-section of a target, as `isar rcs` computes it and with the same bytes. Nothing is written to disk (`saveRcs`
 * does). Threads and GPU are its own, and released before the promise settles; calls at the same time do not disturb each other.
 *
 * @throws (rejects) InputError for bad input or an impossible run, the signal's reason, GpuError where the GPU fails
 */
export async function rcs<O extends RcsOptions>(
  mesh: MeshSource,
  options: O,
): Promise<RcsResult<ChannelsOf<O>>> {
  checkKeys(options, 'rcs', OPTIONS)
  const hooks = new Hooks(options)
  const settings = {
    ...resolveSettings(options),
    ...(options.errorEstimate ? { coarser: COARSER, orderChange: true } : {}),
  }
  if (options.errorEstimate && settings.method !== 'sbr')
    throw new InputError(
      `errorEstimate: there are no ray tubes to coarsen with method ${settings.method}; leave it out`,
    )
  const request = { freqHz: frequencies(options.freqHz), ...gridOf(options) }
  const {
    closed,
    ascending: _,
    ...computed
  } = await computeRcs(mesh, request, settings, {
    store: memoryStore,
    hooks,
  })
  await closed
  return { ...computed, ...arraysOf(computed.table), warnings: hooks.warnings } as RcsResult<ChannelsOf<O>>
}

function arraysOf(
  table: RcsTable,
): Omit<RcsResult, 'name' | 'target' | 'edges' | 'meta' | 'timing' | 'table' | 'warnings'> {
  const { freqHz, aspects, bistatic, channels } = table
  const angles = (of: (a: Aspect) => number): Float64Array => Float64Array.from(aspects, of)
  const matrices = (bars: Float64Array[]): Record<string, Float64Array> =>
    Object.fromEntries(channels.map((c) => [c, barMatrix(bars, freqHz.length, c)]))
  const f: Record<string, Float64Array> = {}
  const sigmaDbsm: Record<string, Float64Array> = {}
  for (const [mechanism, fields] of Object.entries(table.fields))
    for (const channel of channels) {
      const name = channel + suffix(mechanism)
      const values = channelMatrix(fields, freqHz.length, channel)
      f[name] = values
      sigmaDbsm[name] = Float64Array.from({ length: values.length / 2 }, (_, i) =>
        dbsm(values[2 * i], values[2 * i + 1]),
      )
    }
  return {
    freqHz: Float64Array.from(freqHz),
    thetaDeg: angles(({ tx }) => tx.thetaDeg),
    phiDeg: angles(({ tx }) => tx.phiDeg),
    ...(bistatic && {
      rxThetaDeg: angles(({ rx }) => rx.thetaDeg),
      rxPhiDeg: angles(({ rx }) => rx.phiDeg),
    }),
    f,
    sigmaDbsm,
    ...(table.bars && {
      samplingErrorM: matrices(table.bars.sampling),
      ...(table.bars.model && { modelErrorM: matrices(table.bars.model) }),
    }),
  }
}

function frequencies(given: RcsOptions['freqHz']): number[] {
  if (typeof given === 'number') return [positive(given, 'freqHz')]
  if (typeof given === 'object' && given !== null && 'f0' in given) {
    const { f0, f1, count } = checkBand(given)
    if (count === undefined) throw new InputError('freqHz: { f0, f1 } needs a count, { f0, f1, count }')
    return uniformFrequencies(f0, f1, count)
  }
  return list(given, 'freqHz').map((f) => positive(f, 'freqHz'))
}

function gridOf(options: RcsOptions): Pick<RcsRequest, 'tx' | 'rx'> {
  const { thetaDeg = 90, phiDeg = 0, rxThetaDeg, rxPhiDeg, bistaticDeg } = options
  const tx = { theta: angleList(thetaDeg, 'thetaDeg'), phi: angleList(phiDeg, 'phiDeg') }
  if (bistaticDeg !== undefined) {
    if (rxThetaDeg !== undefined || rxPhiDeg !== undefined)
      throw new InputError(
        'bistaticDeg turns the receiver with the transmitter; leave rxThetaDeg and rxPhiDeg out',
      )
    const [phi, theta = 0] = angleList(bistaticDeg, 'bistaticDeg')
    return { tx, rx: { phi, theta } }
  }
  if (rxThetaDeg === undefined && rxPhiDeg === undefined) return { tx }
  return {
    tx,
    rx: {
      ...(rxThetaDeg !== undefined && { theta: angleList(rxThetaDeg, 'rxThetaDeg') }),
      ...(rxPhiDeg !== undefined && { phi: angleList(rxPhiDeg, 'rxPhiDeg') }),
    },
  }
}

/** Ten turns: larger angles are no directions. */
const MOST_DEGREES = 3600

const angleList = (given: Angles, what: string): number[] =>
  (typeof given === 'number' ? [given] : list(given, what)).map((x) =>
    numberIn(x, what, -MOST_DEGREES, MOST_DEGREES),
  )

/** Most values along one axis. */
const MAX_VALUES = 1_000_000

function list(given: ArrayLike<number>, what: string): number[] {
  const length = typeof given === 'object' && given !== null ? given.length : NaN
  if (!(length >= 1 && length <= MAX_VALUES))
    throw new InputError(`${what}: give a number or a list of 1 to ${MAX_VALUES} numbers`)
  return Array.from(given)
}

/**
 * Writes the table of `isar rcs` with X.target.npz, X.meta.json and X.timing.json beside it.
 * @param path  ends with .csv, .npz, .h5, .mat, .ffe, .hfss.csv, .3gpp.csv or .pattern.mat
 * @throws (rejects) InputError for another ending, where a result is there already and `force` is not given, or the system refuses
 */
export async function saveRcs(result: RcsResult, path: string, options: SaveOptions = {}): Promise<void> {
  if (!rcsFormat(path))
    throw new InputError(`${path}: give a name that ends with .csv, .npz, .h5, .mat or .ffe`)
  const place = fileLocation(path)
  const name = basename(path)
  claimLocation(place, [name, 'meta.json', 'timing.json'], options)
  await writeRcs(place, name, result)
}
