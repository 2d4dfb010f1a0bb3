import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, type JobState, type Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { InputError } from '../../scene/index.js'
import {
  connect,
  consumerOptions,
  expireQueue,
  firstWorkers,
  KEYS,
  LEFT_MS,
  liveRuns,
  liveWorkers,
  meshHash,
  openQueue,
  packMesh,
  putMesh,
  queueKeys,
  QUEUES,
  serverName,
} from './redis.js'
import type { Recipe } from './worker.js'
import {
  Answer,
  type EdgeAnswer,
  type RunSpec,
  type RunStatus,
  type SbrAnswer,
  type Unit,
  type WorkerInfo,
} from './wire.js'

/** A unit without the fields added by the dispatcher. */
type Work = DistributedOmit<Unit, 'run' | 'unit' | 'attempt'>
type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A unit in flight. */
interface Pending {
  number: number
  work: Work
  /** Worker that it is assigned to; null: any. */
  worker: string | null
  /** Times that it failed, and times that it was sent. */
  failures: number
  sent: number
  sentAt: number
  /** Consecutive checks that did not find it in Redis. */
  missing: number
  /** When it was first seen active at a worker, and being computed. */
  activeSince: number | null
  computingSince: number | null
  resolve: (answer: SbrAnswer | EdgeAnswer) => void
  reject: (error: Error) => void
}

/** A unit that has not been sent yet. */
const newUnit = (given: Pick<Pending, 'number' | 'work' | 'worker' | 'resolve' | 'reject'>): Pending => ({
  ...given,
  failures: 0,
  sent: 0,
  sentAt: 0,
  missing: 0,
  activeSince: null,
  computingSince: null,
})

/** Queues of a run's units: those of single workers and the shared ones. */
class UnitQueues {
  private readonly queues = new Map<string, Queue>()

  constructor(
    private readonly redis: Redis,
    private readonly run: string,
    private readonly kind: 'gpu' | 'cpu',
    private readonly release: string,
  ) {}

  /** Sends a unit, each time as a new job. */
  async post(unit: Pending): Promise<void> {
    unit.sent++
    unit.sentAt = performance.now()
    unit.missing = 0
    unit.activeSince = null
    unit.computingSince = null
    const data: Unit = { ...unit.work, run: this.run, unit: unit.number, attempt: unit.sent }
    const [queue, jobId] = [this.queueOf(unit), this.jobId(unit)]
    await queue.add(unit.work.what, data, { jobId })
    await expireQueue(this.redis, queue.name, jobId)
  }

  /** The last job of a unit, if Redis still has it, and its state. */
  async find(unit: Pending): Promise<{ job?: Job; state: JobState | 'unknown' }> {
    const job = (await this.queueOf(unit).getJob(this.jobId(unit))) as Job | undefined
    return { job, state: job ? await job.getState() : 'unknown' }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()))
  }

  private jobId = ({ number, sent }: Pending): string => `${this.run}-${number}-${sent}`

  private queueOf({ work, worker }: Pending): Queue {
    const name = worker
      ? QUEUES.worker(worker)
      : work.what === 'sbr'
        ? QUEUES.sbr(this.kind, this.release)
        : QUEUES.edges(this.release)
    const queue = this.queues.get(name) ?? openQueue(this.redis, name)
    this.queues.set(name, queue)
    return queue
  }
}

/** Life of a run without its coordinator [ms]. */
const RUN_LIFE_MS = 10_000

/** A run's record in Redis: its specification for workers, its progress, and its heartbeat. */
class RunNotice {
  private readonly started = performance.now()
  /** Status for `isar cluster status`. */
  readonly status: RunStatus

  /** @param mesh  packed mesh of the target */
  constructor(
    private readonly redis: Redis,
    private readonly run: string,
    private readonly spec: RunSpec,
    private readonly mesh: Buffer,
    { target, distribute, workers }: Pick<RunStatus, 'target' | 'distribute' | 'workers'>,
  ) {
    this.status = {
      run,
      target: target.slice(0, 500),
      host: hostname(),
      distribute,
      done: 0,
      total: 0,
      elapsed: 0,
      workers,
      resent: 0,
    }
  }

