import { BLOCK_SEGMENTS, type EdgeThreads, stringSegments } from '../../cpu-diffraction/index.js'
import { jobAperture, type SbrEngine, subGrids, type TileRange } from '../../rays/index.js'
import type { OpenEngines } from '../../run/solver.js'
import { dynamicCounts, staticCounts } from '../../run/sweep/paper-003.js'
import type { Aspect, Band } from '../../scene/index.js'
import { complexError } from '../../src/validate/errors.js'

/** A sweep of paper 003 (Gao, Tao, Bai and Lin, PIER 122, 2012), section 3.2, on an aircraft of the same size, and the paper's figures. */
export interface PaperSweep {
  target: string
  mesh: string
  f0: number
  f1: number
  n: number
  theta: number
  aspects: number
  /** Degrees of phi from one aspect to the next. */
  step: number
  /** Load of an aspect (section 2.3): "about" so many ray tubes and edge segments at 10 GHz. */
  tubes: number
  segments: number
  /** Tubes and segments per wavelength for at least that load here. */
  density: { rays: number; segments: number }
}

export const PAPER_SWEEPS: Record<string, PaperSweep> = {
  a: {
    target: 'aircraft A',
    mesh: 'samples/aircraft-a.stl',
    f0: 9.25e9,
    f1: 10.75e9,
    n: 161,
    theta: 80,
    aspects: 120,
    step: 0.07,
    tubes: 30e6,
    segments: 14_000,
    density: { rays: 25.7, segments: 9.2 },
  },
  b: {
    target: 'aircraft B',
    mesh: 'samples/aircraft-b.stl',
    f0: 9.5e9,
    f1: 10.5e9,
    n: 124,
    theta: 70,
    aspects: 165,
    step: 0.061,
    tubes: 17e6,
    segments: 40_000,
    density: { rays: 10, segments: 14.3 },
  },
}

/** Seconds of the steps, summed over all aspects; those of threads divided by their number. */
interface Steps {
  trace: number
  field: number
  reduction: number
  prepare: number
  evaluate: number
}

export interface AlgorithmTimes {
  aspects: number
  frequencies: number
  /** All frequencies in one step, and one after the other. */
  together: Steps
  loop: Steps
  /** Largest difference of a field of the loop, of its norm. */
  difference: number
  /** Of serial: the steps put together by each schedule without waits, and the most that the two sides allow. */
  gains: { static: number; dynamic: number; most: number }
}

const none = (): Steps => ({ trace: 0, field: 0, reduction: 0, prepare: 0, evaluate: 0 })
const SUB_GRID = 2048

/**
 * Algorithm 1 of paper 003 with its loop over the frequencies of a band: per sub-grid rays and the frequency-independent part of
 * its edges once, then per frequency the field kernel, the frequency-dependent part of these edges, the reduction. Steps are run
 * one by one and timed, and put together by the schedules' rules.
 */
