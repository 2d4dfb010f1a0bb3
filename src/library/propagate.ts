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
  withLimits,
} from '../../propagation/index.js'
import { checkKeys, choice, flag, type Setting, whole } from '../../run/settings/types.js'
import { computePropagation, listedSets } from '../propagate.js'
import { noStore } from '../../run/results.js'
import { checkDeclared, DEVICES, type SettingsOf } from '../../run/settings/settings.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'

/** Options of `isar propagate` and `propagate`. */
export const PROPAGATE = {
  /** Where rays run: `auto` takes a hardware GPU where there is one, else the CPU in double precision. Default auto. */
  device: { type: choice(DEVICES).default('auto'), help: 'where rays run', group: 'Run' },
  /** Rays launched, at least; default: the scene's. */
  rays: {
    type: whole(12, 1e9).optional(),
    help: 'rays launched, at least (instead of the scene’s)',
    group: 'Accuracy',
    value: '<n>',
  },
  /** Reflections followed; default: the scene's. */
  maxReflections: {
    type: whole(0, MAX_REFLECTIONS).optional(),
    help: 'reflections followed (instead of the scene’s)',
    group: 'Accuracy',
    value: '<n>',
  },
  /** Exact paths to receivers, or reception spheres; default: the scene's. */
  reception: {
    type: choice(RECEPTIONS).optional(),
    help: 'exact paths to receivers, or reception spheres (instead of the scene’s)',
    group: 'Accuracy',
    option: 'receivers',
  },
  /** First-order edge diffraction; default: the scene's. */
  diffraction: {
    type: choice(['none', 'utd']).optional(),
    help: 'first-order edge diffraction',
    group: 'Accuracy',
  },
  /** Also run with a quarter and half of the rays. Default false. */
  convergence: {
    type: flag().default(false),
    help: 'also run with a quarter and half of the rays: what more of them would change',
    group: 'Accuracy',
  },
  /** Worker threads; default: all cores. */
  workers: {
    type: whole(1, 1024).optional(),
    help: 'worker threads on the cpu (default: all cores)',
    group: 'Run',
    value: '<n>',
  },
} as const satisfies Record<string, Setting>

/** How a propagation scene is computed. */
export interface PropagateOptions extends CallOptions, SettingsOf<typeof PROPAGATE> {
  /** Sets of receivers, by name, whose paths are listed, or `all`. Default: the scene's own `paths`. */
  paths?: readonly string[] | 'all'
  /** Folder that a scene's files are named relative to, for a scene that is no file itself. Default: the working folder. */
  folder?: string
}

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
  checkKeys(options, 'propagate', [...CALL_OPTIONS, ...Object.keys(PROPAGATE), 'paths', 'folder'])
  const hooks = new Hooks(options)
  const { device, workers, convergence, ...limits } = checkDeclared(PROPAGATE, { ...options })
  const given =
    typeof scene === 'string'
      ? await loadScene(scene)
      : await openScene(checkScene(scene, 'scene'), 'scene', resolve(options.folder ?? '.'))
  const loaded = withLimits(given, limits)
  const paths = listedSets(loaded, options.paths, 'paths')
  const { table, steps, meta } = await computePropagation(
    { loaded, device, workers, paths, convergence },
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
