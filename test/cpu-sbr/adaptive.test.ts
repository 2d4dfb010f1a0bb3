import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AdaptiveTracer } from '../../cpu-sbr/adaptive.js'
import { createCpuEngine } from '../../cpu-sbr/engine.js'
import { PathTracer } from '../../cpu-sbr/path.js'
import { PathTree } from '../../cpu-sbr/path-tree.js'
import { rowTasks, runSbrTask } from '../../cpu-sbr/task.js'
import { cube, dihedral, plate, sphere, squareTrihedral } from '../../samples/models/canonical.js'
import { models } from '../../samples/models/index.js'
import { TILE } from '../../scene/aperture.js'
import { wavenumber } from '../../scene/band.js'
import { exactGrid } from '../../scene/exact-sum.js'
import type { Mesh } from '../../scene/mesh.js'
import type { FlatScene } from '../../scene/ray-scene.js'
import { fieldBound, jobAperture, type SbrJob, type SbrOptions } from '../../scene/sbr.js'
import { facetPo } from '../helpers/po.js'
import {
  monostatic,
  norm,
  oneFrequency,
  OPTIONS,
  relativeDifference,
  sbrJob,
  solve,
  testScene,
} from '../helpers/sbr.js'
import { join, moved, random } from '../scene/shapes.js'

const ADAPTIVE: Partial<SbrOptions> = { adaptive: true }
const scaled = (mesh: Mesh, x: number, y: number, z: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((p, i) => p * [x, y, z][i % 3]),
})
/** Field of the whole area at right incidence, k A / 2 pi [m]: what errors are relative to. */
const peak = (area: number, frequency: number): number => (wavenumber(frequency) * area) / (2 * Math.PI)

test.each([
  ['plate', plate(1)],
  ['cube', cube(1)],
  ['sphere', sphere(0.5, 3)],
])('%s: lit whole and hit once, the exact integral of its facets without a ray', async (_, mesh) => {
  const band = oneFrequency(0.1)
  for (const [theta, phi] of [
    [0, 0],
    [35, 20],
    [72, -130],
    [128, 44],
  ]) {
    const aspect = monostatic(theta, phi)
    const target = testScene(mesh)
    const { field, statistics } = await solve(target, sbrJob(aspect, band, ADAPTIVE))
    const reference = facetPo(mesh, band.f0, aspect)
    // A plate shows its front or its back; `facetPo` knows fronts only.
    if (_ === 'plate' && theta > 90)
      reference.set(facetPo(scaled(mesh, 1, 1, -1), band.f0, monostatic(180 - theta, phi)))
    expect(norm(field.map((x, i) => x - reference[i]))).toBeLessThan(1e-9 * peak(target.area, band.f0))
    expect(statistics.rays).toBe(0)
  }
})

test('T12: tubes of 4 wavelengths in the sidelobes of a plate of 10', async () => {
  const lambda = 0.1
  const mesh = plate(10 * lambda)
  const target = testScene(mesh)
  const band = oneFrequency(lambda)
  const coarse = { raysPerWavelength: 0.25, subdivisions: 0 }
  const error = async (options: Partial<SbrOptions>): Promise<number> => {
    let [wrong, right] = [0, 0]
    for (let theta = 20; theta <= 70; theta += 5) {
      const reference = facetPo(mesh, band.f0, monostatic(theta, 20))
      const { field } = await solve(target, sbrJob(monostatic(theta, 20), band, options))
      wrong += norm(field.map((x, i) => x - reference[i])) ** 2
      right += norm(reference) ** 2
    }
    return Math.sqrt(wrong / right)
  }
  expect(await error(coarse)).toBeGreaterThan(0.5)
  expect(await error({ ...coarse, adaptive: true })).toBeLessThan(1e-6)
})

test.each([2, 4])(
  'a thin strip before a plate is not missed by coarse cells (%s subdivisions)',
  async (subdivisions) => {
    // At right incidence: F = -jk/2pi [plate less the strip's shadow + strip exp(2jk height)].
    const lambda = 0.1
    const band = oneFrequency(lambda)
    const k = wavenumber(band.f0)
    const [width, length, height] = [0.3 * (lambda / 10), 0.83, 0.0371]
    const strip = moved(scaled(plate(1), width, length, 1), [0.0123, 0.0211, height])
    const target = testScene(join(plate(1), strip))
    const aspect = monostatic(0, 0)
    const { field, statistics } = await solve(target, sbrJob(aspect, band, { ...ADAPTIVE, subdivisions }))
    const area = 1 - width * length
    const re = area + width * length * Math.cos(2 * k * height)
    const im = width * length * Math.sin(2 * k * height)
    // -j (re + j im) = im - j re
    const error = Math.hypot(field[0] - (k / (2 * Math.PI)) * im, field[1] + (k / (2 * Math.PI)) * re)
    const effect = (k / (2 * Math.PI)) * width * length
    expect(error).toBeLessThan((subdivisions === 2 ? 0.1 : 0.01) * effect)
    // Few of the plate's 10,000 cells.
    expect(statistics.tubes).toBeLessThan(2000)
  },
)

