import type { GpuContext } from './device.js'

/** Stages of an aspect on the GPU (paper 003, Table 1, steps 1 to 3). */
export type Stage = 'trace' | 'field' | 'reduction'

const QUERIES_PER_SET = 4096

/** Sums the device time of compute passes by stage with timestamp queries; all zero where the device has none. */
export class KernelTimer<S extends string = Stage> {
  private readonly sets: { query: GPUQuerySet; resolved: GPUBuffer; mapped: GPUBuffer }[] = []
  private passes: { stage: S; part: number }[] = []

  constructor(
    private readonly context: GpuContext,
    private readonly stages: readonly S[] = ['trace', 'field', 'reduction'] as Stage[] as S[],
  ) {}

  /** Forgets the passes so far, and makes room for `passes`; more is made as they come. */
  start(passes: number): void {
    this.passes = []
    if (this.context.hasTimestamps) this.makeRoom(passes)
  }

  private makeRoom(passes: number): void {
    const { device } = this.context
    while (this.sets.length * QUERIES_PER_SET < 2 * passes) {
      const size = 8 * QUERIES_PER_SET
      this.sets.push({
        query: device.createQuerySet({ type: 'timestamp', count: QUERIES_PER_SET }),
        resolved: device.createBuffer({
          size,
          usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
        }),
        mapped: device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }),
      })
    }
  }

  /** Descriptor of the next pass, which counts for `stage` and for sub-grid `part`. */
  pass(stage: S, part: number): GPUComputePassDescriptor {
    if (!this.context.hasTimestamps) return { label: stage }
    this.makeRoom(this.passes.length + 1)
    const first = 2 * this.passes.length
    this.passes.push({ stage, part })
    const at = first % QUERIES_PER_SET
    return {
      label: stage,
      timestampWrites: {
        querySet: this.sets[Math.floor(first / QUERIES_PER_SET)].query,
        beginningOfPassWriteIndex: at,
        endOfPassWriteIndex: at + 1,
      },
    }
  }

  private get used() {
    return this.sets.slice(0, Math.ceil((2 * this.passes.length) / QUERIES_PER_SET))
  }

  /** After the last pass: what `collect` will read. */
  copyOut(encoder: GPUCommandEncoder): void {
    this.used.forEach((set, i) => {
      const count = Math.min(QUERIES_PER_SET, 2 * this.passes.length - i * QUERIES_PER_SET)
      encoder.resolveQuerySet(set.query, 0, count, set.resolved, 0)
      encoder.copyBufferToBuffer(set.resolved, 0, set.mapped, 0, 8 * count)
    })
  }

  /** Seconds per stage, and per part, since `start`, once what was submitted is done. */
  async collect(parts: number): Promise<{ times: Record<S, number>; partSeconds: number[] }> {
    const times = Object.fromEntries(this.stages.map((stage) => [stage, 0])) as Record<S, number>
    const partSeconds = Array.from({ length: parts }, () => 0)
    if (!this.passes.length) return { times, partSeconds }
    const { used } = this
    await Promise.all(used.map((set) => set.mapped.mapAsync(GPUMapMode.READ)))
    const stamps = used.map((set) => {
      const copy = new BigUint64Array(
        set.mapped.getMappedRange(0, 8 * Math.min(QUERIES_PER_SET, 2 * this.passes.length)).slice(0),
      )
      set.mapped.unmap()
      return copy
    })
    this.passes.forEach(({ stage, part }, p) => {
      const set = stamps[Math.floor((2 * p) / QUERIES_PER_SET)]
      const at = (2 * p) % QUERIES_PER_SET
      const seconds = Number(set[at + 1] - set[at]) * 1e-9
      times[stage] += seconds
      partSeconds[part] += seconds
    })
    return { times, partSeconds }
  }
}
