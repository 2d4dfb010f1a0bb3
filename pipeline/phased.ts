import {
  BLOCK_SEGMENTS,
  type BlockSum,
  type EdgeRange,
  type EdgeTaskResult,
  SEGMENT_SIZE,
  stringSegments,
} from '../cpu-diffraction/index.js'
import type { Aspect, Band } from '../scene/index.js'
import type { SbrRun } from '../rays/index.js'
import type { Engines, SidesResult, Span } from './engines.js'
import { dynamicCounts, staticCounts, type AspectTimings } from './schedule.js'

/**
 * One aspect by the paper's schedules (paper 003, figures 3 and 4, algorithm 1). Serial: all of SBR, then all of the edges.
 * Static and dynamic: per sub-grid the frequency-independent part of its edges beside the tracing, then the
 * frequency-dependent part beside the field kernels, with a barrier after each. Bytes are the same in all of them:
 * segments form their blocks in the order of the edges, whichever sub-grid they go with.
 */
export async function solvePhased(
  engines: Engines,
  aspect: Aspect,
  band: Band,
  schedule: 'serial' | 'static' | 'dynamic',
  previous: AspectTimings | null,
  signal: AbortSignal,
): Promise<SidesResult> {
  for (;;) {
    signal.throwIfAborted()
    const run = await engines.sbr.begin({ aspect, band, options: engines.options }, signal)
    const sides = new PhasedAspect(engines, aspect, band, run, signal)
    if (schedule === 'serial') await sides.serial()
    else await sides.concurrent(schedule, previous)
    const result = await sides.finish()
    // A list of the device overflowed: the engine has taken smaller parts, and the aspect starts again.
    if (result) return result
  }
}

/** The state of an aspect on its way through its sub-grids. */
class PhasedAspect {
  private readonly spans: Span[] = []
  private readonly ranges: EdgeRange[]
  private readonly edgesPerPart: number[]
  private readonly edgeSecondsPerPart: number[]
  /** Prepared segments that do not fill a block yet. */
  private pending: EdgeTaskResult[] = []
  private readonly sums: BlockSum[] = []
  private prepare = 0
  private evaluate = 0
  private segments = 0

  constructor(
    private readonly engines: Engines,
    private readonly aspect: Aspect,
    private readonly band: Band,
    private readonly run: SbrRun,
    private readonly signal: AbortSignal,
  ) {
    this.ranges = engines.edges?.engine.ranges(this.edgeJob) ?? []
    this.edgesPerPart = run.parts.map(() => 0)
    this.edgeSecondsPerPart = run.parts.map(() => 0)
  }

  private get edgeJob() {
    return { aspect: this.aspect, band: this.band, options: this.engines.edges!.options }
  }

  private get edgeTotal(): number {
    return this.ranges.reduce((n, r) => n + r.segments, 0)
  }

  async serial(): Promise<void> {
    for (let part = 0; part < this.run.parts.length; part++) {
      await this.timed('sbr', 'trace', part, this.run.trace(part))
      await this.timed('sbr', 'field', part, this.run.field(part))
    }
    const last = this.run.parts.length - 1
    await this.prepareRanges(last, this.ranges)
    await this.evaluateBlocks(last, true)
  }

  async concurrent(schedule: 'static' | 'dynamic', previous: AspectTimings | null): Promise<void> {
    const { parts } = this.run
    const counts =
      schedule === 'dynamic' && previous
        ? dynamicCounts(parts, this.edgeTotal, previous)
        : staticCounts(parts, this.edgeTotal)
    const shares = shareRanges(this.ranges, counts)
    // The block that is not full goes with the last part that has edges: after it nothing is left to wait for.
    const last = shares.findLastIndex((share) => share.length > 0)
    for (let part = 0; part < parts.length; part++) {
      await Promise.all([
        this.timed('sbr', 'trace', part, this.run.trace(part)),
        this.prepareRanges(part, shares[part]),
      ])
      await Promise.all([
        this.timed('sbr', 'field', part, this.run.field(part)),
        this.evaluateBlocks(part, part === last),
      ])
    }
  }

  async finish(): Promise<SidesResult | null> {
    const { engines, run, spans } = this
    const sbr = await run.finish()
    if (!sbr) return null
    // Without timestamp queries the spans on the host have to do.
    const partSeconds = sbr.partSeconds.some((t) => t > 0)
      ? sbr.partSeconds
      : run.parts.map((_, k) =>
          spans.filter((s) => s.lane === 'sbr' && s.part === k).reduce((t, s) => t + s.end - s.start, 0),
        )
    const { prepare, evaluate, segments } = this
    return {
      sbr,
      edge: engines.edges && {
        field: engines.edges.engine.finish({ job: this.edgeJob }, this.sums),
        segments,
        prepare,
        evaluate,
      },
      detail: {
        partSeconds,
        edgesPerPart: this.edgesPerPart,
        edgeSecondsPerPart: this.edgeSecondsPerPart,
        spans,
      },
      timings: {
        parts: run.parts,
        partSeconds,
        edges: this.edgeTotal,
        edgeSeconds: prepare + evaluate,
      },
    }
  }

  private async prepareRanges(part: number, ranges: EdgeRange[]): Promise<void> {
    if (ranges.length === 0) return
    const { engine } = this.engines.edges!
    const work = Promise.all(ranges.map((range) => engine.prepareRange(this.edgeJob, range, this.signal)))
    const results = await this.timed('edges', 'prepare', part, work)
    const seconds = results.reduce((s, r) => s + r.seconds, 0) / engine.threads
    this.pending.push(...results)
    this.prepare += seconds
    this.edgeSecondsPerPart[part] += seconds
    this.edgesPerPart[part] += ranges.reduce((n, r) => n + r.segments, 0)
  }

  /** Evaluates the blocks that are full by now, and with `last` also the one that is not. */
  private async evaluateBlocks(part: number, last: boolean): Promise<void> {
    if (this.pending.length === 0) return
    const { engine } = this.engines.edges!
    const prepared = stringSegments(this.edgeJob, this.pending)
    const blocks = last ? prepared.blocks : Math.floor(prepared.visibleSegments / BLOCK_SEGMENTS)
    const rest = prepared.segments.slice(blocks * BLOCK_SEGMENTS * SEGMENT_SIZE)
    this.pending = rest.length ? [{ data: rest, considered: 0, seconds: 0 }] : []
    this.segments += prepared.visibleSegments - rest.length / SEGMENT_SIZE
    if (blocks === 0) return
    const work = Promise.all(
      Array.from({ length: blocks }, (_, b) => engine.evaluate(prepared, b, b + 1, this.signal)),
    )
    const sums = await this.timed('edges', 'evaluate', part, work)
    const seconds = sums.reduce((s, r) => s + r.seconds, 0) / engine.threads
    this.sums.push(...sums)
    this.evaluate += seconds
    this.edgeSecondsPerPart[part] += seconds
  }

  private async timed<T>(lane: Span['lane'], what: Span['what'], part: number, work: Promise<T>): Promise<T> {
    const start = performance.now() / 1000
    const result = await work
    this.spans.push({ lane, what, part, start, end: performance.now() / 1000 })
    return result
  }
}

/** Hands out whole ranges so that the parts' counts are met as nearly as their sizes allow. */
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
