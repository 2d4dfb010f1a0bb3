import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  BLOCK_SEGMENTS,
  createEdgeEngine,
  SECOND_ORDER,
  SEGMENT_SIZE,
  type EdgeThreads,
  type EdgeRange,
  type SecondOrder,
} from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { solveAspect, SCHEDULES } from '../../run/sweep/aspect-solver.js'
import type { Engines, Schedule } from '../../run/sweep/engines.js'
import { shareRanges } from '../../run/sweep/paper-003.js'
import { RowStore } from '../../run/sweep/row-store.js'
import { runSweep } from '../../run/sweep/sweep.js'
import {
  memoryRows,
  rowField,
  rowLength,
  type SweepJob,
  type TimingReport,
  timingReport,
} from '../../run/sweep/rows.js'
import type { TileRange, SteppedSbrEngine } from '../../rays/index.js'
import { direction, type Mesh } from '../../scene/index.js'
import { bandsOfSteps } from '../../scene/band.js'
import { DISTURBANCE, slowedAt } from '../../src/compare.js'
import { sphere } from '../../samples/models/canonical.js'
import { lBlock, regularPrism, scenes, ogive } from '../cpu-diffraction/meshes.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()

const sbrOptions = {
  raysPerWavelength: 2,
  maxBounces: 2,
  subdivisions: 1,
  formulation: 'all-bounces',
} as const
const band = { f0: 9.3e9, df: 1e8, n: 3 }
const aspectAt = (phi: number) => {
  const d = direction(62, phi)
  return { tx: d, rx: d }
}
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Sub-grids of equal size. */
const parts: TileRange[] = [0, 4, 8].map((i0) => ({ i0, j0: 0, ni: 4, nj: 4 }))
/** Seconds of SBR in each, and of diffraction per segment: the sub-grids take 200, 600 and 200 segments' time. */
const PART_SECONDS = [0.2, 0.6, 0.2]
const EDGE_SECONDS = 1e-3
/** Seconds of second order. */
const SECOND_ORDER_SECONDS = 4
const RANGES: EdgeRange[] = Array.from({ length: 100 }, (_, i) => ({ first: i, end: i + 1, segments: 10 }))

/** Engines without physics whose clocks say what they are told; `events` notes what begins and ends. */
function scripted(
  schedule: Schedule,
  overflows = 0,
  partSeconds = PART_SECONDS,
  secondOrder: SecondOrder[] = [],
): { engines: Engines; events: string[] } {
  const events: string[] = []
  // Second order takes until the last sub-grid is being traced.
  let lastTraced: Promise<void>
  let traceLast = (): void => {}
  const noted = async (what: string): Promise<void> => {
    events.push(`${what} begins`)
    await tick()
    await tick()
    events.push(`${what} ends`)
  }
  const facets: SteppedSbrEngine = {
    describe: () => ({ device: 'cpu', text: 'scripted', aspectsInFlight: 2 }),
    field: () => Promise.reject(new Error('not asked for')),
    begin: () => {
      lastTraced = new Promise((resolve) => (traceLast = resolve))
      return Promise.resolve({
        parts,
        trace: (part) => {
          if (part === parts.length - 1) traceLast()
          return noted(`trace ${part}`)
        },
        field: (part) => noted(`field ${part}`),
        finish: () =>
          Promise.resolve(
            overflows-- > 0
              ? null
              : {
                  field: new Float64Array(8 * band.n),
                  statistics: { tubes: 1, leaves: 1, contributions: 1 },
                  partSeconds,
                  times: { trace: 0.5, field: 0.4, reduction: 0.1, total: 1 },
                },
          ),
      })
    },
    close: () => Promise.resolve(),
  }
  const engine: EdgeThreads = {
    describe: () => ({ threads: 1 }),
    segments: () => 1000,
    ranges: () => RANGES,
    prepareRange: async (_, { segments }) => {
      await noted('prepare')
      return {
        data: new Float64Array(SEGMENT_SIZE * segments),
        considered: segments,
        seconds: 0.4 * EDGE_SECONDS * segments,
      }
    },
    prepare: () => Promise.reject(new Error('not asked for')),
    fieldOnOneThread: () => Promise.reject(new Error('not asked for')),
    hasOthers: ({ options }) => options.secondOrder!.length > 0,
    evaluate: async ({ segments: data, blocks }, first, end, _, side) => {
      if (side === 'others') {
        events.push('others begin')
        await lastTraced
        events.push('others end')
        return { sum: new Float64Array(8 * band.n), seconds: SECOND_ORDER_SECONDS / blocks }
      }
      await noted('evaluate')
      const segments = Math.min(data.length / SEGMENT_SIZE, end * BLOCK_SEGMENTS) - first * BLOCK_SEGMENTS
      return { sum: new Float64Array(8 * band.n).fill(segments), seconds: 0.6 * EDGE_SECONDS * segments }
    },
    finish: (_, sums) => new Float64Array(8 * band.n).fill([...sums].reduce((s, b) => s + b.sum[0], 0)),
    field: () => Promise.reject(new Error('not asked for')),
    extrapolate: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  }
  const edges = { engine, options: { diffraction: 'tw-ildc' as const, secondOrder } }
  return { engines: { facets, options: sbrOptions, edges, mechanisms: false, schedule }, events }
}

