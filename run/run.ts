import {
  type AspectDetail,
  fieldNames,
  keptUnits,
  rowLength,
  rowReport,
  type Rows,
  runSweep,
  type SweepJob,
} from './sweep/index.js'
import { boundingBox, highestFrequency } from '../scene/index.js'
import { withoutImage } from '../scene/ground/index.js'
import { estimateRun, fullWaveAdvice, type RunEstimate, shadowAreas } from './estimate.js'
import type { Hooks, RunPlan, RunSettings, TargetSettings } from './hooks.js'
import { type Caller, type Job, runJob, type Store } from './job.js'
import type { LoadedTarget } from './loaded-target.js'
import { checkedAspects, ENERGY_LIMIT, type SelfCheck, selfCheck } from './self-check.js'
import { type SolvedRun, solvedRun } from './solved-run.js'
import { type EngineRequest, openEngines, type OpenEngines } from './solver.js'
import { materialsKey } from '../formats/index.js'
import { TimeLeft } from './time-left.js'
import { VERSION } from './version.js'

/** Where a run keeps its rows, each of at most so many numbers: `memoryStore` or `resultStore`. */
export interface RunStore extends Store<Rows, number> {
  /** Copies of all fields held while results are written, about. */
  readonly copies: number
}

/** Where a run's results go, and who is told of its progress. */
export interface RunCaller extends Caller<Rows, number, RunPlan> {
  store: RunStore
}

export interface RunRequest extends RunCaller {
  command: string
  target: LoadedTarget
  job: SweepJob
  settings: TargetSettings
  /** Options as resolved: for `meta.json`, and for the key that a resumed run must match. */
  record: Record<string, unknown>
}

export interface FinishedRun extends SolvedRun {
  /** Settles when threads have ended and the device is released. */
  closed: Promise<void>
}

/**
 * Runs a sweep: engines, estimate, the rows missing from the store, the self-check where requested, records.
 * The only sweep there is: of `isar render`, `isar rcs` and the library's calls (CONTRIBUTING.md, "A run, step by step").
 * @throws as `runJob`
 */
export async function run(request: RunRequest): Promise<FinishedRun> {
  const { result, closed } = await runJob(() => openRun(request), request)
  return { ...result, closed }
}

async function openRun(request: RunRequest): Promise<Job<Rows, number, RunPlan, SolvedRun>> {
  const { command, target, job, settings, record, store, hooks } = request
  // Loaded on demand: most targets conduct.
  if (target.target.facetMaterial)
    (await import('../scene/materials/index.js')).checkBands(target.target.materials, job.bands)
  const { ground } = target.target
  if (ground) (await import('./ground.js')).checkGround(ground, job, settings)
  const engines = await openRunEngines(target, settings, (message) => hooks.warn(message))
  let estimate: RunEstimate
  try {
    const box = ground ? boundingBox(withoutImage(target.target)) : target.target.box
    estimate = estimateRun(engines.scene, box, job, engines, engines.sbrWorkers, store.copies)
  } catch (error) {
    await engines.close()
    throw error
  }
  const isSbr = !settings.cluster && settings.method === 'sbr'
  const known = { target, job, settings, engines, estimate }
  let solved: { details: Map<number, AspectDetail>; check?: SelfCheck; seconds: number }
  return {
    key: [
      command,
      VERSION,
      target.hash,
      engines.facets.describe().device,
      record,
      ...materialsKey(target.target),
    ],
    shape: rowLength(job, fieldNames(engines).length),
    warnings: [...target.warnings, ...engines.warnings, ...estimate.warnings],
    plan: ({ rows }) => ({
      ...known,
      rows,
      advice: isSbr ? fullWaveAdvice(target.target, job, engines, estimate, engines.sbrWorkers) : null,
      kept() {
        const { done, total, what } = keptUnits(engines, job, rows)
        return done > 0 ? `${done} of ${total} ${what}` : null
      },
    }),
    async solve(kept) {
      const start = performance.now()
      const time = sweepTime(request, engines, estimate, kept, start / 1000)
      const details = await runSweep(
        engines,
        job,
        kept,
        ({ done, total, finished, what }) => {
          engines.progress?.(done, total)
          const now = performance.now() / 1000
          if (finished.length > 0) {
            // Times of a cluster are summed over its workers.
            const report = settings.cluster ? undefined : rowReport(kept.rows.get(finished[0])!)
            time.add(finished, now, report)
          }
          const whole = time.corrected(now)
          if (whole !== undefined) hooks.to.onEstimate?.(whole, done)
          hooks.progress('solve', done, total, time.seconds(), what === 'aspects' ? undefined : what)
        },
        hooks.signal,
      )
      const check = settings.check ? await checked(engines, job, hooks) : undefined
      solved = { details, check, seconds: (performance.now() - start) / 1000 }
    },
    finish(kept, key) {
      const { details, check, seconds } = solved
      const result = solvedRun(command, { ...known, rows: kept.rows }, record, details, seconds, check)
      const cutOff = result.cutOff.warning(settings.sbr.maxBounces, hooks.nameOf('maxBounces'))
      if (cutOff) hooks.warn(cutOff)
      for (const line of result.warnings) hooks.warn(line)
      const cluster = engines.report && { cluster: engines.report() }
      return { ...result, meta: { ...result.meta, ...key }, timing: { ...result.timing, ...cluster } }
    },
    close: () => engines.close(),
  }
}

/** The time of the aspects that are not kept from before. */
function sweepTime(
  { target, job }: RunRequest,
  { edges }: OpenEngines,
  { seconds, coldSeconds }: RunEstimate,
  { rows }: Rows,
  start: number,
): TimeLeft {
  const areas = shadowAreas(target.target.box, job.aspects)
  const weights = new Map([...areas.entries()].filter(([i]) => !rows.has(i)))
  const stated = coldSeconds + (seconds * weights.size) / job.aspects.length
  return new TimeLeft(weights, stated, edges?.engine.describe().threads ?? 1, start)
}

/** This machine's engines, or a cluster's, to which progress is reported. */
export async function openRunEngines(
  target: LoadedTarget,
  settings: EngineRequest & Pick<RunSettings, 'cluster'>,
  warn: (message: string) => void,
): Promise<OpenEngines> {
  if (!settings.cluster) return openEngines(target, { ...settings, onFault: warn })
  const { openClusterEngines } = await import('./cluster-engines.js')
  return openClusterEngines(target, settings, settings.cluster, VERSION, warn)
}

async function checked(engines: OpenEngines, job: SweepJob, hooks: Hooks): Promise<SelfCheck> {
  const top = Math.max(...job.bands.map(highestFrequency))
  const signal = hooks.signal ?? new AbortController().signal
  const { length } = checkedAspects(job.aspects)
  hooks.to.onNote?.(
    'check',
    `energy and reciprocity at ${length} aspect${length === 1 ? '' : 's'}: ${4 * length - 2} more solutions`,
  )
  const check = await selfCheck(engines, engines.scene, job.aspects, top, signal)
  hooks.to.onCheck?.(check)
  if (!(check.energy.error <= ENERGY_LIMIT))
    hooks.warn(
      `the ray density is too low: the ray tubes do not carry the power that the target intercepts; raise ${hooks.nameOf('raysPerWavelength')}`,
    )
  return check
}