  /** Heartbeat of the run; stores its mesh again where the server has lost it. */
  async renew(workers: number): Promise<void> {
    this.status.elapsed = (performance.now() - this.started) / 1000
    this.status.workers = workers
    await putMesh(this.redis, this.spec.mesh, this.mesh)
    const { run } = this
    const beat = this.redis
      .multi()
      .set(KEYS.run(run), JSON.stringify(this.spec), 'PX', RUN_LIFE_MS)
      .set(KEYS.status(run), JSON.stringify(this.status), 'PX', RUN_LIFE_MS)
      .sadd(KEYS.runs, run)
    for (const key of [KEYS.runs, ...queueKeys(QUEUES.results(run))]) beat.pexpire(key, LEFT_MS)
    await beat.exec()
  }

  /** Workers drop queued units and late answers once the run's key is gone. */
  withdraw(): Promise<unknown> {
    const { run } = this
    return this.redis.multi().del(KEYS.run(run), KEYS.status(run)).srem(KEYS.runs, run).exec()
  }
}

/** The workers that serve a run: available ones, lost ones, and suspects that get no specific units any more. */
class RunWorkers {
  private readonly suspects = new Set<string>()
  private readonly gone = new Set<string>()

  /**
   * @param roster     of the run's kind and release, at least one
   * @param onTrouble  called when a worker is lost
   */
  constructor(
    private roster: WorkerInfo[],
    private readonly kind: 'gpu' | 'cpu',
    private readonly release: string,
    private readonly onTrouble: (message: string) => void,
  ) {}

  /** Available workers, including suspects. */
  get count(): number {
    return this.roster.length
  }

  /** Workers that can be assigned specific units, by id. */
  get sound(): WorkerInfo[] {
    const sound = this.roster.filter(({ id }) => !this.suspects.has(id))
    return sound.length > 0 ? sound : this.roster
  }

  /** Another worker for a unit that failed; null if there is none. */
  other(failed: string, unit: number): string | null {
    const others = this.sound.filter(({ id }) => id !== failed && !this.gone.has(id))
    return others.length > 0 ? others[unit % others.length].id : null
  }

  /** Excludes a worker from specific units. */
  suspect(id: string): void {
    this.suspects.add(id)
  }

  /** Updates the workers from those alive, of any kind and release. */
  update(live: WorkerInfo[]): void {
    const ids = new Set(live.map(({ id }) => id))
    for (const id of ids) this.gone.delete(id)
    const fit = live.filter((w) => w.kind === this.kind && w.release === this.release)
    for (const { id } of this.roster) {
      if (ids.has(id) || this.gone.has(id)) continue
      this.gone.add(id)
      const then = fit.length > 0 ? 'its work is given to others' : 'no worker is left; waiting for one'
      this.onTrouble(`worker ${id} is lost; ${then}`)
    }
    // With none left the last roster is kept, and its work goes to the first that joins.
    if (fit.length > 0) this.roster = fit
  }
}

interface DispatchSettings {
  redis: string
  release: string
  /** Kind of the workers; null: gpu where one is available, else cpu. */
  kind: 'gpu' | 'cpu' | null
  /** Name of the target, for `isar cluster status`. */
  target: string
  /** Distribution of the work, likewise. */
  distribute: string
  /** Time limit of a unit [s], before any has finished. */
  unitSeconds: number
  /** Receives warnings, one line each. */
  onTrouble: (message: string) => void
}

/** Failures of one unit that fail the run; times that a unit is sent if it is lost each time. */
const TRIES = 3
const MAX_SENT = 20
/** Interval of the coordinator's heartbeat, and age from which a unit is checked [ms]. */
const TICK_MS = 1000
const CHECK_AFTER_MS = 2000
/** A worker counts as hung when a unit takes longer than this [s] and than this many times the longest unit so far. */
const LEAST_LIMIT_S = 60
const LIMIT_FACTOR = 20
/** Time to wait for an unreachable server [s]. */
const SERVER_AWAY_S = 120
const ANSWERS_AT_ONCE = 16
/** Warnings of the same kind that are reported. */
const MAX_REPORTED = 3

/**
 * The coordinator's side of a run: sends units of work to the workers and ensures that each is answered once, also when
 * workers or the server fail. A unit that was lost with its worker, or with the server's memory, is sent again; a second
 * answer to the same unit is ignored (both are equal). A unit that fails three times fails the run.
 */
export class Dispatcher {
  private readonly run = randomBytes(16).toString('hex')
  private readonly pending = new Map<number, Pending>()
  private readonly queues: UnitQueues
  private readonly team: RunWorkers
  private readonly notice: RunNotice
  private readonly answers: Worker
  private readonly reported = new Map<string, number>()
  private next = 0
  private longest = 0
  private lastContact = performance.now()
  private closed = false

