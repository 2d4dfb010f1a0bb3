import { describe, expect, it, test } from 'vitest'
import type { Contributor } from '../../cpu-sbr/contribution.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import {
  bandNodes,
  DirectSum,
  fieldSum,
  NufftSum,
  ShapeGroups,
  sumContributions,
} from '../../cpu-sbr/field-sum.js'
import { PARALLELOGRAM, QUADRILATERAL, Records } from '../../cpu-sbr/records.js'
import { gordonCoefficients } from '../../math/gordon.js'
import { models } from '../../samples/models/index.js'
import type { Band } from '../../scene/index.js'
import type { SbrJob, SbrOptions } from '../../rays/index.js'
import { random } from '../helpers/random.js'
import { monostatic, norm, sbrJob, solve, testScene } from '../helpers/sbr.js'

const bandOf = (width: number, n: number): Band => ({
  f0: 10e9 * (1 - width / 2),
  df: (10e9 * width) / (n - 1),
  n,
})

/** `count` parallelograms and quadrilaterals up to `size` metres across, anywhere within 20 m of delay. */
function contributions(count: number, size: number): Contributor {
  const next = random(7)
  const parallelograms = new Records(PARALLELOGRAM)
  const quadrilaterals = new Records(QUADRILATERAL)
  const signed = (): number => 2 * next() - 1
  for (let i = 0; i < count; i++) {
    const at = parallelograms.next()
    parallelograms.data.set([size * signed(), size * signed()], at + PARALLELOGRAM.spans)
    parallelograms.data[at + PARALLELOGRAM.pathLength] = 20 * signed()
    parallelograms.data.set([signed(), signed(), signed(), signed()], at + PARALLELOGRAM.amplitudes)
    const q = quadrilaterals.next()
    const amplitude = q + QUADRILATERAL.amplitudes
    quadrilaterals.data[q + QUADRILATERAL.pathLength] = 20 * signed()
    quadrilaterals.data.set([signed(), signed(), signed(), signed()], amplitude)
    const corner = (x: number, y: number): number[] => [
      size * (x + 0.3 * signed()),
      size * (y + 0.3 * signed()),
      0,
    ]
    const vertices = Float64Array.from([corner(1, 1), corner(-1, 1), corner(-1, -1), corner(1, -1)].flat())
    const w = [signed(), signed(), signed()]
    gordonCoefficients(vertices, 4, w, [0, 0, 1], quadrilaterals.data, q + QUADRILATERAL.edges)
    for (let c = 0; c < 4; c++) quadrilaterals.data[amplitude + c] /= size * size
  }
  return { parallelograms, quadrilaterals } as Contributor
}

function bothWays(contributor: Contributor, band: Band, tolerance: number): [Float64Array, Float64Array] {
  const want = new Float64Array(8 * band.n)
  sumContributions(contributor, band, want)
  const sum = new NufftSum(band, 2 ** -48, tolerance)
  sum.add(contributor)
  const got = new Float64Array(8 * band.n)
  sum.finish(got)
  return [got, want]
}

const difference = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x - b[i])
const peak = (a: Float64Array): number => a.reduce((m, x) => Math.max(m, Math.abs(x)), 0)

test('parallelograms are grouped by amplitudes and shape, to the last bit, in the order of their records', () => {
  const next = random(3)
  const shapes = Array.from({ length: 60 }, () => Array.from({ length: 6 }, () => 2 * next() - 1))
  // As like the one before as can be.
  shapes.push(shapes[59].with(5, shapes[59][5] * (1 + 2 ** -52)), shapes[0].with(0, -shapes[0][0]))
  const records = new Records(PARALLELOGRAM)
  const of: number[] = []
  for (let i = 0; i < 1000; i++) {
    const shape = Math.floor(shapes.length * next() ** 2)
    of.push(shape)
    const at = records.next()
    records.data[at + PARALLELOGRAM.pathLength] = next()
    records.data.set(shapes[shape].slice(0, 4), at + PARALLELOGRAM.amplitudes)
    records.data.set(shapes[shape].slice(4), at + PARALLELOGRAM.spans)
    records.data.set([next(), next(), next()], at + PARALLELOGRAM.hitSum)
  }
  const groups = new ShapeGroups()
  for (let repeat = 0; repeat < 2; repeat++) {
    groups.group(records)
    const found = Array.from({ length: groups.count }, (_, g) => {
      const members = []
      for (let i = groups.first[g]; i >= 0; i = groups.next[i]) members.push(i)
      return members
    })
    const want = new Map<number, number[]>()
    of.forEach((shape, i) => want.set(shape, [...(want.get(shape) ?? []), i]))
    expect(found).toEqual([...want.values()])
  }
})

