import { expect, test } from 'vitest'
import type { ListRoom } from '../../gpu/sbr/plan.js'
import { GpuSbrEngine } from '../../gpu/sbr/engine.js'
import { gpuField } from '../../gpu/sbr/results.js'
import { models } from '../../samples/models/index.js'
import { subGrids, jobAperture, type AspectResult, type SbrJob, type FrequencySum } from '../../rays/index.js'
import { C0, type Mesh, direction, type Band } from '../../scene/index.js'
import { sharedGpu, sharedEngines } from '../helpers/gpu.js'
import {
  monostatic,
  norm,
  relativeDifference,
  sbrJob,
  solve,
  testScene,
  bandUpTo,
  oneFrequency,
  type TestScene,
} from '../helpers/sbr.js'
import { pipe } from '../helpers/pipe.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'

const context = await sharedGpu()
const engineOf = await sharedEngines()
const target = testScene(models['ship-1m'].make())
const engine = engineOf(target)

/** Any number of frequencies, the highest always the same. */
const job = (theta = 78, phi = 75, n = 3) =>
  sbrJob(monostatic(theta, phi), { f0: 3e9 - (n - 1) * 5e6, df: n > 1 ? 5e6 : 0, n })

const sameBytes = (a: AspectResult, b: AspectResult): boolean =>
  Buffer.from(a.field.buffer).equals(Buffer.from(b.field.buffer))

const storeOf = (of: GpuSbrEngine): { batchLimit: number; room: ListRoom } =>
  (of as unknown as { store: { batchLimit: number; room: ListRoom } }).store

test('the same aspect gives the same bytes again, also with others in between', async () => {
  const first = await engine.field(job())
  expect(norm(first.field)).toBeGreaterThan(0)
  await engine.field(job(120, -70))
  const second = await engine.field(job())
  expect(sameBytes(first, second)).toBe(true)
  expect(second.statistics).toEqual(first.statistics)
})

test('aspects in flight at once, small and large, give what each gives alone', async () => {
  // A new engine with kernels of its own: the lists grow while aspects wait for the kernels.
  const fresh = new GpuSbrEngine(context, target.scene, target.area, { subGrid: 2048 })
  const jobs = [job(90, 0), job(90, 90), job(0, 0), job(40, 30)]
  const together = await Promise.all(jobs.map((j) => fresh.field(j)))
  for (const [i, result] of together.entries())
    expect(sameBytes(result, await engine.field(jobs[i]))).toBe(true)
})

test.each([64, 256, 16])('sub-grids of %s tubes give the same bytes', async (subGrid) => {
  const whole = await engine.field(job())
  const split = engineOf(target, { subGrid })
  const parts = await split.field(job())
  if (subGrid <= 64) expect((await split.begin(job())).parts.length).toBeGreaterThan(1)
  expect(sameBytes(whole, parts)).toBe(true)
  expect(parts.statistics).toEqual(whole.statistics)
})

test('parts of an aperture, computed alone, add up to the bytes of the whole', async () => {
  const whole = await engine.field(job())
  const aperture = jobAperture(target.scene, job())
  const parts = await Promise.all(subGrids(aperture, 48).map((tiles) => engine.field({ ...job(), tiles })))
  expect(parts.length).toBeGreaterThan(2)
  const totals = parts[0].totals!.map((_, i) => parts.reduce((sum, part) => sum + part.totals![i], 0n))
  const field = gpuField(target.scene, target.area, job(), totals)
  expect(sameBytes({ ...whole, field }, whole)).toBe(true)
  for (const key of ['tubes', 'leaves', 'contributions'] as const)
    expect(parts.reduce((sum, part) => sum + part.statistics[key], 0)).toBe(whole.statistics[key])
})

test('sub-grid by sub-grid gives the same bytes as at once', async () => {
  const whole = await engine.field(job())
  const run = await engineOf(target, { subGrid: 64 }).begin(job())
  expect(run.parts.length).toBeGreaterThan(1)
  for (let part = 0; part < run.parts.length; part++) {
    await run.trace(part)
    await run.field(part)
  }
  const parts = (await run.finish())!
  expect(sameBytes(whole, parts)).toBe(true)
  expect(parts.statistics).toEqual(whole.statistics)
  expect(parts.partSeconds).toHaveLength(run.parts.length)
})

test('small lists, batch after batch, give the same bytes', async () => {
  const whole = await engine.field(job())
  for (const listMemory of [1 << 23, 1]) {
    const parts = await engineOf(target, { listMemory }).field(job())
    expect(sameBytes(whole, parts)).toBe(true)
    expect(parts.statistics).toEqual(whole.statistics)
  }
})

