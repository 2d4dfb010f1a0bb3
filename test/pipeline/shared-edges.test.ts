import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEdgeEngine } from '../../cpu-diffraction/engine.js'
import type { EdgeJob } from '../../cpu-diffraction/job.js'
import type { GpuContext } from '../../gpu/device.js'
import { GpuEdgeEvaluator } from '../../gpu/diffraction/evaluator.js'
import { type EdgeCosts, gpuBlocks, HEADROOM, SharedEdges } from '../../pipeline/shared-edges.js'
import { direction } from '../../scene/direction.js'
import type { AspectResult, SbrEngine, SbrJob } from '../../scene/sbr.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'
import { openTestGpu } from '../helpers/gpu.js'

// Threads load compiled modules: `npm test` builds them first.
const worker = new URL('../../dist/cpu-diffraction/worker.js', import.meta.url)
const { edges, rays } = scenes(lBlock(0.3))
const job: EdgeJob = {
  aspect: { tx: direction(62, 21), rx: direction(62, 21) },
  band: { f0: 4.9e9, df: 1e7, n: 24 },
  options: { diffraction: 'tw-ildc' },
}
const bytes = (field: Float64Array): Buffer => Buffer.from(field.buffer)
const peak = (a: Float64Array): number => a.reduce((m, v) => Math.max(m, Math.abs(v)), 0)

let context: GpuContext
let gpu: GpuEdgeEvaluator
beforeAll(async () => {
  context = await openTestGpu()
  gpu = new GpuEdgeEvaluator(context)
})
afterAll(() => context.device.destroy())

const shared = (share: number | 'auto', workers = 0): SharedEdges => {
  return new SharedEdges(createEdgeEngine(edges, rays, { workers, worker }), gpu, share)
}

describe('blocks for the GPU, equation (4)', () => {
  const costs: EdgeCosts = { prepare: 0.01, evaluate: 1e-3, record: 1e-4, sbr: 0.004, gpu: 1e-5 }
  const ends = (c: EdgeCosts, n: number, blocks: number, threads: number): [number, number] => [
    (HEADROOM * (c.prepare + c.record * n + c.evaluate * (blocks - n))) / threads,
    c.sbr + c.gpu * n,
  ]

  it('lets both sides end together, the threads with the headroom', () => {
    for (const threads of [5, 7, 10]) {
      const n = gpuBlocks(costs, 40, threads)
      expect(n).toBeGreaterThan(0)
      expect(n).toBeLessThan(40)
      const [a, b] = ends(costs, n, 40, threads)
      // To within the block that cannot be divided.
      expect(Math.abs(a - b)).toBeLessThanOrEqual((HEADROOM * costs.evaluate) / threads)
    }
  })

  it('gives all to the idle side', () => {
    expect(gpuBlocks({ ...costs, sbr: 0 }, 40, 1)).toBe(40)
    expect(gpuBlocks({ ...costs, sbr: 1 }, 40, 1)).toBe(0)
    expect(gpuBlocks(costs, 0, 4)).toBe(0)
  })

  it('gives nothing where writing a block down costs as much as its evaluation', () => {
    expect(gpuBlocks({ ...costs, record: 1e-3 }, 40, 1)).toBe(0)
  })
})

describe('shared edges', () => {
  it('with share 0 gives the bytes of the threads alone, with 1 all blocks to the GPU', async () => {
    const alone = await createEdgeEngine(edges, rays, { workers: 0 }).aspect(job)
    const none = shared(0)
    expect(bytes((await none.aspect(job)).field).equals(bytes(alone.field))).toBe(true)
    expect(none.done.gpuBlocks).toBe(0)
    const all = shared(1)
    const { field } = await all.aspect(job)
    expect(all.done.gpuBlocks).toBe(all.done.blocks)
    const difference = peak(field.map((v, i) => v - alone.field[i])) / peak(alone.field)
    // Single precision (docs/edge-diffraction.md, "On the GPU").
    expect(difference).toBeLessThan(1e-5)
    expect(difference).toBeGreaterThan(0)
  })

  it('gives the same bytes for a share, inline and on threads', async () => {
    const inline = await shared(0.4).aspect(job)
    const threads = shared(0.4, 2)
    for (let i = 0; i < 2; i++)
      expect(bytes((await threads.aspect(job)).field).equals(bytes(inline.field))).toBe(true)
    await threads.close()
    expect(threads.done.gpuBlocks).toBe(2 * Math.round(0.2 * threads.done.blocks))
  })

  it('leaves exact evaluation to the threads', async () => {
    const exact = { ...job, options: { ...job.options, exact: true } }
    const engine = shared(1)
    await engine.aspect(exact)
    expect(engine.done.gpuBlocks).toBe(0)
  })

  it('adapts with auto, aspect by aspect, to what SBR takes', async () => {
    let trace = 0
    const sbr = {
      aspect: async () => ({ times: { trace, field: 0, reduction: 0, total: 1 } }) as AspectResult,
    } as unknown as SbrEngine
    const engine = createEdgeEngine(edges, rays, { workers: 0 })
    const { records } = engine
    // Fixed times: what the machine is busy with besides must not decide.
    const quick = {
      ...engine,
      records: async (...args: Parameters<typeof records>) => ({
        ...(await records(...args)),
        seconds: 1e-9,
      }),
    }
    const fast = { evaluate: async (r: Float64Array) => ({ ...(await gpu.evaluate(r)), seconds: 1e-6 }) }
    const auto = new SharedEdges(quick, fast as GpuEdgeEvaluator, 'auto')
    const watched = auto.watched(sbr)
    const taken = async (seconds: number): Promise<number> => {
      trace = seconds
      await watched.aspect({} as SbrJob)
      const before = { ...auto.done }
      await auto.aspect(job)
      return (auto.done.gpuBlocks - before.gpuBlocks) / (auto.done.blocks - before.blocks)
    }
    const first = await taken(1e-9)
    expect(first).toBeGreaterThan(0.3)
    expect(first).toBeLessThan(0.7)
    // A GPU with nothing else to do takes all, one that is busy nothing; the threads then have all blocks again.
    expect(await taken(1e-9)).toBe(1)
    expect(await taken(100)).toBe(0)
    expect(await taken(1e-9)).toBe(1)
  })
})
