import { describe, expect, it } from 'vitest'
import { EDGE_SIZE, type EdgeEngine, type SecondOrder } from '../../cpu-diffraction/index.js'
import type { FacetEngine, SweepJob } from '../../run/sweep/index.js'
import { cube, squareTrihedral } from '../../samples/models/canonical.js'
import { type Band, direction, type Mesh } from '../../scene/index.js'
import { bandsOfSteps } from '../../scene/band.js'
import { estimateRun, meanBounces, shadowAreas } from '../../run/estimate.js'
import { resolveSettings } from '../../run/settings/settings.js'
import type { OpenEngines } from '../../run/solver.js'
import { targetOf } from '../../src/validate/meshes.js'

const loaded = targetOf(cube(1), 'cube')
const unused = (): never => {
  throw new Error('an estimate computes nothing')
}

interface Fake {
  device: 'gpu' | 'cpu'
  /** Diffracting edges, and their threads; none: no edges. */
  edgeCount?: number
  threads?: number
  secondOrder?: readonly SecondOrder[]
  /** Whether some of its surface is curved. */
  curved?: boolean
}

/** Two million of a millimetre: a segment each. */
const EDGES = new Float64Array(EDGE_SIZE * 2e6).fill(1e-3)

/** Engines that only describe themselves. */
function fakes({ device, edgeCount, threads = 1, secondOrder, curved = false }: Fake): OpenEngines {
  const facets = {
    describe: () => ({ device, text: 'fake', aspectsInFlight: 2 }),
    field: unused,
    close: unused,
  } as unknown as FacetEngine
  const engine: EdgeEngine = {
    describe: () => ({ threads }),
    segments: () => 2 * (edgeCount ?? 0),
    field: unused,
    close: unused,
  }
  const { sbr, schedule } = resolveSettings({})
  return {
    scene: loaded.scene,
    facets,
    options: sbr,
    edges: edgeCount === undefined ? undefined : { engine, options: { diffraction: 'tw-ildc', secondOrder } },
    edgeScene: {
      count: edgeCount ?? 0,
      edges: EDGES,
      // As that of a closed surface.
      meanRadii: new Float64Array(6).fill(curved ? 0 : Infinity),
    } as OpenEngines['edgeScene'],
    mechanisms: false,
    schedule,
    reason: '',
    warnings: [],
    sbrWorkers: 2,
    close: unused,
  }
}

const at = (theta: number, phi: number): SweepJob['aspects'][number] => {
  const d = direction(theta, phi)
  return { tx: d, rx: d }
}
const job = (aspects: SweepJob['aspects'], n = 1): SweepJob => ({
  aspects,
  bands: [{ f0: 10e9, df: n > 1 ? 1e9 / (n - 1) : 0, n }],
  phaseCentre: [0, 0, 0],
})
const ten = job(Array.from({ length: 10 }, () => at(80, 30)))
const seconds = (fake: Fake, of = ten, box: { min: number[]; max: number[] } = loaded.target.box): number => {
  const engines = fakes(fake)
  return estimateRun(loaded.scene, box, of, engines, engines.sbrWorkers).seconds
}

