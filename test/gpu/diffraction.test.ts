import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fresnelW } from '../../cpu-diffraction/fresnel.js'
import { createEdgeEngine } from '../../cpu-diffraction/engine.js'
import type { EdgeJob } from '../../cpu-diffraction/job.js'
import type { GpuContext } from '../../gpu/device.js'
import { GpuEdgeEvaluator } from '../../gpu/diffraction/evaluator.js'
import { EDGE_KERNELS } from '../../gpu/diffraction/kernels.js'
import { HEAD_BYTES } from '../../gpu/diffraction/slot.js'
import { kernelSource } from '../../gpu/kernel.js'
import { C0 } from '../../scene/constants.js'
import { direction } from '../../scene/direction.js'
import { EDGE_HEAD, NO_FACE } from '../../scene/edge-records.js'
import { wgsl } from '../../shaders/wgsl.gen.js'
import { grid, lBlock, scenes } from '../cpu-diffraction/meshes.js'
import { openTestGpu, runProbe } from '../helpers/gpu.js'

const { WgslReflect } = (await import(
  'wgsl_reflect/wgsl_reflect.module.js' as string
)) as typeof import('wgsl_reflect')

/** Largest difference from double precision, relative to the aspect's peak (measured over samples and aspects: 4e-6). */
const SINGLE_PRECISION = 1e-5

let context: GpuContext
let gpu: GpuEdgeEvaluator
beforeAll(async () => {
  context = await openTestGpu()
  gpu = new GpuEdgeEvaluator(context)
})
afterAll(() => context.device.destroy())

const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)
const peak = (a: Float64Array): number => a.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
const difference = (a: Float64Array, b: Float64Array): number => peak(a.map((v, i) => v - b[i])) / peak(b)

const job = (theta: number, phi: number, over: Partial<EdgeJob> = {}): EdgeJob => {
  const d = direction(theta, phi)
  return {
    aspect: { tx: d, rx: d },
    band: { f0: 2.9e9, df: 1e7, n: 40 },
    options: { diffraction: 'tw-ildc' },
    ...over,
  }
}

describe('contract', () => {
  it.each(Object.values(EDGE_KERNELS))('$name: bindings and head lie where the host has them', (contract) => {
    const reflected = new WgslReflect(kernelSource(contract, { FREQUENCY_LANES: 4 }))
    expect(
      reflected
        .getBindGroups()[0]
        .filter(Boolean)
        .map((b) => [b.binding, b.name, b.access]),
    ).toEqual([
      [0, 'job', 'read'],
      ...contract.buffers.map(({ name, access }, i) => [2 + i, snake(name), access]),
    ])
    expect(contract.name).toBe(contract.modules[contract.modules.length - 1])
    const head = reflected.structs.find((s) => s.name === 'EdgeJob')!
    expect(head.size).toBeLessThanOrEqual(HEAD_BYTES)
    expect(Object.fromEntries(head.members.map((m) => [m.name, m.offset / 4]))).toEqual(
      Object.fromEntries(Object.entries(EDGE_HEAD).map(([name, word]) => [snake(name), word])),
    )
    expect(kernelSource(contract, {})).toContain(`const NO_FACE = 0x${NO_FACE.toString(16)}u;`)
  })
})

describe('W in single precision', () => {
  it('is within 4e-7 of double precision for any argument', async () => {
    const from = wgsl.edge_ends.indexOf('const POINTS')
    const code = `
@group(0) @binding(0) var<uniform> unused: vec4u;
@group(0) @binding(1) var<storage, read> given: array<f32>;
@group(0) @binding(2) var<storage, read_write> results: array<vec2f>;
${wgsl.phase}
${wgsl.edge_ends.slice(from, wgsl.edge_ends.indexOf('@compute'))}
@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3u) {
  if (unused.x + id.x < arrayLength(&given)) { results[id.x] = fresnel_w(given[id.x]); }
}`
    const count = 4096
    const x = Float32Array.from({ length: count }, (_, i) => (i === 0 ? 0 : 10 ** (-6 + (9 * i) / count)))
    const results = await runProbe(context.device, code, new ArrayBuffer(16), x, 2 * count, count)
    const w = new Float64Array(2)
    let worst = 0
    for (let i = 0; i < count; i++) {
      fresnelW(x[i], w, 0)
      worst = Math.max(worst, Math.hypot(results[2 * i] - w[0], results[2 * i + 1] - w[1]))
    }
    expect(worst).toBeLessThan(4e-7)
    expect(worst).toBeGreaterThan(0)
  })
})

