import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import {
  createEdgeEngine,
  SECOND_ORDER,
  type EdgeOptions,
  type EdgeEngine,
  type EdgeResult,
  type EdgeJob,
} from '../../cpu-diffraction/index.js'
import { readStl } from '../../formats/stl.js'
import { cube, sphere } from '../../samples/models/canonical.js'
import { type Aspect, type Band, direction, type Mesh } from '../../scene/index.js'
import { at, OPTIONS, relativeDifference } from '../helpers/sbr.js'
import { aspectOf } from '../oracle/cases.js'
import { dihedral, engines, scenes, mapped, centredSheet, edgeOptions } from './meshes.js'
import { fieldNames, solveAspect } from '../../run/sweep/index.js'
import { mirror } from '../helpers/ground.js'
import { edgesOverGround } from '../../run/ground.js'
import { coating, CONDUCTOR, layer, made } from '../helpers/materials.js'
import { moved, rows } from '../scene/shapes.js'

const [FIRST, DOUBLE, ALL] = [edgeOptions(), edgeOptions('double'), edgeOptions(...SECOND_ORDER)]

const field = (mesh: Mesh, aspect: Aspect, options: EdgeOptions, band = at(6e8)): Promise<Float64Array> =>
  engines(mesh).fieldOf(aspect, band, options)

/** Amplitudes of rays and edges, of first order and of double diffraction. */
const firstAndDouble = (mesh: Mesh, aspect: Aspect, band: Band): Promise<Float64Array[]> => {
  const { wholeOf } = engines(mesh)
  return Promise.all([FIRST, DOUBLE].map((options) => wholeOf(aspect, band, options)))
}

describe('second order at edges', () => {
  it('adds nothing by reflections and walls to a convex body', async () => {
    const aspect = aspectOf(70, 35)
    expect(await field(cube(1), aspect, edgeOptions('reflected', 'wall'))).toEqual(
      await field(cube(1), aspect, FIRST),
    )
  })

  it('is the same seen from either side of a symmetric dihedral', async () => {
    const [a, b] = [
      await field(dihedral(), aspectOf(80, 25), ALL),
      await field(dihedral(), aspectOf(80, 65), ALL),
    ]
    expect(relativeDifference(b.slice(0, 4), a.slice(0, 4))).toBeLessThan(0.02)
  })

  it('falls as the square of the grazing angle on a sheet, V, where the method of moments has -46 and -65 dBsm', async () => {
    // 6 x 3.5 wavelengths, mean over azimuth 3 and 1 degree from grazing; with the series cut after two edges -37 and -46.
    const sheet = centredSheet(0.6125, 0.35)
    const levels: number[][] = []
    for (const theta of [87, 89]) {
      const sums = [0, 0]
      for (const phi of [15, 25, 35, 45, 55, 65, 75]) {
        const total = await firstAndDouble(sheet, aspectOf(theta, phi), at(2.998e9))
        sums[0] += total[1][0] ** 2 + total[1][1] ** 2
        sums[1] += (0.5 * (total[1][4] + total[1][6])) ** 2 + (0.5 * (total[1][5] + total[1][7])) ** 2
      }
      levels.push(sums.map((sum) => 10 * Math.log10((4 * Math.PI * sum) / 7)))
    }
    const [[vv3, hv3], [vv1, hv1]] = levels
    expect(Math.abs(vv3 + 46)).toBeLessThan(4)
    expect(Math.abs(vv1 + 65)).toBeLessThan(2)
    // Amplitudes as 9 : 1 and, one polarisation less, at least as 3 : 1 less the rounding of edges into segments.
    expect(Math.abs(vv3 - vv1 - 40 * Math.log10(3))).toBeLessThan(4)
    expect(hv3 - hv1).toBeGreaterThan(6)
  })

  it('is the same from above and below a sheet, and nearer to reciprocity than first order, V', async () => {
    const sheet = centredSheet(0.25, 0.4)
    const band = at(2.99792458e9)
    const above = await field(sheet, aspectOf(82, 35), DOUBLE, band)
    const below = await field(sheet, aspectOf(98, 35), DOUBLE, band)
    // Mirrored in the sheet theta-hat turns round, its z apart: co-polar terms agree, cross-polar ones change sign.
    expect(
      relativeDifference(
        below.map((v, i) => (i < 4 ? v : -v)),
        above,
      ),
    ).toBeLessThan(1e-9)
    const amplitudes: Record<string, Float64Array[]> = {}
    for (const [tx, rx] of rows('12 58, 58 12, 12 140, 140 12, 58 140, 140 58'))
      amplitudes[`${tx} ${rx}`] = await firstAndDouble(sheet, aspectOf(80, tx, 80, rx), band)
    const asymmetry = [0, 1].map((i) => {
      const both = (one: string, other: string): number[][] =>
        [one, other].map((key) => Array.from(amplitudes[key][i].subarray(0, 2)))
      const pairs = [both('12 58', '58 12'), both('12 140', '140 12'), both('58 140', '140 58')]
      return Math.hypot(...pairs.flatMap(([x, y]) => x.map((v, c) => v - y[c])))
    })
    expect(asymmetry[1]).toBeLessThan(0.7 * asymmetry[0])
  })
})