describe('the estimate before a run', () => {
  it('with a GPU is that of the busier side', () => {
    const rays = seconds({ device: 'gpu' })
    expect(seconds({ device: 'gpu', edgeCount: 1, threads: 16 })).toBe(rays)
    const edges = seconds({ device: 'gpu', edgeCount: 1e6 })
    expect(edges).toBeGreaterThan(10 * rays)
    expect(seconds({ device: 'gpu', edgeCount: 2e6 })).toBeGreaterThan(1.4 * edges)
    expect(edges / seconds({ device: 'gpu', edgeCount: 1e6, threads: 4 })).toBeCloseTo(4 ** 0.75, 3)
  })

  it('without a GPU adds both sides, which share the cores', () => {
    const edges = (edgeCount: number): number =>
      seconds({ device: 'cpu', edgeCount }) - seconds({ device: 'cpu' })
    expect(edges(1e5)).toBeGreaterThan(0)
    expect(edges(2e5)).toBeGreaterThan(1.4 * edges(1e5))
  })

  it('takes longer for more frequencies and for second order', () => {
    const edgeCount = 1e6
    const one = seconds({ device: 'gpu', edgeCount })
    expect(seconds({ device: 'gpu', edgeCount }, job(ten.aspects, 64))).toBeGreaterThan(one)
    const [reflected, wall, both] = [['reflected'], ['wall'], ['reflected', 'wall']].map((secondOrder) =>
      seconds({ device: 'gpu', edgeCount, secondOrder: secondOrder as SecondOrder[] }),
    )
    expect(wall).toBeGreaterThan(one)
    expect(reflected).toBeGreaterThan(wall)
    expect(both - one).toBeCloseTo(reflected - one + wall - one, 6)
  })

  it('counts the sums of every frequency, of rays and of edges', () => {
    const many = job([at(80, 30)], 1_000_000)
    // A cube of 36 edges takes some fifty seconds.
    const rays = seconds({ device: 'cpu' }, many)
    expect(rays).toBeGreaterThan(10)
    expect(seconds({ device: 'cpu', edgeCount: 36 }, many)).toBeGreaterThan(rays + 1)
  })

  it('counts creeping waves only where a surface is curved', () => {
    const flat = { device: 'gpu', edgeCount: 1e6 } as const
    const secondOrder = ['creeping'] as const
    expect(seconds({ ...flat, secondOrder })).toBe(seconds(flat))
    expect(seconds({ ...flat, secondOrder, curved: true })).toBeGreaterThan(seconds(flat))
  })

  it('takes longer for rays that go on from facet to facet', () => {
    const of = (mesh: Mesh): number => meanBounces(targetOf(mesh, 'it').scene, ten.aspects, 50)
    expect(of(cube(1))).toBe(1)
    expect(of(squareTrihedral(1))).toBeGreaterThan(1.2)
    expect(of(squareTrihedral(1))).toBeLessThanOrEqual(3)
    // Nothing that any ray meets.
    expect(meanBounces(loaded.scene, [], 50)).toBe(1)
  })

  it('counts the tubes and the time of all parts of a band that crosses half octaves', () => {
    const engines = fakes({ device: 'gpu' })
    const of = (bands: Band[]) =>
      estimateRun(loaded.scene, loaded.target.box, { ...ten, bands }, engines, engines.sbrWorkers)
    const band = { f0: 5e9, df: 1e8, n: 51 }
    const parts = bandsOfSteps(band)
    expect(parts.length).toBeGreaterThan(2)
    const whole = of([band])
    const each = parts.map((part) => of([part]))
    expect(whole.tubesPerAspect).toBe(each.reduce((sum, { tubesPerAspect }) => sum + tubesPerAspect, 0))
    expect(whole.seconds).toBeCloseTo(
      each.reduce((sum, one) => sum + one.seconds, 0),
      9,
    )
    // Frequencies of one half octave have the same tubes.
    expect(of([{ ...parts[1], n: 1 }]).tubesPerAspect).toBe(each[1].tubesPerAspect)
  })

  it('counts as much work for an aspect as the box shows of itself', () => {
    // A flat box: its broad side is thirty times its narrow one.
    const box = { min: [-1, -1, -1 / 30], max: [1, 1, 1 / 30] }
    const turning = job(Array.from({ length: 10 }, (_, i) => at(90 - 10 * i, 0)))
    const still = job(turning.aspects.map(() => turning.aspects[0]))
    expect(seconds({ device: 'gpu' }, turning, box)).toBeGreaterThan(
      5 * seconds({ device: 'gpu' }, still, box),
    )
  })
})

it('the shadow of a box is that of the sides turned to the radar', () => {
  const box = { min: [0, 0, 0], max: [3, 2, 1] }
  const areas = shadowAreas(box, [at(90, 0), at(90, 90), at(0, 0), at(90, 45)])
  for (const [i, area] of [2, 3, 6, (2 + 3) / Math.SQRT2].entries()) expect(areas[i]).toBeCloseTo(area, 12)
  // A sheet seen edge-on is not for nothing.
  expect(shadowAreas({ min: [0, 0, 0], max: [1, 1, 0] }, [at(90, 0)])[0]).toBeGreaterThan(0)
})