test.each([
  ['square trihedral', squareTrihedral(1), 0.2],
  ['dihedral', dihedral(1), 0.2],
  ['ship', models['ship-1m'].make(), 0.06],
  ['two spheres', join(sphere(0.4, 3), moved(sphere(0.3, 3), [0.75, 0, 0])), 0.2],
  ['aircraft', models.aircraft.make(), 0.3],
])(
  '%s: a lattice four times as fine to 1e-3 of the peak or what the uniform scheme reaches, with fewer rays',
  async (_, mesh, lambda) => {
    const target = testScene(mesh)
    const band = oneFrequency(lambda)
    for (const [theta, phi] of [
      [80, 25],
      [60, 45],
    ]) {
      const job = sbrJob(monostatic(theta, phi), band)
      const fine = await solve(target, sbrJob(monostatic(theta, phi), band, { raysPerWavelength: 40 }))
      const adaptive = await solve(target, sbrJob(monostatic(theta, phi), band, ADAPTIVE))
      const uniform = await solve(target, job)
      const scale = peak(target.area, band.f0)
      const error = norm(adaptive.field.map((x, i) => x - fine.field[i])) / scale
      const before = norm(uniform.field.map((x, i) => x - fine.field[i])) / scale
      console.log(
        `${_} ${theta} ${phi}: error ${error.toExponential(1)}, uniform ${before.toExponential(1)}, rays ${(uniform.statistics.rays! / adaptive.statistics.rays!).toFixed(1)} times fewer`,
      )
      expect(error).toBeLessThan(Math.max(1e-3, 1.1 * before))
      expect(adaptive.statistics.rays!).toBeLessThan(uniform.statistics.rays! / 2)
    }
  },
)

test('of sheets that lie on each other one is lit', async () => {
  const sheets = join(plate(1), moved(plate(1), [0.4, 0.3, 0]))
  const band = oneFrequency(0.1)
  const options = { ...ADAPTIVE, subdivisions: 4 }
  const { field } = await solve(testScene(sheets), sbrJob(monostatic(0, 0), band, options))
  const union = 2 - 0.6 * 0.7
  expect(norm([field[0], field[1] + peak(union, band.f0)])).toBeLessThan(1e-4 * peak(union, band.f0))
})

test.each([
  ['ship', models['ship-1m'].make(), 0.06],
  ['square trihedral', squareTrihedral(1), 0.2],
])('%s: finely cut tubes and a fine uniform lattice agree', async (_, mesh, lambda) => {
  const target = testScene(mesh)
  const band = oneFrequency(lambda)
  for (const [theta, phi] of [
    [60, 45],
    [75, 20],
  ]) {
    const aspect = monostatic(theta, phi)
    const fine = await solve(target, sbrJob(aspect, band, { raysPerWavelength: 40 }))
    const { field } = await solve(target, sbrJob(aspect, band, { ...ADAPTIVE, subdivisions: 4 }))
    const error = norm(field.map((x, i) => x - fine.field[i])) / peak(target.area, band.f0)
    console.log(`${_} ${theta} ${phi}: ${error.toExponential(1)}`)
    expect(error).toBeLessThan(6e-5)
  }
})

/** Leaves of an aspect larger than the lattice's cells. */
function largeLeaves(
  scene: FlatScene,
  job: SbrJob,
): { at: [number, number, number]; side: number; met: number[]; visible: number }[] {
  const aperture = jobAperture(scene, job)
  const tiles = { i0: aperture.tileI0, j0: aperture.tileJ0, ni: aperture.tilesI, nj: aperture.tilesJ }
  const tracer = new AdaptiveTracer(scene, aperture, job.aspect, job.options, tiles)
  const found: ReturnType<typeof largeLeaves> = []
  tracer.contributor.add = ({ ox, oy, oz, side }, facets, count, visible) => {
    if (side > 1.5 * aperture.h)
      found.push({ at: [ox, oy, oz], side, met: Array.from(facets.subarray(0, count)), visible })
    return false
  }
  const { block } = aperture
  for (let j = tiles.j0; j < tiles.j0 + tiles.nj; j += block)
    for (let i = tiles.i0; i < tiles.i0 + tiles.ni; i += block)
      tracer.trace(i / block, j / block, -Math.log2(block * TILE), () => {})
  return found
}

