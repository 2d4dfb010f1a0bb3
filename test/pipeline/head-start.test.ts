import { afterAll, describe, expect, it } from 'vitest'
import { createEdgeEngine } from '../../cpu-diffraction/engine.js'
import type { EdgeEngine } from '../../cpu-diffraction/index.js'
import type { EdgeJob } from '../../cpu-diffraction/job.js'
import { withHeadStart } from '../../pipeline/head-start.js'
import { direction } from '../../scene/direction.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'

const { edges, rays } = scenes(lBlock(0.3))
const band = { f0: 4.9e9, df: 1e7, n: 24 }
const options = { diffraction: 'tw-ildc' } as const
const jobs: EdgeJob[] = [20, 21, 22].map((phi) => {
  const d = direction(62, phi)
  return { aspect: { tx: d, rx: d }, band, options }
})

/** An engine that counts the aspects it is asked for. */
function counting(): { engine: EdgeEngine; asked: EdgeJob[] } {
  const asked: EdgeJob[] = []
  const inner = createEdgeEngine(edges, rays, { workers: 0 })
  const engine = {
    ...inner,
    aspect: (job: EdgeJob, signal?: AbortSignal) => (asked.push(job), inner.aspect(job, signal)),
  }
  return { engine, asked }
}

describe('head start', () => {
  const plain = createEdgeEngine(edges, rays, { workers: 0 })
  afterAll(() => plain.close())

  it('gives the fields of the engine itself, computed once', async () => {
    const { engine, asked } = counting()
    const ahead = withHeadStart(engine, jobs.slice(0, 2))
    expect(asked).toEqual(jobs.slice(0, 2))
    for (const job of jobs) expect((await ahead.aspect(job)).field).toEqual((await plain.aspect(job)).field)
    expect(asked).toEqual(jobs)
    // A second time, over another band, with other options: computed, and right.
    const others = [
      jobs[0],
      { ...jobs[1], band: { ...band, f0: 5e9 } },
      { ...jobs[1], options: { ...options } },
    ]
    for (const job of others) expect((await ahead.aspect(job)).field).toEqual((await plain.aspect(job)).field)
    expect(asked.length).toBe(6)
    await ahead.close()
  })

  it('does not hand out what was begun for another band', async () => {
    const { engine } = counting()
    const ahead = withHeadStart(engine, jobs.slice(0, 1))
    const other = { ...jobs[0], band: { ...band, f0: 5e9 } }
    expect((await ahead.aspect(other)).field).toEqual((await plain.aspect(other)).field)
    expect((await ahead.aspect(jobs[0])).field).toEqual((await plain.aspect(jobs[0])).field)
    await ahead.close()
  })

  it('rejects with the reason of a signal, before and while it computes, and drops what was begun', async () => {
    for (const early of [true, false]) {
      const { engine } = counting()
      const ahead = withHeadStart(engine, jobs)
      const stop = new AbortController()
      if (early) stop.abort(new Error('called off'))
      const result = ahead.aspect(jobs[0], stop.signal)
      if (!early) stop.abort(new Error('called off'))
      await expect(result).rejects.toThrow('called off')
      await expect(ahead.aspect(jobs[1])).rejects.toThrow('called off')
      await ahead.close()
    }
  })

  it('fails where the engine fails, only for who asks', async () => {
    const engine: EdgeEngine = {
      ...plain,
      aspect: () => Promise.reject(new Error('no thread')),
      close: async () => {},
    }
    const ahead = withHeadStart(engine, jobs.slice(0, 1))
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(ahead.aspect(jobs[0])).rejects.toThrow('no thread')
    await withHeadStart(engine, jobs).close()
  })
})
