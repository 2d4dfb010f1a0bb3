import { expect, it } from 'vitest'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engines, RowStore, rowLength, runSweep, type SweepJob } from '../../run/sweep/index.js'
import { models } from '../../samples/models/index.js'
import type { SbrEngine } from '../../rays/index.js'
import { ENERGY_LIMIT, selfCheck, shadowArea } from '../../run/self-check.js'
import { made, sheet } from '../helpers/materials.js'
import { monostatic, testScene } from '../helpers/sbr.js'
import { plate } from '../../samples/models/canonical.js'
import { Z0 } from '../../scene/band.js'
import { PERFECT_CONDUCTOR } from '../../scene/materials/index.js'
import type { Mesh } from '../../scene/index.js'

const { scene, area } = testScene(models.cube.make())
const cpu = createCpuEngine(scene, area, 0)
const aspects = [10, 40, 75].map((phi) => monostatic(70, phi))
const enginesOf = (sbr: SbrEngine): Engines => ({
  facets: sbr,
  options: { raysPerWavelength: 10, maxBounces: 2, subdivisions: 2, formulation: 'all-bounces' },
  mechanisms: false,
  schedule: 'overlapped',
})
/** The engine with its fields changed. */
const changed = (change: (field: Float64Array) => void): SbrEngine => ({
  ...cpu,
  field: async (job, signal) => {
    const result = await cpu.field(job, signal)
    change(result.field)
    return result
  },
})
const check = (sbr: SbrEngine) => selfCheck(enginesOf(sbr), scene, aspects, 1e9, new AbortController().signal)

it('measures the shadow: a cube of 1 m', () => {
  for (const { tx } of aspects) {
    const exact = tx.r.reduce((sum, x) => sum + Math.abs(x), 0)
    expect(Math.abs(shadowArea(scene, tx) / exact - 1)).toBeLessThan(0.005)
  }
})

it('finds sound engines sound, and those that lose energy or exchange channels not', async () => {
  const sound = await check(cpu)
  expect(sound.aspects).toBe(3)
  expect(sound.energy.error).toBeLessThan(0.01)
  // Physical optics without its edges.
  expect(sound.reciprocity.error).toBeLessThan(0.2)
  const weak = await check(changed((field) => field.forEach((x, i) => (field[i] = 0.9 * x))))
  expect(weak.energy.error).toBeGreaterThan(ENERGY_LIMIT)
  const crooked = await check(changed((field) => (field[4] += 0.5 * Math.hypot(field[0], field[1]))))
  expect(crooked.reciprocity.error).toBeGreaterThan(2 * sound.reciprocity.error)
})

it('a sheet in its own plane has no shadow to differ from, of metal or not', async () => {
  const film = sheet({ impedance: [Z0 / 2, 0] })
  const edgeOn = [monostatic(90, 20), monostatic(90, 65)]
  for (const mesh of [plate(1), made([plate(1), film])]) {
    const { scene, area } = testScene(mesh)
    const engines = enginesOf(createCpuEngine(scene, area, 0))
    const found = await selfCheck(engines, scene, edgeOn, 1e9, new AbortController().signal)
    expect(found.energy.error).toBeLessThan(0.01)
    expect(JSON.stringify(found)).not.toContain('null')
    // The power is that of the aspects that meet the sheet.
    const both = [...edgeOn, monostatic(0, 0)]
    const { power } = await selfCheck(engines, scene, both, 1e9, new AbortController().signal)
    expect(power ? power.leaves + power.absorbed : 1).toBeCloseTo(1, 12)
  }
})

it('tells what materials absorb and let pass, and finds engines that lose it', async () => {
  const film = sheet({ impedance: [Z0 / 2, 0] })
  const grid = sheet({ impedance: [0, Z0 / 2] })
  const down = [monostatic(0, 0)]
  const ofMesh = async (mesh: Mesh, change: (field: Float64Array) => void = () => {}) => {
    const made = testScene(mesh)
    const sbr = createCpuEngine(made.scene, made.area, 0)
    const engine: SbrEngine = {
      ...sbr,
      field: async (job, signal) => {
        const result = await sbr.field(job, signal)
        change(result.field)
        return result
      },
    }
    return selfCheck(enginesOf(engine), made.scene, down, 3e9, new AbortController().signal)
  }
  // A film of R = T = 1/2, half of whose loss is not scattered; its other half.
  const alone = await ofMesh(made([plate(1), film]))
  expect(alone.energy.error).toBeLessThan(0.005)
  expect(alone.power!.absorbed).toBeCloseTo(0.5, 12)
  expect(alone.power!.leaves).toBeCloseTo(0.5, 12)
  // Nothing is absorbed by a grid before metal, and T = (1 - j) / 2 by the grid alone.
  const lossless = await ofMesh(made([plate(1), grid]))
  expect(lossless.energy.error).toBeLessThan(0.005)
  expect(lossless.power!.absorbed).toBeCloseTo(0, 12)
  const above = { ...plate(1), positions: plate(1).positions.map((x, i) => (i % 3 === 2 ? x + 0.4 : x)) }
  const { energy, power } = await ofMesh(made([above, film], [plate(1), PERFECT_CONDUCTOR]))
  expect(energy.error).toBeLessThan(0.005)
  // 1/4 back; of the 1/4 between film and metal 1/4 leaves or goes back each time: 1/12 leaves but for what is ended and cut off.
  const { leaves, absorbed, ended, cut_off, least_absorbed } = power!
  expect(leaves + absorbed + ended + cut_off).toBeCloseTo(1, 12)
  expect(leaves + cut_off / 3 + ended / 3).toBeCloseTo(1 / 4 + 1 / 12, 2)
  expect(least_absorbed).toBeGreaterThan(-1e-12)
  const weak = await ofMesh(made([plate(1), film]), (field) => field.forEach((x, i) => (field[i] = 0.9 * x)))
  expect(weak.energy.error).toBeGreaterThan(0.04)
  const active = await ofMesh(made([plate(1), sheet({ impedance: [-60, 0] })]))
  expect(active.power!.least_absorbed).toBeLessThan(-1)
})

it('a field that is not finite stops the run, with the place named, and is not kept', async () => {
  const job: SweepJob = {
    aspects,
    // Within a step of half an octave.
    bands: [{ f0: 9e8, df: 1e7, n: 3 }],
    phaseCentre: [0, 0, 0],
  }
  for (const [value, at, place] of [
    [NaN, 8 + 4, /"total" is NaN in VH at 910000000 Hz, theta 70, phi 10: the aspect is not stored/],
    [-Infinity, 16 + 3, /"total" is -Infinity in HH at 920000000 Hz, theta 70, phi 10/],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'isar-finite-'))
    const store = await RowStore.open(join(folder, 'rows'), 'k', rowLength(job, 1), false)
    const engines = { ...enginesOf(changed((field) => (field[at] = value))), schedule: 'overlapped' as const }
    await expect(runSweep(engines, job, store, () => {})).rejects.toThrow(place)
    expect(store.rows.size).toBe(0)
    store.discard()
    rmSync(folder, { recursive: true })
  }
})
