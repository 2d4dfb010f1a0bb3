import { expect, it } from 'vitest'
import { createCpuEngine } from '../../cpu-sbr/engine.js'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engines, RowStore, rowLength, runSweep, type SweepJob } from '../../pipeline/index.js'
import { models } from '../../samples/models/index.js'
import type { SbrEngine } from '../../rays/index.js'
import { ENERGY_LIMIT, selfCheck, shadowArea } from '../../src/self-check.js'
import { monostatic, testScene } from '../helpers/sbr.js'

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

it('a field that is not finite stops the run, with the place named, and is not kept', async () => {
  const job: SweepJob = {
    aspects,
    bands: [{ f0: 1e9, df: 1e8, n: 3 }],
    phaseCentre: [0, 0, 0],
  }
  for (const [value, at, place] of [
    [NaN, 8 + 4, /"total" is NaN in VH at 1100000000 Hz, theta 70, phi 10: the aspect is not stored/],
    [-Infinity, 16 + 3, /"total" is -Infinity in HH at 1200000000 Hz, theta 70, phi 10/],
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
