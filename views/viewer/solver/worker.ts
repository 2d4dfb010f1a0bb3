import { imageSmear, needsPolarFormat } from '../../../isar/index.js'
import { CHANNELS } from '../../../rays/index.js'
import { shadowAreas, TimeLeft } from '../../../run/estimate.js'
import { formImages } from '../../../run/formed-images.js'
import { isFullWave } from '../../../run/sweep/engines.js'
import { frequencyReports } from '../../../run/sweep/full-wave-sweep.js'
import { memoryRows, rowField, rowReport, type SweepProgress } from '../../../run/sweep/rows.js'
import { runSweep } from '../../../run/sweep/sweep.js'
import { InputError } from '../../../scene/index.js'
import { traceAspect } from '../../server/manifest.js'
import {
  type Answer,
  DEFAULTS,
  type RaysAspect,
  type Request,
  type RunSweep,
  type SolveOptions,
} from './messages.js'
import {
  answerOf,
  type OpenedTarget,
  openPageEngines,
  openTarget,
  type PageEngines,
  type PreparedTarget,
  rayOptions,
} from './engines.js'
import { deviceOf, fullWaveText, type PlannedJob, planOf, planText, secondsText } from './plan.js'

// The solver in a thread of the page: the sweep, engines and images of `isar rcs` and `isar render`.

const answer = (message: Answer): void => self.postMessage(message, { transfer: [] })

/** Engines stay open for the next run of the same target: threads and kernels take longer to start than a direction takes. */
class HeldEngines {
  private held: { key: string; engines: Promise<PageEngines> } | null = null
  /** The GPU has failed where `auto` took it: that is the CPU from then on. */
  private gpuFailed = false

  /** What `auto` means for a run. */
  chosen(target: OpenedTarget, { job }: PlannedJob, options: SolveOptions): SolveOptions {
    if (options.device === 'auto' && this.gpuFailed) return { ...options, device: 'cpu' }
    const started = this.held?.key === keyOf({ ...options, device: 'auto' })
    const device = deviceOf(target, job, options, started)
    // `auto` takes the CPU where the GPU fails.
    return { ...options, device: device === 'gpu' ? options.device : device }
  }

  async take(target: PreparedTarget, options: SolveOptions): Promise<PageEngines> {
    const key = keyOf(options)
    if (this.held?.key !== key) {
      await this.close()
      this.held = { key, engines: openPageEngines(target, options) }
    }
    const { held } = this
    const engines = await held.engines
    if (options.device === 'auto' && engines.facets.describe().device === 'cpu') {
      this.gpuFailed = true
      held.key = keyOf({ ...options, device: 'cpu' })
    }
    return { ...engines, options: rayOptions(options) }
  }

  async close(): Promise<void> {
    const { held } = this
    this.held = null
    await held?.engines.then((engines) => engines.close()).catch(() => {})
  }
}

/** Engines of one key serve all runs. */
const keyOf = ({ device, method, edges, secondOrder }: SolveOptions): string =>
  JSON.stringify(method ? [device, method] : [device, edges, secondOrder])

const engines = new HeldEngines()

