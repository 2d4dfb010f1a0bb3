import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Dispatcher } from '../../run/cluster/dispatcher.js'
import {
  KEYS,
  liveRuns,
  liveWorkers,
  meshHash,
  packMesh,
  QUEUE_PREFIX,
  QUEUES,
} from '../../run/cluster/redis.js'
import { serve, type WorkerEngines } from '../../run/cluster/worker.js'
import { unpackDoubles } from '../../run/cluster/wire.js'
import { cube } from '../../samples/models/canonical.js'
import { InputError } from '../../scene/index.js'
import type { SbrEngine, SbrJob } from '../../rays/index.js'
import { haveRedis, TestRedis } from './redis-server.js'

const RELEASE = 'test'
const mesh = cube(1)

/** An engine whose field is the aspect's phi, unless `odd` does something else. */
function engine(odd: (job: SbrJob) => Promise<void> | void): WorkerEngines {
  const sbr: SbrEngine = {
    describe: () => ({ device: 'cpu', text: 'a test', aspectsInFlight: 2 }),
    async field(job) {
      await odd(job)
      return {
        field: new Float64Array(8 * job.band.n).fill(job.aspect.tx.phiDeg),
        statistics: { tubes: 256, leaves: 1, contributions: 1 },
        partSeconds: [],
        times: { trace: 0.001, field: 0, reduction: 0, total: 0.001 },
      }
    },
    close: () => Promise.resolve(),
  }
  return { sbr, tubes: () => 256, close: () => Promise.resolve() }
}