async function report(engines: Engines, aspects: number, disturbed?: number): Promise<TimingReport> {
  const job: SweepJob = {
    aspects: Array.from({ length: aspects }, (_, i) => aspectAt(i)),
    bands: [band],
    phaseCentre: [0, 0, 0],
  }
  const edges = engines.edges!
  const slowed =
    disturbed === undefined ? edges.engine : slowedAt(edges.engine as EdgeThreads, job.aspects[disturbed])
  const used = { ...engines, edges: { ...edges, engine: slowed } }
  const store = await RowStore.open(join(folder, 'rows'), 'test', rowLength(job, 1), false)
  const details = await runSweep(used, job, store, () => {})
  const timing = timingReport(used, job.aspects, store.rows, details, 1)
  store.discard()
  return timing
}

/** Blocks of the 1,000 segments. */
const BLOCKS = Math.ceil(1000 / BLOCK_SEGMENTS)

describe('the dynamic schedule', () => {
  it('starts from the static one and follows the timings of the aspect before', async () => {
    const timing = await report(scripted('dynamic').engines, 3)
    const counts = timing.per_angle.map((a) => a.edges_per_sub_grid)
    expect(counts[0]).toEqual([330, 340, 330])
    expect(counts[1]).toEqual([200, 600, 200])
    expect(counts[2]).toEqual([200, 600, 200])
    const fixed = await report(scripted('static').engines, 2)
    expect(fixed.per_angle.map((a) => a.edges_per_sub_grid)).toEqual([counts[0], counts[0]])
  })

  it('recovers one aspect after its workers were slowed, as the report shows', async () => {
    const { per_angle } = await report(scripted('dynamic').engines, 6, 2)
    const counts = per_angle.map((a) => a.edges_per_sub_grid)
    expect(per_angle[2].diffraction_seconds).toBeCloseTo(DISTURBANCE * per_angle[1].diffraction_seconds, 9)
    expect(per_angle[3].diffraction_seconds).toBeCloseTo(per_angle[1].diffraction_seconds, 9)
    expect(counts[2]).toEqual([200, 600, 200])
    // Workers five times slower: a fifth of the edges fits beside each sub-grid, the rest goes with the last.
    expect(counts[3]).toEqual([40, 120, 840])
    expect(counts[4]).toEqual([200, 600, 200])
    expect(counts[5]).toEqual([200, 600, 200])
  })

  it('counts the time of edges alone where second order, which goes with none, takes far longer', async () => {
    const { engines } = scripted('dynamic', 0, PART_SECONDS, [...SECOND_ORDER])
    const { per_angle } = await report(engines, 3)
    expect(per_angle[0].diffraction_seconds).toBeCloseTo(1 + SECOND_ORDER_SECONDS, 9)
    expect(per_angle[1].edges_per_sub_grid).toEqual([200, 600, 200])
    expect(per_angle[2].edges_per_sub_grid).toEqual([200, 600, 200])
  })

  it('reports every segment once, and its time with the sub-grid it went with', async () => {
    const timing = await report(scripted('dynamic').engines, 2)
    const { steps, per_angle } = timing
    expect(timing.schedule).toBe('dynamic')
    expect(steps.frequency_independent_diffraction).toBeCloseTo(2 * 0.4, 9)
    expect(steps.frequency_dependent_diffraction).toBeCloseTo(2 * 0.6, 9)
    expect(steps.ray_tube_tracing).toBeCloseTo(2 * 0.5, 12)
    for (const a of per_angle) {
      expect(a.schedule).toBe('dynamic')
      expect(a.edges_per_sub_grid.reduce((s, n) => s + n, 0)).toBe(1000)
      expect(a.sub_grid_seconds).toEqual(PART_SECONDS)
      expect(a.diffraction_seconds_per_sub_grid.reduce((s, t) => s + t, 0)).toBeCloseTo(1, 9)
    }
    // Only full blocks are evaluated before the last part: 200 segments are prepared with the first sub-grid, 800 by the
    // end of the second.
    const full = (segments: number): number => (Math.floor(segments / BLOCK_SEGMENTS) * BLOCK_SEGMENTS) / 1000
    expect(per_angle[1].diffraction_seconds_per_sub_grid[0]).toBeCloseTo(0.4 * 0.2 + 0.6 * full(200), 9)
    expect(per_angle[1].diffraction_seconds_per_sub_grid[1]).toBeCloseTo(
      0.4 * 0.6 + 0.6 * (full(800) - full(200)),
      9,
    )
  })
})

