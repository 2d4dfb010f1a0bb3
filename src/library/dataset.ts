import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { checkSpectrogramConfig, isOfSpectrograms, parseDatasetConfig } from '../../dataset/index.js'
import {
  type DatasetOutput,
  type DatasetPart,
  datasetStore,
  makeImages,
  prepareDataset,
} from '../../dataset/job.js'
import { checkDatasetSolver, readDatasetConfig } from '../../dataset/variant.js'
import { makeSpectrograms, prepareSpectrograms } from '../../dataset/spectrograms/job.js'
import { CALL_OPTIONS, type CallOptions, Hooks, type RunSettings } from '../../run/job.js'
import {
  checkDeclared,
  keyOfOption,
  resolveSettings,
  settingOf,
  type SettingsOf,
  SETTINGS,
  settingsOfText,
  type SolverSettings,
} from '../../run/settings/settings.js'
import { checkKeys, flag, type Setting, whole } from '../../run/settings/types.js'
import type { Channel } from '../../rays/index.js'
import { InputError } from '../../scene/index.js'

/** Settings that the configuration determines. */
const CONFIGURED = new Set(['units', 'channels', 'phaseCentre', 'mechanisms'])
const SOLVER = SETTINGS.filter(
  (name) => !CONFIGURED.has(name) && (settingOf(name).commands?.includes('dataset') ?? true),
)

/** Options of `isar dataset` and `dataset` that are no settings of the solver. */
export const DATASET = {
  /** Continue a set that was interrupted. Default false. */
  resume: { type: flag().default(false), help: 'continue an interrupted run', group: 'Run' },
  /** Replace what is there. Default false. */
  force: { type: flag().default(false), help: 'overwrite results', group: 'Run' },
  /** Threads that form images; default: one less than the cores. */
  imageWorkers: {
    type: whole(0, 1024).optional(),
    help: 'threads that form images (default: one less than the cores)',
    group: 'Run',
    value: '<n>',
  },
} as const satisfies Record<string, Setting>

/** How a dataset is made: settings of the solver, before those of its configuration, and these. */
export interface DatasetOptions
  extends
    CallOptions,
    Omit<SolverSettings, 'units' | 'channels' | 'phaseCentre' | 'mechanisms'>,
    SettingsOf<typeof DATASET> {
  /** Folder of the dataset. */
  out: string
  /** `[i, n]`: only every n-th shard from the i-th, from 1. */
  shard?: readonly [number, number]
  /** Folder that files are named relative to, for a configuration that is no file itself. Default: the working folder. */
  folder?: string
}

const OPTIONS = [...CALL_OPTIONS, ...SOLVER, ...Object.keys(DATASET), 'out', 'shard', 'folder']

/** What a call has made of a dataset. */
export interface DatasetResult extends DatasetPart {
  /** One line each on what is odd about targets, radar or device. */
  warnings: string[]
}

/**
 * A dataset of images or spectrograms, written to a folder as `isar dataset` writes it and with the same bytes. Edges are of first order
 * unless `secondOrder` or the configuration says more.
 *
 * @param config  path of a configuration, or its content as an object (docs/dataset.md)
 * @throws (rejects) InputError for bad input, an impossible run or a folder that is taken, the signal's reason, GpuError where the GPU fails
 */
export async function dataset(config: string | object, options: DatasetOptions): Promise<DatasetResult> {
  checkKeys(options, 'dataset', OPTIONS)
  if (typeof options.out !== 'string') throw new InputError('out: give the folder of the dataset')
  const { resume, force, imageWorkers } = checkDeclared(DATASET, { ...options })
  const hooks = new Hooks(options)
  const path = typeof config === 'string' ? config : join(resolve(options.folder ?? '.'), 'dataset.json')
  const given =
    typeof config === 'string'
      ? await readDatasetConfig(config)
      : isOfSpectrograms(config)
        ? { spectrograms: config }
        : { images: parseDatasetConfig(JSON.stringify(config), 'dataset') }
  const output: DatasetOutput = {
    folder: resolve(options.out),
    share: shareOf(options.shard),
    resume,
    force,
    drawSheet: async (...sheet) => (await import('../../views/figures/contact-sheet.js')).drawSheet(...sheet),
  }
  const caller = { hooks, store: datasetStore(output) }
  if ('spectrograms' in given) {
    const checked = checkSpectrogramConfig(given.spectrograms, path)
    const settings = settingsFor(checked, options)
    const prepared = await prepareSpectrograms(checked, path)
    return { ...(await makeSpectrograms(prepared, settings, output, caller)), warnings: hooks.warnings }
  }
  const settings = settingsFor(given.images, options)
  const prepared = await prepareDataset(given.images, settings, path, (name) => hooks.nameOf(name))
  const workers = imageWorkers ?? Math.max(1, availableParallelism() - 1)
  return { ...(await makeImages(prepared, settings, output, workers, caller)), warnings: hooks.warnings }
}

/** The solver's settings: of the call, of the configuration, defaults. */
function settingsFor(
  { solver, channels }: { solver: Record<string, string | number | boolean>; channels: Channel[] },
  options: DatasetOptions,
): RunSettings {
  checkDatasetSolver(solver)
  const texts = Object.entries(solver).map(([name, value]) => [keyOfOption(name), typeof value === 'boolean' ? value : String(value)]) // prettier-ignore
  const configured = settingsOfText(
    { secondOrder: 'none', ...Object.fromEntries(texts) },
    (name) => `solver.${name}`,
  )
  const own = SOLVER.filter((name) => options[name as keyof DatasetOptions] !== undefined)
  const given = Object.fromEntries(own.map((name) => [name, options[name as keyof DatasetOptions]]))
  return { ...resolveSettings({ ...configured, cache: null, ...given }), channels }
}

function shareOf(shard: DatasetOptions['shard']): readonly [number, number] | null {
  if (shard === undefined) return null
  const [i, n] = shard
  if (![i, n].every(Number.isInteger) || i < 1 || i > n)
    throw new InputError(`shard: ${shard.join(' of ')}; give [i, n] with i from 1 to n`)
  return [i, n]
}
