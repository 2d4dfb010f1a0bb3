import { expect, test } from 'vitest'
import type { FullWaveEngine } from '../../full-wave/index.js'
import {
  type Engines,
  frequencyReports,
  keptUnits,
  memoryRows,
  rowField,
  runSweep,
} from '../../run/sweep/index.js'
import { direction } from '../../scene/index.js'

const aspects = [0, 10, 20, 30, 40].map((phi) => {
  const d = direction(90, phi)
  return { tx: d, rx: d }
})
const job = {
  aspects,
  bands: [{ f0: 1e9, df: 5e8, n: 3 }],
  phaseCentre: [0, 0, 0] as [number, number, number],
}

/** Fields that name their frequency and aspect; counts how often it is asked. */
function fakeEngine(failAt = Infinity): { engines: Engines; solved: number[] } {
  const solved: number[] = []
  const facets = {
    solve: (frequencyHz: number, of: typeof aspects, onProgress?: (part: number) => void) => {
      if (solved.length === failAt) return Promise.reject(new Error('no more'))
      solved.push(frequencyHz)
      onProgress?.(0.5)
      const fields = new Float64Array(8 * of.length)
      of.forEach(({ tx }, i) => {
        fields[8 * i] = frequencyHz / 1e9
        fields[8 * i + 2] = tx.phiDeg
        // VH and HV: their mean is written.
        fields[8 * i + 4] = 1
        fields[8 * i + 6] = 3
      })
      const seconds = { mesh: 1, fill: 2, factor: 3, solve: 4 }
      const report = { frequencyHz, triangles: 7, quality: { worst: 0.2, median: 0.7, longestEdge: 0.15 }, unknowns: 5, residual: 1e-6, condition: 9, powerError: 0.01, seconds } // prettier-ignore
      return Promise.resolve({ fields, report })
    },
  } as unknown as FullWaveEngine
  return { engines: { facets, mechanisms: false } as unknown as Engines, solved }
}

test('full wave solves each frequency once, for all aspects', async () => {
  const { engines, solved } = fakeEngine()
  const store = memoryRows()
  const progress: number[] = []
  await runSweep(engines, job, store, ({ done, total, what }) => {
    expect([total, what]).toEqual([3, 'frequencies'])
    progress.push(done)
  })
  expect(solved).toEqual([1e9, 1.5e9, 2e9])
  expect(progress).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3])
  aspects.forEach(({ tx }, i) => {
    const field = rowField(job, store.rows.get(i)!)
    expect(field.filter((_, k) => k % 2 === 0)).toEqual(
      Float64Array.from([1, 1.5, 2].flatMap((f) => [f, tx.phiDeg, 2, 2])),
    )
  })
  expect(frequencyReports(job, store.rows).map((r) => r.frequencyHz)).toEqual([1e9, 1.5e9, 2e9])
  const { quality, seconds } = frequencyReports(job, store.rows)[1]
  expect(quality).toEqual({ worst: 0.2, median: 0.7, longestEdge: 0.15 })
  expect(seconds).toEqual({ mesh: 1, fill: 2, factor: 3, solve: 4 })
})

test('an interrupted run keeps its finished frequencies', async () => {
  const store = memoryRows()
  const first = fakeEngine(2)
  await expect(runSweep(first.engines, job, store, () => {})).rejects.toThrow('no more')
  expect(keptUnits(first.engines, job, store.rows)).toEqual({ done: 2, total: 3, what: 'frequencies' })
  const second = fakeEngine()
  await runSweep(second.engines, job, store, () => {})
  expect(second.solved).toEqual([2e9])
  const whole = memoryRows()
  await runSweep(fakeEngine().engines, job, whole, () => {})
  aspects.forEach((_, i) =>
    expect(rowField(job, store.rows.get(i)!)).toEqual(rowField(job, whole.rows.get(i)!)),
  )
})

test('phases of full wave are referred to the phase centre', async () => {
  const store = memoryRows()
  const moved = { ...job, phaseCentre: [0.1, 0, 0] as [number, number, number] }
  await runSweep(fakeEngine().engines, moved, store, () => {})
  const [re, im] = rowField(moved, store.rows.get(0)!)
  const angle = -2 * ((2 * Math.PI * 1e9) / 299792458) * 0.1
  expect(re).toBeCloseTo(Math.cos(angle), 12)
  expect(im).toBeCloseTo(Math.sin(angle), 12)
})
