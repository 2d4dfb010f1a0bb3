import { type Band, frequency, highestFrequency, wavenumber } from '../scene/index.js'
import { chebyshevNodes, delayRows, DelaySum, lagrange, spreadWidth } from '../signal/index.js'
import { gordonSum, type SbrJob, sinc, SUM_TOLERANCE } from '../rays/index.js'
import { FLAT_SIZE, QUAD_SIZE, type Contributor } from './contribution.js'
import { DirectSum, type FieldSum } from './field-sum.js'
import { LookSum } from './look-sum.js'
import { ShapeGroups } from './shape-groups.js'

/** Chebyshev nodes of a band, and how far a phase may turn over half of it between them. */
interface Nodes {
  k: Float64Array
  /** Half spans of phase up to this [m] are interpolated; longer ones are taken apart. */
  reach: number
}

/**
 * As many nodes as interpolate 1/k^2 over the band to the tolerance, and the phases exp(jkx), |x| <= reach, that they
 * interpolate as well: the error of P nodes is (dk x)^P / (2^(P-1) P!) for a band of half-width dk.
 */
export function depositNodes(band: Band, tolerance: number): Nodes {
  const first = wavenumber(band.f0)
  const last = wavenumber(highestFrequency(band))
  const half = Math.abs(last - first) / 2
  // The factorial of a wide band's P is beyond a double.
  for (let count = 2, logScale = Math.log(4); ; logScale += Math.log(2 * ++count)) {
    const k = chebyshevNodes(first, last, count)
    const error = (x: number): number =>
      Math.abs(lagrange(k, x).reduce((sum, l, p) => sum + (l * x * x) / (k[p] * k[p]), 0) - 1)
    if (error(first) <= tolerance && error(last) <= tolerance)
      return { k, reach: Math.exp((Math.log(tolerance) + logScale) / count) / half }
  }
}

/**
 * Frequencies from which depositing is the faster sum (docs/numerics.md), for a narrow band; in proportion more for a wide one,
 * which takes more nodes.
 */
const DEPOSIT_FROM = 14

function isDeposited({ band, options: { frequencySum } }: SbrJob): boolean {
  const ends = [band.f0, highestFrequency(band)]
  const many = DEPOSIT_FROM * (Math.max(...ends) / Math.min(...ends))
  return frequencySum === undefined ? band.n >= many : frequencySum === 'fast' && band.n > 1
}

/** Bytes of the totals of `fieldSum`; its own working memory is about as much again. */
export function fieldSumBytes(job: SbrJob): number {
  const { band, options, look } = job
  const { sumTolerance = SUM_TOLERANCE } = options
  const rows = isDeposited(job)
    ? depositNodes(band, sumTolerance / 2).k.length * delayRows(band, spreadWidth(sumTolerance))
    : band.n
  return 64 * rows * (look?.directions.length ?? 1)
}

/** The sum that the job's options ask for. */
export function fieldSum(job: SbrJob, grid: number): FieldSum {
  const { band, options, look } = job
  const { sumTolerance = SUM_TOLERANCE } = options
  const fast = isDeposited(job)
  const sumOf = (values?: Float64Array, like?: FieldSum): FieldSum =>
    fast
      ? new DepositSum(band, grid, sumTolerance, values, like as DepositSum | undefined)
      : new DirectSum(band, grid, values)
  return look ? new LookSum(job.aspect, look, sumOf) : sumOf()
}

/**
 * The fields of a whole band from one deposit of each contribution: its slow amplitude at a few Chebyshev nodes p of the
 * band, V S_p, is spread at its delay onto a grid of range cells, and one Fourier transform at the end gives
 * F(k) = sum_p l_p(k) sum V S_p exp(-jkL) (`DelaySum`). Shapes that are too long for their phase to be slow over the band
 * are taken apart into their corners or edges, whose phases join the delay: sinc(kx) = (exp(jkx) - exp(-jkx)) / 2jkx.
 * The error is about `tolerance` times the sum of the parts' magnitudes, and less where their errors average out.
 */
export class DepositSum implements FieldSum {
  private readonly sum: DelaySum
  private readonly k: Float64Array
  private readonly reach: number
  /** Slow amplitudes, P x 4 channels, re and im. */
  private readonly amplitudes: Float64Array
  /** The same for parallelograms, whose shapes are real but for a factor j. */
  private readonly real: Float64Array
  private readonly shape = new Float64Array(2)
  private readonly groups = new ShapeGroups()

  /** The grid of range cells, not yet transformed. */
  readonly values: Float64Array