describe('edge diffraction on the GPU', () => {
  const bands = {
    'a band': job(0, 0).band,
    'few frequencies': { f0: 3e9, df: 1e7, n: 3 },
    'one frequency': { f0: 3e9, df: 0, n: 1 },
    'a wide band': { f0: 2e9, df: 6e7, n: 33 },
  }
  const { edges, rays } = scenes(lBlock(0.3))
  const engine = createEdgeEngine(edges, rays, { workers: 0 })

  it.each(Object.entries(bands))('agrees with double precision: %s', async (_, band) => {
    for (const diffraction of ['tw-ildc', 'tw-ildc-j', 'eec'] as const)
      for (const [theta, phi] of [
        [70, 33],
        [90, 0.5],
      ]) {
        const prepared = await engine.prepare(job(theta, phi, { band, options: { diffraction } }))
        const { sum } = await gpu.evaluate((await engine.records(prepared, 0, prepared.blocks)).records)
        const double = (await engine.evaluate(prepared, 0, prepared.blocks)).sum
        expect(difference(sum, double)).toBeLessThan(SINGLE_PRECISION)
        expect(difference(sum, double)).toBeGreaterThan(0)
      }
  })

  it('agrees for bistatic aspects, along strips and where the Fresnel arguments meet', async () => {
    const plate = scenes(grid(2, 1))
    const source = createEdgeEngine(plate.edges, plate.rays, { workers: 0 })
    let tables = 0
    for (let i = 0; i <= 40; i++) {
      const aspect = { tx: direction(30 + i, 0), rx: direction(30 + i * i * 0.05, i % 2 ? 0 : 180) }
      const prepared = await source.prepare(job(0, 0, { aspect, band: { f0: C0 * 10, df: 0, n: 1 } }))
      const written = (await source.records(prepared, 0, prepared.blocks)).records
      const head = new Uint32Array(written.buffer)
      tables += (written.length / 2 - head[EDGE_HEAD.tableAt]) / 2
      const { sum } = await gpu.evaluate(written)
      const double = (await source.evaluate(prepared, 0, prepared.blocks)).sum
      expect(difference(sum, double)).toBeLessThan(SINGLE_PRECISION)
    }
    // Some ends came as tables, but not all.
    expect(tables).toBeGreaterThan(0)
  })

  it('agrees where the transmitter sees edges nearly end-on', async () => {
    for (const theta of [0.01, 0.03, 0.4]) {
      const aspect = { tx: direction(180 - theta, 20), rx: direction(95, 20) }
      const prepared = await engine.prepare(job(0, 0, { aspect, band: bands['one frequency'] }))
      const { sum } = await gpu.evaluate((await engine.records(prepared, 0, prepared.blocks)).records)
      const double = (await engine.evaluate(prepared, 0, prepared.blocks)).sum
      expect(difference(sum, double)).toBeLessThan(SINGLE_PRECISION)
    }
  })

  it('gives the same bytes again, and for any split of the blocks', async () => {
    const prepared = await engine.prepare(job(62, 21, { band: { f0: 5.8e9, df: 1e7, n: 40 } }))
    expect(prepared.blocks).toBeGreaterThan(2)
    const sumOf = async (first: number, end: number): Promise<Float64Array> =>
      (await gpu.evaluate((await engine.records(prepared, first, end)).records)).sum
    const whole = await sumOf(0, prepared.blocks)
    expect(await sumOf(0, prepared.blocks)).toEqual(whole)
    const [a, b] = [await sumOf(0, 1), await sumOf(1, prepared.blocks)]
    expect(a.map((v, i) => v + b[i])).toEqual(whole)
  })

  it('tells a sum that is not finite', async () => {
    const prepared = await engine.prepare(job(62, 21))
    const { records: written } = await engine.records(prepared, 0, prepared.blocks)
    const head = new Uint32Array(written.buffer)
    new Float32Array(written.buffer)[4 * head[EDGE_HEAD.nearAt] + 4] = Infinity
    expect((await gpu.evaluate(written)).sum.every(Number.isNaN)).toBe(true)
  })
})
