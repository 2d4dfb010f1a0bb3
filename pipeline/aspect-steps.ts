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
} from '../cpu-diffraction/index.js'
import type { Aspect, Band } from '../scene/index.js'
import type { AspectResult, SbrRun, TileRange } from '../rays/index.js'
import { type Engines, facetField, hasThreads, isStepped, type SidesResult, type Span } from './engines.js'

/**
 * Computes one aspect in the steps of paper 003, in the order of `schedule`; again where a list of the device overflowed, after which the
 * engine uses smaller parts. Results do not depend on the order: segments form their blocks in the order of the edges, whichever
 * sub-grid they are assigned to.
 */
export async function stepByStep(
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
export class AspectSteps {
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
