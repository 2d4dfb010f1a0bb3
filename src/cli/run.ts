import { createHash } from 'node:crypto'
import {
  fieldNames,
  frequencyTotal,
  rowLength,
  RowStore,
  runSweep,
  type SweepJob,
} from '../../pipeline/index.js'
import { GpuError, warmKernels } from '../../gpu/index.js'
import { highestFrequency, InputError } from '../../scene/index.js'
import { estimateRun, type RunEstimate } from '../estimate.js'
import type { ClusterRunEngines } from '../cluster.js'
import type { ResultPlace } from '../results.js'
import { ARRAY_COPIES } from '../run-memory.js'
import { checkPlace, checkResults, claimPlace, finishedKey, isComplete } from '../results.js'
import { type SolvedRun, solvedRun } from '../solved-run.js'
import { loadTarget, type LoadedTarget } from '../loaded-target.js'
import { type EngineRequest, openEngines, type OpenEngines } from '../solver.js'
import { ENERGY_LIMIT, type SelfCheck, selfCheck } from '../self-check.js'
import { type EarlyGpu, prepareBeside } from '../target-thread.js'
import { VERSION } from '../version.js'
import { bytes, Console, count, duration, tellComplete } from './console.js'
import { Interrupted } from './interrupt.js'
import type { SolverOptions } from './options.js'

export interface FinishedRun extends SolvedRun {
  /** Ends the run: the rows kept for resuming are no longer needed. */
  discard: () => Promise<void>
}

/** Of an image, about, before its plan is made. */
export const IMAGE_FREQUENCIES = 128

/** The target's name and size, for the plan. */
export function describeTarget({ name, scene }: LoadedTarget, { size, wavelengths }: RunEstimate): string {
  const sizes = size.map((x) => Number(x.toPrecision(4)))
  return `target    ${name}: ${sizes.join(' x ')} m, ${Number(wavelengths.toPrecision(3))} wavelengths across, ${scene.count} facets`
}

/**
 * A mesh made ready, and a GPU that is being opened where one may serve the run; it compiles kernels while the mesh is not ready yet.
 * @param frequencies  of the run's bands, about
 * @param looks        whether rays will serve several aspects each
 * @throws InputError for anything wrong with the file
 */
export async function openTarget(
  path: string,
  { units, smoothAngleDeg, cache, device, cluster, method, sbr }: SolverOptions,
  frequencies: number,
  looks = false,
): Promise<{ given: LoadedTarget; early?: EarlyGpu }> {
  const request = { path, units, smoothAngleDeg, cache }
  const beside = device === 'cpu' || cluster ? null : prepareBeside(request, device === 'auto')
  if (!beside) return { given: await loadTarget(path, units, smoothAngleDeg, cache) }
  const warm = async (): Promise<void> => {
    const gpu = await beside.early.gpu
    if (gpu && !(gpu instanceof GpuError)) await warmKernels(gpu.device, sbr, frequencies, looks)
  }
  if (method !== 'gpueco') warm().catch(() => {})
  return { given: await beside.loaded, early: beside.early }
}

/** This machine's engines, or a cluster's, which is told how the run gets on. */
export async function openRun(
  loaded: LoadedTarget,
  options: EngineRequest & Pick<SolverOptions, 'cluster'>,
  out: Console,
): Promise<OpenEngines & Partial<Pick<ClusterRunEngines, 'progress' | 'report'>>> {
  if (!options.cluster) return openEngines(loaded, options)
  const { openClusterEngines } = await import('../cluster.js')
  return openClusterEngines(loaded, options, options.cluster, VERSION, (message) => out.warn(message))
}

/**
 * Runs a sweep for a command: opens the engine, prints the plan, keeps finished aspects, shows progress. Null where --resume finds the
 * run finished.
 * @throws InputError, Interrupted (after Ctrl-C), or the engine's failure
 */
