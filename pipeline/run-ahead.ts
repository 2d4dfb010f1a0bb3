import { setMaxListeners } from 'node:events'
import type { EdgeEngine, EdgeJob, EdgeOptions, EdgeResult, EdgeThreads } from '../cpu-diffraction/index.js'
import { atMost } from './at-most.js'
import { type Engines, type FacetEngine, hasThreads } from './engines.js'
import type { SweepJob } from './sweep-job.js'

/** Segments of an aspect that one thread may take alone: some seconds of work at the most. */
const MOST_SEGMENTS = 3e5
/** Aspects begun that all threads share. */
const SHARED_AHEAD = 4

/** Aspects begun, times those that keep the device of the facets busy: so far that goes on while edges are late. */
const FACETS_AHEAD = 4

/** An edge engine at work on a sweep before it is asked for any aspect. */
interface EdgesAhead extends EdgeEngine {
  readonly ahead: true
}

interface Begun {
  job: EdgeJob
  result: Promise<EdgeResult>
}

/**
 * An edge engine that computes `jobs` ahead of who asks for them: at once and as long as there are any, whether or not the calling
 * thread is held by the GPU meanwhile. Most are a task of one thread each, two to a thread, so that threads wait for nobody; the last
 * ones are shared out among all. `field` hands out what is begun for a job of the same objects, with the same bytes as the
 * engine's own, and computes any other job.
 *
 * @param signal  begins nothing more and drops what has not begun when it fires, as closing and a call that is aborted do
 */
export function withRunAhead(engine: EdgeThreads, jobs: EdgeJob[], signal?: AbortSignal): EdgesAhead {
  const stop = new AbortController()
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  // Every task listens.
  setMaxListeners(0, either)
  const { threads } = engine.describe()
  const todo = new Set(inTurn(jobs, threads))
  const small = jobs.length > 0 && isSmall(engine, jobs[0])
  const begun: Begun[] = []
  /** Jobs asked for before their turn, and who waits for each. */
  const wanted = new Map<EdgeJob, (result: Promise<EdgeResult>) => void>()
  const underWay = { whole: 0, shared: 0 }

  const begin = (job: EdgeJob, how: 'whole' | 'shared'): void => {
    todo.delete(job)
    underWay[how]++
    const start = performance.now() / 1000
    const work = how === 'whole' ? engine.fieldOnOneThread(job, either) : engine.field(job, either)
    const result = work.then((r) => {
      const end = performance.now() / 1000
      const alone = how === 'whole'
      // A thread has two at hand: the work itself ends with its result.
      return { ...r, span: { start: alone ? end - r.times.prepare - r.times.evaluate : start, end, alone } }
    })
    const ask = wanted.get(job)
    wanted.delete(job)
    if (ask) ask(result)
    else begun.push({ job, result })
    const ended = (): void => {
      underWay[how]--
      goOn()
    }
    // Nobody may ask for it.
    result.then(ended, ended)
  }
  /** False where as many are under way as there may be. */
  const mayBegin = (job: EdgeJob): boolean => {
    const how = small && todo.size > threads ? 'whole' : 'shared'
    if (underWay[how] >= (how === 'whole' ? 2 * threads : SHARED_AHEAD)) return false
    begin(job, how)
    return true
  }
  const goOn = (): void => {
    if (either.aborted) {
      for (const ask of wanted.values()) ask(Promise.reject(either.reason as Error))
      wanted.clear()
      return
    }
    for (const job of wanted.keys()) if (!mayBegin(job)) return
    for (const job of todo) if (begun.length >= 4 * threads || !mayBegin(job)) return
  }
  either.addEventListener('abort', goOn, { once: true })
  goOn()

  return {
    ahead: true,
    describe: () => engine.describe(),
    segments: (job) => engine.segments(job),
    field(job, abort) {
      const isAsked = (other: EdgeJob): boolean =>
        other.aspect === job.aspect && other.band === job.band && other.options === job.options
      const at = begun.findIndex((b) => isAsked(b.job))
      let result = at < 0 ? undefined : begun.splice(at, 1)[0].result
      if (!result) {
        const waiting = firstOf(todo, isAsked)
        if (!waiting || wanted.has(waiting)) return engine.field(job, abort)
        result = new Promise((resolve) => wanted.set(waiting, resolve))
      }
      goOn()
      return unlessAborted(result, stop, abort)
    },
    async close() {
      stop.abort()
      await engine.close()
    },
  }
}

/**
 * The engines of a sweep, and how many of its aspects are begun at once. Where the facets have a GPU, edge diffraction works ahead of
 * `aspects`, and more aspects are begun than the GPU works on.
 */
export function runningAhead(
  engines: Engines,
  { bands, looks }: Pick<SweepJob, 'bands' | 'looks'>,
  aspects: SweepJob['aspects'],
  signal: AbortSignal,
): { engines: Engines; inFlight: number } {
  const { facets, edges, schedule } = engines
  const { device, aspectsInFlight } = facets.describe()
  if (schedule !== 'overlapped') return { engines, inFlight: 1 }
  if (!edges || device !== 'gpu' || looks || !(hasThreads(edges.engine) || 'ahead' in edges.engine))
    return { engines, inFlight: aspectsInFlight }
  // A run's edges may be at work since before its GPU was opened.
  const engine = hasThreads(edges.engine)
    ? withRunAhead(edges.engine, edgeJobs({ aspects, bands }, edges.options), signal)
    : edges.engine
  return {
    engines: { ...engines, facets: limited(facets, aspectsInFlight), edges: { ...edges, engine } },
    inFlight: FACETS_AHEAD * aspectsInFlight,
  }
}

/** The engine with at most so many aspects in flight; further ones wait for their turn. */
function limited<E extends FacetEngine>(engine: E, aspects: number): E {
  const inTurn = atMost(aspects)
  const field = (job: never, signal?: AbortSignal) => inTurn(() => engine.field(job, signal))
  return { ...engine, describe: () => engine.describe(), field, close: () => engine.close() }
}

/** The edges' jobs of a sweep, in the order in which it asks for them. */
export const edgeJobs = (
  { aspects, bands }: Pick<SweepJob, 'aspects' | 'bands'>,
  options: EdgeOptions,
): EdgeJob[] => aspects.flatMap((aspect) => bands.map((band) => ({ aspect, band, options })))

/** Whether a thread may take an aspect alone. */
const isSmall = (engine: EdgeEngine, job: EdgeJob): boolean =>
  !job.options.secondOrder?.length && engine.segments(job) <= MOST_SEGMENTS

/** The jobs in the order they are begun: a thread that takes two at first has an early one and a later one. */
function inTurn(jobs: EdgeJob[], threads: number): EdgeJob[] {
  if (jobs.length < 2 * threads) return jobs
  const first = jobs.slice(0, threads).flatMap((job, i) => [job, jobs[threads + i]])
  return [...first, ...jobs.slice(2 * threads)]
}

function firstOf<T>(set: Set<T>, fits: (one: T) => boolean): T | undefined {
  for (const one of set) if (fits(one)) return one
  return undefined
}

/** The result, or the signal's reason as soon as it fires; then `stop` fires too. */
async function unlessAborted(
  result: Promise<EdgeResult>,
  stop: AbortController,
  signal?: AbortSignal,
): Promise<EdgeResult> {
  if (!signal) return result
  let off = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    off = () => {
      stop.abort(signal.reason)
      reject(signal.reason as Error)
    }
  })
  if (signal.aborted) off()
  signal.addEventListener('abort', off, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', off)
  }
}