  private constructor(
    private readonly redis: Redis,
    private readonly settings: DispatchSettings,
    private readonly spec: RunSpec,
    mesh: Buffer,
    roster: WorkerInfo[],
  ) {
    const { release, onTrouble } = settings
    this.queues = new UnitQueues(redis, this.run, spec.kind, release)
    this.team = new RunWorkers(roster, spec.kind, release, onTrouble)
    this.notice = new RunNotice(redis, this.run, spec, mesh, { ...settings, workers: roster.length })
    this.answers = new Worker(QUEUES.results(this.run), (job: Job) => this.receive(job.data), {
      ...consumerOptions(redis),
      concurrency: ANSWERS_AT_ONCE,
    })
    this.answers.on('error', () => {})
  }

  /** Connects and waits for a worker of the wanted kind. @throws InputError where there is no server or no worker */
  static async open(
    settings: DispatchSettings,
    recipe: Recipe,
    rest: Omit<RunSpec, 'kind' | 'mesh' | 'smoothAngleDeg' | 'curved'>,
  ): Promise<Dispatcher> {
    const mesh = packMesh(recipe.mesh)
    const redis = await connect(settings.redis, settings.onTrouble)
    try {
      const roster = await firstWorkers(redis, settings)
      const { smoothAngleDeg, curved } = recipe
      const spec: RunSpec = {
        kind: roster[0].kind,
        mesh: meshHash(mesh),
        smoothAngleDeg,
        ...(curved && { curved }),
        ...rest,
      }
      const dispatcher = new Dispatcher(redis, settings, spec, mesh, roster)
      await liveRuns(redis)
      await dispatcher.announce()
      void dispatcher.beat()
      return dispatcher
    } catch (error) {
      redis.disconnect()
      throw error
    }
  }

  /** Status for `isar cluster status`. */
  get status(): RunStatus {
    return this.notice.status
  }

  get kind(): 'gpu' | 'cpu' {
    return this.spec.kind
  }

  /** Workers of the run's kind that can be assigned specific units, by id. */
  get workers(): WorkerInfo[] {
    return this.team.sound
  }

  /** Has a unit computed by `worker`, or by the next free worker. */
  send(work: Extract<Work, { what: 'sbr' }>, worker: string | null, signal?: AbortSignal): Promise<SbrAnswer>
  send(
    work: Extract<Work, { what: 'edges' }>,
    worker: string | null,
    signal?: AbortSignal,
  ): Promise<EdgeAnswer>
  async send(work: Work, worker: string | null, signal?: AbortSignal): Promise<SbrAnswer | EdgeAnswer> {
    signal?.throwIfAborted()
    const number = this.next++
    let onAbort = (): void => {}
    const answer = new Promise<SbrAnswer | EdgeAnswer>((resolve, reject) => {
      onAbort = () => reject(signal!.reason as Error)
      signal?.addEventListener('abort', onAbort, { once: true })
      const unit = newUnit({ number, work, worker, resolve, reject })
      this.pending.set(number, unit)
      this.queues.post(unit).catch(reject)
    })
    try {
      return await answer
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.pending.delete(number)
    }
  }

  async close(): Promise<void> {
    this.closed = true
    // If the server is unreachable, the keys expire and the next coordinator cleans up.
    const end = this.notice.withdraw()
    const own = openQueue(this.redis, QUEUES.results(this.run))
    const clear = Promise.all([end, this.answers.close(true).then(() => own.obliterate({ force: true }))])
    await Promise.race([clear, sleep(TICK_MS)]).catch(() => {})
    await own.close()
    await this.queues.close()
    this.redis.disconnect()
  }

  private async receive(data: unknown): Promise<void> {
    const { data: answer, error } = Answer.safeParse(data)
    const unit = this.pending.get(answer?.unit ?? Number((data as Partial<Answer> | null)?.unit))
    // Already answered or aborted.
    if (!unit) return
    if (!answer) {
      await this.failed(unit, '', `the answer does not match the schema: ${error.issues[0].message}`)
    } else if (answer.what === 'error') {
      if (answer.input) unit.reject(new InputError(answer.message))
      else await this.failed(unit, answer.worker, `worker ${answer.worker}: ${answer.message}`)
    } else if (answer.what === unit.work.what) {
      this.longest = Math.max(this.longest, answer.times.total)
      unit.resolve(answer)
    }
  }

