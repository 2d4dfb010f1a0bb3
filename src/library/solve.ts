import { fieldNames, memoryRows, runSweep, type SweepJob } from '../../pipeline/index.js'
import { highestFrequency } from '../../scene/index.js'
import { estimateRun } from '../estimate.js'
import { ARRAY_COPIES } from '../run-memory.js'
import { ENERGY_LIMIT, selfCheck } from '../self-check.js'
import { type SolvedRun, solvedRun } from '../solved-run.js'
import type { ResolvedSettings } from '../settings.js'
import type { LoadedTarget } from '../loaded-target.js'
import { openEngines } from '../solver.js'
import type { Hooks } from './hooks.js'

/**
 * Solves a sweep in memory, with engines of its own that are closed before it returns or throws.
 * @param resolved  options as resolved, for the record
 * @throws InputError for a run that is not possible, the signal's reason, or the engines' failure
 */
export async function solve(
  command: string,
  loaded: LoadedTarget,
  settings: ResolvedSettings & { coarser?: readonly number[]; orderChange?: boolean },
  job: SweepJob,
  resolved: Record<string, unknown>,
  hooks: Hooks,
): Promise<SolvedRun> {
  hooks.check()
  const onFault = (message: string): void => hooks.warn(message)
  const engines = await openEngines(loaded, { ...settings, ahead: job, onFault })
  try {
    const { box } = loaded.target
    const estimate = estimateRun(engines.scene, box, job, engines, engines.sbrWorkers, ARRAY_COPIES)
    for (const line of [...loaded.warnings, ...engines.warnings, ...estimate.warnings]) hooks.warn(line)
    hooks.check()
    const names = fieldNames(engines)
    const store = memoryRows()
    const start = performance.now()
    const details = await runSweep(
      engines,
      job,
      store,
      ({ done, total }) => hooks.progress('solve', done, total),
      hooks.signal,
    )
    const top = Math.max(...job.bands.map(highestFrequency))
    const signal = hooks.signal ?? new AbortController().signal
    const check = settings.check
      ? await selfCheck(engines, engines.scene, job.aspects, top, signal)
      : undefined
    if (check && !(check.energy.error <= ENERGY_LIMIT))
      hooks.warn('the ray tubes do not carry the energy that the target takes; raise raysPerWavelength')
    const seconds = (performance.now() - start) / 1000
    const account = { command, loaded, engines, job, names, estimate, resolved }
    const run = solvedRun(account, store.rows, details, seconds, check)
    const warning = run.cutOff.warning(settings.sbr.maxBounces, 'maxBounces')
    if (warning) hooks.warn(warning)
    for (const line of run.warnings) hooks.warn(line)
    return run
  } catch (error) {
    // A pool's tasks fail with an error of their own.
    hooks.check()
    throw error
  } finally {
    await engines.close()
  }
}
