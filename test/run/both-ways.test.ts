import { expect, it } from 'vitest'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { createEdgeEngine } from '../../cpu-diffraction/index.js'
import { type Engines, weightsOfWays } from '../../run/sweep/engines.js'
import { runSweep } from '../../run/sweep/sweep.js'
import { symmetrise } from '../../rays/index.js'
import { direction, prepareTarget, projectedArea } from '../../scene/index.js'
import { lBlock, scenes } from '../cpu-diffraction/meshes.js'
import { memoryRows, rowField, rowFields } from '../../run/sweep/rows.js'

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
