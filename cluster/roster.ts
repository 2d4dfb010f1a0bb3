import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { InputError } from '../scene/index.js'
import { KEYS, QUEUES } from './keys.js'
import { openQueue, serverName } from './redis.js'
import { RunStatus, WorkerInfo } from './wire.js'

/** Members of a set whose keys have not expired, by id; the others are removed from the set. */
async function living<T>(
  redis: Redis,
  set: string,
  keyOf: (id: string) => string,
  parse: (text: string) => T | null,
  onGone: (id: string) => Promise<unknown>,
): Promise<T[]> {
  const ids = (await redis.smembers(set)).sort()
  const texts = ids.length > 0 ? await redis.mget(ids.map(keyOf)) : []
  const found: T[] = []
  for (const [i, text] of texts.entries()) {
    const value = text === null ? null : parse(text)
    if (value) found.push(value)
    if (text === null && (await redis.srem(set, ids[i])) === 1) await onGone(ids[i])
  }
  return found
}

const parsed =
  <T>(schema: { safeParse: (value: unknown) => { data?: T } }) =>
  (text: string): T | null => {
    try {
      return schema.safeParse(JSON.parse(text)).data ?? null
    } catch {
      return null
    }
  }

async function dropQueue(redis: Redis, name: string): Promise<void> {
  const queue = openQueue(redis, name)
  await queue.obliterate({ force: true })
  await queue.close()
}

/** Workers with a current heartbeat, by id. The queues of expired ones are removed. */
export const liveWorkers = (redis: Redis): Promise<WorkerInfo[]> =>
  living(redis, KEYS.workers, KEYS.worker, parsed(WorkerInfo), (id) => dropQueue(redis, QUEUES.worker(id)))

/** Runs in progress. The queues of those whose coordinator has stopped are removed. */
export const liveRuns = (redis: Redis): Promise<RunStatus[]> =>
  living(redis, KEYS.runs, KEYS.status, parsed(RunStatus), (run) => dropQueue(redis, QUEUES.results(run)))

/** Wait for the first worker [ms]. */
const FIRST_WORKER_MS = 15_000

/** Workers of a release and kind (null: gpu where one is available), waiting a while for the first. @throws InputError */
export async function firstWorkers(
  redis: Redis,
  { redis: url, kind, release }: { redis: string; kind: 'gpu' | 'cpu' | null; release: string },
): Promise<WorkerInfo[]> {
  const until = performance.now() + FIRST_WORKER_MS
  for (;;) {
    const all = await liveWorkers(redis)
    const fit = all.filter((w) => w.release === release)
    const wanted = kind ?? (fit.some((w) => w.kind === 'gpu') ? 'gpu' : 'cpu')
    const found = fit.filter((w) => w.kind === wanted)
    if (found.length > 0) return found
    if (performance.now() > until) {
      const others = all.map((w) => `${w.id} (${w.kind}, release ${w.release})`).join(', ')
      throw new InputError(
        `--cluster: no ${kind ? `${kind} ` : ''}worker of release ${release} serves ${serverName(url)}${others && `, only ${others}`}; start some with isar worker --redis URL`,
      )
    }
    await sleep(200)
  }
}
