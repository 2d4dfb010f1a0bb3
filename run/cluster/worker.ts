import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type Processor, type Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { type EdgeThreads, EVALUATE_BLOCKS } from '../../cpu-diffraction/index.js'
import { GpuError } from '../../gpu/index.js'
import type { SbrEngine, SbrJob } from '../../rays/index.js'
import { InputError, type Mesh } from '../../scene/index.js'
import {
  connect,
  consumerOptions,
  expireQueue,
  getMesh,
  KEYS,
  LEFT_MS,
  openQueue,
  queueKeys,
  QUEUES,
} from './redis.js'
import { type Answer, pack, RunSpec, Unit, unitAspect, type WorkerInfo } from './wire.js'

/** Limit of ray tubes of a job from the network; a local run is refused from 5e10. */
const MAX_TUBES = 1e11

/** Limit of edge segments of a job, before visibility: some hours of one worker. */
const MAX_SEGMENTS = 1e9

/** Computes one unit of work, with the same code as a local run. */
export function compute(unit: Unit, engines: WorkerEngines, worker: string): Promise<Answer> {
  return unit.what === 'sbr' ? computeRays(unit, engines, worker) : computeEdges(unit, engines, worker)
}

async function computeRays(
  unit: Extract<Unit, { what: 'sbr' }>,
  { sbr, tubes }: WorkerEngines,
  worker: string,
): Promise<Answer> {
  const { options, band, tiles } = unit
  const job = { aspect: unitAspect(unit), band, options, tiles }
  if (tubes(job) > MAX_TUBES) throw new InputError(`a job of ${tubes(job)} ray tubes is refused`)
  const { field, totals, statistics, times, partSeconds } = await sbr.field(job)
  return {
    what: 'sbr',
    unit: unit.unit,
    worker,
    ...(totals ? { totals: pack(totals) } : { field: pack(field) }),
    statistics,
    times,
    partSeconds,
  }
}

async function computeEdges(
  unit: Extract<Unit, { what: 'edges' }>,
  { edges }: WorkerEngines,
  worker: string,
): Promise<Answer> {
  if (!edges) throw new InputError('the target has no edges that diffract')
  const { options, band, share } = unit
  const start = performance.now()
  const [index, of] = share
  const job = { aspect: unitAspect(unit), band, options }
  const segments = edges.segments(job)
  if (!(segments <= MAX_SEGMENTS)) throw new InputError(`a job of ${segments} edge segments is refused`)
  // Blocks are numbered across all edges, so every share first divides all of them into segments.
  const prepared = await edges.prepare(job)
  const first = Math.floor((prepared.blocks * index) / of)
  const end = Math.floor((prepared.blocks * (index + 1)) / of)
  const { threads } = edges.describe()
  const sums = await Promise.all(
    Array.from({ length: Math.ceil((end - first) / EVALUATE_BLOCKS) }, (_, t) => {
      const from = first + t * EVALUATE_BLOCKS
      return edges.evaluate(prepared, from, Math.min(from + EVALUATE_BLOCKS, end))
    }),
  )
  return {
    what: 'edges',
    unit: unit.unit,
    worker,
    field: pack(edges.finish(prepared, sums)),
    considered: prepared.consideredSegments,
    visible: prepared.visibleSegments,
    times: {
      prepare: prepared.seconds / threads,
      evaluate: sums.reduce((sum, { seconds }) => sum + seconds, 0) / threads,
      total: (performance.now() - start) / 1000,
    },
  }
}

/** The engines of one run's target on a worker. */
export interface WorkerEngines {
  sbr: SbrEngine
  /** Absent without edge diffraction. */
  edges?: EdgeThreads
  /** Ray tubes of a job's whole aperture. */
  tubes: (job: SbrJob) => number
  close: () => Promise<void>
}

/** What a target is prepared from. */
export interface Recipe {
  /** In metres. */
  mesh: Mesh
  smoothAngleDeg: number
  curved?: { angleDeg: number; sagittas: number[] }
}

/** Prepares a target and opens its engines, as a local run would. */
type OpenTarget = (spec: RunSpec, mesh: Mesh) => Promise<WorkerEngines>

interface Entry {
  engines: Promise<WorkerEngines>
  users: number
}

/** Prepared targets kept besides those in use. */
const KEPT = 2

/** Prepared targets of a worker: each is fetched and prepared once for all runs that need it. */
class TargetCache {
  /** In the order of their last use. */
  private readonly entries = new Map<string, Entry>()

