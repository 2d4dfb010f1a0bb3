import type { Job, JobState, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { QUEUES } from './keys.js'
import { openQueue } from './redis.js'
import type { EdgeAnswer, SbrAnswer, Unit } from './wire.js'

/** A unit without what the dispatcher adds. */
export type Work = DistributedOmit<Unit, 'run' | 'unit' | 'attempt'>
type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A unit on its way. */
export interface Pending {
  number: number
  work: Work
  /** Worker that it was pinned to; null: whoever takes it. */
  worker: string | null
  /** Times that it failed, and times that it was sent. */
  failures: number
  sent: number
  sentAt: number
  /** Looks in a row that found no trace of it in Redis. */
  missing: number
  /** When a worker was first seen at it, and at computing it. */
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

/** The queues that a run's units go through: the workers' own, and those of whoever is free. */
export class UnitQueues {
  private readonly queues = new Map<string, Queue>()

  constructor(
    private readonly redis: Redis,
    private readonly run: string,
    private readonly kind: 'gpu' | 'cpu',
    private readonly release: string,
  ) {}

  /** Sends a unit, once more where it has been sent before: each time is a job of its own. */
  async post(unit: Pending): Promise<void> {
    unit.sent++
    unit.sentAt = performance.now()
    unit.missing = 0
    unit.activeSince = null
    unit.computingSince = null
    const data: Unit = { ...unit.work, run: this.run, unit: unit.number, attempt: unit.sent }
    await this.queueOf(unit).add(unit.work.what, data, { jobId: this.jobId(unit) })
  }

  /** The job that a unit was last sent as, where Redis still has it, and how it gets on. */
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
