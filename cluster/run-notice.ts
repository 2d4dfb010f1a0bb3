import { hostname } from 'node:os'
import type { Redis } from 'ioredis'
import { KEYS, LEFT_MS, queueKeys, QUEUES } from './keys.js'
import { putMesh } from './mesh-store.js'
import type { RunSpec, RunStatus } from './wire.js'

/** Life of a run without its coordinator [ms]. */
const RUN_LIFE_MS = 10_000

/** A run's record in Redis: its specification for workers, its progress, and its heartbeat. */
export class RunNotice {
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