describe('contributions spread on the delay grid', () => {
  for (const tolerance of [1e-3, 1e-5, 1e-8])
    for (const width of [0.005, 0.15, 0.6])
      for (const size of [1e-4, 3e-3, 0.05, 1])
        it(`are summed to ${tolerance} over ${100 * width} % bandwidth, shapes of ${size} m`, () => {
          const [got, want] = bothWays(contributions(30, size), bandOf(width, 40), tolerance)
          expect(peak(difference(got, want))).toBeLessThan(tolerance * peak(want))
        })

  it('take more nodes for more digits and wider bands', () => {
    const nodes = (width: number, tolerance: number): number =>
      bandNodes(bandOf(width, 64), tolerance).k.length
    expect(nodes(0.15, 1e-8)).toBeGreaterThan(nodes(0.15, 1e-4))
    expect(nodes(0.6, 1e-5)).toBeGreaterThan(nodes(0.05, 1e-5))
  })

  it('do so over two decades, where the factorial of the nodes is beyond a double', () => {
    const band = { f0: 0.1e9, df: 9.9e9 / 19, n: 20 }
    const { k, reach } = bandNodes(band, 1e-10)
    expect(k.length).toBeGreaterThan(150)
    // exp(jkx) needs some nodes more than half the radians it turns over the band.
    expect(reach * (k[k.length - 1] - k[0])).toBeLessThan(2 * k.length)
    const [got, want] = bothWays(contributions(10, 5), band, 1e-8)
    expect(peak(difference(got, want))).toBeLessThan(1e-8 * peak(want))
  })
})

const fastJob = (thetaDeg: number, phiDeg: number, band: Band, options: Partial<SbrOptions> = {}): SbrJob =>
  sbrJob(monostatic(thetaDeg, phiDeg), band, { frequencySum: 'fast', ...options })

// SBR.md, T9: NUFFT against the direct sum, to 1e-4 at three nodes; here the tolerance of 1e-5 sets nodes and width.
test.each([
  [80, 20],
  [63, 141],
  [90, -35],
])('a ship over 15 %% bandwidth from %s, %s agrees with the direct sum', async (theta, phi) => {
  const scene = testScene(models['ship-1m'].make())
  const job = fastJob(theta, phi, { f0: 2.775e9, df: 0.45e9 / 127, n: 128 })
  const direct = await solve(scene, { ...job, options: { ...job.options, frequencySum: 'direct' } })
  const fast = await solve(scene, job)
  expect(fast.statistics).toEqual(direct.statistics)
  expect(norm(difference(fast.field, direct.field))).toBeLessThan(1e-5 * norm(direct.field))
  expect(peak(difference(fast.field, direct.field))).toBeLessThan(1e-5 * peak(direct.field))
})

test('the bytes do not depend on sub-grids', async () => {
  const { scene, area } = testScene(models['ship-1m'].make())
  const job = fastJob(70, 30, { f0: 4e9, df: 2e7, n: 20 })
  const whole = await createCpuEngine(scene, area, 0).field(job)
  const engine = createCpuEngine(scene, area, 0, 64)
  const run = await engine.begin(job)
  expect(run.parts.length).toBeGreaterThan(2)
  for (const part of [...run.parts.keys()].reverse()) await run.trace(part)
  const parts = await run.finish()
  expect(parts!.field).toEqual(whole.field)
})

test('a sum is chosen by the number of frequencies unless asked for', () => {
  const kind = (n: number, frequencySum?: SbrOptions['frequencySum']): boolean =>
    fieldSum(fastJob(90, 0, bandOf(0.1, n), { frequencySum }), 1) instanceof DirectSum
  expect([kind(3), kind(64), kind(3, 'fast'), kind(64, 'direct')]).toEqual([true, false, false, true])
  expect(fieldSum(fastJob(90, 0, { f0: 1e10, df: 0, n: 1 }), 1)).toBeInstanceOf(DirectSum)
})
