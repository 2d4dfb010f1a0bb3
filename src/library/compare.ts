import { CALL_OPTIONS, type CallOptions, Hooks } from '../../run/job.js'
import { checkDeclared, type SettingsOf } from '../../run/settings/settings.js'
import { aboveZero, checkKeys, type Setting } from '../../run/settings/types.js'
import { InputError } from '../../scene/index.js'
import { compareFiles, type Comparison, FLOOR_DB } from '../compare-results.js'

/** Options of `isar compare` of results and of `compare`. */
export const COMPARE = {
  /** Differences count down to so far below the highest level of a channel [dB]. Default 30. */
  floorDb: {
    type: aboveZero().optional(),
    help: `of results: levels this far below the highest of a channel count as that, default ${FLOOR_DB}`,
    group: 'Output',
    option: 'floor',
    value: '<dB>',
  },
} as const satisfies Record<string, Setting>

/** How results are compared. */
export interface CompareOptions extends CallOptions, SettingsOf<typeof COMPARE> {
  /** Channels to compare; default: all that the results share. */
  channels?: readonly string[]
}

/**
 * Results on disk against the first of them, as `isar compare RESULT RESULT…` does: rms, maximum and complex difference by channel and
 * frequency, for each kind of data that all have.
 * @param results  folders, or .csv, .npz, .h5, .mat files
 * @throws (rejects) InputError for what is no result, or results with nothing in common
 */
export async function compare(
  results: readonly string[],
  options: CompareOptions = {},
): Promise<Comparison[]> {
  checkKeys(options, 'compare', [...CALL_OPTIONS, ...Object.keys(COMPARE), 'channels'])
  if (results.length < 2) throw new InputError('compare: give a result and at least another to compare with')
  const hooks = new Hooks(options)
  const { floorDb = FLOOR_DB } = checkDeclared(COMPARE, { ...options })
  const { compared } = await compareFiles(results, floorDb, options.channels)
  hooks.check()
  return compared.flat()
}