export async function runForCommand(
  command: string,
  loaded: LoadedTarget,
  options: SolverOptions & { early?: EarlyGpu },
  job: SweepJob,
  place: ResultPlace,
  results: string[],
  resolved: Record<string, unknown>,
  out: Console,
): Promise<FinishedRun | null> {
  const finished = finishedKey(place, results, options)
  // Before any thread is started.
  if (finished === undefined) checkPlace(place, results, options)
  const engines = await openRun(loaded, { ...options, ahead: options.resume ? undefined : job }, out)
  const names = fieldNames(engines)
  try {
    const key = createHash('sha256')
      .update(JSON.stringify([command, VERSION, loaded.hash, engines.sbr.kind, resolved]))
      .digest('hex')
    if (isComplete(finished, key, place)) {
      await engines.close()
      tellComplete(command, place.file(results[0]), options, out)
      return null
    }
    const copies = results.some((name) => /\.(npz|h5)$/i.test(name)) ? ARRAY_COPIES : 0
    const { box } = loaded.target
    const estimate = estimateRun(engines.scene, box, job, engines, engines.sbrWorkers, copies)
    claimPlace(place, results, options)
    for (const line of [...loaded.warnings, ...engines.warnings, ...estimate.warnings]) out.warn(line)
    out.say(describeTarget(loaded, estimate))
    out.say(
      `plan      ${job.aspects.length} aspect${job.aspects.length === 1 ? '' : 's'} x ${frequencyTotal(job)} frequenc${frequencyTotal(job) === 1 ? 'y' : 'ies'}, ${engines.sbr.raster ? `drawn on ${engines.sbr.raster.size} x ${engines.sbr.raster.size} pixels` : `${count(estimate.tubesPerAspect)} ray tubes per aspect, up to ${options.sbr.maxBounces} bounces`}`,
    )
    if (job.looks)
      out.say(
        `fast      approximate: ${job.aspects.length} aspects from the rays of ${job.looks.length === 1 ? 'the middle one' : job.looks.length}`,
      )
    if (loaded.hierarchy) {
      const { seconds: ready, file } = loaded.hierarchy
      out.say(`hierarchy ${file ? `read from ${file}` : 'built'} in ${duration(ready)}`)
    }
    out.say(`device    ${engines.sbr.description} (${engines.reason})`)
    out.say(`estimate  about ${duration(estimate.seconds)}, ${bytes(estimate.memoryBytes)} of memory`)

    if (options.diffraction !== 'none')
      out.say(
        engines.edges || engines.sbr.raster?.edges
          ? `edges     ${options.diffraction}, interior wedge angles below ${options.maxWedgeAngleDeg} degrees`
          : `edges     none has an interior wedge angle below ${options.maxWedgeAngleDeg} degrees`,
      )
    const store = await RowStore.open(
      place.partial,
      key,
      rowLength(job, names.length),
      options.resume,
      checkResults(place, results, options),
    )
    const kept = store.rows.size
    if (kept > 0) out.say(`resuming  ${kept} of ${job.aspects.length} aspects are at hand`)
    const start = performance.now()
    const interrupt = new AbortController()
    const onSignal = (): void => interrupt.abort(new Interrupted())
    process.once('SIGINT', onSignal)
    process.once('SIGTERM', onSignal)
    let details
    let check: SelfCheck | undefined
    try {
      details = await runSweep(
        engines,
        job,
        store,
        ({ done, total }) => {
          engines.progress?.(done, total)
          if (done === 1) loadAhead()
          out.progress(done, total, 'aspects')
        },
        interrupt.signal,
      )
      if (options.check) {
        const top = Math.max(...job.bands.map(highestFrequency))
        check = await selfCheck(engines, engines.scene, job.aspects, top, interrupt.signal)
        tellCheck(check, out)
      }
    } catch (error) {
      store.close()
      const kept = `${store.rows.size} of ${job.aspects.length} aspects are kept, --resume goes on with them`
      const failure = error as Error
      if (error instanceof Interrupted) failure.message = `interrupted; ${kept}`
      else if (!(error instanceof InputError) && !failure.message.includes('--resume'))
        failure.message = `${failure.message.split('\n')[0]}; ${kept}`
      throw error
    } finally {
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
    }
    const seconds = (performance.now() - start) / 1000
    const account = { command, loaded, engines, job, names, estimate, resolved }
    const run = solvedRun(account, store.rows, details, seconds, check)
    const warning = run.cutOff.warning(options.sbr.maxBounces, '--max-bounces')
    if (warning) out.warn(warning)
    for (const line of run.warnings) out.warn(line)
    const cluster = engines.report && { cluster: engines.report([...details.values()]) }
    // Threads and device end while images are formed and results are written.
    const closed = engines.close()
    closed.catch(() => {})
    return {
      ...run,
      meta: { ...run.meta, key },
      timing: { ...run.timing, ...cluster },
      discard: async () => {
        store.discard()
        await closed
      },
    }
  } catch (error) {
    await engines.close()
    throw error
  }
}

/** Loads what draws pictures while the engines are at work. A failure is told by who needs it. */
function loadAhead(): void {
  void import('../figures/index.js').catch(() => {})
}

function tellCheck({ energy, reciprocity }: SelfCheck, out: Console): void {
  const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`
  const at = (theta: number, phi: number): string => `theta ${theta}, phi ${phi}`
  const { theta_deg, phi_deg, rx_theta_deg, rx_phi_deg } = reciprocity
  out.say(
    `check     energy within ${percent(energy.error)} (forward amplitude against the shadow's area, ${at(energy.theta_deg, energy.phi_deg)})`,
  )
  out.say(
    `check     reciprocity within ${percent(reciprocity.error)} of the largest amplitude (${at(theta_deg, phi_deg)} to ${at(rx_theta_deg, rx_phi_deg)}, and back)`,
  )
  if (!(energy.error <= ENERGY_LIMIT))
    out.warn('the ray tubes do not carry the energy that the target takes; raise --rays-per-wavelength')
}
