// The schedules of paper 003 (Gao et al., PIER 122, 2012): one aspect at a time, sub-grid by sub-grid, with a barrier after each step.
import {
  BLOCK_SEGMENTS,
  blockCount,
  type BlockSum,
  type EdgeJob,
  type EdgeRange,
  type EdgeTaskResult,
  type EdgeThreads,
  type EvaluationSide,
  fieldsOf,
  type PreparedEdges,
  SEGMENT_SIZE,
  segmentCount,
  stringSegments,
} from '../../cpu-diffraction/index.js'
import type { AspectResult, SbrRun, TileRange } from '../../rays/index.js'
import type { Aspect, Band } from '../../scene/index.js'
import {
  type AspectTimings,
  type Engines,
  facetField,
  hasThreads,
  isStepped,
  type Schedule,
  type SidesResult,
  type SolveSides,
  type Span,
} from './engines.js'

/**
 * Computes one aspect in the steps of paper 003, in the order of `schedule`; again where a list of the device overflowed, after which the
 * engine uses smaller parts. Results do not depend on the order: segments form their blocks in the order of the edges, whichever
 * sub-grid they are assigned to.
 */
async function stepByStep(
  engines: Engines,
  aspect: Aspect,
  band: Band,
  signal: AbortSignal,
  schedule: (steps: AspectSteps) => Promise<void>,
): Promise<SidesResult> {
  for (;;) {
    signal.throwIfAborted()
    const steps = new AspectSteps(engines, aspect, band, await begin(engines, aspect, band, signal), signal)
    await schedule(steps)
    const result = await steps.finish()
    if (result) return result
  }
}

/** The sub-grids of an aspect; one, the whole image, of a raster. */
function begin(engines: Engines, aspect: Aspect, band: Band, signal: AbortSignal): Promise<SbrRun> {
  const { facets, options } = engines
  if (isStepped(facets)) return facets.begin({ aspect, band, options }, signal)
  let whole: Promise<AspectResult> | undefined
  return Promise.resolve({
    parts: [{ i0: 0, j0: 0, ni: 1, nj: 1 }],
    trace: () => (whole = facetField(engines, aspect, band, signal)),
    field: () => Promise.resolve(),
    finish: () => whole!,
  })
}

/** The steps of one aspect, sub-grid by sub-grid; the promise of a step resolves when it has been computed. */
class AspectSteps {
  /** Sub-grids of the aperture. */
  readonly parts: TileRange[]
  /** All edges, in ranges that can be assigned to sub-grids. */
  readonly ranges: EdgeRange[]
  private readonly edges: { engine: EdgeThreads; job: EdgeJob } | null
  private readonly spans: Span[] = []
  private readonly edgesPerPart: number[]
  private readonly edgeSecondsPerPart: number[]
  /** Prepared segments that do not fill a block yet. */
  private pending: EdgeTaskResult[] = []
  private readonly sums: BlockSum[] = []
  private prepare = 0
  private evaluate = 0
  /** Of `evaluate`, the seconds of what goes with no segment. */
  private others = 0
  private visible = 0

  constructor(
    { edges }: Engines,
    aspect: Aspect,
    band: Band,
    private readonly run: SbrRun,
    private readonly signal: AbortSignal,
  ) {
    this.parts = run.parts
    if (edges && !hasThreads(edges.engine)) throw new TypeError('these edges cannot be computed in steps')
    this.edges = edges
      ? { engine: edges.engine as EdgeThreads, job: { aspect, band, options: edges.options } }
      : null
    this.ranges = this.edges ? this.edges.engine.ranges(this.edges.job) : []
    this.edgesPerPart = run.parts.map(() => 0)
    this.edgeSecondsPerPart = run.parts.map(() => 0)
  }

  /** Segments of all edges. */
  get segments(): number {
    return segmentCount(this.ranges)
  }

  trace(part: number): Promise<unknown> {
    return this.timed('sbr', 'trace', part, this.run.trace(part))
  }

  field(part: number): Promise<unknown> {
    return this.timed('sbr', 'field', part, this.run.field(part))
  }