async function solve(
  id: number,
  prepared: OpenedTarget,
  sweep: RunSweep,
  wanted: SolveOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const planned = planOf(prepared, sweep, wanted)
  const { job, plan, freqHz, phiDeg } = planned
  const options = engines.chosen(prepared, planned, wanted)
  const used = await engines.take(prepared, options)
  signal.throwIfAborted()
  const isFull = isFullWave(used.facets)
  const takes = isFull ? fullWaveText(prepared, job, used.facets.describe()) : undefined
  const notes = [...used.notes, ...(plan?.notes ?? [])]
  const { device } = used
  const { thetaDeg } = sweep
  answer({ id, kind: 'started', device, notes, plan: takes, freqHz, thetaDeg, phiDeg })
  const kept = memoryRows()
  const add = (aspect: number, row: Float64Array): void => {
    kept.add(aspect, row)
    // Beyond the aspects full wave keeps frequencies.
    if (signal.aborted || aspect >= job.aspects.length) return
    answer({ id, kind: 'row', aspect, field: rowField(job, row).slice() })
  }
  const start = performance.now()
  const areas = shadowAreas(prepared.target.box, job.aspects)
  const time = new TimeLeft(new Map(areas.entries()), Infinity, used.threads, start / 1000)
  const onProgress = ({ done, total, finished }: SweepProgress): void => {
    const [part, now] = [done / total, performance.now() / 1000]
    if (finished.length > 0) time.add(finished, now, rowReport(kept.rows.get(finished[0])!))
    const left = isFull ? ((now - start / 1000) * (1 - part)) / part : time.seconds()
    answer({
      id,
      kind: 'part',
      part,
      ...(left !== undefined && left < Infinity && { left: secondsText(left) }),
    })
  }
  await runSweep(used, job, { rows: kept.rows, add }, onProgress, signal)
  const seconds = (performance.now() - start) / 1000
  signal.throwIfAborted()
  const fullWave = isFull ? frequencyReports(job, kept.rows) : undefined
  if (!plan) return { id, kind: 'done', seconds, fullWave }
  const total = job.aspects.map((_, i) => rowField(job, kept.rows.get(i)!))
  const polarFormat = needsPolarFormat(imageSmear(plan, prepared.target.positions))
  const formed = await formImages(plan, CHANNELS, { total }, { window: 'hamming', polarFormat })
  return { id, kind: 'done', seconds, fullWave, image: { plan, formed } }
}

function planRun(prepared: OpenedTarget, { id, sweep, options }: Extract<Request, { kind: 'plan' }>): Answer {
  const planned = planOf(prepared, sweep, options)
  return { id, kind: 'plan', ...planText(prepared, planned, engines.chosen(prepared, planned, options)) }
}

function traceRays(
  id: number,
  { target, scene, edgeScene }: PreparedTarget,
  { thetaDeg, phiDeg, freqHz }: RaysAspect,
  options: SolveOptions,
): Answer {
  const edgesOf = options.edges ? edgeScene : null
  const { list, edges } = traceAspect(scene, edgesOf, [thetaDeg, phiDeg], freqHz, rayOptions(options), DEFAULTS.diffraction) // prettier-ignore
  return { id, kind: 'rays', rays: { ...list, phiDeg, freqHz, edges, surface: target.surface } }
}

let opened: Promise<OpenedTarget> = Promise.reject(new InputError('open a mesh first'))
opened.catch(() => {})
/** Runs in progress or waiting, by their numbers; the last of them ends the queue. */
const running = new Map<number, AbortController>()
let queue: Promise<unknown> = Promise.resolve()

async function run({ id, sweep, options }: Extract<Request, { kind: 'solve' }>): Promise<Answer> {
  const { signal } = running.get(id)!
  try {
    signal.throwIfAborted()
    return await solve(id, await opened, sweep, options, signal)
  } catch (error) {
    // Of a failed engine nothing is kept: the device may be lost.
    if (!signal.aborted && !(error instanceof InputError)) await engines.close()
    return refusal(id, error, signal.aborted)
  } finally {
    running.delete(id)
  }
}

/** A failure in one line. */
const refusal = (id: number, error: unknown, stopped = false): Answer => ({
  id,
  kind: 'refused',
  message: error instanceof Error ? error.message : String(error),
  why: stopped ? 'stopped' : error instanceof InputError ? 'input' : 'failed',
})

function reply(request: Request): Promise<Answer> {
  const { id } = request
  if (request.kind === 'solve') {
    running.set(id, new AbortController())
    const done = queue.then(() => run(request))
    queue = done
    return done
  }
  if (request.kind === 'plan') return opened.then((prepared) => planRun(prepared, request))
  if (request.kind === 'rays')
    return opened.then((prepared) => traceRays(id, prepared, request.aspect, request.options))
  if (request.kind === 'stop') throw new RangeError('a stop is not answered')
  for (const own of running.values()) own.abort()
  opened = queue.then(() => engines.close()).then(() => openTarget(request.given))
  // A run that is asked for next waits for this target.
  queue = opened.catch(() => {})
  return opened.then((prepared) => answerOf(id, prepared))
}

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'stop') return running.get(data.id)?.abort()
  reply(data)
    .catch((error: unknown) => refusal(data.id, error))
    .then(answer)
})
