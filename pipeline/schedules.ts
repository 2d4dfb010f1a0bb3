import type { EdgeResult } from '../cpu-diffraction/index.js'
import type { Aspect, Band } from '../scene/index.js'
import type { AspectResult } from '../rays/index.js'
import { type AspectSteps, stepByStep } from './aspect-steps.js'
import { dynamicCounts, staticCounts } from './edge-shares.js'
import {
  type AspectTimings,
  type Engines,
  facetField,
  type Schedule,
  type SidesResult,
  type Span,
} from './engines.js'

/**
 * Facets and edges of one aspect. Results are the same with every schedule.
 * @param previous  timings of the aspect before, for `dynamic`
 */
export type SolveSides = (
  engines: Engines,
  aspect: Aspect,
  band: Band,
  previous: AspectTimings | null,
  signal: AbortSignal,
) => Promise<SidesResult>

/** All of SBR, then all of the edges (paper 003, figure 3). */
const serial: SolveSides = (engines, aspect, band, _, signal) =>
  stepByStep(engines, aspect, band, signal, async (steps) => {
    for (const part of steps.parts.keys()) {
      await steps.trace(part)
      await steps.field(part)
    }
    const last = steps.parts.length - 1
    await steps.prepareEdges(last, steps.ranges)
    await steps.evaluateEdges(last, true)
    await steps.evaluateOthers(last)
  })

/** Each sub-grid takes as large a share of the edges as it has of the aperture (paper 003, section 2.3). */
const byArea: SolveSides = (engines, aspect, band, _, signal) =>
  stepByStep(engines, aspect, band, signal, (steps) =>
    besideRays(steps, staticCounts(steps.parts, steps.segments)),
  )

/** Each sub-grid takes the edges that take as long as it did at the previous aspect (paper 003, equation (4)). */
const byTimings: SolveSides = (engines, aspect, band, previous, signal) =>
  stepByStep(engines, aspect, band, signal, (steps) =>
    besideRays(
      steps,
      previous
        ? dynamicCounts(steps.parts, steps.segments, previous)
        : staticCounts(steps.parts, steps.segments),
    ),
  )

/**
 * Per sub-grid the frequency-independent part of its edges beside the tracing, then the frequency-dependent part beside the field
 * kernels, with a barrier after each (paper 003, figure 4, algorithm 1). What goes with no edge is evaluated after the last edges, beside the
 * rays of further sub-grids.
 */
async function besideRays(steps: AspectSteps, counts: number[]): Promise<void> {
  const shares = steps.shareEdges(counts)
  // The incomplete block is evaluated with the last part that has edges.
  const last = Math.max(
    0,
    shares.findLastIndex((share) => share.length > 0),
  )
  let others: Promise<void> | undefined
  for (const part of steps.parts.keys()) {
    await Promise.all([steps.trace(part), steps.prepareEdges(part, shares[part])])
    const edges = steps.evaluateEdges(part, part === last)
    if (part === last) {
      others = steps.evaluateOthers(part)
      // What fails before it is awaited is reported below.
      others.catch(() => {})
    }
    await Promise.all([steps.field(part), edges])
  }
  await others
}

/** Rays and edges concurrently, without barriers. */
export const overlapped: SolveSides = async (engines, aspect, band, _, signal) => {
  const { edges } = engines
  const spans: Span[] = []
  const start = performance.now() / 1000
  const note = (lane: Span['lane'], span: Pick<Span, 'start' | 'end' | 'alone'>): void => {
    spans.push({ lane, what: 'all', part: 0, ...span })
  }
  const rays = async (): Promise<AspectResult> => {
    const result = await facetField(engines, aspect, band, signal)
    const end = performance.now() / 1000
    // Without the time in the queue.
    note('sbr', { start: end - result.times.total, end })
    return result
  }
  const diffraction = async (): Promise<EdgeResult | undefined> => {
    const result = await edges?.engine.field({ aspect, band, options: edges.options }, signal)
    if (result) note('edges', result.span ?? { start, end: performance.now() / 1000 })
    return result
  }
  const [facets, edge] = await Promise.all([rays(), diffraction()])
  const threads = edges?.engine.describe().threads ?? 1
  const prepare = (edge?.times.prepare ?? 0) / threads
  const evaluate = (edge?.times.evaluate ?? 0) / threads
  return {
    facets,
    edge: edge && { field: edge.field, parts: edge.parts, segments: edge.visibleSegments, prepare, evaluate },
    detail: {
      partSeconds: facets.partSeconds,
      edgesPerPart: edges ? [edges.engine.segments({ aspect, band, options: edges.options })] : [],
      edgeSecondsPerPart: edge ? [prepare + evaluate] : [],
      spans,
    },
    timings: null,
  }
}

/** The schedules by their names. */
export const SOLVE_SIDES: Record<Schedule, SolveSides> = {
  serial,
  static: byArea,
  dynamic: byTimings,
  overlapped,
}

/** Every schedule. */
export const SCHEDULES = Object.keys(SOLVE_SIDES) as readonly Schedule[]
