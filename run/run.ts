import { createHash } from 'node:crypto'
import { fieldNames, rowLength, rowReport, type Rows, runSweep, type SweepJob } from './sweep/index.js'
import { boundingBox, highestFrequency } from '../scene/index.js'
import { withoutImage } from '../scene/ground/index.js'
import { estimateRun, fullWaveAdvice, type RunEstimate, shadowAreas } from './estimate.js'
import type { Hooks, RunSettings, TargetSettings } from './hooks.js'
import type { LoadedTarget } from './loaded-target.js'
import { checkedAspects, ENERGY_LIMIT, type SelfCheck, selfCheck } from './self-check.js'
import { type SolvedRun, solvedRun } from './solved-run.js'
import { type EngineRequest, openEngines, type OpenEngines } from './solver.js'
import { materialsKey } from '../formats/index.js'
import { TimeLeft } from './time-left.js'
import { VERSION } from './version.js'

/** Where a run keeps its rows: `memoryStore` or `resultStore`. */
export interface RunStore {
  /** Whether rows of an interrupted run may exist. */
  readonly resumes: boolean
  /** Copies of all fields held while results are written, about. */
  readonly copies: number
  /** Called before any thread starts. @throws InputError where results exist already */
  check?: () => void
  /** The rows stored under this key, each of `length` numbers. @throws InputError, AlreadyComplete */
  open: (key: string, length: number) => Promise<Rows>
  /** Closes the store; rows stay for a run that resumes. Absent where they are in memory alone. */
  close?: () => void
}

/** Where a job's results go, and the hooks that report its progress. */
export interface Caller {
  store: RunStore
  hooks: Hooks
  /** Further entries of the record of options. */
  record?: Record<string, unknown>
}

export interface RunRequest extends Caller {
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
 * Runs a sweep: opens the engines, estimates, computes the rows missing from the store, runs the self-check where requested, reports, closes.
 * The only run there is: of `isar render`, `isar rcs` and the library's calls (CONTRIBUTING.md, "A run, step by step").
 * @throws InputError for an impossible run, the signal's reason, or the engines' failure; threads have ended then
 */
export async function run(request: RunRequest): Promise<FinishedRun> {
  const { command, target, job, settings, record, store, hooks } = request
  hooks.check()
  store.check?.()
  // Loaded on demand: most targets conduct.
  if (target.target.facetMaterial)
    (await import('../scene/materials/index.js')).checkBands(target.target.materials, job.bands)
  const { ground } = target.target
  if (ground) (await import('./ground.js')).checkGround(ground, job, settings)
  const warn = (message: string): void => hooks.warn(message)
  const engines = await openRunEngines(target, settings, warn)
  let opened: Rows | undefined
  try {
    const estimate = estimateRun(
      engines.scene,
      ground ? boundingBox(withoutImage(target.target)) : target.target.box,
      job,
      engines,
      engines.sbrWorkers,
      store.copies,
    )
    hooks.check()
    const key = JSON.stringify([
      command,
      VERSION,
      target.hash,
      engines.facets.describe().device,
      record,
      ...materialsKey(target.target),
    ])
    const hash = createHash('sha256').update(key).digest('hex')
    const kept = (opened = await store.open(hash, rowLength(job, fieldNames(engines).length)))
    for (const line of [...target.warnings, ...engines.warnings, ...estimate.warnings]) warn(line)
    const advice =
      settings.cluster || settings.method !== 'sbr'
        ? null
        : fullWaveAdvice(target.target, job, engines, estimate, engines.sbrWorkers)
    const plan = { target, job, settings, engines, estimate, rows: kept.rows, advice }
    hooks.to.onPlan?.(plan)
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
    const seconds = (performance.now() - start) / 1000
    const solved = solvedRun(command, plan, record, details, seconds, check)
    const cutOff = solved.cutOff.warning(settings.sbr.maxBounces, hooks.nameOf('maxBounces'))
    if (cutOff) warn(cutOff)
    for (const line of solved.warnings) warn(line)
    const cluster = engines.report && { cluster: engines.report() }
    // Threads and device are released while the caller processes the fields.
    const closed = engines.close()
    closed.catch(() => {})
    return {
      ...solved,
      // Identifies the results for a run that resumes.
      meta: { ...solved.meta, ...(store.close && { key: hash }) },
      timing: { ...solved.timing, ...cluster },
      closed,
    }
  } catch (error) {
    if (opened) store.close?.()
    await engines.close()
    // A pool's tasks fail with an error of their own.
    hooks.check()
    throw error
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