  /**
   * @param grid  spacing of the sums, see `exactGrid`
   * @param like  a sum of the same band and tolerance, whose tables this one shares
   */
  constructor(
    private readonly band: Band,
    private readonly grid: number,
    tolerance: number,
    values?: Float64Array,
    like?: DepositSum,
  ) {
    const { k, reach }: Nodes = like ? { k: like.k, reach: like.reach } : depositNodes(band, tolerance / 2)
    this.k = k
    this.reach = reach
    this.amplitudes = new Float64Array(8 * k.length)
    this.real = new Float64Array(4 * k.length)
    this.sum = new DelaySum(band, 4 * k.length, spreadWidth(tolerance), like?.sum)
    this.values = values ?? new Float64Array(8 * k.length * this.sum.rows)
  }

  add({ flat, quad }: Contributor): void {
    this.groups.group(flat)
    for (let g = 0; g < this.groups.count; g++) this.parallelograms(flat.data, g)
    for (let i = 0; i < quad.length; i++) this.quadrilateral(quad.data, i * QUAD_SIZE)
    this.sum.drain(this.values, this.grid)
  }

  finish(out: Float64Array): void {
    const { sum, k, band, values } = this
    sum.finish(values)
    out.fill(0)
    for (let n = 0; n < band.n; n++) {
      const polynomials = lagrange(k, wavenumber(frequency(band, n)))
      let at = sum.rowOf(n)
      for (const l of polynomials)
        for (let c = 0; c < 8; c++) out[8 * n + c] += sum.factor(n) * l * values[at++]
    }
  }

  /** All of a group: their delays share what is spread there. */
  private parallelograms(d: Float64Array, group: number): void {
    const { k, reach } = this
    const at = FLAT_SIZE * this.groups.first[group]
    const [long, short] =
      Math.abs(d[at + 5]) > Math.abs(d[at + 6]) ? [d[at + 5], d[at + 6]] : [d[at + 6], d[at + 5]]
    if (Math.abs(long) + Math.abs(short) <= reach) {
      for (let p = 0; p < k.length; p++) this.putReal(p, d, at, sinc(k[p] * long) * sinc(k[p] * short))
      return this.spread(d, group, 0, false)
    }
    for (let i = -1; i < 2; i += 2) {
      if (Math.abs(short) <= reach) {
        for (let p = 0; p < k.length; p++)
          this.putReal(p, d, at, (-i * sinc(k[p] * short)) / (2 * k[p] * long))
        this.spread(d, group, i * long, true)
        continue
      }
      for (let j = -1; j < 2; j += 2) {
        for (let p = 0; p < k.length; p++) this.putReal(p, d, at, (-i * j) / (4 * k[p] * k[p] * long * short))
        this.spread(d, group, i * long + j * short, false)
      }
    }
  }

  /** Adds the amplitudes `real`, or j times them with `quarter`, at the delays of a group moved by `offset`. */
  private spread(d: Float64Array, group: number, offset: number, quarter: boolean): void {
    const { sum, groups } = this
    for (let i = groups.first[group]; i >= 0; i = groups.next[i])
      sum.collect(offset - d[FLAT_SIZE * i], quarter)
    sum.addCollected(this.real)
  }

  /** See `gordonSum`; taken apart, its edges are g / (jk) sinc(kx) exp(jk phi). */
  private quadrilateral(d: Float64Array, at: number): void {
    const { k, reach, amplitudes, sum, shape } = this
    let span = 0
    for (let e = at + 5; e < at + 17; e += 3) span = Math.max(span, Math.abs(d[e]) + Math.abs(d[e + 1]))
    if (span <= reach) {
      for (let p = 0; p < k.length; p++) {
        gordonSum(d, at + 5, 4, k[p], shape)
        this.put(p, d, at, shape[0], shape[1])
      }
      sum.add(-d[at], amplitudes)
      return
    }
    for (let e = at + 5; e < at + 17; e += 3) {
      const x = d[e]
      const delay = d[e + 1] - d[at]
      const g = d[e + 2]
      if (Math.abs(x) <= reach) {
        for (let p = 0; p < k.length; p++) this.put(p, d, at, 0, (-g * sinc(k[p] * x)) / k[p])
        sum.add(delay, amplitudes)
        continue
      }
      for (let i = -1; i < 2; i += 2) {
        for (let p = 0; p < k.length; p++) this.put(p, d, at, (-i * g) / (2 * k[p] * k[p] * x), 0)
        sum.add(delay + i * x, amplitudes)
      }
    }
  }

  private putReal(p: number, d: Float64Array, at: number, shape: number): void {
    for (let c = 0; c < 4; c++) this.real[4 * p + c] = d[at + 1 + c] * shape
  }

  /** Amplitudes at node p: those of the record at `at` times a shape. */
  private put(p: number, d: Float64Array, at: number, re: number, im: number): void {
    const { amplitudes } = this
    for (let c = 0, o = 8 * p; c < 4; c++, o += 2) {
      amplitudes[o] = d[at + 1 + c] * re
      amplitudes[o + 1] = d[at + 1 + c] * im
    }
  }
}