describe('order of the steps', () => {
  const at = (events: string[], what: string): number => {
    const index = events.indexOf(what)
    expect(index, what).toBeGreaterThanOrEqual(0)
    return index
  }

  it('serial: all of SBR, then all edges', async () => {
    const { engines, events } = scripted('serial')
    await report(engines, 1)
    const sbr = [0, 1, 2].flatMap((k) =>
      ['trace', 'field'].flatMap((s) => [`${s} ${k} begins`, `${s} ${k} ends`]),
    )
    expect(events.slice(0, 12)).toEqual(sbr)
    expect(events.filter((e) => e === 'prepare begins')).toHaveLength(100)
    expect(events.lastIndexOf('prepare ends')).toBeLessThan(at(events, 'evaluate begins'))
  })

  it.each(['static', 'dynamic'] as const)(
    '%s: prepares beside tracing, evaluates beside the fields, with barriers',
    async (schedule) => {
      const { engines, events } = scripted(schedule)
      await report(engines, 1)
      expect(at(events, 'prepare begins')).toBeLessThan(at(events, 'trace 0 ends'))
      expect(events.filter((e) => e === 'prepare begins')).toHaveLength(100)
      expect(events.filter((e) => e === 'evaluate begins')).toHaveLength(BLOCKS)
      // Never beside a sub-grid's tracing.
      for (const k of [0, 1, 2]) {
        const tracing = events.slice(at(events, `trace ${k} begins`), at(events, `trace ${k} ends`))
        expect(tracing.filter((e) => e.startsWith('evaluate'))).toEqual([])
      }
      expect(at(events, 'evaluate begins')).toBeLessThan(at(events, 'field 1 ends'))
      expect(events.lastIndexOf('evaluate begins')).toBeGreaterThan(at(events, 'trace 2 ends'))
      for (const k of [0, 1, 2]) {
        const during = events.slice(at(events, `trace ${k} begins`), at(events, `field ${k} begins`))
        expect(during.filter((e) => e === 'prepare begins').length).toBeGreaterThan(30)
        expect(during.filter((e) => e === 'prepare ends')).toHaveLength(
          during.filter((e) => e === 'prepare begins').length,
        )
      }
    },
  )

  it('evaluates all where the edges are used up, not after the last sub-grid', async () => {
    const { engines, events } = scripted('dynamic', 0, [2, 0.1, 0.1])
    const { per_angle } = await report(engines, 2)
    expect(per_angle[1].edges_per_sub_grid).toEqual([1000, 0, 0])
    expect(per_angle[1].diffraction_seconds_per_sub_grid.slice(1)).toEqual([0, 0])
    expect(events.lastIndexOf('evaluate ends')).toBeLessThan(events.lastIndexOf('trace 1 begins'))
    expect(events.filter((e) => e === 'evaluate begins')).toHaveLength(2 * BLOCKS)
  })

  it('traces on beside second order, once the edges are used up', async () => {
    const { engines, events } = scripted('dynamic', 0, [2, 0.1, 0.1], ['reflected'])
    await report(engines, 2)
    const second = events.slice(events.lastIndexOf('trace 0 begins'))
    expect(at(second, 'others begin')).toBeLessThan(at(second, 'trace 1 begins'))
    expect(second.lastIndexOf('others end')).toBeGreaterThan(at(second, 'trace 2 begins'))
  })

  it('takes an aspect again whose lists overflowed, and counts it once', async () => {
    const { engines, events } = scripted('dynamic', 1)
    const { per_angle, steps } = await report(engines, 1)
    expect(events.filter((e) => e === 'trace 0 begins')).toHaveLength(2)
    expect(per_angle[0].edges_per_sub_grid.reduce((s, n) => s + n, 0)).toBe(1000)
    expect(steps.frequency_independent_diffraction).toBeCloseTo(0.4, 9)
  })

  it('stops where it is told to', async () => {
    const { engines } = scripted('static')
    const stopped = AbortSignal.abort(new Error('enough'))
    await expect(solveAspect(engines, aspectAt(0), band, null, stopped)).rejects.toThrow('enough')
  })
})

