import { describe, expect, it } from 'vitest'
import {
  createCpuPropagation,
  createGpuPropagation,
  type PropagationResult,
} from '../../propagation/engines.js'
import { antennaAxes, type PropagationSetup, SUM } from '../../propagation/setup.js'
import type { GpuPropagationOptions } from '../../gpu/propagation/engine.js'
import type { Vec3 } from '../../scene/index.js'
import { sharedGpu } from '../helpers/gpu.js'
import { setupOf, streetScene, tunnelScene } from './scenes.js'

const context = await sharedGpu()

const SUBDIVISION = 14

async function both(
  setup: PropagationSetup,
  options: GpuPropagationOptions = {},
  listed: number[] = [],
): Promise<{ cpu: PropagationResult; gpu: PropagationResult }> {
  const run = { subdivision: SUBDIVISION, listed }
  return {
    cpu: await createCpuPropagation(setup, 0).run(run),
    gpu: await createGpuPropagation(context, setup, { workgroups: 64, ...options }).run(run),
  }
}

/** Largest difference of the numbers from `from` on, per receiver and excitation, relative to the largest there is. */
function difference(
  { cpu, gpu }: { cpu: PropagationResult; gpu: PropagationResult },
  from: number,
  count: number,
): number {
  let [most, scale] = [0, 0]
  for (let at = from; at < cpu.sums.length; at += SUM.length)
    for (let k = 0; k < count; k++) {
      most = Math.max(most, Math.abs(cpu.sums[at + k] - gpu.sums[at + k]))
      scale = Math.max(scale, Math.abs(cpu.sums[at + k]))
    }
  return most / scale
}

const line = (count: number, at: (i: number) => Vec3): Vec3[] =>
  Array.from({ length: count }, (_, i) => at(i))

describe('propagation on the GPU', () => {
  it('finds the same paths as double precision in a tunnel, with the same fields', async () => {
    const setup = setupOf(
      tunnelScene(
        60,
        line(25, (i) => [1.9, 1.7, 2 + 2.3 * i]),
      ),
    )
    const results = await both(setup, {}, [3])
    const { cpu, gpu } = results
    expect(cpu.statistics.paths).toBeGreaterThan(1000)
    expect(gpu.statistics.paths).toBe(cpu.statistics.paths)
    expect(gpu.statistics.escaped).toBe(0)
    expect(difference(results, SUM.field, 6)).toBeLessThan(2e-6)
    expect(difference(results, SUM.transfer, 4)).toBeLessThan(2e-6)
    expect(difference(results, SUM.power, 11)).toBeLessThan(2e-6)
    // The paths that the GPU lists are those of double precision.
    expect(gpu.paths.length).toBe(cpu.paths.length)
    gpu.paths.forEach((path, i) => {
      expect(path.facets).toEqual(cpu.paths[i].facets)
      expect(path.length).toBeCloseTo(cpu.paths[i].length, 9)
      expect(path.transfers[0]).toBeCloseTo(cpu.paths[i].transfers[0], 12)
    })
  })

  it('agrees over edges, materials, polarisations, frequencies and a tabulated antenna', async () => {
    const table = { thetas: 3, phis: 3, values: Float64Array.from({ length: 36 }, (_, i) => Math.sin(1 + i)) }
    const receivers = line(30, (i) => [25 + 0.1 * i, -40 + 3 * i, 1.5 + 0.1 * i])
    const setup = setupOf(
      streetScene(receivers, {
        freqHz: [1e9, 5.2e9],
        transmit: ['v', 'h'],
        receiveAntenna: { pattern: { kind: 'table', table }, ...antennaAxes([0.2, -0.3, 1]) },
      }),
    )
    const results = await both(setup)
    expect(results.cpu.statistics.paths).toBeGreaterThan(100)
    expect(results.gpu.statistics.paths).toBe(results.cpu.statistics.paths)
    expect(difference(results, 0, SUM.length)).toBeLessThan(1e-5)
  })

  it('gives the same bytes whatever the batches, workgroups and room for candidates', async () => {
    const receivers = line(9, (i) => [1.9, 1.7, 2 + 6.3 * i])
    const setup = setupOf(tunnelScene(60, receivers))
    const run = { subdivision: SUBDIVISION }
    const [a, b] = await Promise.all([
      createGpuPropagation(context, setup, { workgroups: 64 }).run(run),
      createGpuPropagation(context, setup, { workgroups: 3, candidates: 50 }).run({ ...run, batchRays: 90 }),
    ])
    expect(a.statistics.paths).toBeGreaterThan(300)
    expect(b.sums).toEqual(a.sums)
    // Nor a receiver's with the others; one far outside widens the region in which rays are followed.
    const others = setupOf(tunnelScene(60, [[1.3, 2.2, 31], ...receivers.slice(4), [30, 20, 90]]))
    const c = await createGpuPropagation(context, others, { workgroups: 64 }).run(run)
    expect(c.sums.subarray(SUM.length, 6 * SUM.length)).toEqual(a.sums.subarray(4 * SUM.length))
  })

  it('meets the same reception spheres as double precision, with the same fields, whatever the batches', async () => {
    const receivers = line(25, (i) => [1.9, 1.7, 2 + 2.3 * i])
    const setup = setupOf(tunnelScene(60, receivers, { reception: 'spheres', transmit: ['v', 'h'] }))
    const run = { subdivision: 40, listed: [3] }
    const cpu = await createCpuPropagation(setup, 0).run(run)
    const gpu = await createGpuPropagation(context, setup, { workgroups: 64 }).run(run)
    const results = { cpu, gpu }
    expect(cpu.statistics.paths).toBeGreaterThan(2000)
    expect(gpu.statistics.paths).toBe(cpu.statistics.paths)
    expect(gpu.statistics.candidates).toBe(cpu.statistics.candidates)
    expect(gpu.statistics.segments).toBe(cpu.statistics.segments)
    expect(difference(results, 0, SUM.length)).toBeLessThan(2e-6)
    expect(gpu.paths.map((path) => path.facets)).toEqual(cpu.paths.map((path) => path.facets))
    gpu.paths.forEach((path, i) => expect(path.length).toBeCloseTo(cpu.paths[i].length, 6))
    // Room for ten hits grows to what the first pass counts.
    const small = createGpuPropagation(context, setup, { workgroups: 3, candidates: 10 })
    expect((await small.run({ ...run, batchRays: 500 })).sums).toEqual(gpu.sums)
  })

  it('lists paths also after a run that listed none', async () => {
    const setup = setupOf(
      tunnelScene(
        60,
        line(3, (i) => [1.9, 1.7, 2 + 6.3 * i]),
      ),
    )
    const engine = createGpuPropagation(context, setup, { workgroups: 64 })
    const run = { subdivision: SUBDIVISION }
    const first = await engine.run(run)
    const second = await engine.run({ ...run, listed: [1] })
    expect(second.sums).toEqual(first.sums)
    expect(second.paths.length).toBeGreaterThan(10)
    expect(second.paths.map((path) => path.facets)).toEqual(
      (await createCpuPropagation(setup, 0).run({ ...run, listed: [1] })).paths.map((path) => path.facets),
    )
  })
})
