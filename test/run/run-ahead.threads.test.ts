import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  createEdgeEngine,
  type EdgeEngine,
  type EdgeThreads,
  type EdgeJob,
} from '../../cpu-diffraction/index.js'
import type { Engines } from '../../run/sweep/engines.js'
import { runSweep, withRunAhead } from '../../run/sweep/sweep.js'
import { memoryRows, type SweepJob } from '../../run/sweep/rows.js'
import { direction } from '../../scene/index.js'
import type { SbrEngine } from '../../rays/index.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'

// Threads load compiled modules: `npm test` builds them first.
const worker = new URL('../../dist/src/thread.js', import.meta.url)
const { edges, rays } = scenes(lBlock(0.3))
const bands = [
  { f0: 4.9e9, df: 1e7, n: 24 },
  { f0: 6e9, df: 1e7, n: 3 },
]
const options = { diffraction: 'tw-ildc' } as const
const aspects = Array.from({ length: 12 }, (_, i) => {
  const d = direction(62, 20 + i)
  return { tx: d, rx: d }
})
const jobsOf = (of: typeof aspects, how: EdgeJob['options'] = options): EdgeJob[] =>
  of.flatMap((aspect) => bands.map((band) => ({ aspect, band, options: how })))
const jobs = jobsOf(aspects)
const plain = createEdgeEngine(edges, rays, { workers: 0 })
afterAll(() => plain.close())

interface Watched {
  engine: EdgeThreads
  /** Jobs computed, and how. */
  whole: EdgeJob[]
  shared: EdgeJob[]
  most: { whole: number; shared: number }
  /** Waits until none is computed, and none is begun thereupon. */
  idle: () => Promise<void>
}

/** Lets go on what waits for no more than the event loop. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate()
}

/** An engine that says it has `threads` and keeps account of what it is asked for. */
function watched(inner: EdgeThreads, threads: number): Watched {
  const now = { whole: 0, shared: 0 }
  const out: Watched = {
    engine: inner,
    whole: [],
    shared: [],
    most: { whole: 0, shared: 0 },
    idle: async () => {
      do await turns(10)
      while (now.whole + now.shared > 0)
    },
  }
  const counted =
    (how: 'whole' | 'shared', compute: EdgeEngine['field']): EdgeEngine['field'] =>
    async (job, signal) => {
      out[how].push(job)
      out.most[how] = Math.max(out.most[how], ++now[how])
      try {
        return await compute(job, signal)
      } finally {
        now[how]--
      }
    }
  out.engine = {
    ...inner,
    describe: () => ({ threads }),
    field: counted('shared', inner.field),
    fieldOnOneThread: counted('whole', inner.fieldOnOneThread),
  }
  return out
}

describe('threads that run ahead', () => {
  it('give the fields of the engine itself, each job once, in the order asked for or any other', async () => {
    expect(jobs.length).toBe(24)
    const truth = await Promise.all(jobs.map((job) => plain.field(job)))
    for (const order of [jobs, jobs.toReversed()])
      for (const threads of [1, 3, 30]) {
        const seen = watched(plain, threads)
        const ahead = withRunAhead(seen.engine, jobs)
        for (const job of order)
          expect((await ahead.field({ ...job })).field).toEqual(truth[jobs.indexOf(job)].field)
        expect(new Set([...seen.whole, ...seen.shared])).toEqual(new Set(jobs))
        expect(seen.whole.length + seen.shared.length).toBe(jobs.length)
        expect(seen.most.whole).toBeLessThanOrEqual(2 * threads)
        // The last ones are shared out.
        if (order === jobs) expect(seen.shared.length).toBe(Math.min(threads, jobs.length))
      }
  })

  it('give the same on worker threads', async () => {
    const engine = createEdgeEngine(edges, rays, { workers: 2, worker })
    const ahead = withRunAhead(engine, jobs)
    for (const job of jobs) {
      const { field, span, visibleSegments } = await ahead.field(job)
      const own = await plain.field(job)
      expect(field).toEqual(own.field)
      expect(visibleSegments).toBe(own.visibleSegments)
      expect(span!.end).toBeGreaterThan(span!.start)
    }
    await ahead.close()
  })

  it('do not run farther ahead than a few aspects for every thread', async () => {
    const many = jobsOf([...aspects, ...aspects.map((a) => ({ ...a }))])
    const seen = watched(plain, 2)
    withRunAhead(seen.engine, many)
    await seen.idle()
    expect(seen.whole.length + seen.shared.length).toBe(8)
  })

  it('compute what is no job of theirs as it is', async () => {
    const seen = watched(plain, 2)
    const ahead = withRunAhead(seen.engine, jobs.slice(0, 2))
    for (const other of [
      { ...jobs[0], band: { ...bands[0] } },
      { ...jobs[0], options: { ...options, segmentsPerWavelength: 2 } },
    ]) {
      expect((await ahead.field(other)).field).toEqual((await plain.field(other)).field)
      expect(seen.shared).toContain(other)
    }
    // A second time.
    await ahead.field(jobs[0])
    expect((await ahead.field(jobs[0])).field).toEqual((await plain.field(jobs[0])).field)
  })

  it('share out aspects too large for one', async () => {
    const fine = { ...options, segmentsPerWavelength: 1e6 }
    const seen = watched({ ...plain, field: () => new Promise(() => {}) }, 1)
    withRunAhead(seen.engine, jobsOf(aspects, fine))
    expect(seen.whole).toEqual([])
    expect(seen.shared.length).toBe(4)
  })

  it('leave an aspect with second order to one thread, as any other', async () => {
    const second = { ...options, secondOrder: ['wall'] as const }
    const seen = watched(plain, 1)
    withRunAhead(seen.engine, jobsOf(aspects, second))
    expect(seen.whole.length).toBe(2)
    expect(seen.shared).toEqual([])
  })

  it('reject with the reason of a signal, before and while they compute, and begin nothing more', async () => {
    for (const early of [true, false]) {
      const seen = watched(plain, 2)
      const ahead = withRunAhead(seen.engine, jobs)
      const stop = new AbortController()
      if (early) stop.abort(new Error('called off'))
      const result = ahead.field(jobs[0], stop.signal)
      if (!early) stop.abort(new Error('called off'))
      await expect(result).rejects.toThrow('called off')
      const begun = seen.whole.length
      await seen.idle()
      expect(seen.whole.length + seen.shared.length).toBe(begun)
    }
    const stop = new AbortController()
    const seen = watched(plain, 2)
    const ahead = withRunAhead(seen.engine, jobs, stop.signal)
    stop.abort(new Error('called off'))
    await expect(ahead.field(jobs[0])).rejects.toThrow('called off')
  })

  it('fail where the engine fails, only for who asks', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('no thread'))
    const engine: EdgeThreads = { ...plain, field: fail, fieldOnOneThread: fail, close: async () => {} }
    const ahead = withRunAhead(engine, jobs)
    // After it has failed.
    await setImmediate()
    await expect(ahead.field(jobs[0])).rejects.toThrow('no thread')
    await ahead.close()
  })
})