/** Rows of a table by the method of moments: angles of transmitter and receiver, and F in VV, HH and the mean of HV and VH. */
const rowsOf = (file: string, start = ''): number[][] =>
  readFileSync(`test/cpu-diffraction/data/${file}.csv`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(start) && /^\d/.test(line.slice(start.length)))
    .map((line) => line.slice(start.length).split(',').map(Number))
const monostaticRows = (body: string, theta: number): number[][] =>
  rowsOf('second-order', `${body},${theta},`).map(([phi, ...f]) => [theta, phi, theta, phi, ...f])
const bistaticRows = (): number[][] =>
  rowsOf('sheet-bistatic').map((r) => [...r.slice(0, 8), (r[8] + r[10]) / 2, (r[9] + r[11]) / 2])

describe('complex errors against the method of moments, in VV, HH and HV', () => {
  const sheet = centredSheet(0.25, 0.4)
  const oblique = readStl(readFileSync('test/validation/mom/dihedral_3lam.stl'))
  // A little above what is reached: without any one of the mechanisms they are more.
  it.each([
    ['a sheet near grazing, 80°', sheet, monostaticRows('sheet', 80), [0.265, 0.225, 0.36]],
    ['a sheet near grazing, 85°', sheet, monostaticRows('sheet', 85), [0.34, 0.225, 0.337]],
    [
      'a sheet, bistatic, where nothing was fitted',
      centredSheet(0.2, 0.15),
      bistaticRows(),
      [0.395, 0.385, 0.572],
    ],
    ['an oblique dihedral, 50°', oblique, monostaticRows('dihedral', 50), [0.156, 0.271, 0.395]],
    ['an oblique dihedral, 70°', oblique, monostaticRows('dihedral', 70), [0.277, 0.435, 0.655]],
  ])('%s', async (_, mesh, references, most) => {
    const [got, want]: number[][][] = [0, 1].map(() => [[], [], []])
    const { wholeOf } = engines(mesh)
    for (const [theta, phi, rxTheta, rxPhi, ...reference] of references) {
      const f = await wholeOf(aspectOf(theta, phi, rxTheta, rxPhi), at(2.99792458e9), ALL)
      const mine = [...f.subarray(0, 4), (f[4] + f[6]) / 2, (f[5] + f[7]) / 2]
      for (let c = 0; c < 6; c++) {
        got[c >> 1].push(mine[c])
        want[c >> 1].push(reference[c])
      }
    }
    got.forEach((f, ch) => expect(relativeDifference(f, want[ch])).toBeLessThan(most[ch]))
  })
})

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
