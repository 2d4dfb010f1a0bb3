import { resolve } from 'node:path'
import type { NpyArray } from '../../formats/index.js'
import {
  checkScene,
  type ConvergenceStep,
  loadScene,
  MAX_REFLECTIONS,
  openScene,
  propagationArrays,
  type PropagationPath,
  type PropagationTable,
  type ReceiverSet,
  RECEPTIONS,
  type SceneDescription,
  type SceneLimits,
  withLimits,
} from '../../propagation/index.js'
import { checkKeys, oneOf, wholeIn } from '../../run/settings/types.js'
import { computePropagation, listedSets } from '../propagate.js'
import { noStore } from '../../run/results.js'
import { DEVICES } from '../../run/settings/settings.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/hooks.js'

/** How a propagation scene is computed. */
export interface PropagateOptions extends CallOptions, SceneLimits {
  /** Where rays run: `auto` takes a hardware GPU where there is one, else the CPU in double precision. Default auto. */
  device?: (typeof DEVICES)[number]
  /** Worker threads; default: all cores. */
  workers?: number
  /** Sets of receivers, by name, whose paths are listed, or `all`. Default: the scene's own `paths`. */
  paths?: readonly string[] | 'all'
  /** Also run with a quarter and half of the rays. Default false. */
  convergence?: boolean
  /** Folder that a scene's files are named relative to, for a scene that is no file itself. Default: the working folder. */
  folder?: string
}

const OPTIONS = [
  ...CALL_OPTIONS,
  'rays',
  'maxReflections',
  'reception',
  'diffraction',
  'device',
  'workers',
  'paths',
  'convergence',
  'folder',
] as const satisfies readonly (keyof PropagateOptions)[]

/** Received fields of a scene: Nf frequencies, R receivers. */
export interface PropagateResult {
  /** The scene's name. */
  name: string
  /** Nf frequencies [Hz]. */
  freqHz: Float64Array
  /** R receivers: x y z each [m]. */
  positionM: Float64Array
  /** The scene's sets of receivers: numbers first ... first + count. */
  sets: ReceiverSet[]
  /**
   * Transfers h by channel (transmit, receive; `vv`, `vh`, ...): [frequency][receiver], interleaved re, im, without a unit;
   * |h|^2 is the path gain. Time factor exp(+j w t).
   */
  h: Record<string, Float64Array>
  /** Path gains 10 log10 |h|^2 by the same names [dB]; -300 for none. */
  pathGainDb: Record<string, Float64Array>
  /** Every array of the command's results.npz by its name: also fields, delays and spreads (docs/file-formats.md). */
  arrays: Record<string, NpyArray>
  /** Paths of the receivers listed, by receiver and length. */
  paths: PropagationPath[]
  /** With `convergence`: what fewer rays would have given. */
  convergence?: ConvergenceStep[]
  /** The same results as the writers take them. */
  table: PropagationTable
  /** What `meta.json` of `isar propagate` holds: version, device, scene, options, counts. */
  meta: Record<string, unknown>
  /** One line each on what is odd about scene, device or result. */
  warnings: string[]
}

/**
 * Radio propagation in a scene, as `isar propagate` computes it and with the same bytes. Nothing is written to disk
 * (`savePropagation` does). Threads and GPU are its own, and released before the promise settles.
 *
 * @param scene  path of a scene file, or its content as an object (docs/propagation.md)
 * @throws (rejects) InputError for bad input, the signal's reason, GpuError where the GPU fails
 */
export async function propagate(
  scene: string | SceneDescription,
  options: PropagateOptions = {},
): Promise<PropagateResult> {
  checkKeys(options, 'propagate', OPTIONS)
  const hooks = new Hooks(options)
  const device = oneOf(options.device ?? 'auto', 'device', DEVICES)
  const workers = options.workers === undefined ? undefined : wholeIn(options.workers, 'workers', 1, 1024)
  const given =
    typeof scene === 'string'
      ? await loadScene(scene)
      : await openScene(checkScene(scene, 'scene'), 'scene', resolve(options.folder ?? '.'))
  const loaded = withLimits(given, checkLimits(options))
  const paths = listedSets(loaded, options.paths, 'paths')
  const { table, steps, meta } = await computePropagation(
    { loaded, device, workers, paths, convergence: options.convergence ?? false },
    { store: noStore, hooks, record: { device, workers, paths } },
  )
  return {
    ...arraysOf(table),
    paths: table.result.paths,
    ...(steps && { convergence: steps }),
    table,
    meta,
    warnings: hooks.warnings,
  }
}

function arraysOf(
  table: PropagationTable,
): Pick<PropagateResult, 'name' | 'freqHz' | 'positionM' | 'sets' | 'h' | 'pathGainDb' | 'arrays'> {
  const { file, scene, sets } = table.loaded
  const arrays = propagationArrays(table)
  const h: Record<string, Float64Array> = {}
  const pathGainDb: Record<string, Float64Array> = {}
  const { receivers, channels } = table
  for (const channel of channels) {
    h[channel] = arrays[`h_${channel}`].data as Float64Array
    pathGainDb[channel] = Float64Array.from({ length: h[channel].length / 2 }, (_, i) =>
      table.gain(i % receivers, Math.floor(i / receivers), channel),
    )
  }
  return {
    name: file.name,
    freqHz: Float64Array.from(scene.freqHz),
    positionM: scene.receivers,
    sets,
    h,
    pathGainDb,
    arrays,
  }
}

function checkLimits({ rays, maxReflections, reception, diffraction }: PropagateOptions): SceneLimits {
  return {
    ...(rays === undefined ? {} : { rays: wholeIn(rays, 'rays', 12, 1e9) }),
    ...(maxReflections === undefined
      ? {}
      : { maxReflections: wholeIn(maxReflections, 'maxReflections', 0, MAX_REFLECTIONS) }),
    ...(reception === undefined ? {} : { reception: oneOf(reception, 'reception', RECEPTIONS) }),
    ...(diffraction === undefined
      ? {}
      : { diffraction: oneOf(diffraction, 'diffraction', ['none', 'utd'] as const) }),
  }
}
