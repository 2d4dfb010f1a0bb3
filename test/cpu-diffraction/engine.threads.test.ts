import { afterAll, describe, expect, it } from 'vitest'
import {
  createEdgeEngine,
  type EdgeEngine,
  BLOCK_SEGMENTS,
  SEGMENT_SIZE,
  type EdgeJob,
} from '../../cpu-diffraction/index.js'
import { BlockEvaluator } from '../../cpu-diffraction/engine/evaluate.js'
import { edgeQuantum } from '../../cpu-diffraction/engine/job.js'
import { direction } from '../../scene/index.js'
import { cube, sphere } from '../scene/shapes.js'
import { grid, lBlock, mapped, scenes } from './meshes.js'
import { monostatic, oneFrequency } from '../helpers/sbr.js'

// Threads load compiled modules: `npm test` builds them first.
const worker = new URL('../../dist/src/thread.js', import.meta.url)
const crashing = new URL('crashing-worker.mjs', import.meta.url)
const engines: EdgeEngine[] = []
afterAll(() => Promise.all(engines.map((e) => e.close())))

function engineOf(
  mesh: Parameters<typeof scenes>[0],
  workers = 0,
  url = worker,
  faults: string[] = [],
  crashes = 0,
) {
  const { edges, rays } = scenes(mesh)
  const counter = new Int32Array(new SharedArrayBuffer(4)).fill(crashes)
  const scene = { ...edges, crashes: counter }
  const engine = createEdgeEngine(scene, rays, { workers, worker: url, onFault: (m) => faults.push(m) })
  engines.push(engine)
  return engine
}

const job = (theta: number, phi: number, over: Partial<EdgeJob> = {}): EdgeJob => ({
  aspect: monostatic(theta, phi),
  band: { f0: 9.3e9, df: 1e7, n: 24 },
  options: { diffraction: 'tw-ildc' },
  ...over,
})
const peak = (a: Float64Array): number => a.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
const difference = (a: Float64Array, b: Float64Array): number => peak(a.map((v, i) => v - b[i])) / peak(b)

describe('edge engine', () => {
  it('has as many blocks as its visible segments take', async () => {
    const many = job(62, 21, { options: { diffraction: 'tw-ildc', segmentsPerWavelength: 3 } })
    const inline = engineOf(lBlock())
    const prepared = await inline.prepare(many)
    expect(prepared.visibleSegments).toBeGreaterThan(2 * BLOCK_SEGMENTS)
    expect(prepared.blocks).toBe(Math.ceil(prepared.visibleSegments / BLOCK_SEGMENTS))
    expect((await inline.field(many)).visibleSegments).toBe(prepared.visibleSegments)
  })

  it('converges with the segments, and differs between truncations', async () => {
    const engine = engineOf(grid(3, 3))
    const one = (segmentsPerWavelength?: number, diffraction: 'tw-ildc' | 'eec' = 'tw-ildc') =>
      engine.field(job(40, 25, { band: oneFrequency(1), options: { diffraction, segmentsPerWavelength } }))
    const fine = (await one(40)).field
    expect(difference((await one()).field, fine)).toBeLessThan(2e-2)
    expect(difference((await one(12)).field, fine)).toBeLessThan(3e-3)
    expect(difference((await one(12, 'eec')).field, fine)).toBeGreaterThan(0.05)
  })

  it('is the same for a target scaled with the waves', async () => {
    const plain = (await engineOf(lBlock()).field(job(62, 21))).field
    const scaled = engineOf(mapped(lBlock(), (p) => p.map((v) => 4 * v)))
    const band = { f0: 9.3e9 / 4, df: 1e7 / 4, n: 24 }
    const large = (await scaled.field(job(62, 21, { band }))).field.map((v) => v / 4)
    expect(difference(large, plain)).toBeLessThan(1e-6)
  })

  it('has no cross-polarisation in a plane of symmetry, and mirrored aspects mirror it', async () => {
    const engine = engineOf(mapped(grid(2, 2), ([x, y, z]) => [x - 1, y - 1, z]))
    const { field } = await engine.field(job(50, 0))
    for (let n = 0; n < 24; n++)
      for (let o = 4; o < 8; o++) expect(Math.abs(field[8 * n + o])).toBeLessThan(1e-9 * peak(field))
    const [a, b] = [(await engine.field(job(50, 20))).field, (await engine.field(job(50, -20))).field]
    expect(
      difference(
        a,
        b.map((v, i) => (i % 8 < 4 ? v : -v)),
      ),
    ).toBeLessThan(1e-9)
  })

  it('has exactly nothing from strips of no length', () => {
    const { edges } = scenes(cube())
    const { aspect, band } = job(50, 30)
    const segments = Float64Array.from({ length: 12 * SEGMENT_SIZE }, (_, i) =>
      [Math.floor(i / SEGMENT_SIZE), 0.1, 0.1, 0, 0, 0, 0].at(i % SEGMENT_SIZE)!,
    )
    for (const exact of [true, false]) {
      const sum = new Float64Array(8 * band.n)
      new BlockEvaluator(edges, band, 'tw-ildc', exact).add(
        aspect,
        segments,
        { first: 0, end: 1 },
        edgeQuantum(edges, band),
        sum,
      )
      expect(sum.every((v) => v === 0)).toBe(true)
    }
  })

  it('says so where untruncated currents are infinite, and truncated ones are not', async () => {
    // Forward scattering at grazing incidence on the top of a cube: Ufimtsev's singularity.
    const aspect = { tx: direction(90, 0), rx: direction(90, 180) }
    const engine = engineOf(cube())
    const of = (diffraction: 'tw-ildc' | 'eec') =>
      engine.field(job(0, 0, { aspect, options: { diffraction } }))
    await expect(of('eec')).rejects.toThrow(/infinite at theta 90, phi 0.*choose tw-ildc/)
    expect(peak((await of('tw-ildc')).field)).toBeLessThan(10)
  })

  it('gives zero where nothing diffracts', async () => {
    const { field, visibleSegments } = await engineOf(sphere(24, 48)).field(job(90, 20))
    expect(visibleSegments).toBe(0)
    expect(field.every((v) => v === 0)).toBe(true)
  })

  it('repeats the part of a worker that dies, once, and says so', async () => {
    const faults: string[] = []
    const whole = await engineOf(lBlock()).field(job(62, 21))
    const { field } = await engineOf(lBlock(), 1, crashing, faults, 1).field(job(62, 21))
    expect([...field]).toEqual([...whole.field])
    expect(faults.length).toBe(1)
    expect(faults[0]).toMatch(/a worker failed .*trying its part again/)
    await expect(engineOf(lBlock(), 1, crashing, faults, 1e6).field(job(62, 21))).rejects.toThrow()
  })

  it('stops when it is told to', async () => {
    for (const workers of [0, 1]) {
      const stop = new AbortController()
      const running = engineOf(lBlock(), workers).field(job(62, 21), stop.signal)
      stop.abort()
      await expect(running).rejects.toThrow(/abort/i)
    }
  })
})
