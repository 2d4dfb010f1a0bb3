import { expect, test } from 'vitest'
import {
  createEdgeEngine,
  type EdgeEngine,
  type EdgeResult,
  type EdgeJob,
  type EdgeOptions,
  SECOND_ORDER,
} from '../../cpu-diffraction/index.js'
import { fieldNames, solveAspect } from '../../run/sweep/index.js'
import { cube, sphere } from '../../samples/models/canonical.js'
import { direction, type Mesh } from '../../scene/index.js'
import { mirror } from '../helpers/ground.js'
import { edgesOverGround } from '../../run/ground.js'
import { coating, CONDUCTOR, layer, made } from '../helpers/materials.js'
import { OPTIONS } from '../helpers/sbr.js'
import { moved } from '../scene/shapes.js'
import { dihedral, engines, mapped, scenes } from './meshes.js'

/*
 * First order and each mechanism from one pass over the edges.
 */

const APART: EdgeOptions = { diffraction: 'tw-ildc', secondOrder: SECOND_ORDER, apart: true }
const BAND = { f0: 6e8, df: 1.8e7, n: 3 }
const aspect = { tx: direction(75, 35), rx: direction(60, 50) }
const paint = coating(layer([4, -0.3], 0.01))
/** A solid that is a sheet at low frequencies. */
const thin = mapped(cube(1), ([x, y, z]) => [x, 0.7 * y, 0.002 * z])

const sumOf = (parts: Float64Array[]): Float64Array =>
  parts[0].map((_, i) => parts.reduce((s, p) => s + p[i], 0))

const meshes: [string, Mesh, number][] = [
  ['a dihedral', dihedral(), 6e8],
  ['a sphere', sphere(1, 3), 2e8],
  ['a thin solid between sheet and body', thin, 2e10],
  [
    'a dihedral beside a painted cube',
    made([dihedral(), CONDUCTOR], [moved(cube(1), [-4, 0, 0]), paint]),
    6e8,
  ],
]
test.each(meshes)(
  'the parts of %s add up to the field, with the bytes that it has without them',
  async (_, mesh, f0) => {
    const { edges, rays } = scenes(mesh)
    const engine = createEdgeEngine(edges, rays, { workers: 0 })
    const job: EdgeJob = { aspect, band: { ...BAND, f0 }, options: APART }
    const { field, parts } = await engine.field(job)
    expect(parts).toHaveLength(1 + SECOND_ORDER.length)
    expect(sumOf(parts!)).toEqual(field)
    const plain = (options: Partial<EdgeOptions>): Promise<EdgeResult> =>
      engine.field({ ...job, options: { ...APART, apart: undefined, ...options } })
    expect((await plain({})).field).toEqual(field)
    expect((await plain({})).parts).toBeUndefined()
    expect((await plain({ secondOrder: [] })).field).toEqual(parts![0])
    expect(parts!.slice(1).some((part) => part.some((x) => x !== 0))).toBe(true)
    // Whatever the order in which they are named, and the split.
    const options: EdgeOptions = {
      ...APART,
      secondOrder: SECOND_ORDER.toReversed(),
      segmentsPerWavelength: 20,
    }
    const whole = await engine.fieldOnOneThread({ ...job, options })
    const prepared = await engine.prepare({ ...job, options: { ...options, secondOrder: SECOND_ORDER } })
    const sums = []
    for (let b = prepared.blocks - 1; b >= 0; b--) sums.push(await engine.evaluate(prepared, b, b + 1))
    const rows = engine.finish(prepared, sums)
    whole.parts!.forEach((part, n) =>
      expect(rows.slice(part.length * n, part.length * (n + 1))).toEqual(part),
    )
  },
)

test('parts over a ground add up to the field over it', async () => {
  const { edges, rays } = scenes(moved(dihedral(), [0, 0, 2]))
  const engine = edgesOverGround(edges, rays, mirror(), { workers: 0 })
  const { field, parts } = await engine.field({ aspect, band: BAND, options: APART })
  const sum = sumOf(parts!)
  const peak = Math.max(...field.map(Math.abs))
  expect(peak).toBeGreaterThan(0.01)
  for (const [i, x] of field.entries()) expect(Math.abs(sum[i] - x)).toBeLessThan(1e-12 * peak)
})

test('an aspect with mechanisms apart computes its edges once, and so the change from first order', async () => {
  const { sbr, edges } = engines(dihedral())
  let jobs = 0
  const counted: EdgeEngine = { ...edges, field: (job, signal) => (jobs++, edges.field(job, signal)) }
  const run = {
    facets: sbr,
    options: OPTIONS,
    edges: { engine: counted, options: APART },
    mechanisms: true,
    orderChange: true,
    schedule: 'overlapped' as const,
  }
  const { fields } = await solveAspect(run, aspect, BAND, null, new AbortController().signal)
  expect(jobs).toBe(1)
  const named = new Map(fieldNames(run).map((name, i) => [name, fields[i]]))
  const { parts } = await edges.field({ aspect, band: BAND, options: APART })
  expect(named.get('edge')).toEqual(parts![0])
  SECOND_ORDER.forEach((name, m) => expect(named.get(name)).toEqual(parts![m + 1]))
  const change = named.get('order_change')!
  const sum = sumOf(parts!.slice(1))
  for (const [i, x] of change.entries()) expect(Math.abs(x - sum[i])).toBeLessThan(1e-12)
})
