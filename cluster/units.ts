import type { Job, JobState, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { QUEUES } from './keys.js'
import { openQueue } from './redis.js'
import type { EdgeAnswer, SbrAnswer, Unit } from './wire.js'

/** A unit without the fields added by the dispatcher. */
export type Work = DistributedOmit<Unit, 'run' | 'unit' | 'attempt'>
type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A unit in flight. */
export interface Pending {
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
export const newUnit = (
  given: Pick<Pending, 'number' | 'work' | 'worker' | 'resolve' | 'reject'>,
): Pending => ({
  ...given,
  failures: 0,
  sent: 0,
  sentAt: 0,
  missing: 0,
  activeSince: null,
  computingSince: null,
})

/** Queues of a run's units: those of single workers and the shared ones. */
export class UnitQueues {
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
    await this.queueOf(unit).add(unit.work.what, data, { jobId: this.jobId(unit) })
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