  /** Counts a failure of a unit and sends it again, if possible to another worker. */
  private async failed(unit: Pending, by: string, reason: string): Promise<void> {
    const { tx, what } = unit.work
    const name = `${what === 'sbr' ? 'rays' : 'edges'} at theta ${tx[0]}, phi ${tx[1]}`
    if (++unit.failures >= TRIES) {
      unit.reject(new Error(`${name} failed ${TRIES} times, the last time: ${reason}`))
      return
    }
    this.trouble(reason, `${name}: ${reason}; sending it again`)
    await this.again(unit, this.team.other(by, unit.number))
  }

  /** Reports each kind of trouble a limited number of times. */
  private trouble(kind: string, message: string): void {
    const count = (this.reported.get(kind) ?? 0) + 1
    this.reported.set(kind, count)
    if (count < MAX_REPORTED) this.settings.onTrouble(message)
    if (count === MAX_REPORTED) this.settings.onTrouble(`${message} (further ones are not reported)`)
  }

  private async again(unit: Pending, worker: string | null = null): Promise<void> {
    unit.worker = worker
    this.status.resent++
    if (unit.sent >= MAX_SENT) {
      unit.reject(
        new Error(
          `a unit of work was lost ${MAX_SENT} times: check that the Redis server does not evict keys`,
        ),
      )
      return
    }
    await this.queues.post(unit)
  }

  private async announce(): Promise<void> {
    await this.notice.renew(this.team.count)
    this.lastContact = performance.now()
  }

  private async beat(): Promise<void> {
    let ticking = false
    while (!this.closed) {
      await sleep(TICK_MS, undefined, { ref: false })
      const away = (performance.now() - this.lastContact) / 1000
      if (away > SERVER_AWAY_S) {
        const error = new Error(
          `the Redis server ${serverName(this.settings.redis)} has been unreachable for ${Math.round(away)} s`,
        )
        for (const unit of this.pending.values()) unit.reject(error)
      }
      // While the server is unreachable the pending tick waits for it.
      if (ticking || this.closed) continue
      ticking = true
      void this.tick()
        .catch((error: Error) => this.closed || this.settings.onTrouble(error.message))
        .finally(() => (ticking = false))
    }
  }

  private async tick(): Promise<void> {
    await this.announce()
    const all = await liveWorkers(this.redis)
    this.team.update(all)
    const live = new Map(all.map((info) => [info.id, info]))
    const now = performance.now()
    const old = [...this.pending.values()].filter((unit) => now - unit.sentAt > CHECK_AFTER_MS)
    await Promise.all(old.map((unit) => this.check(unit, live)))
  }

  /** Whether a unit takes much longer than any before. */
  private tooLong({ computingSince }: Pending, now: number): boolean {
    if (computingSince === null || this.longest === 0) return false
    return (now - computingSince) / 1000 > Math.max(LEAST_LIMIT_S, LIMIT_FACTOR * this.longest)
  }

  /** Checks the state of a unit that has been in flight for long. */
  private async check(unit: Pending, live: ReadonlyMap<string, WorkerInfo>): Promise<void> {
    const { sent } = unit
    const { job, state } = await this.queues.find(unit)
    // It may have been answered or sent again in the meantime.
    if (!this.pending.has(unit.number) || unit.sent !== sent) return
    if (!job || state === 'unknown' || state === 'completed') {
      // Just answered, or lost with its worker's queue or with the server's memory.
      const gone = unit.worker !== null && !live.has(unit.worker)
      if (gone || ++unit.missing >= 2) await this.again(unit)
      return
    }
    unit.missing = 0
    const worker = job.processedBy ?? ''
    // A worker that prepares a large target sends no heartbeat for long: its jobs stall, but are answered later.
    const stalled = state === 'failed' && /stalled/.test(job.failedReason ?? '')
    if (state === 'failed' && !stalled) {
      await this.failed(unit, worker, job.failedReason ?? 'no reason given')
    } else if (state === 'active' || stalled) {
      const info = live.get(worker)
      const now = performance.now()
      unit.activeSince ??= now
      // Preparing a target does not count as part of the unit.
      if (info?.preparing) unit.computingSince = null
      else unit.computingSince ??= now
      const seconds = (now - unit.activeSince) / 1000
      if (!info) await this.failed(unit, worker, `worker ${worker} died`)
      else if (seconds > this.settings.unitSeconds || this.tooLong(unit, now)) {
        this.team.suspect(worker)
        await this.failed(unit, worker, `worker ${worker} has not answered for ${Math.round(seconds)} s`)
      }
    } else if (unit.worker && !live.has(unit.worker)) {
      await job.remove().catch(() => {})
      await this.again(unit)
    }
  }
}