describe('aspects asked for before their turn', () => {
  it('are begun in the order asked for as threads are free, none twice', async () => {
    const seen = watched(plain, 3)
    const ahead = withRunAhead(seen.engine, jobs)
    const asked = jobs.toReversed()
    const fields = await Promise.all(asked.map((job) => ahead.field({ ...job })))
    for (const [i, { field }] of fields.entries()) expect(field).toEqual((await plain.field(asked[i])).field)
    expect(new Set([...seen.whole, ...seen.shared])).toEqual(new Set(jobs))
    expect(seen.whole.length + seen.shared.length).toBe(jobs.length)
    expect(seen.most.whole).toBe(6)
    expect(seen.shared.length).toBe(3)
    // Six were begun before anything was asked for.
    expect(seen.whole.slice(6)).toEqual(asked.slice(0, jobs.length - 9))
  })

  it('are rejected when the engine is closed', async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const ahead = withRunAhead(
      {
        ...plain,
        describe: () => ({ threads: 1 }),
        fieldOnOneThread: never,
        field: never,
        close: async () => {},
      },
      jobs,
    )
    const last = ahead.field(jobs[jobs.length - 1])
    await ahead.close()
    await expect(last).rejects.toThrow(/aborted/)
  })
})

describe('a sweep whose edges are late', () => {
  it('SBR continues for some aspects, no more at once than its device takes', async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const late = (compute: EdgeEngine['field']): EdgeEngine['field'] =>
      async (job, signal) => (await gate, compute(job, signal)) // prettier-ignore
    const engine: EdgeThreads = {
      ...plain,
      field: late(plain.field),
      fieldOnOneThread: late(plain.fieldOnOneThread),
    }
    const [band] = bands
    const counts = { now: 0, most: 0, all: 0 }
    const facets: SbrEngine = {
      describe: () => ({ device: 'gpu', text: 'no rays', aspectsInFlight: 2 }),
      field: async () => {
        counts.all++
        counts.most = Math.max(counts.most, ++counts.now)
        await new Promise((resolve) => setTimeout(resolve, 2))
        counts.now--
        return {
          field: new Float64Array(8 * band.n),
          partSeconds: [],
          statistics: { tubes: 0, leaves: 0, contributions: 0 },
          times: { trace: 0, field: 0, reduction: 0, total: 0 },
        }
      },
      close: async () => {},
    }
    const engines: Engines = {
      facets,
      options: { raysPerWavelength: 2, maxBounces: 1, subdivisions: 0, formulation: 'all-bounces' },
      edges: { engine, options },
      mechanisms: false,
      schedule: 'overlapped',
    }
    const job: SweepJob = { aspects, bands: [band], phaseCentre: [0, 0, 0] }
    const store = memoryRows()
    const sweep = runSweep(engines, job, store, () => {})
    await vi.waitUntil(() => counts.all === 8 && counts.now === 0, 60_000)
    await turns(10)
    expect(counts).toEqual({ now: 0, most: 2, all: 8 })
    expect(store.rows.size).toBe(0)
    open()
    await sweep
    expect(counts).toEqual({ now: 0, most: 2, all: 12 })
    expect(store.rows.size).toBe(12)
  })
})