  /** @param fetch  a mesh by its hash */
  constructor(
    private readonly fetch: (hash: string) => Promise<Mesh>,
    private readonly open: OpenTarget,
  ) {}

  /** Runs `work` with the engines of a run's target. */
  async use<T>(spec: RunSpec, work: (engines: WorkerEngines) => Promise<T>): Promise<T> {
    const key = JSON.stringify(Object.entries(spec).sort())
    const entry = this.entries.get(key) ?? {
      engines: this.fetch(spec.mesh).then((mesh) => this.open(spec, mesh)),
      users: 0,
    }
    this.entries.delete(key)
    this.entries.set(key, entry)
    entry.users++
    try {
      return await work(await entry.engines)
    } catch (error) {
      // An engine that failed to open is opened again the next time.
      entry.engines.catch(() => this.entries.delete(key))
      throw error
    } finally {
      entry.users--
      await this.trim(KEPT)
    }
  }

  close(): Promise<void> {
    return this.trim(0)
  }

  private async trim(kept: number): Promise<void> {
    for (const [key, { engines, users }] of this.entries) {
      if (this.entries.size <= kept) return
      if (users > 0) continue
      this.entries.delete(key)
      await engines.then(
        (opened) => opened.close(),
        () => {},
      )
    }
  }
}

interface WorkerSettings {
  redis: string
  id: string
  kind: 'gpu' | 'cpu'
  release: string
  /** Description of its device. */
  description: string
  threads: number
  /** Aspects in flight that keep its device busy. */
  capacity: number
  maxMeshBytes: number
  open: OpenTarget
  /** Receives warnings, one line each. */
  onTrouble: (message: string) => void
}

/** Heartbeat interval and its expiry [ms]; the expiry is longer while a target is prepared. */
const HEARTBEAT_MS = 1000
const LIFE_MS = 4000
const PREPARING_MS = 120_000
/** Time to finish units in progress after a stop request [ms]. */
const GRACE_MS = 10_000
/** Units assigned to this worker, and edge units, processed at once. */
const OWN_UNITS = 3
const EDGE_UNITS = 2

/**
 * Serves cluster runs until the signal fires: takes units of work from the queues of its kind, computes them, and puts
 * the answers into their run's queue. A unit whose run has ended is dropped. Rejects when the GPU fails: the process
 * cannot continue then.
 */
export async function serve(
  settings: WorkerSettings,
  signal: AbortSignal,
  onReady: () => void = () => {},
): Promise<void> {
  const redis = await connect(settings.redis, settings.onTrouble)
  const service = new Service(redis, settings)
  try {
    await service.start()
    onReady()
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      service.onFatal = reject
      if (signal.aborted) resolve()
    })
  } finally {
    // An unreachable server or a hung device does not keep the process alive.
    await Promise.race([service.stop(), sleep(GRACE_MS + LIFE_MS, undefined, { ref: false })])
    redis.disconnect()
  }
}

interface Run {
  spec: RunSpec
  answers: Queue
}

class Service {
  onFatal: (error: Error) => void = () => {}
  private readonly info: WorkerInfo
  private readonly targets: TargetCache
  private readonly runs = new Map<string, Run>()
  /** Queues that it takes units from, with how many at a time. */
  private readonly queues: [name: string, units: number][]
  private consumers: Worker[] = []
  private beat: NodeJS.Timeout | null = null
  private preparing = 0

  constructor(
    private readonly redis: Redis,
    private readonly settings: WorkerSettings,
  ) {
    const { id, kind, release, description, threads, capacity, open, maxMeshBytes } = settings
    this.queues = [
      [QUEUES.sbr(kind, release), capacity],
      [QUEUES.edges(release), EDGE_UNITS],
      [QUEUES.worker(id), OWN_UNITS],
    ]
    this.info = {
      id,
      kind,
      release,
      description: description.slice(0, 500),
      host: hostname(),
      pid: process.pid,
      threads,
      capacity,
      preparing: false,
      done: 0,
      busy: 0,
      failed: 0,
    }
    this.targets = new TargetCache(
      (hash) => getMesh(redis, hash, maxMeshBytes),
      async (spec, mesh) => {
        this.preparing++
        try {
          await this.heartbeat()
          return await open(spec, mesh)
        } finally {
          this.preparing--
          await this.heartbeat()
        }
      },
    )
  }

