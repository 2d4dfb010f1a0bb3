import { loadMotion, type MotionDescription, type MotionError } from '../../run/motion/index.js'
import { checkKeys, flag, type Setting } from '../../run/settings/types.js'
import { computeDoppler, type ComputedDoppler, type PulseHistory } from '../../run/doppler/compute.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import { memoryStore } from '../../run/results.js'
import {
  checkDeclared,
  resolveSettings,
  settingOf,
  SETTINGS,
  type SettingsOf,
  type SolverSettings,
} from '../../run/settings/settings.js'

/** Options of `isar doppler` and `doppler` that are no settings of the solver. */
export const DOPPLER = {
  /** A full solution at every pulse, without interpolation. Default false. */
  exact: {
    type: flag().default(false),
    help: 'a full solution at every pulse, without interpolation',
    group: 'Accuracy',
  },
} as const satisfies Record<string, Setting>

/** How a moving target is computed: the settings of the solver (docs/options.md), and these. */
export interface DopplerOptions extends SolverSettings, SettingsOf<typeof DOPPLER>, CallOptions {
  /** Folder that files are named relative to, for a motion that is no file itself. Default: the working folder. */
  folder?: string
}

/** What the motion file or the command determines. */
const NOT_HERE = new Set(['units', 'phaseCentre', 'mechanisms'])
const OPTIONS = [
  ...CALL_OPTIONS,
  ...SETTINGS.filter(
    (name) => !NOT_HERE.has(name) && (settingOf(name).commands?.includes('doppler') ?? true),
  ),
  ...Object.keys(DOPPLER),
  'folder',
]

/** Fields of a moving target over slow time. */
export interface DopplerResult extends PulseHistory {
  /** The motion file's name, or the mesh's, without folder and ending. */
  name: string
  /** Rms errors of interpolated pulses, relative to the rms field (docs/doppler.md); absent where every pulse was solved. */
  error?: MotionError
  /** What `meta.json` of `isar doppler` holds: version, device, motion, options as resolved, counts. */
  meta: Record<string, unknown>
  /** The same result as the writer takes it. */
  computed: ComputedDoppler
  /** One line each on what is odd about meshes or device. */
  warnings: string[]
}

/**
 * Pulses of a moving target, as `isar doppler` computes them and with the same bytes. Nothing is written to disk (`saveDoppler` does).
 * `spectrogram`, `rangeDoppler` and `motionImage` take the result further. Edges are of first order unless `secondOrder` says more.
 *
 * @param motion  path of a motion file, or its content as an object (docs/doppler.md)
 * @throws (rejects) InputError for bad input or an impossible run, the signal's reason, GpuError where the GPU fails
 */
export async function doppler(
  motion: string | MotionDescription,
  options: DopplerOptions = {},
): Promise<DopplerResult> {
  checkKeys(options, 'doppler', OPTIONS)
  const { exact } = checkDeclared(DOPPLER, { ...options })
  const hooks = new Hooks(options)
  const settings = resolveSettings({ secondOrder: [], ...options })
  const loaded = await loadMotion(motion, settings, options.folder)
  const computed = await computeDoppler(loaded, exact, settings, {
    store: memoryStore,
    hooks,
  })
  const { name, history, error, meta } = computed
  return { name, ...history, ...(error && { error }), meta, computed, warnings: hooks.warnings }
}