  /** The edges divided into parts of about `counts` segments each. */
  shareEdges(counts: number[]): EdgeRange[][] {
    return shareRanges(this.ranges, counts)
  }

  /** Phase 1 of ranges of edges. */
  async prepareEdges(part: number, ranges: EdgeRange[]): Promise<void> {
    if (!this.edges || ranges.length === 0) return
    const { engine, job } = this.edges
    const work = Promise.all(ranges.map((range) => engine.prepareRange(job, range, this.signal)))
    const results = await this.timed('edges', 'prepare', part, work)
    const seconds = results.reduce((s, r) => s + r.seconds, 0) / engine.describe().threads
    this.pending.push(...results)
    this.prepare += seconds
    this.edgeSecondsPerPart[part] += seconds
    this.edgesPerPart[part] += segmentCount(ranges)
  }

  /** Phase 2 of the blocks of segments that are full, and with `last` also of the incomplete one. */
  async evaluateEdges(part: number, last: boolean): Promise<void> {
    if (!this.edges || this.pending.length === 0) return
    const { job } = this.edges
    const { segments, visibleSegments } = stringSegments(job, this.pending)
    const blocks = (last ? Math.ceil : Math.floor)(visibleSegments / BLOCK_SEGMENTS)
    const left = segments.slice(blocks * BLOCK_SEGMENTS * SEGMENT_SIZE)
    this.pending = left.length ? [{ data: left, considered: 0, seconds: 0 }] : []
    this.visible += visibleSegments - left.length / SEGMENT_SIZE
    await this.evaluated(part, { job, segments, blocks }, 'segments')
  }

  /**
   * Phase 2 of what goes with no segment, once the last segments are being evaluated: second order, thin solids as sheets. It has no barrier:
   * the rays of further sub-grids can go on beside it.
   */
  async evaluateOthers(part: number): Promise<void> {
    if (!this.edges?.engine.hasOthers(this.edges.job)) return
    const { job } = this.edges
    // Numbered as if all blocks were evaluated at once: bytes are those of the other schedules.
    const blocks = blockCount(this.visible, job.options.secondOrder)
    this.others += await this.evaluated(part, { job, segments: new Float64Array(), blocks }, 'others')
  }

  /** Evaluates all blocks of one side of phase 2; returns the seconds that it took all threads. */
  private async evaluated(
    part: number,
    blocks: Pick<PreparedEdges, 'job' | 'segments' | 'blocks'>,
    side: EvaluationSide,
  ): Promise<number> {
    if (blocks.blocks === 0) return 0
    const { engine } = this.edges!
    const work = Promise.all(
      Array.from({ length: blocks.blocks }, (_, b) => engine.evaluate(blocks, b, b + 1, this.signal, side)),
    )
    const sums = await this.timed('edges', 'evaluate', part, work)
    const seconds = sums.reduce((s, r) => s + r.seconds, 0) / engine.describe().threads
    this.sums.push(...sums)
    this.evaluate += seconds
    this.edgeSecondsPerPart[part] += seconds
    return seconds
  }

  /** Both sides; null where a list of the device overflowed and the aspect must be computed again. */
  async finish(): Promise<SidesResult | null> {
    const { edges, parts, spans, prepare, evaluate } = this
    const facets = await this.run.finish()
    if (!facets) return null
    // Without timestamp queries: the spans measured on the host.
    const partSeconds = facets.partSeconds.some((t) => t > 0)
      ? facets.partSeconds
      : parts.map((_, k) =>
          spans.filter((s) => s.lane === 'sbr' && s.part === k).reduce((t, s) => t + s.end - s.start, 0),
        )
    return {
      facets,
      edge: edges
        ? {
            ...fieldsOf(edges.job, edges.engine.finish(edges, this.sums)),
            segments: this.visible,
            prepare,
            evaluate,
          }
        : undefined,
      detail: {
        partSeconds,
        edgesPerPart: this.edgesPerPart,
        edgeSecondsPerPart: this.edgeSecondsPerPart,
        spans,
      },
      timings: { parts, partSeconds, edges: this.segments, edgeSeconds: prepare + evaluate - this.others },
    }
  }