  async start(): Promise<void> {
    const { id } = this.settings
    const take: Processor = (job: Job) => this.process(job)
    const consume = (name: string, concurrency: number): Worker => {
      const worker = new Worker(name, take, { ...consumerOptions(this.redis), concurrency, name: id })
      worker.on('error', () => {})
      return worker
    }
    await this.claimName()
    await this.heartbeat()
    this.beat = setInterval(
      () =>
        void this.heartbeat()
          .then(() => this.prune())
          .catch(() => {}),
      HEARTBEAT_MS,
    )
    this.consumers = this.queues.map(([name, units]) => consume(name, units))
    await Promise.all(this.consumers.map((c) => c.waitUntilReady()))
  }

  async stop(): Promise<void> {
    // Units in progress are finished; if that takes long, the run gives them to others once this worker is removed.
    for (const consumer of this.consumers) void consumer.pause(true)
    const until = performance.now() + GRACE_MS
    while (this.info.busy > 0 && performance.now() < until) await sleep(HEARTBEAT_MS / 20)
    if (this.beat) clearInterval(this.beat)
    const { id } = this.info
    await this.redis.multi().del(KEYS.worker(id)).srem(KEYS.workers, id).exec()
    await Promise.allSettled(this.consumers.map((c) => c.close(true)))
    await Promise.allSettled([...this.runs.values()].map((run) => run.answers.close()))
    await this.targets.close()
  }

  /** Waits for the key of a killed worker of the same name to expire: its units must first be recognised as lost. */
  private async claimName(): Promise<void> {
    const { id } = this.info
    const until = performance.now() + LIFE_MS + HEARTBEAT_MS
    while (!(await this.redis.set(KEYS.worker(id), JSON.stringify(this.info), 'PX', LIFE_MS, 'NX'))) {
      if (performance.now() > until)
        throw new InputError(`--name ${id}: a worker of this name is already serving; choose another`)
      await sleep(HEARTBEAT_MS / 4)
    }
  }

  private async heartbeat(): Promise<void> {
    this.info.preparing = this.preparing > 0
    const life = this.info.preparing ? PREPARING_MS : LIFE_MS
    const { id } = this.info
    const beat = this.redis
      .multi()
      .set(KEYS.worker(id), JSON.stringify(this.info), 'PX', life)
      .sadd(KEYS.workers, id)
    for (const key of [KEYS.workers, ...this.queues.flatMap(([name]) => queueKeys(name))])
      beat.pexpire(key, LEFT_MS)
    await beat.exec()
  }

  private async process(job: Job): Promise<void> {
    const unit = Unit.parse(job.data)
    const run = await this.run(unit.run)
    if (!run) return
    await expireQueue(this.redis, job.queueName)
    this.info.busy++
    try {
      const answer = await this.answer(unit, run.spec)
      this.info[answer.what === 'error' ? 'failed' : 'done']++
      // The run may have ended in the meantime.
      if (!this.runs.has(unit.run)) return
      const { id } = await run.answers.add('answer', answer)
      await expireQueue(this.redis, run.answers.name, id)
    } finally {
      this.info.busy--
    }
  }

  private async answer(unit: Unit, spec: RunSpec): Promise<Answer> {
    const { id } = this.settings
    try {
      return await this.targets.use(spec, (engines) => compute(unit, engines, id))
    } catch (error) {
      // A lost device cannot be recovered in this process.
      if (error instanceof GpuError) setTimeout(() => this.onFatal(error), HEARTBEAT_MS)
      const message = (error as Error).message.slice(0, 500)
      this.settings.onTrouble(`unit ${unit.unit} of run ${unit.run}: ${message}`)
      return { what: 'error', unit: unit.unit, worker: id, message, input: error instanceof InputError }
    }
  }

  /** A run in progress; null if it has ended. */
  private async run(id: string): Promise<Run | null> {
    const known = this.runs.get(id)
    if (known) return known
    const text = await this.redis.get(KEYS.run(id))
    if (text === null) return null
    const run = { spec: RunSpec.parse(JSON.parse(text)), answers: openQueue(this.redis, QUEUES.results(id)) }
    // Another unit may have set it in the meantime.
    return this.runs.get(id) ?? (this.runs.set(id, run), run)
  }

  /** Forgets runs that have ended and removes their unread answers. */
  private async prune(): Promise<void> {
    for (const [id, { answers }] of this.runs) {
      if (await this.redis.exists(KEYS.run(id))) continue
      this.runs.delete(id)
      await answers.obliterate({ force: true })
      await answers.close()
    }
  }
}
