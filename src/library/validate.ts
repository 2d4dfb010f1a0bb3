import { z } from 'zod'
import { InputError } from '../../scene/index.js'
import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import { checkDeclared, DEVICES, type SettingsOf } from '../../run/settings/settings.js'
import { checkKeys, choice, type Setting, whole } from '../../run/settings/types.js'
import { LEVELS, readDefinitions } from '../validate/definition.js'
import { casesInMemory, chooseCases, validateCases } from '../validate/job.js'
import { packageFolders } from '../validate/meshes.js'
import type { Report } from '../validate/errors.js'

/** Options of `isar validate` and `validate`. */
export const VALIDATE = {
  /** Longest cases to run where none is named. Default standard. */
  level: {
    type: choice(LEVELS).default('standard'),
    help: 'longest cases to run',
    group: 'Run',
    fromOption: (_, { quick, full }) => {
      if (quick && full) throw new InputError('--quick and --full contradict each other; give one of them')
      return full ? 'full' : quick ? 'quick' : undefined
    },
  },
  /** Folder of the UT Austin RCS suite, whose cases are left out without it. */
  data: {
    type: z.string({ error: 'give the path of a folder' }).optional(),
    help: 'folder of the UT Austin RCS suite, whose cases are skipped without it',
    group: 'Run',
    value: '<dir>',
  },
  /** Computes the named cases, or its own group, by full wave. */
  method: {
    type: choice(['mom']).optional(),
    help: 'computes the named cases, or its own group, by full wave; errors are stated',
    group: 'Run',
    value: '<method>',
  },
  /** Where rays run. Default auto. */
  device: { type: choice(DEVICES).default('auto'), help: 'where rays run', group: 'Run' },
  /** Worker threads; default as for `rcs`. */
  workers: { type: whole(1, 1024).optional(), help: 'worker threads', group: 'Run', value: '<n>' },
} as const satisfies Record<string, Setting>

/** Which validation cases are run, and how. */
export interface ValidateOptions extends CallOptions, SettingsOf<typeof VALIDATE> {}

/** Errors of the cases, which `validation.json` has to six figures, and the cases left out. */
export interface ValidateResult extends Report {
  /** One line each on what is odd about the device. */
  warnings: string[]
}

/**
 * Computes validation cases and their errors, as `isar validate` does. Nothing is written and drawn.
 * @param names  cases and groups of cases; all of the level where none is given
 * @throws (rejects) InputError for an unknown name, or where nothing is left to run; the signal's reason; GpuError where the GPU fails
 */
export async function validate(
  names: readonly string[] = [],
  options: ValidateOptions = {},
): Promise<ValidateResult> {
  checkKeys(options, 'validate', [...CALL_OPTIONS, ...Object.keys(VALIDATE)])
  const { level, data, method, device, workers } = checkDeclared(VALIDATE, { ...options })
  const folders = packageFolders(data)
  const all = readDefinitions(folders.validation)
  const cases = chooseCases(all, [...names], { level, data: data !== undefined, method })
  const hooks = new Hooks(options)
  const request = { all, ...cases, folders, device, workers, figures: 'none' as const, update: false }
  const { whole: report } = await validateCases(request, { hooks, store: casesInMemory })
  return { ...report, warnings: hooks.warnings }
}
