import { hostname } from 'node:os'
import type { Redis } from 'ioredis'
import { KEYS } from './keys.js'
import { putMesh } from './mesh-store.js'
import type { RunSpec, RunStatus } from './wire.js'

/** Life of a run without its coordinator [ms]. */
const RUN_LIFE_MS = 10_000

/** What Redis says of a run: what it needs of its workers, how it gets on, and that it is alive. */
export class RunNotice {
  private readonly started = performance.now()
  /** What `isar cluster status` is told. */
  readonly status: RunStatus

  /** @param mesh  the target's, packed */
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

  /** Tells workers, and those who ask, that the run is alive; hands its mesh out again where the server has lost it. */
  async renew(workers: number): Promise<void> {
    this.status.elapsed = (performance.now() - this.started) / 1000
    this.status.workers = workers
    await putMesh(this.redis, this.spec.mesh, this.mesh)
    await this.redis
      .multi()
      .set(KEYS.run(this.run), JSON.stringify(this.spec), 'PX', RUN_LIFE_MS)
      .set(KEYS.status(this.run), JSON.stringify(this.status), 'PX', RUN_LIFE_MS)
      .sadd(KEYS.runs, this.run)
      .exec()
  }

  /** Workers drop what is left in their queues, and late answers, once the run's own key is gone. */
  withdraw(): Promise<unknown> {
    const { run } = this
    return this.redis.multi().del(KEYS.run(run), KEYS.status(run)).srem(KEYS.runs, run).exec()
  }
}
