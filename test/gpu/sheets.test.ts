import { expect, test } from 'vitest'
import { branchWork } from '../../cpu-sbr/materials/branches.js'
import { HIDDEN } from '../../cpu-sbr/materials/path.js'
import type { GpuSbrEngine } from '../../gpu/sbr/engine.js'
import { MOST_PATH_WORDS, PATH_WORDS } from '../../gpu/sbr/layouts.js'
import { gpuField } from '../../gpu/sbr/results.js'
import {
  subGrids,
  wholeAperture,
  type AspectResult,
  jobAperture,
  tubeSide,
  type SbrJob,
} from '../../rays/index.js'
import { plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import { C0, wavenumber, type Aspect, type Mesh } from '../../scene/index.js'
import { Z0 } from '../../scene/band.js'
import type { Material } from '../../scene/materials/index.js'
import { sharedEngines } from '../helpers/gpu.js'
import { coating, CONDUCTOR, layer, made, sheet } from '../helpers/materials.js'
import {
  bandUpTo,
  norm,
  relativeDifference,
  sameBytes,
  sbrJob,
  solve,
  testScene,
  type TestScene,
} from '../helpers/sbr.js'
import { aspectOf, openBox } from '../oracle/cases.js'
import { moved } from '../scene/shapes.js'

const engineOf = await sharedEngines()

const GLASS = sheet(layer([5.5, -0.05], 0.04))
const FILM = sheet({ impedance: [200, 0] })
const ABSORBER = coating(layer([12, -0.6], 0.02, [2.2, -1.6]))

/** A horizontal plate of side `edge` at height z. */
const shelf = (edge: number, z: number): Mesh => moved(plate(edge), [0.07, -0.03, z])

/** Level, cell, radiating hits and facets up to the last of them of the leaves of an aspect in double precision. */
function cpuLeaves({ scene }: TestScene, job: SbrJob): Set<string> {
  const aperture = jobAperture(scene, job)
  const { base, u, v, h, offset } = aperture
  const tiles = wholeAperture(aperture)
  const { tracer } = branchWork(scene, scene.materials!, aperture, { job, tiles, quantum: 2 ** -40 })
  const { contributor } = tracer
  const add = contributor.addTube.bind(contributor)
  const found = new Set<string>()
  contributor.addTube = (cell, ray, corners) => {
    const radiates = add(cell, ray, corners)
    if (!radiates) return false
    const scale = cell.side / h
    const o = [cell.ox - base[0], cell.oy - base[1], cell.oz - base[2]]
    const index = (axis: ArrayLike<number>, from: number): number =>
      Math.round((o.reduce((sum, x, c) => sum + x * axis[c], 0) / h - from) / scale - 0.5)
    const { onlyBounce } = job.options
    const radiating = Array.from(ray.sights.subarray(0, ray.count), (sight, i) =>
      sight !== HIDDEN && (!onlyBounce || contributor.fields.bounces[ray.paths[i]] === onlyBounce - 1)
        ? 1
        : 0,
    )
    radiating.length = radiating.lastIndexOf(1) + 1
    const facets = Array.from(ray.facets.subarray(0, radiating.length))
    found.add(`${-Math.log2(scale)} ${index(u, offset[0])} ${index(v, offset[1])} ${radiating} ${facets}`)
    return true
  }
  for (let j = tiles.j0; j < tiles.j0 + tiles.nj; j++)
    for (let i = tiles.i0; i < tiles.i0 + tiles.ni; i++) tracer.trace(i, j)
  return found
}

/** As `expectParity` in parity.test.ts; corners of quadrilaterals are not compared. */
async function expectParity(engine: GpuSbrEngine, target: TestScene, job: SbrJob): Promise<void> {
  const { field, statistics } = await engine.field(job)
  const cpu = cpuLeaves(target, job)
  const all = cpu.size
  let differing = 0
  let leaves = 0
  await engine.paths(job, ({ level, i, j, radiating, facets }) => {
    leaves++
    if (!cpu.delete(`${level} ${i} ${j} ${radiating} ${facets}`)) differing++
  })
  differing += cpu.size
  expect(leaves).toBe(statistics.leaves)
  expect(all).toBeGreaterThan(100)
  expect(differing).toBeLessThanOrEqual(4 + 2e-3 * leaves)
  const { field: want, statistics: own } = await solve(target, job)
  expect(Math.abs(statistics.contributions - own.contributions)).toBeLessThanOrEqual(20 * differing)
  const mirror = (wavenumber(job.band.f0) * target.area * Math.sqrt(job.band.n)) / (2 * Math.PI)
  expect(norm(want)).toBeGreaterThan(1e-5 * mirror)
  const error = norm(field.map((x, i) => x - want[i])) / mirror
  expect(error).toBeLessThan(1e-7 + (5 * differing * tubeSide(job) ** 2) / target.area)
  // Power is counted in parts of a 127th of a tube's.
  expect(Math.abs(statistics.cutOff! - own.cutOff!)).toBeLessThan(0.004 * own.lit!)
}

type Parts = [Mesh, Material][]
const behindGlass = (of: Material): Parts => [[shelf(1.2, 0.5), GLASS], [plate(1), of]] // prettier-ignore
const TWO_SHEETS: Parts = [[shelf(1, 0.3), GLASS], [plate(0.9), FILM]] // prettier-ignore
const RADOME: Parts = [[moved(sphere(1.3, 2), [0.4, 0.4, 0.4]), GLASS], [squareTrihedral(1), CONDUCTOR]] // prettier-ignore
const GLASS_BOX: Parts = [[openBox(), GLASS], [shelf(0.6, -0.4), CONDUCTOR]] // prettier-ignore

const cases: [string, Parts, Aspect, Partial<SbrJob['options']>][] = [
  ['a plate behind a sheet', behindGlass(CONDUCTOR), aspectOf(25, 40), {}],
  [
    'a coated plate behind a sheet, bistatic through it',
    behindGlass(ABSORBER),
    aspectOf(25, 40, 50, -130),
    {},
  ],
  ['two sheets, receiver behind them', TWO_SHEETS, aspectOf(34, 12, 151, 190), {}],
  ['a round radome over a trihedral', RADOME, aspectOf(52, 38), { maxBounces: 8 }],
  ['a box of glass over metal, from a side', GLASS_BOX, aspectOf(60, -50), {}],
  ['one bounce of a box of film', [[openBox(), FILM]], aspectOf(63, 27), { onlyBounce: 2 }],
  [
    'trihedral of glass, no subdivision',
    [[squareTrihedral(1), GLASS]],
    aspectOf(52, 38, 47, 50),
    { subdivisions: 0 },
  ],
]

test.each(cases)('%s: the GPU gives what double precision gives', async (_, parts, aspect, options) => {
  const target = testScene(made(...parts))
  const band = bandUpTo((5 * C0) / target.scene.diagonal)
  await expectParity(
    engineOf(target),
    target,
    sbrJob(aspect, band, { raysPerWavelength: 6, frequencySum: 'direct', ...options }),
  )
})

/** A trihedral with a wall of film behind a pane. */
const room = testScene(made([squareTrihedral(1), FILM], [shelf(1.6, 1.2), GLASS]))
const roomJob = (n: number): SbrJob =>
  sbrJob(aspectOf(32, 38), { f0: 0.9e9, df: 4e6, n }, { raysPerWavelength: 6 })

test('bytes do not depend on sub-grids, batches, lists and traversals', async () => {
  const job = roomJob(3)
  const engine = engineOf(room)
  const whole = await engine.field(job)
  expect(norm(whole.field)).toBeGreaterThan(0)
  const of = (result: AspectResult) => [...result.field, Object.values(result.statistics)].join()
  for (const options of [
    { subGrid: 16 },
    { subGrid: 64 },
    { listMemory: 1 },
    { traversal: 'lists' as const },
  ])
    expect(of(await engineOf(room, options).field(job))).toBe(of(whole))
  const run = await engineOf(room, { subGrid: 32 }).begin(job)
  expect(run.parts.length).toBeGreaterThan(2)
  for (const part of run.parts.keys()) {
    await run.trace(part)
    await run.field(part)
  }
  expect(of((await run.finish())!)).toBe(of(whole))
  const aperture = jobAperture(room.scene, job)
  const parts = await Promise.all(subGrids(aperture, 48).map((tiles) => engine.field({ ...job, tiles })))
  const totals = parts[0].totals!.map((_, i) => parts.reduce((sum, part) => sum + part.totals![i], 0n))
  expect(sameBytes(gpuField(room.scene, room.area, job, totals), whole.field)).toBe(true)
})

test('many frequencies, and fields extrapolated to the aspect itself', async () => {
  const job = roomJob(64)
  const engine = engineOf(room)
  const { field } = await engine.field(job)
  const { field: want } = await solve(room, { ...job, options: { ...job.options, frequencySum: 'direct' } })
  expect(relativeDifference(field, want)).toBeLessThan(1e-5)
  const { tx } = job.aspect
  const extrapolated = await engine.field({ ...job, extrapolation: { directions: [tx, tx] } })
  expect(sameBytes(extrapolated.field.slice(0, field.length), field)).toBe(true)
  expect(sameBytes(extrapolated.field.slice(field.length), field)).toBe(true)
})

/** Sheets behind each other, between which waves go to and fro. */
const panes = (n: number, edge: number, material: Material) =>
  testScene(made(...Array.from({ length: n }, (_, i): [Mesh, Material] => [shelf(edge, 0.2 * i), material])))

test('paths longer than there is room for at first', async () => {
  const target = panes(5, 1, sheet({ impedance: [80, 0] }))
  const job = sbrJob(aspectOf(8, 12), bandUpTo((3 * C0) / target.scene.diagonal, 1), {
    raysPerWavelength: 5,
    subdivisions: 1,
    maxBounces: 8,
  })
  const engine = engineOf(target)
  let longest = 0
  const { field } = await engine.field(job)
  await engine.paths(job, ({ facets }) => (longest = Math.max(longest, facets.length)))
  expect(longest).toBeGreaterThan(PATH_WORDS)
  expect(relativeDifference(field, (await solve(target, job)).field)).toBeLessThan(1e-5)
  // Once is enough.
  expect((engine as unknown as { pathWords: number }).pathWords).toBeLessThan(MOST_PATH_WORDS)
})

test('paths that no list has room for are an error of one line', async () => {
  const job = sbrJob(aspectOf(2, 12), { f0: 5e7, df: 0, n: 1 }, { raysPerWavelength: 3, maxBounces: 12 })
  // Half the power goes either way. It would get there by itself, compiling kernels each time.
  const engine = engineOf(panes(6, 6, sheet({ impedance: [0, Z0 / 2] })))
  Object.assign(engine, { pathWords: MOST_PATH_WORDS })
  await expect(engine.field(job)).rejects.toThrow(
    /^a ray meets facets and sheets more than 2047 times .*--max-bounces/,
  )
})
