import type { AspectReport } from './sweep/index.js'

/**
 * The trial ends after this part of the aspects, at least so many seconds, or after more seconds and so many aspects, also per thread of the
 * edges, whichever comes first: compilers are busy for seconds, for more on a busy machine.
 */
const TRIAL = { part: 0.25, seconds: 2, longSeconds: 10, aspects: 4, perThread: 2 }
/** A stated estimate is corrected where it is off by this factor and by so many seconds. */
const WRONG = { factor: 1.5, seconds: 1 }

/** Sums over what was finished up to a time [s]: seconds of rays and edges, work of the rays, aspects. */
interface Sums {
  rays: number
  edges: number
  weight: number
  aspects: number
  at: number
}

/**
 * How long a sweep still takes, from the aspects that it has finished: they are the trial, work that has to be done anyway. The first half
 * of them is left out: compilers and caches are cold. The rest takes as long as the busier side has work for or, if that is more, as the
 * aspects have come in, of which threads that run ahead finish several at once.
 */
export class TimeLeft {
  private readonly sums: Sums[] = [{ rays: 0, edges: 0, weight: 0, aspects: 0, at: 0 }]
  private readonly total = { weight: 0, aspects: 0 }

  /**
   * @param weights  work of the rays of each aspect that is left, by its number, in any unit
   * @param stated   estimate before the start [s]
   * @param threads  of the edges
   * @param start    of the sweep [s]
   */
  constructor(
    private readonly weights: ReadonlyMap<number, number>,
    private stated: number,
    private readonly threads: number,
    private readonly start: number,
  ) {
    for (const weight of weights.values()) this.total.weight += weight
    this.total.aspects = weights.size
  }

  /** Takes aspects that were finished together at a time [s], with their common report; without one where its times are not those of this machine. */
  add(numbers: number[], now: number, report?: AspectReport): void {
    const { rays, edges, weight, aspects } = this.sums.at(-1)!
    this.sums.push({
      rays: rays + (report ? report.trace + report.field + report.reduction : 0),
      edges: edges + (report ? report.prepare + report.evaluate : 0),
      weight: numbers.reduce((sum, i) => sum + (this.weights.get(i) ?? 0), weight),
      aspects: aspects + numbers.filter((i) => this.weights.has(i)).length,
      at: now,
    })
  }

  /** Seconds left; undefined until there are aspects beside the first. */
  seconds(): number | undefined {
    const { sums, total, threads } = this
    const n = sums.length - 1
    if (n < 2) return undefined
    const [middle, all] = [sums[n >> 1], sums[n]]
    const weight = total.weight - all.weight
    const rays = ((all.rays - middle.rays) / (all.weight - middle.weight)) * weight
    const edges =
      ((all.edges - middle.edges) / (all.aspects - middle.aspects)) * (total.aspects - all.aspects)
    // The last of them may have been alone, and others about to come.
    const together = 1 + (threads - 1) / (n - (n >> 1))
    const came = ((all.at - middle.at) / ((all.weight - middle.weight) * together)) * weight
    return Math.max(rays, edges, came)
  }

  private isTrial(now: number, aspects: number): boolean {
    const { part, seconds, longSeconds, aspects: least, perThread } = TRIAL
    const elapsed = now - this.start
    if (aspects >= part * this.total.aspects) return elapsed < seconds
    return elapsed < longSeconds || aspects < Math.max(least, perThread * this.threads)
  }

  /** The sweep's whole time [s], once, where the trial and what has come since say that the stated estimate is wrong. */
  corrected(now: number): number | undefined {
    const left = this.seconds()
    const { aspects } = this.sums.at(-1)!
    if (left === undefined || aspects === this.total.aspects || this.isTrial(now, aspects)) return undefined
    const whole = now - this.start + left
    const ratio = Math.max(whole / this.stated, this.stated / whole)
    if (!(ratio > WRONG.factor && Math.abs(whole - this.stated) > WRONG.seconds)) return undefined
    this.stated = whole
    return whole
  }
}