  private async timed<T>(lane: Span['lane'], what: Span['what'], part: number, work: Promise<T>): Promise<T> {
    const start = performance.now() / 1000
    const result = await work
    this.spans.push({ lane, what, part, start, end: performance.now() / 1000 })
    return result
  }
}

/** Assigns whole ranges so that the parts' counts are met as closely as the sizes of ranges allow. */
export function shareRanges(ranges: EdgeRange[], counts: number[]): EdgeRange[][] {
  const shares: EdgeRange[][] = counts.map(() => [])
  let next = 0
  let given = 0
  let wanted = 0
  counts.forEach((count, part) => {
    wanted = part === counts.length - 1 ? Infinity : wanted + count
    while (next < ranges.length && given + ranges[next].segments / 2 <= wanted) {
      given += ranges[next].segments
      shares[part].push(ranges[next++])
    }
  })
  return shares
}

const area = (r: TileRange): number => r.ni * r.nj

/** Divides `total` edges in proportion to `shares`; rounding loses none, the last part takes the remainder. */
function cut(shares: number[], total: number): number[] {
  const counts: number[] = []
  let given = 0
  let wanted = 0
  for (let k = 0; k < shares.length - 1; k++) {
    wanted += shares[k]
    const end = Math.min(total, Math.max(given, Math.round(wanted)))
    counts.push(end - given)
    given = end
  }
  return [...counts, total - given]
}

/** Static method: each part takes as large a share of the edges as its sub-grid has of the virtual aperture. */
export function staticCounts(parts: TileRange[], edges: number): number[] {
  const whole = parts.reduce((sum, part) => sum + area(part), 0)
  return cut(
    parts.map((part) => (edges * area(part)) / whole),
    edges,
  )
}

/**
 * Dynamic method, paper 003, equation (4): n_k = t_k / (sum of tau / N), the edges whose diffraction takes as long as sub-grid k did at
 * the previous aspect. N is the previous aspect's number of edges, tau their time alone (`AspectTimings`); the counts are then scaled to this one's. The last part
 * takes what is left, or the sum is cut where the edges are used up.
 */
export function dynamicCounts(parts: TileRange[], edges: number, previous: AspectTimings): number[] {
  if (previous.edges === 0 || !(previous.edgeSeconds > 0)) return staticCounts(parts, edges)
  const perEdge = previous.edgeSeconds / previous.edges
  const scale = edges / previous.edges
  return cut(
    mapTimes(parts, previous).map((t) => (t / perEdge) * scale),
    edges,
  )
}

/**
 * Times of the previous aspect's parts carried over to this one's: as they are where the number of parts is the same,
 * else by position on the aperture (both laid out on the unit square, time spread evenly over a part's area).
 */
export function mapTimes(parts: TileRange[], previous: AspectTimings): number[] {
  if (parts.length === previous.parts.length) return previous.partSeconds
  const now = unitSquare(parts)
  const then = unitSquare(previous.parts)
  return now.map((a) =>
    then.reduce((sum, b, k) => {
      const width = Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0)
      const height = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0)
      const shared = Math.max(0, width) * Math.max(0, height)
      return sum + (previous.partSeconds[k] * shared) / ((b.x1 - b.x0) * (b.y1 - b.y0))
    }, 0),
  )
}

function unitSquare(parts: TileRange[]): { x0: number; x1: number; y0: number; y1: number }[] {
  const i0 = Math.min(...parts.map((p) => p.i0))
  const j0 = Math.min(...parts.map((p) => p.j0))
  const width = Math.max(...parts.map((p) => p.i0 + p.ni)) - i0
  const height = Math.max(...parts.map((p) => p.j0 + p.nj)) - j0
  return parts.map((p) => ({
    x0: (p.i0 - i0) / width,
    x1: (p.i0 + p.ni - i0) / width,
    y0: (p.j0 - j0) / height,
    y1: (p.j0 + p.nj - j0) / height,
  }))
}

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

/** The paper's schedules by their names. */
export const PAPER_SCHEDULES: Record<Exclude<Schedule, 'overlapped'>, SolveSides> = {
  serial,
  static: byArea,
  dynamic: byTimings,
}