describe('shares of ranges', () => {
  it('meet the counts as nearly as the ranges allow, and lose none', () => {
    const sizes = [30, 10, 25, 5, 40, 10]
    const ranges = sizes.map((segments, i) => ({ first: i, end: i + 1, segments }))
    const shares = shareRanges(ranges, [42, 26, 52])
    expect(shares.map((s) => s.map((r) => r.segments))).toEqual([[30, 10], [25, 5], [40, 10]]) // prettier-ignore
    expect(shareRanges(ranges, [0, 0, 120])).toEqual([[], [], ranges])
    expect(shareRanges([], [0, 0])).toEqual([[], []])
  })
})

describe('all schedules', () => {
  it.each([
    ['of edges', lBlock(), []],
    ['of edges with second order', lBlock(), ['reflected', 'travelling']],
    ['of a thin solid', regularPrism(4, 0.001), []],
    ['of a thin solid with second order', regularPrism(4, 0.001), ['double']],
    ['of travelling waves without edges', ogive(16, 24), ['travelling']],
    ['of creeping waves without edges', sphere(0.5, 3), ['creeping']],
  ] as [string, Mesh, SecondOrder[]][])('give the same bytes: %s', async (_, mesh, secondOrder) => {
    const { edges, rays, area } = scenes(mesh)
    const low = { f0: 1e9, df: 1e8, n: 2 }
    const at = edges.count > 0 ? band : low
    const engine = createEdgeEngine(edges, rays, { workers: 0 })
    const facets = createCpuEngine(rays, area, 0, 32)
    const signal = new AbortController().signal
    const seen = new Map<Schedule, Buffer>()
    for (const schedule of SCHEDULES) {
      const engines: Engines = {
        facets,
        options: sbrOptions,
        edges: { engine, options: { diffraction: 'tw-ildc', secondOrder, segmentsPerWavelength: 3 } },
        mechanisms: false,
        schedule,
      }
      const first = await solveAspect(engines, aspectAt(21), at, null, signal)
      const second = await solveAspect(engines, aspectAt(22), at, first.timings, signal)
      if (schedule !== 'overlapped' && edges.count > 0)
        expect(second.detail.edgesPerPart.length).toBeGreaterThan(3)
      // More than one sub-grid has edges, or the split would not be tried.
      if (schedule === 'static' && edges.count > 0)
        expect(second.detail.edgesPerPart.filter((n) => n > 0).length).toBeGreaterThan(1)
      seen.set(schedule, Buffer.concat([first, second].map((s) => Buffer.from(s.fields[0].buffer))))
    }
    const reference = seen.get('serial')!
    expect(reference.some((byte) => byte !== 0)).toBe(true)
    for (const [schedule, bytes] of seen) expect(bytes.equals(reference), schedule).toBe(true)
  })

  it('give the same bytes, with any sub-grids, of a band that crosses half octaves; its parts are those of bands apart', async () => {
    const { edges, rays, area } = scenes(lBlock())
    const engine = createEdgeEngine(edges, rays, { workers: 0 })
    const wide = { f0: 3e9, df: 1e9, n: 4 }
    const bands = bandsOfSteps(wide)
    expect(bands.length).toBeGreaterThan(1)
    const seen = new Map<string, Buffer>()
    for (const schedule of SCHEDULES)
      for (const subGrid of [32, 64])
        for (const of of [[wide], bands]) {
          const engines: Engines = {
            facets: createCpuEngine(rays, area, 0, subGrid),
            options: sbrOptions,
            edges: { engine, options: { diffraction: 'tw-ildc', secondOrder: ['double'] } },
            mechanisms: false,
            schedule,
          }
          const job: SweepJob = { aspects: [21, 22].map(aspectAt), bands: of, phaseCentre: [0, 0, 0] }
          const store = memoryRows()
          const details = await runSweep(engines, job, store, () => {})
          // Sub-grids of all parts are reported.
          expect(details.get(1)!.partSeconds.length).toBeGreaterThanOrEqual(bands.length)
          const fields = [0, 1].map((i) => Buffer.from(rowField(job, store.rows.get(i)!).slice().buffer))
          seen.set(`${schedule}, ${subGrid}, ${of.length}`, Buffer.concat(fields))
        }
    const [reference] = seen.values()
    expect(reference.some((byte) => byte !== 0)).toBe(true)
    for (const [what, bytes] of seen) expect(bytes.equals(reference), what).toBe(true)
  })
})
