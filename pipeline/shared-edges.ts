import {
  EVALUATE_BLOCKS,
  type BlockSum,
  type EdgeEngine,
  type EdgeJob,
  type EdgeResult,
  type PreparedEdges,
} from '../cpu-diffraction/index.js'
import type { GpuEdgeEvaluator } from '../gpu/index.js'
import type { SbrEngine } from '../scene/index.js'
import { withAspect } from './engines.js'

/** What an aspect took, each side's work without waits [s]; per block where it grows with the number of blocks. */
export interface EdgeCosts {
  /** Phase 1, of all threads together. */
  prepare: number
  /** A block evaluated by a thread, and one written down for the GPU. */
  evaluate: number
  record: number
  /** SBR on the GPU, and a block evaluated there. */
  sbr: number
  gpu: number
}

/** Share of the first aspect with `auto`: it measures both sides. */
const FIRST_SHARE = 0.5

/**
 * The threads' side is planned to end this much ahead of the GPU's: it also waits for messages and for the calling thread,
 * and the GPU's cost of a block is small. Measured (docs/edge-diffraction.md, "On the GPU").
 */
export const HEADROOM = 1.25

/**
 * How many of `blocks` the GPU is to take so that both sides end together: equation (4) of paper 003 with the sides
 * exchanged, the previous aspect's time over its cost per block. HEADROOM (prepare + record n + evaluate (blocks - n)) /
 * threads = sbr + gpu n, kept within 0 and all; 0 where a record costs a thread no less than the evaluation.
 */
export function gpuBlocks(costs: EdgeCosts, blocks: number, threads: number): number {
  const { prepare, evaluate, record, sbr, gpu } = costs
  const saved = (HEADROOM * (evaluate - record)) / threads
  if (!(saved > 0)) return 0
  const surplus = (HEADROOM * (prepare + evaluate * blocks)) / threads - sbr
  return Math.min(blocks, Math.max(0, Math.round(surplus / (saved + gpu))))
}

/** Blocks that go into one buffer of records. */
const RECORD_BLOCKS = 64

/**
 * Edge diffraction of which a share of phase 2 runs on the GPU: the first blocks of every aspect, as records that the worker
 * threads write. The result of a fixed share has the same bytes in every run; it differs from that of the threads alone by
 * single precision (docs/edge-diffraction.md, "On the GPU"). The steps of the paper's schedules stay with the threads.
 */
export class SharedEdges implements EdgeEngine {
  readonly threads: number
  readonly ranges: EdgeEngine['ranges']
  readonly prepareRange: EdgeEngine['prepareRange']
  readonly prepare: EdgeEngine['prepare']
  readonly evaluate: EdgeEngine['evaluate']
  readonly records: EdgeEngine['records']
  readonly finish: EdgeEngine['finish']
  readonly wholeAspect: EdgeEngine['wholeAspect']
  readonly look: EdgeEngine['look']
  readonly close: EdgeEngine['close']
  /** Blocks evaluated so far, and those of them on the GPU with the seconds that they took there. */
  readonly done = { blocks: 0, gpuBlocks: 0, gpuSeconds: 0 }
  private readonly costs: Partial<EdgeCosts> = {}

  /** @param share  0 to 1 of an aspect's blocks, or `auto`: by the previous aspect's costs */
  constructor(
    workers: EdgeEngine,
    private readonly gpu: GpuEdgeEvaluator,
    private readonly share: number | 'auto',
  ) {
    this.threads = workers.threads
    this.ranges = workers.ranges
    this.prepareRange = workers.prepareRange
    this.prepare = workers.prepare
    this.evaluate = workers.evaluate
    this.records = workers.records
    this.finish = workers.finish
    this.wholeAspect = workers.wholeAspect
    this.look = workers.look
    this.close = workers.close
  }

  /** An engine that does as `sbr` does, and tells `auto` what its aspects take. */
  watched(sbr: SbrEngine): SbrEngine {
    return withAspect(sbr, async (job, signal) => {
      const result = await sbr.aspect(job, signal)
      const { trace, field, reduction, total } = result.times
      this.costs.sbr = trace + field + reduction || total
      return result
    })
  }

  async aspect(job: EdgeJob, signal?: AbortSignal): Promise<EdgeResult> {
    const start = performance.now()
    const prepared = await this.prepare(job, signal)
    const { blocks } = prepared
    const { exact, secondOrder } = job.options
    // The oracle and what goes beyond the segments' own field are computed by threads only.
    const split = exact || secondOrder?.length ? 0 : this.split(blocks)
    const [onGpu, onThreads] = await Promise.all([
      Promise.all(parts(0, split, RECORD_BLOCKS).map((p) => this.evaluateOnGpu(prepared, p, signal))),
      Promise.all(parts(split, blocks, EVALUATE_BLOCKS).map((p) => this.evaluate(prepared, ...p, signal))),
    ])
    const field = this.finish(prepared, [...onGpu, ...onThreads])
    const record = seconds(onGpu)
    const evaluate = seconds(onThreads)
    const device = onGpu.reduce((sum, { gpuSeconds }) => sum + gpuSeconds, 0)
    this.costs.prepare = prepared.seconds
    if (split > 0) {
      this.costs.record = record / split
      // The least so far: a pass that ran beside SBR's kernels has waited for them.
      this.costs.gpu = Math.min(device / split, this.costs.gpu ?? Infinity)
    }
    if (split < blocks) this.costs.evaluate = evaluate / (blocks - split)
    this.done.blocks += blocks
    this.done.gpuBlocks += split
    this.done.gpuSeconds += device
    return {
      field,
      consideredSegments: prepared.consideredSegments,
      visibleSegments: prepared.visibleSegments,
      times: {
        prepare: prepared.seconds,
        evaluate: record + evaluate,
        total: (performance.now() - start) / 1000,
      },
    }
  }

  private split(blocks: number): number {
    if (this.share !== 'auto') return Math.round(this.share * blocks)
    const { prepare, evaluate, record, sbr, gpu } = this.costs
    if ([prepare, evaluate, record, sbr, gpu].includes(undefined)) return Math.round(FIRST_SHARE * blocks)
    return gpuBlocks(this.costs as EdgeCosts, blocks, this.threads)
  }

  private async evaluateOnGpu(
    prepared: PreparedEdges,
    [first, end]: [number, number],
    signal?: AbortSignal,
  ): Promise<BlockSum & { gpuSeconds: number }> {
    const { records, seconds } = await this.records(prepared, first, end, signal)
    signal?.throwIfAborted()
    const { sum, seconds: gpuSeconds } = await this.gpu.evaluate(records)
    return { sum, seconds, gpuSeconds }
  }
}

/** first to end - 1 in pieces of at most `size`. */
const parts = (first: number, end: number, size: number): [number, number][] =>
  Array.from({ length: Math.ceil((end - first) / size) }, (_, i) => [
    first + i * size,
    Math.min(first + (i + 1) * size, end),
  ])

const seconds = (sums: BlockSum[]): number => sums.reduce((sum, part) => sum + part.seconds, 0)
