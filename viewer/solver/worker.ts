import { imageSmear, needsPolarFormat, planSweep } from '../../isar/index.js'
import { isFullWave } from '../../pipeline/engines.js'
import { frequencyReports, planFullWave } from '../../pipeline/full-wave-sweep.js'
import { runSweep } from '../../pipeline/sweep.js'
import type { SweepJob } from '../../pipeline/sweep-job.js'
import { CHANNELS } from '../../rays/index.js'
import { direction, InputError, type Vec3 } from '../../scene/index.js'
import { checkBands } from '../../scene/materials/index.js'
import { formImages } from '../../src/formed-images.js'
import { checkGround } from '../../src/ground.js'
import { traceAspect } from '../../src/view/trace-aspect.js'
import { DEFAULTS } from './defaults.js'
import {
  openPageEngines,
  type PageEngines,
  type PreparedTarget,
  rayOptions,
  refuseFullWave,
} from './engines.js'
import type { Answer, RaysAspect, Request, RunSweep, SolveOptions } from './messages.js'
import { answerOf, openTarget, type OpenedTarget } from './target.js'
import { memoryRows, rowField, type SweepProgress } from '../../pipeline/rows.js'

// The solver in a thread of the page: the sweep, engines and images of `isar rcs` and `isar render`.

const answer = (message: Answer): void => self.postMessage(message, { transfer: [] })

/** As `run` (src/run.ts) does. @throws InputError for frequencies and directions that materials and ground do not allow */
function check({ target }: PreparedTarget, job: SweepJob, options: SolveOptions): void {
  if (options.method === 'mom') return refuseFullWave(target)
  checkBands(target.materials, job.bands)
  if (!target.ground) return
  const { secondOrder } = options
  const settings = {
    method: 'sbr',
    check: false,
    schedule: 'overlapped',
    secondOrder,
    sbr: rayOptions(options),
  }
  checkGround(target.ground, job, settings as Parameters<typeof checkGround>[2])
}

/** What `computeRcs` (src/rcs.ts) and `openSweep` (src/sweep-job.ts) make of the same request. @throws InputError */
function planOf({ target }: PreparedTarget, sweep: RunSweep) {
  const { thetaDeg } = sweep
  const aspect = (phi: number): SweepJob['aspects'][number] => {
    const d = direction(thetaDeg, phi)
    return { tx: d, rx: d }
  }
  const phaseCentre: Vec3 = [0, 0, 0]
  if (sweep.what === 'rcs') {
    const { freqHz, phiDeg } = sweep
    const job: SweepJob = { aspects: phiDeg.map(aspect), bands: [{ f0: freqHz, df: 0, n: 1 }], phaseCentre }
    return { job, plan: null, freqHz: Float64Array.of(freqHz), phiDeg: Float64Array.from(phiDeg) }
  }
  const { centreHz, resolutionM: rangeM, phiDeg } = sweep
  const plan = planSweep({
    points: target.positions,
    phaseCentre,
    thetaDeg,
    phiDeg,
    resolution: { rangeM, centreHz },
  })
  const { freqHz } = plan
  const bands = [{ f0: freqHz[0], df: freqHz[1] - freqHz[0], n: freqHz.length }]
  const job: SweepJob = { aspects: Array.from(plan.phiDeg, aspect), bands, phaseCentre }
  return { job, plan, freqHz, phiDeg: plan.phiDeg }
}

/** Engines stay open for the next run of the same target: threads and kernels take longer to start than a direction takes. */
class HeldEngines {
  private held: { key: string; engines: Promise<PageEngines> } | null = null

  async take(target: PreparedTarget, options: SolveOptions): Promise<PageEngines> {
    const { device, method, edges, secondOrder } = options
    const key = JSON.stringify(method ? [device, method] : [device, edges, secondOrder])
    if (this.held?.key !== key) {
      await this.close()
      this.held = { key, engines: openPageEngines(target, options) }
    }
    return { ...(await this.held.engines), options: rayOptions(options) }
  }

  async close(): Promise<void> {
    const { held } = this
    this.held = null
    await held?.engines.then((engines) => engines.close()).catch(() => {})
  }
}

const engines = new HeldEngines()

/** Memory of the CPU that a page may take: half of the machine's, of which a browser tells 8 GiB at the most, and some nothing. */
const mostBytes = (): number => 2 ** 29 * ((navigator as { deviceMemory?: number }).deviceMemory ?? 4)

/** What full wave takes, for the reader. @throws InputError where the page has not the memory; a GPU tells by itself */
function fullWavePlan({ facets, threads }: PageEngines, job: SweepJob): string | undefined {
  if (!isFullWave(facets)) return undefined
  const { device, isSoftware } = facets.describe()
  const { unknowns, most, bytes, seconds, fits } = planFullWave(
    (f) => facets.size(f),
    job,
    device === 'gpu' && isSoftware ? 'software' : device,
    threads,
  )
  const gib = (n: number): string => `${Number((n / 2 ** 30).toPrecision(2))} GiB`
  if (device === 'cpu' && bytes > mostBytes())
    throw new InputError(`full wave has about ${most} unknowns here and needs ${gib(bytes)}, of which this page has ${gib(mostBytes())}; about ${Number((fits(mostBytes()) / 1e9).toPrecision(2))} GHz would fit, and rays need none of it`) // prettier-ignore
  const range = unknowns === most ? String(most) : `${unknowns} to ${most}`
  return `about ${range} unknowns, ${Number((bytes / 1e6).toPrecision(2))} MB, ${Math.ceil(seconds)} s`
}

async function solve(
  id: number,
  prepared: PreparedTarget,
  sweep: RunSweep,
  options: SolveOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { job, plan, freqHz, phiDeg } = planOf(prepared, sweep)
  check(prepared, job, options)
  const used = await engines.take(prepared, options)
  signal.throwIfAborted()
  const notes = [...used.notes, ...(plan?.notes ?? [])]
  const { device } = used
  const { thetaDeg } = sweep
  answer({ id, kind: 'started', device, notes, plan: fullWavePlan(used, job), freqHz, thetaDeg, phiDeg })
  const kept = memoryRows()
  const add = (aspect: number, row: Float64Array): void => {
    kept.add(aspect, row)
    // Beyond the aspects full wave keeps frequencies.
    if (signal.aborted || aspect >= job.aspects.length) return
    answer({ id, kind: 'row', aspect, field: rowField(job, row).slice() })
  }
  const start = performance.now()
  const onProgress = ({ done, total }: SweepProgress): void =>
    answer({ id, kind: 'part', part: done / total })
  await runSweep(used, job, { rows: kept.rows, add }, isFullWave(used.facets) ? onProgress : () => {}, signal)
  const seconds = (performance.now() - start) / 1000
  signal.throwIfAborted()
  const fullWave = isFullWave(used.facets) ? frequencyReports(job, kept.rows) : undefined
  if (!plan) return { id, kind: 'done', seconds, fullWave }
  const total = job.aspects.map((_, i) => rowField(job, kept.rows.get(i)!))
  const polarFormat = needsPolarFormat(imageSmear(plan, prepared.target.positions))
  const formed = await formImages(plan, CHANNELS, { total }, { window: 'hamming', polarFormat })
  return { id, kind: 'done', seconds, fullWave, image: { plan, formed } }
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