/** n x n square plates of unit pitch and the given side in z = 0. */
function smallPlates(n: number, side: number): Mesh {
  const positions: number[] = []
  const triangles: number[] = []
  for (let i = 0; i < n * n; i++) {
    const [x, y] = [i % n, Math.floor(i / n)]
    const v = positions.length / 3
    positions.push(x, y, 0, x + side, y, 0, x + side, y + side, 0, x, y + side, 0)
    triangles.push(v, v + 1, v + 2, v, v + 2, v + 3)
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

test('lists that overflow: all aspects in flight are run again with longer ones and give the same bytes', async () => {
  // Plates smaller than a tube, each a surface of its own: every tube is cut into 4 x 4, and more leaves radiate
  // than a batch has room for.
  const dust = testScene(smallPlates(60, 0.6))
  const [a, b] = [10, 12].map((theta) => sbrJob(monostatic(theta, 20), { f0: C0 / 10, df: 0, n: 1 }))
  const overflowing = engineOf(dust)
  const results = await Promise.all([a, b, a].map((job) => overflowing.field(job)))
  const { room } = storeOf(overflowing)
  expect(room.leaves).toBeGreaterThan(1)
  const small = engineOf(dust, { listMemory: 1 })
  const careful = [await small.field(a), await small.field(b)]
  for (const [i, result] of results.entries()) {
    expect(sameBytes(result, careful[i % 2])).toBe(true)
    expect(result.statistics).toEqual(careful[i % 2].statistics)
  }
  // Every tube lies across edges here, so single precision decides a few sub-tubes otherwise.
  expect(relativeDifference(results[0].field, (await solve(dust, a)).field)).toBeLessThan(5e-3)
  // Once is enough.
  expect(sameBytes(await overflowing.field(a), results[0])).toBe(true)
  expect(storeOf(overflowing).room).toBe(room)
})

test('any number of frequencies: each is what it is in double precision', async () => {
  const reference = await solve(target, job(78, 75, 200))
  for (const n of [1, 3, 64, 65, 200]) {
    const { field } = await engine.field(job(78, 75, n))
    expect(field).toHaveLength(8 * n)
    // All bands end at the same frequency.
    const tail = reference.field.subarray(8 * (200 - n))
    for (let i = 0; i < n; i++)
      expect(
        relativeDifference(field.subarray(8 * i, 8 * i + 8), tail.subarray(8 * i, 8 * i + 8)),
      ).toBeLessThan(1e-3)
  }
})

test('tubes and leaves are counted as in double precision, times are measured', async () => {
  const { statistics, times } = await engine.field(job())
  const own = await solve(target, job())
  expect(statistics.tubes).toBe(own.statistics.tubes)
  expect(Math.abs(statistics.leaves / own.statistics.leaves - 1)).toBeLessThan(1e-3)
  expect(times.total).toBeGreaterThan(0)
  if (context.hasTimestamps) {
    expect(times.trace).toBeGreaterThan(0)
    expect(times.field).toBeGreaterThan(0)
    expect(times.trace + times.field + times.reduction).toBeLessThan(times.total)
  }
})

test('nothing lit: a zero field', async () => {
  const plate = testScene(models.plate.make())
  const edgeOn = await engineOf(plate).field(sbrJob(monostatic(90, 0), { f0: 1e9, df: 0, n: 1 }))
  expect(edgeOn.statistics.leaves).toBe(0)
  expect(norm(edgeOn.field)).toBe(0)
})

test('an abort signal that has fired rejects with an AbortError', async () => {
  await expect(engine.field(job(), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
})

const ASPECTS = [
  [80, 25],
  [118, -160],
]

test.each(['plate', 'dihedral', 'missile'])(
  '%s: candidate lists, stack and ropes give the same bytes',
  async (name) => {
    const target = testScene(models[name].make())
    const top = (8 * C0) / target.scene.diagonal
    const run = async (traversal: 'lists' | 'stack' | 'ropes') => {
      const engine = engineOf(target, { traversal })
      const results = []
      for (const [theta, phi] of ASPECTS)
        results.push(await engine.field(sbrJob(monostatic(theta, phi), bandUpTo(top, 2))))
      return results
    }
    const lists = await run('lists')
    for (const other of [await run('stack'), await run('ropes')])
      lists.forEach((result, i) => {
        expect(norm(result.field)).toBeGreaterThan(0)
        expect(other[i].statistics).toEqual(result.statistics)
        expect(Buffer.from(other[i].field.buffer).equals(Buffer.from(result.field.buffer))).toBe(true)
      })
  },
)

test.each([
  ['pipe', pipe(0.5, 5), 30, 10, 0.1],
  ['missile', models.missile.make(), 60, 140, 0.15],
] as const)(
  'the power cut off by the bounce limit is that of double precision, and the same in any parts: %s',
  async (_, mesh, theta, phi, lambda) => {
    const target = testScene(mesh)
    const job = sbrJob(monostatic(theta, phi), oneFrequency(lambda))
    const { statistics } = await engineOf(target).field(job)
    const { lit, cutOff } = (await solve(target, job)).statistics
    expect(cutOff! / lit!).toBeGreaterThan(0.01)
    expect(Math.abs(statistics.lit! / lit! - 1)).toBeLessThan(1e-3)
    expect(Math.abs(statistics.cutOff! - cutOff!) / lit!).toBeLessThan(1e-3)
    expect((await engineOf(target, { subGrid: 64, listMemory: 1 }).field(job)).statistics).toEqual(statistics)
    const parts = await Promise.all(
      subGrids(jobAperture(target.scene, job), 48).map((tiles) => engineOf(target).field({ ...job, tiles })),
    )
    expect(parts.length).toBeGreaterThan(1)
    for (const key of ['lit', 'cutOff', 'leaves'] as const)
      expect(parts.reduce((sum, part) => sum + part.statistics[key]!, 0)).toBe(statistics[key])
  },
)

const from = (phi: number) => direction(75, phi)
const lookJob = (n: number): SbrJob => ({
  ...sbrJob({ tx: from(40), rx: from(40) }, { f0: 0.9e9, df: 0.1e9 / (n - 1), n }),
  extrapolation: { directions: [38, 39, 39.5, 40, 43].map(from) },
})

test.each([
  ['trihedral-square', 3],
  // Interpolation between nodes of the band, on both engines.
  ['trihedral-square', 52],
  ['sphere', 3],
] as const)('extrapolation to the %s at %i frequencies is that of double precision', async (name, n) => {
  const target: TestScene = testScene(models[name].make())
  const job = lookJob(n)
  const cpu = await createCpuEngine(target.scene, target.area, 0).field(job)
  const engine = engineOf(target)
  const gpu = await engine.field(job)
  expect(gpu.field).toHaveLength(8 * n * 5)
  for (let m = 0; m < 5; m++) {
    const part = (a: Float64Array): Float64Array => a.subarray(8 * n * m, 8 * n * (m + 1))
    expect(relativeDifference(part(gpu.field), part(cpu.field)), `direction ${m}`).toBeLessThan(2e-4)
  }
  expect(gpu.statistics.tubes).toBe(cpu.statistics.tubes)
  // An aspect of its own in between changes nothing, nor do batches.
  const alone = await engine.field({ ...job, extrapolation: undefined })
  expect(relativeDifference(alone.field, gpu.field.subarray(8 * n * 3, 8 * n * 4))).toBeLessThan(1e-6)
  storeOf(engine).batchLimit = 3
  expect((await engine.field(job)).field).toEqual(gpu.field)
})

const summed = (theta: number, phi: number, band: Band, frequencySum: FrequencySum) =>
  sbrJob(monostatic(theta, phi), band, { frequencySum })

// Groups in one piece, groups across edges with parts far apart in delay, grazing tubes, curved facets (quadrilaterals);
// bands that take one pass of the kernel, and two.
test.each([
  ['ship-1m', 78, 75, { f0: 1.4e9, df: 0.2e9 / 63, n: 64 }],
  ['ship-1m', 63, 141, { f0: 1e9, df: 0.6e9 / 149, n: 150 }],
  ['ship-1m', 90, 2, { f0: 1.4e9, df: 0.2e9 / 39, n: 40 }],
  ['sphere', 90, 0, { f0: 0.9e9, df: 0.1e9 / 39, n: 40 }],
])('%s from %s, %s: sums between nodes agree with the direct ones', async (name, theta, phi, band) => {
  const engine = engineOf(testScene(models[name].make()))
  const direct = await engine.field(summed(theta, phi, band, 'direct'))
  const fast = await engine.field(summed(theta, phi, band, 'fast'))
  expect(fast.statistics).toEqual(direct.statistics)
  const difference = norm(fast.field.map((x, i) => x - direct.field[i])) / norm(direct.field)
  expect(difference).toBeLessThan(1e-5)
  // The sums are not the direct ones.
  expect(difference).toBeGreaterThan(0)
})

test('the bytes of sums between nodes do not depend on sub-grids', async () => {
  const target = testScene(models['ship-1m'].make())
  const fast = summed(78, 75, { f0: 1.4e9, df: 5e6, n: 40 }, 'fast')
  const whole = await engineOf(target).field(fast)
  const parts = await engineOf(target, { subGrid: 32 }).field(fast)
  expect(parts.field).toEqual(whole.field)
})