export async function algorithmOne(
  { facets, edges, options, scene }: OpenEngines,
  aspects: Aspect[],
  band: Band,
  say: (line: string) => void,
): Promise<AlgorithmTimes> {
  const sbr = facets as SbrEngine
  const diffraction = edges!.engine as EdgeThreads
  const { threads } = diffraction.describe()
  const [together, loop] = [none(), none()]
  const totals = { serial: 0, static: 0, dynamic: 0, most: 0 }
  let difference = 0
  let previous: { parts: TileRange[]; partSeconds: number[]; edges: number; edgeSeconds: number } | null =
    null
  const top = band.f0 + (band.n - 1) * band.df
  for (const [number, aspect] of aspects.entries()) {
    const rays = await sbr.field({ aspect, band, options })
    together.trace += rays.times.trace
    together.field += rays.times.field
    together.reduction += rays.times.reduction
    const job = { aspect, band, options: edges!.options }
    const ranges = diffraction.ranges(job)
    const found = await Promise.all(ranges.map((range) => diffraction.prepareRange(job, range)))
    const prepare = found.reduce((s, r) => s + r.seconds, 0) / threads
    const { segments, visibleSegments } = stringSegments(job, found)
    const blocks = Math.ceil(visibleSegments / BLOCK_SEGMENTS)
    /** Phase 2 of all segments at some frequencies: seconds and field. */
    const evaluate = async (of: Band): Promise<{ seconds: number; field: Float64Array }> => {
      const prepared = { job: { ...job, band: of }, segments, blocks }
      const sums = await Promise.all(
        Array.from({ length: blocks }, (_, b) =>
          diffraction.evaluate(prepared, b, b + 1, undefined, 'segments'),
        ),
      )
      const seconds = sums.reduce((s, r) => s + r.seconds, 0) / threads
      return { seconds, field: diffraction.finish(prepared, sums) }
    }
    const all = await evaluate(band)
    together.prepare += prepare
    together.evaluate += all.seconds
    const fieldSeconds: number[] = []
    const edgeSeconds: number[] = []
    const reduced: number[] = []
    for (let k = 0; k < band.n; k++) {
      const f0 = band.f0 + k * band.df
      const one = { f0, df: 0, n: 1 }
      // The aperture is that of the highest frequency: "the computation time of the sub-grid at any frequency is the same".
      const raysPerWavelength = (options.raysPerWavelength * top) / f0
      const at = await sbr.field({ aspect, band: one, options: { ...options, raysPerWavelength } })
      const fringe = await evaluate(one)
      fieldSeconds.push(at.times.field)
      reduced.push(at.times.reduction)
      edgeSeconds.push(fringe.seconds)
      const sum = (a: Float64Array, b: Float64Array, from: number): Float64Array =>
        Float64Array.from({ length: 8 }, (_, i) => a[from + i] + b[from + i])
      difference = Math.max(
        difference,
        complexError(sum(at.field, fringe.field, 0), sum(rays.field, all.field, 8 * k)),
      )
    }
    const total = (x: number[]): number => x.reduce((a, b) => a + b, 0)
    loop.trace += rays.times.trace
    loop.field += total(fieldSeconds)
    loop.reduction += total(reduced)
    loop.prepare += prepare
    loop.evaluate += total(edgeSeconds)

    const grids = subGrids(jobAperture(scene, { aspect, band, options }), SUB_GRID)
    const parts = grids.length === rays.partSeconds.length ? grids : rays.partSeconds.map(() => grids[0])
    const whole = total(rays.partSeconds)
    const share = rays.partSeconds.map((t) => (whole > 0 ? t / whole : 1 / parts.length))
    /** Time of the aspect where each part takes its fraction of the edges, the steps of a pair at the same time. */
    const paired = (counts: number[]): number =>
      parts.reduce((time, _, k) => {
        const ofEdges = counts[k] / visibleSegments
        const first = Math.max(rays.times.trace * share[k], prepare * ofEdges)
        const rest = fieldSeconds.map((f, n) => Math.max(f * share[k], edgeSeconds[n] * ofEdges))
        return time + first + total(rest)
      }, total(reduced))
    const gpu = rays.times.trace + total(fieldSeconds)
    const cpu = prepare + total(edgeSeconds)
    totals.serial += gpu + cpu + total(reduced)
    totals.most += Math.max(gpu, cpu) + total(reduced)
    totals.static += paired(staticCounts(parts, visibleSegments))
    totals.dynamic += paired(
      previous ? dynamicCounts(parts, visibleSegments, previous) : staticCounts(parts, visibleSegments),
    )
    previous = { parts, partSeconds: share.map((s) => s * gpu), edges: visibleSegments, edgeSeconds: cpu }
    say(`aspect ${number + 1} of ${aspects.length}`)
  }
  const gain = (of: 'static' | 'dynamic' | 'most'): number => 1 - totals[of] / totals.serial
  return {
    aspects: aspects.length,
    frequencies: band.n,
    together,
    loop,
    difference,
    gains: { static: gain('static'), dynamic: gain('dynamic'), most: gain('most') },
  }
}