test.each([
  ['ship-1m', 10e9],
  ['trihedral-square', 6e9],
  ['deckhouse', 0.15e9],
  ['aircraft', 6e9],
])('%s: no ray of a large tube goes another way than its central ray', (name, frequency) => {
  const { scene } = testScene(models[name].make())
  const next = random(7)
  let [tubes, bounced] = [0, 0]
  for (const [theta, phi] of [
    [80, 25],
    [58, 131],
  ]) {
    const job = sbrJob(monostatic(theta, phi), { f0: frequency, df: 0, n: 1 }, ADAPTIVE)
    const { d, u, v } = jobAperture(scene, job)
    // Without lists: every ray searches the hierarchy.
    const tree = new PathTree(scene, { d, s: job.aspect.rx.r, spread: 0 }, null)
    const path = new PathTracer(scene, tree, d, OPTIONS.maxBounces)
    const flatsOf = (met: ArrayLike<number>): string => Array.from(met, (t) => scene.flats.flat[t]).join(' ')
    for (const { at, side, met, visible } of largeLeaves(scene, job)) {
      tubes++
      if (met.length > 1) bounced++
      for (let n = 0; n < 12; n++) {
        const [a, b] = [side * (next() - 0.5) * 0.999999, side * (next() - 0.5) * 0.999999]
        const [x, y, z] = [0, 1, 2].map((c) => at[c] + a * u[c] + b * v[c])
        path.trace(x, y, z)
        path.look(job.aspect.rx.r)
        expect(flatsOf(path.facets.subarray(0, path.count))).toBe(flatsOf(met))
        // The first bounce may have been left to the facet itself.
        expect(path.visible & ~1).toBe(visible & ~1)
      }
    }
  }
  expect(tubes).toBeGreaterThan(100)
  expect(bounced).toBeGreaterThan(20)
})

test('on a flat-faced ship tubes grow with the frequency, not with its square', async () => {
  const target = testScene(models['ship-1m'].make())
  const [low, high] = await Promise.all(
    [20e9, 40e9].map((f0) => solve(target, sbrJob(monostatic(80, 20), { f0, df: 0, n: 1 }, ADAPTIVE))),
  )
  expect(high.statistics.tubes).toBeLessThan(2.3 * low.statistics.tubes)
  expect(high.statistics.rays!).toBeLessThan(2.2 * low.statistics.rays!)
})

test('parts by bounce sum to the total', async () => {
  const target = testScene(models['ship-1m'].make())
  const band = { f0: 9.9e9, df: 0.1e9, n: 3 }
  const total = (await solve(target, sbrJob(monostatic(80, 20), band, ADAPTIVE))).field
  const sum = new Float64Array(total.length)
  for (let onlyBounce = 1; onlyBounce <= OPTIONS.maxBounces; onlyBounce++) {
    const part = await solve(target, sbrJob(monostatic(80, 20), band, { ...ADAPTIVE, onlyBounce }))
    part.field.forEach((x, i) => (sum[i] += x))
  }
  expect(relativeDifference(sum, total)).toBeLessThan(2e-7)
})

const sameBytes = (a: Float64Array, b: Float64Array): boolean =>
  Buffer.from(a.buffer).equals(Buffer.from(b.buffer))

test('tasks and sub-grids of any size and any number of workers give the same bytes', async () => {
  const { scene, area } = testScene(models['ship-1m'].make())
  const job = sbrJob(monostatic(80, 20), { f0: 19.9e9, df: 0.1e9, n: 3 }, ADAPTIVE)
  const grid = exactGrid(fieldBound(area, OPTIONS.maxBounces))
  const sums = [1, Infinity].map((tubes) => {
    const tasks = rowTasks(scene, job, grid, tubes)
    const sum = new Float64Array(24)
    for (const task of tasks.reverse()) runSbrTask(scene, task).sum.forEach((x, i) => (sum[i] += x))
    return { sum, tasks: tasks.length }
  })
  expect(sums[0].tasks).toBeGreaterThan(sums[1].tasks)
  expect(sameBytes(sums[0].sum, sums[1].sum)).toBe(true)

  const whole = await solve({ scene, area }, job)
  for (const subGrid of [16, 200, 2048]) {
    const run = await createCpuEngine(scene, area, 0, subGrid).begin(job)
    for (let part = 0; part < run.parts.length; part++) await run.trace(part)
    const parts = (await run.finish())!
    expect(sameBytes(parts.field, whole.field)).toBe(true)
    expect(parts.statistics).toEqual(whole.statistics)
    expect(run.parts.length > 1).toBe(subGrid < 2048)
  }

  // Worker threads load compiled files: those of dist/, which `npm test` builds first.
  const built = new URL('../../dist/cpu-sbr/engine.js', import.meta.url)
  expect(existsSync(built), 'run `npm run build` first').toBe(true)
  const engines = (await import(built.href)) as { createCpuEngine: typeof createCpuEngine }
  const engine = engines.createCpuEngine(scene, area, 2)
  const { field, statistics } = await engine.aspect(job)
  await engine.close()
  expect(sameBytes(field, whole.field)).toBe(true)
  expect(statistics).toEqual(whole.statistics)
})
