import { describe, expect, it } from 'vitest'
import { createEdgeEngine, type EdgeJob, UNIFORM } from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import type { FullWaveEngine } from '../../full-wave/index.js'
import { symmetrise } from '../../rays/index.js'
import { withFrequencies } from '../../run/rcs.js'
import { fieldNames, solveAspect } from '../../run/sweep/aspect-solver.js'
import { weightsOfWays } from '../../run/sweep/engines.js'
import {
  type Engines,
  frequencyReports,
  keptUnits,
  memoryRows,
  rowField,
  runSweep,
} from '../../run/sweep/index.js'
import { rowFields } from '../../run/sweep/rows.js'
import { direction, prepareTarget, projectedArea } from '../../scene/index.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'

describe('full wave', () => {
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

  it('full wave solves each frequency once, for all aspects', async () => {
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

  it('an interrupted run keeps its finished frequencies', async () => {
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

  it('phases of full wave are referred to the phase centre', async () => {
    const store = memoryRows()
    const moved = { ...job, phaseCentre: [0.1, 0, 0] as [number, number, number] }
    await runSweep(fakeEngine().engines, moved, store, () => {})
    const [re, im] = rowField(moved, store.rows.get(0)!)
    const angle = -2 * ((2 * Math.PI * 1e9) / 299792458) * 0.1
    expect(re).toBeCloseTo(Math.cos(angle), 12)
    expect(im).toBeCloseTo(Math.sin(angle), 12)
  })
})

describe('bistatic aspects', () => {
  const [a, b] = [direction(62, 25), direction(80, 70)]
  const job = (aspects: { tx: typeof a; rx: typeof a }[]) => ({
    aspects,
    bands: [
      { f0: 1e9, df: 0, n: 1 },
      { f0: 1.2e9, df: 1e8, n: 2 },
    ],
    phaseCentre: [0.3, -0.2, 0.1] as [number, number, number],
  })

  /** VH for HV. */
  const exchanged = (field: Float64Array): Float64Array =>
    field.map((_, i) => field[i + [0, 0, 0, 0, 2, 2, -2, -2][i % 8]])

  /** All fields of the sweep's aspects. */
  async function sweep(over: Partial<Engines>, aspects: { tx: typeof a; rx: typeof a }[]) {
    const { edges, rays, area } = scenes(lBlock())
    const engines: Engines = {
      facets: createCpuEngine(rays, area, 0, 64),
      options: { raysPerWavelength: 4, maxBounces: 6, subdivisions: 1, formulation: 'all-bounces' },
      edges: { engine: createEdgeEngine(edges, rays, { workers: 0 }), options: { diffraction: 'tw-ildc' } },
      mechanisms: true,
      schedule: 'overlapped',
      ...over,
    }
    const store = memoryRows()
    const of = job(aspects)
    await runSweep(engines, of, store, () => {})
    return aspects.map((_, i) => {
      const row = store.rows.get(i)!
      return Array.from({ length: rowFields(of, row) }, (_, f) => rowField(of, row, f).slice())
    })
  }

  it('the mean over both ways is reciprocal to the bit, and that of the fields one way', async () => {
    const aspects = [
      { tx: a, rx: b },
      { tx: b, rx: a },
      { tx: a, rx: a },
    ]
    const [from, to] = [2, 1]
    const area = (r: readonly number[]): number => (r === a.r ? from : to)
    const [there, back, own] = await sweep({ bothWays: area }, aspects)
    const [oneWay, otherWay, alone] = await sweep({}, aspects)
    expect(there.length).toBeGreaterThanOrEqual(6)
    expect(own).toEqual(alone)
    there.forEach((field, i) => {
      expect(field).toEqual(exchanged(back[i]))
      // By the squares of the areas that the transmitter sees.
      const mean = oneWay[i].map((x, k) => 0.8 * x + 0.2 * exchanged(otherWay[i])[k])
      field.forEach((x, k) => expect(x).toBeCloseTo(mean[k], 14))
    })
    expect(oneWay[0]).not.toEqual(exchanged(otherWay[0]))
  })

  it('the mean of a field with its own other channel', () => {
    const field = Float64Array.from([1, 2, 3, 4, 5, 6, 7, 9])
    symmetrise(field)
    expect([...field]).toEqual([1, 2, 3, 4, 6, 7.5, 6, 7.5])
    symmetrise(field, Float64Array.from([3, 2, 1, 0, 10, 11.5, 12, 7.5]))
    expect([...field]).toEqual([2, 2, 2, 2, 9, 7.5, 8, 9.5])
  })

  it('a way whose transmitter sees no area has no weight, and two such ways have the same', () => {
    const flat = prepareTarget({ positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2) }, { smoothAngleDeg: 20 }) // prettier-ignore
    const bothWays = (r: [number, number, number]): number => projectedArea(flat, r)
    const [up, east, north] = [direction(0, 0), direction(90, 0), direction(90, 90)]
    expect(bothWays(up.r)).toBeCloseTo(0.5, 15)
    expect(weightsOfWays({ bothWays }, { tx: up, rx: { ...east, r: [1, 0, 0] } })).toEqual([1, 0])
    const inPlane = { tx: { ...east, r: [1, 0, 0] as [number, number, number] }, rx: { ...north, r: [0, 1, 0] as [number, number, number] } } // prettier-ignore
    expect(weightsOfWays({ bothWays }, inPlane)).toEqual([0.5, 0.5])
  })
})

it('reruns for an error estimate trace coarser rays, and compute the edges once in either order', async () => {
  const { edges, rays, area } = scenes(lBlock())
  const engine = createEdgeEngine(edges, rays, { workers: 0 })
  const facets = createCpuEngine(rays, area, 0, 64)
  const jobs: EdgeJob[] = []
  const engines: Engines = {
    facets,
    options: { raysPerWavelength: 4, maxBounces: 2, subdivisions: 1, formulation: 'all-bounces' },
    edges: {
      engine: { ...engine, field: (job, signal) => (jobs.push(job), engine.field(job, signal)) },
      options: { diffraction: 'tw-ildc', secondOrder: [] },
    },
    mechanisms: false,
    coarser: [0.7, 0.5],
    orderChange: true,
    schedule: 'overlapped',
  }
  const r = direction(62, 25)
  const aspect = { tx: r, rx: r }
  const band = { f0: 3e9, df: 1e8, n: 2 }
  const { signal } = new AbortController()
  const { fields } = await solveAspect(engines, aspect, band, null, signal)
  expect(fieldNames(engines)).toEqual(['total', 'coarser_0.7', 'coarser_0.5', 'order_change'])
  expect(jobs.map(({ options }) => options)).toEqual([
    { diffraction: 'tw-ildc', secondOrder: [] },
    { diffraction: 'tw-ildc', secondOrder: UNIFORM },
  ])
  const [own, second] = await Promise.all(jobs.map((job) => engine.field(job)))
  for (const [i, factor] of [1, 0.7, 0.5].entries()) {
    const options = { ...engines.options, raysPerWavelength: 4 * factor }
    const traced = await facets.field({ aspect, band, options })
    expect(fields[i]).toEqual(traced.field.map((x, j) => x + own.field[j]))
  }
  expect(fields[3]).toEqual(own.field.map((x, j) => x - second.field[j]))
  expect(fields[3].some((x) => x !== 0)).toBe(true)
})

describe('frequencies of a table', () => {
  const table = (freqHz: number[]): Parameters<typeof withFrequencies>[0] =>
    ({ freqHz, fields: { total: [Float64Array.from({ length: 8 * freqHz.length }, (_, i) => i)] } }) as never

  it('rows of a table follow the frequencies that were asked for, in their order and as often', () => {
    const { freqHz, fields } = withFrequencies(table([1e9, 2e9, 3e9]), [3e9, 1e9, 3e9])
    expect(freqHz).toEqual([3e9, 1e9, 3e9])
    expect([0, 8, 16].map((at) => fields.total![0][at])).toEqual([16, 0, 16])
  })

  // A search of the list for each took 200 s for a million frequencies, deaf to Ctrl-C: this test would time out.
  it('half a million frequencies take no search of the list for each', () => {
    const freqHz = Array.from({ length: 500_000 }, (_, i) => 1e9 + 1000 * i)
    const found = withFrequencies(table(freqHz), freqHz).freqHz
    expect(found.length).toBe(freqHz.length)
    expect(found.every((f, i) => f === freqHz[i])).toBe(true)
  })
})