describe.skipIf(!haveRedis())('faults of cluster runs', () => {
  let redis: TestRedis
  let client: Redis
  const stops: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    redis = await TestRedis.start()
    client = new Redis(redis.url)
  })
  afterEach(async () => {
    while (stops.length > 0) await stops.pop()!()
  })
  afterAll(async () => {
    client.disconnect()
    await redis.stop()
  })

  async function worker(
    id: string,
    odd: (job: SbrJob) => Promise<void> | void = () => {},
    maxMeshBytes = 1e6,
  ): Promise<void> {
    const stop = new AbortController()
    let ready = (): void => {}
    const serving = new Promise<void>((resolve) => (ready = resolve))
    const ended = serve(
      {
        redis: redis.url,
        id,
        kind: 'cpu',
        release: RELEASE,
        description: 'a test',
        threads: 1,
        capacity: 2,
        maxMeshBytes,
        open: () => Promise.resolve(engine(odd)),
        onTrouble: () => {},
      },
      stop.signal,
      ready,
    )
    stops.push(() => (stop.abort(), ended))
    await serving
  }

  async function coordinator(unitSeconds = 60): Promise<{ dispatcher: Dispatcher; said: string[] }> {
    const said: string[] = []
    const dispatcher = await Dispatcher.open(
      {
        redis: redis.url,
        release: RELEASE,
        kind: null,
        target: 'cube',
        distribute: 'pull',
        unitSeconds,
        onTrouble: (message) => said.push(message),
      },
      { mesh, smoothAngleDeg: 20 },
      { subGrid: 2048 },
    )
    stops.push(() => dispatcher.close())
    return { dispatcher, said }
  }

  const work = (phi: number) => ({
    what: 'sbr' as const,
    tx: [80, phi] as [number, number],
    rx: [80, phi] as [number, number],
    band: { f0: 1e9, df: 0, n: 1 },
    options: { raysPerWavelength: 10, maxBounces: 3, subdivisions: 1, formulation: 'all-bounces' as const },
  })

  it('computes sound units and fails the run with the reason of one that fails three times', async () => {
    let tries = 0
    const odd = (job: SbrJob): void => {
      if (job.aspect.tx.phiDeg !== 13) return
      tries++
      throw new Error('the disk is on fire')
    }
    await worker('a', odd)
    await worker('b', odd)
    const { dispatcher, said } = await coordinator()
    const answers = await Promise.all([1, 2, 3].map((phi) => dispatcher.send(work(phi), null)))
    expect(answers.map((a) => unpackDoubles(a.field!)[0])).toEqual([1, 2, 3])
    await expect(dispatcher.send(work(13), null)).rejects.toThrow(
      /rays at theta 80, phi 13 failed 3 times, the last time: worker [ab]: the disk is on fire/,
    )
    expect(tries).toBe(3)
    expect(said).toHaveLength(2)
  })

  it('takes a mistake of the user for one at once', async () => {
    let tries = 0
    await worker('a', () => {
      tries++
      throw new InputError('choose tw-ildc')
    })
    const { dispatcher } = await coordinator()
    const failure = await dispatcher.send(work(1), null).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(InputError)
    expect((failure as Error).message).toBe('choose tw-ildc')
    expect(tries).toBe(1)
  })

  it('gives the work of a hung worker to another, and counts a late answer no second time', async () => {
    let release = (): void => {}
    const hung = new Promise<void>((resolve) => (release = resolve))
    await worker('hung', () => hung)
    const { dispatcher, said } = await coordinator(3)
    await worker('sound')
    const answer = await dispatcher.send(work(5), 'hung')
    expect(answer.worker).toBe('sound')
    expect(said.join()).toContain('worker hung has not answered for')
    // The next ones do not go to it.
    expect(dispatcher.workers.map((w) => w.id)).toEqual(['sound'])
    release()
    expect((await dispatcher.send(work(6), null)).field).toBeDefined()
  })

  it('gives the work of a worker that has gone to another', async () => {
    await worker('sound')
    const { dispatcher } = await coordinator()
    // Nobody serves this one's queue.
    expect((await dispatcher.send(work(7), 'never-was')).worker).toBe('sound')
  })

  it('waits for a worker where the last one has gone', async () => {
    await worker('first')
    const { dispatcher, said } = await coordinator()
    const [stop] = stops.splice(0, 1)
    await stop()
    const answer = dispatcher.send(work(8), 'first')
    await vi.waitUntil(() => said.length > 0, 60_000)
    expect(said).toEqual(['worker first is lost; no worker is left; waiting for one'])
    expect(dispatcher.workers).toHaveLength(1)
    await worker('second')
    expect((await answer).worker).toBe('second')
  })

  it('refuses jobs that are not of the schema', async () => {
    await worker('a')
    const { dispatcher } = await coordinator()
    const queue = new Queue(QUEUES.sbr('cpu', RELEASE), { connection: client as never, prefix: QUEUE_PREFIX })
    const job = { ...work(1), run: '0'.repeat(32), unit: 0, attempt: 1 }
    const bad: Record<string, unknown>[] = [
      { ...job, mesh: '/etc/passwd' },
      { ...job, run: '../../x' },
      { ...job, band: { f0: 1e9, df: 0, n: 1e9 } },
      { ...job, options: { ...job.options, maxBounces: 1e6 } },
      { ...job, tiles: { i0: 0, j0: 0, ni: 1e12, nj: 1 } },
      { ...job, what: 'shell' },
    ]
    for (const data of bad) {
      const { id } = await queue.add('sbr', data)
      let state: string
      do state = await queue.getJobState(id!)
      while (state === 'waiting' || state === 'active')
      expect(state).toBe('failed')
    }
    expect((await dispatcher.send(work(2), null)).worker).toBe('a')
    await queue.close()
  })

  it('takes meshes by their hash only, and none that is too large', async () => {
    const hash = meshHash(packMesh(mesh))
    await worker('a')
    const { dispatcher } = await coordinator()
    await client.set(KEYS.mesh(hash), packMesh(cube(2)))
    await expect(dispatcher.send(work(1), null)).rejects.toThrow('do not match its hash')
    await client.del(KEYS.mesh(hash))
    while (stops.length > 0) await stops.pop()!()
    await worker('small', () => {}, 100)
    const { dispatcher: again } = await coordinator()
    await expect(again.send(work(1), null)).rejects.toThrow('more than 100')
  })

  const lasting = async (): Promise<string[]> => {
    const keys = await client.keys('*')
    const left = await Promise.all(keys.map((key) => client.pttl(key)))
    // -2: gone in the meantime.
    return keys.filter((_, i) => left[i] === -1)
  }

  it('sets an expiry on every key of its own and of its queues, for the day it is killed', async () => {
    await client.flushall()
    await worker('a')
    // The second heartbeat has seen the queues made.
    await vi.waitUntil(async () => (await client.dbsize()) > 6 && (await lasting()).length === 0, 30_000)
  })

  it('sets one on units that wait or are computed, for the day that coordinator and worker are killed', async () => {
    await client.flushall()
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    let taken = 0
    await worker('a', () => (taken++, gate))
    const { dispatcher } = await coordinator()
    const answers = Array.from({ length: 9 }, (_, phi) => dispatcher.send(work(phi), phi < 3 ? 'a' : null))
    await vi.waitUntil(
      async () =>
        taken > 0 && (await client.keys('*-[0-9]-1')).length === 9 && (await lasting()).length === 0,
      30_000,
    )
    release()
    await Promise.all(answers)
  })

  it('leaves nothing but the mesh behind', async () => {
    await client.flushall()
    await worker('a')
    const { dispatcher } = await coordinator()
    await Promise.all(Array.from({ length: 50 }, (_, phi) => dispatcher.send(work(phi), null)))
    expect(await liveRuns(client)).toHaveLength(1)
    await dispatcher.close()
    expect(await liveRuns(client)).toEqual([])
    stops.pop()
    await stops.pop()!()
    expect(await liveWorkers(client)).toEqual([])
    const keys = await client.keys('*')
    expect(keys.filter((key) => /:results-/.test(key) && !/stalled-check/.test(key))).toEqual([])
    expect(keys.filter((key) => /:\d+$|wait$|active$/.test(key))).toEqual([])
  })
})
