import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createEdgeEngine, type EdgeEngine } from '../../cpu-diffraction/engine.js'
import type { EdgeJob } from '../../cpu-diffraction/job.js'
import type { Engines } from '../../pipeline/engines.js'
import { edgeJobs, withRunAhead } from '../../pipeline/run-ahead.js'
import { memoryRows, runSweep } from '../../pipeline/sweep.js'
import type { SweepJob } from '../../pipeline/sweep-job.js'
import { direction } from '../../scene/direction.js'
import type { SbrEngine } from '../../rays/sbr.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'

// Threads load compiled modules: `npm test` builds them first.
const worker = new URL('../../dist/cpu-diffraction/worker.js', import.meta.url)
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
const jobs = edgeJobs({ aspects, bands }, options)
const plain = createEdgeEngine(edges, rays, { workers: 0 })
afterAll(() => plain.close())

interface Watched {
  engine: EdgeEngine
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
function watched(inner: EdgeEngine, threads: number): Watched {
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
    (how: 'whole' | 'shared', compute: EdgeEngine['aspect']): EdgeEngine['aspect'] =>
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
    threads,
    aspect: counted('shared', inner.aspect),
    wholeAspect: counted('whole', inner.wholeAspect),
  }
  return out
}

describe('threads that run ahead', () => {
  it('give the fields of the engine itself, each job once, in the order asked for or any other', async () => {
    expect(jobs.length).toBe(24)
    const truth = await Promise.all(jobs.map((job) => plain.aspect(job)))
    for (const order of [jobs, jobs.toReversed()])
      for (const threads of [1, 3, 30]) {
        const seen = watched(plain, threads)
        const ahead = withRunAhead(seen.engine, jobs)
        for (const job of order)
          expect((await ahead.aspect({ ...job })).field).toEqual(truth[jobs.indexOf(job)].field)
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
      const { field, span, visibleSegments } = await ahead.aspect(job)
      const own = await plain.aspect(job)
      expect(field).toEqual(own.field)
      expect(visibleSegments).toBe(own.visibleSegments)
      expect(span!.end).toBeGreaterThan(span!.start)
    }
    await ahead.close()
  })

  it('do not run farther ahead than a few aspects for every thread', async () => {
    const many = edgeJobs({ aspects: [...aspects, ...aspects.map((a) => ({ ...a }))], bands }, options)
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
      expect((await ahead.aspect(other)).field).toEqual((await plain.aspect(other)).field)
      expect(seen.shared).toContain(other)
    }
    // A second time.
    await ahead.aspect(jobs[0])
    expect((await ahead.aspect(jobs[0])).field).toEqual((await plain.aspect(jobs[0])).field)
  })

  it('share out aspects of a second order, and those too large for one', async () => {
    const second = { ...options, secondOrder: ['wall'] as const }
    const fine = { ...options, segmentsPerWavelength: 30_000 }
    for (const how of [second, fine]) {
      const seen = watched({ ...plain, aspect: () => new Promise(() => {}) }, 1)
      withRunAhead(seen.engine, edgeJobs({ aspects, bands }, how))
      expect(seen.whole).toEqual([])
      expect(seen.shared.length).toBe(4)
    }
  })

  it('reject with the reason of a signal, before and while they compute, and begin nothing more', async () => {
    for (const early of [true, false]) {
      const seen = watched(plain, 2)
      const ahead = withRunAhead(seen.engine, jobs)
      const stop = new AbortController()
      if (early) stop.abort(new Error('called off'))
      const result = ahead.aspect(jobs[0], stop.signal)
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
    await expect(ahead.aspect(jobs[0])).rejects.toThrow('called off')
  })

  it('fail where the engine fails, only for who asks', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('no thread'))
    const engine: EdgeEngine = { ...plain, aspect: fail, wholeAspect: fail, close: async () => {} }
    const ahead = withRunAhead(engine, jobs)
    // After it has failed.
    await setImmediate()
    await expect(ahead.aspect(jobs[0])).rejects.toThrow('no thread')
    await ahead.close()
  })
})

describe('aspects asked for before their turn', () => {
  it('are begun in the order asked for as threads are free, none twice', async () => {
    const seen = watched(plain, 3)
    const ahead = withRunAhead(seen.engine, jobs)
    const asked = jobs.toReversed()
    const fields = await Promise.all(asked.map((job) => ahead.aspect({ ...job })))
    for (const [i, { field }] of fields.entries()) expect(field).toEqual((await plain.aspect(asked[i])).field)
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
      { ...plain, threads: 1, wholeAspect: never, aspect: never, close: async () => {} },
      jobs,
    )
    const last = ahead.aspect(jobs[jobs.length - 1])
    await ahead.close()
    await expect(last).rejects.toThrow(/aborted/)
  })
})

describe('a sweep whose edges are late', () => {
  it('goes on with SBR for some aspects, no more at once than its device takes', async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => (open = resolve))
    const late = (compute: EdgeEngine['aspect']): EdgeEngine['aspect'] =>
      async (job, signal) => (await gate, compute(job, signal)) // prettier-ignore
    const engine: EdgeEngine = { ...plain, aspect: late(plain.aspect), wholeAspect: late(plain.wholeAspect) }
    const [band] = bands
    const counts = { now: 0, most: 0, all: 0 }
    const sbr: SbrEngine = {
      kind: 'cpu',
      description: 'no rays',
      aspectsInFlight: 2,
      aspect: async () => {
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
      begin: () => Promise.reject(new Error('not asked for')),
      close: async () => {},
    }
    const engines: Engines = {
      sbr,
      options: { raysPerWavelength: 2, maxBounces: 1, subdivisions: 0, formulation: 'all-bounces' },
      edges: { engine, options, ahead: true },
      mechanisms: false,
      schedule: 'overlapped',
    }
    const job: SweepJob = { aspects, bands: [band], phaseCentre: [0, 0, 0] }
    const store = memoryRows()
    const sweep = runSweep(engines, job, store, () => {})
    await vi.waitUntil(() => counts.all === 8 && counts.now === 0)
    await turns(10)
    expect(counts).toEqual({ now: 0, most: 2, all: 8 })
    expect(store.rows.size).toBe(0)
    open()
    await sweep
    expect(counts).toEqual({ now: 0, most: 2, all: 12 })
    expect(store.rows.size).toBe(12)
  })
})
