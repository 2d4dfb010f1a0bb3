import { chebyshevNodes, lagrange } from '../math/chebyshev.js'
import { addExactly } from '../math/exact-sum.js'
import { delayRows, DelaySum, spreadWidth } from '../rays/delay-sum.js'
import {
  type Extrapolation,
  gordonSum,
  HASH_START,
  hashStep,
  type SbrJob,
  sinc,
  SUM_TOLERANCE,
} from '../rays/index.js'
import { type Band, frequency, highestFrequency, type Vec3, wavenumber } from '../scene/index.js'
import { CONTRIBUTION, PARALLELOGRAM, QUADRILATERAL, type Records } from './records.js'

/** What tubes radiate: records `PARALLELOGRAM` and `QUADRILATERAL`. */
export interface Contributions {
  readonly parallelograms: Records
  readonly quadrilaterals: Records
}

/** Sums contributions over a band. */
export interface FieldSum {
  /** Multiples of the spacing that the sum was made with, so that those of parts may be added up in any order. */
  readonly values: Float64Array
  /** Adds all that the contributor holds. */
  add(contributor: Contributions): void
  /** Writes the fields that `values` stand for, 8 numbers per frequency (re, im of VV, HH, VH, HV) [m^2]; ends the sum. */
  finish(out: Float64Array): void
}

/** Every contribution at every frequency; rounds what each call of `add` brings. */
export class DirectSum implements FieldSum {
  private readonly part: Float64Array

  /** @param quantum  that sums are multiples of, see `exactQuantum` */
  constructor(
    private readonly band: Band,
    private readonly quantum: number,
    readonly values: Float64Array = new Float64Array(8 * band.n),
  ) {
    this.part = new Float64Array(8 * band.n)
  }

  add(contributor: Contributions): void {
    this.part.fill(0)
    sumContributions(contributor, this.band, this.part)
    addExactly(this.values, this.part, this.quantum)
  }

  finish(out: Float64Array): void {
    out.set(this.values)
  }
}

/**
 * Sum over contributions of A exp(-jkL) I(k) for every frequency of a band (docs/theory.md (9)): 8 numbers per frequency (re, im of
 * VV, HH, VH, HV) [m^2], without the factor jk / 4 pi. The phase of parallelograms goes from frequency to frequency by a rotation,
 * which over a thousand steps costs less than 1e-12 in double precision.
 */
export function sumContributions(contributor: Contributions, band: Band, out: Float64Array): void {
  addParallelograms(contributor, band, out)
  addQuadrilaterals(contributor, band, out)
}

function addParallelograms({ parallelograms }: Contributions, band: Band, out: Float64Array): void {
  const { pathLength, amplitudes, spans, size } = PARALLELOGRAM
  const { data, length } = parallelograms
  const k0 = wavenumber(band.f0)
  const dk = wavenumber(band.df)
  for (let at = 0; at < length * size; at += size) {
    const L = data[at + pathLength]
    const halfSpanP = data[at + spans]
    const halfSpanQ = data[at + spans + 1]
    let phasorRe = Math.cos(k0 * L)
    let phasorIm = -Math.sin(k0 * L)
    const stepRe = Math.cos(dk * L)
    const stepIm = -Math.sin(dk * L)
    for (let n = 0; n < band.n; n++) {
      const k = k0 + n * dk
      const shape = sinc(k * halfSpanP) * sinc(k * halfSpanQ)
      addField(out, 8 * n, data, at + amplitudes, shape * phasorRe, shape * phasorIm)
      const nextRe = phasorRe * stepRe - phasorIm * stepIm
      phasorIm = phasorRe * stepIm + phasorIm * stepRe
      phasorRe = nextRe
    }
  }
}

function addQuadrilaterals({ quadrilaterals }: Contributions, band: Band, out: Float64Array): void {
  const { pathLength, amplitudes, edges, size } = QUADRILATERAL
  const { data, length } = quadrilaterals
  const k0 = wavenumber(band.f0)
  const dk = wavenumber(band.df)
  const shape = new Float64Array(2)
  for (let at = 0; at < length * size; at += size) {
    const L = data[at + pathLength]
    for (let n = 0; n < band.n; n++) {
      const k = k0 + n * dk
      gordonSum(data, at + edges, 4, k, shape)
      const [shapeRe, shapeIm] = [shape[0], shape[1]]
      const phasorRe = Math.cos(k * L)
      const phasorIm = -Math.sin(k * L)
      const re = shapeRe * phasorRe - shapeIm * phasorIm
      const im = shapeRe * phasorIm + shapeIm * phasorRe
      addField(out, 8 * n, data, at + amplitudes, re, im)
    }
  }
}

/** Adds the complex number times the four amplitudes from data[at] on to the fields from out[o] on. */
function addField(
  out: Float64Array,
  o: number,
  data: Float64Array,
  at: number,
  re: number,
  im: number,
): void {
  out[o] += data[at] * re
  out[o + 1] += data[at] * im
  out[o + 2] += data[at + 1] * re
  out[o + 3] += data[at + 1] * im
  out[o + 4] += data[at + 2] * re
  out[o + 5] += data[at + 2] * im
  out[o + 6] += data[at + 3] * re
  out[o + 7] += data[at + 3] * im
}

/**
 * The sums of all directions that the rays of one reference aspect serve (`Extrapolation`), one after the other: from one to the next every
 * contribution's path length is moved (Bhalla and Ling).
 */
export class ExtrapolatedSum implements FieldSum {
  readonly values: Float64Array
  private readonly sums: FieldSum[]

  /** @param sumOf  the sum of one direction, with the given array for its values and the tables of another one */
  constructor(
    private readonly reference: SbrJob['aspect'],
    private readonly extrapolation: Extrapolation,
    sumOf: (values?: Float64Array, like?: FieldSum) => FieldSum,
  ) {
    const one = sumOf()
    const size = one.values.length
    this.values = new Float64Array(size * extrapolation.directions.length)
    this.sums = extrapolation.directions.map((_, m) =>
      sumOf(this.values.subarray(size * m, size * (m + 1)), one),
    )
  }

  /** Adds all that the contributor holds, and leaves its path lengths as those of the last direction. */
  add(contributor: Contributions): void {
    let { r } = this.reference.tx
    this.extrapolation.directions.forEach((to, m) => {
      const change = r.map((x, c) => x - to.r[c]) as Vec3
      moveAspect(contributor.parallelograms, change)
      moveAspect(contributor.quadrilaterals, change)
      this.sums[m].add(contributor)
      r = to.r
    })
  }

  finish(out: Float64Array): void {
    const size = out.length / this.sums.length
    this.sums.forEach((sum, m) => sum.finish(out.subarray(size * m, size * (m + 1))))
  }
}

/** Adds (r - r') . hitSum to the path lengths: the radar goes from r to r'. */
function moveAspect({ data, length, layout }: Records, [x, y, z]: Vec3): void {
  const { pathLength, hitSum } = CONTRIBUTION
  for (let at = 0; at < layout.size * length; at += layout.size)
    data[at + pathLength] += x * data[at + hitSum] + y * data[at + hitSum + 1] + z * data[at + hitSum + 2]
}

/** Amplitudes and half spans of a parallelogram stand together in its record: 32-bit words from FROM up to TO. */
const FROM = 2 * PARALLELOGRAM.amplitudes
const TO = 2 * (PARALLELOGRAM.spans + 2)

/**
 * Parallelograms that differ in their path length alone, as all that one path radiates from tubes of one size: they share
 * amplitudes and shape to the last bit. The groups depend on nothing but the records and their order.
 */
export class ShapeGroups {
  /** First record of each group, in the order of these. */
  first = new Int32Array(256)
  /** Next record of the same group; -1: none. */
  next = new Int32Array(256)
  count = 0
  private last = new Int32Array(256)
  /** Groups by their shapes' hash, open addressing; -1: empty. */
  private table = new Int32Array(1024)

  group({ data, length }: Records): void {
    this.grow(length)
    const { first, next, last, table } = this
    const words = new Uint32Array(data.buffer, data.byteOffset, 2 * data.length)
    const recordWords = 2 * PARALLELOGRAM.size
    const mask = table.length - 1
    table.fill(-1)
    this.count = 0
    for (let i = 0; i < length; i++) {
      const at = recordWords * i
      let hash = HASH_START
      for (let w = at + FROM; w < at + TO; w++) hash = hashStep(hash, words[w])
      next[i] = -1
      let entry = (hash ^ (hash >>> 15)) & mask
      for (; table[entry] >= 0; entry = (entry + 1) & mask)
        if (alike(words, recordWords * first[table[entry]], at)) break
      const group = table[entry]
      if (group < 0) {
        table[entry] = this.count
        first[this.count] = last[this.count] = i
        this.count++
      } else {
        next[last[group]] = i
        last[group] = i
      }
    }
  }

  private grow(length: number): void {
    if (length > this.first.length) {
      this.first = new Int32Array(2 * length)
      this.next = new Int32Array(2 * length)
      this.last = new Int32Array(2 * length)
    }
    if (2 * length > this.table.length) this.table = new Int32Array(2 ** Math.ceil(Math.log2(4 * length)))
  }
}

function alike(words: Uint32Array, a: number, b: number): boolean {
  for (let w = FROM; w < TO; w++) if (words[a + w] !== words[b + w]) return false
  return true
}

/** Nodes of a band, and how long shapes may be to be interpolated between them. */
export interface Nodes {
  k: Float64Array
  /** What values at the nodes are interpolated with, see `BandBasis`; absent for Chebyshev nodes and polynomials. */
  weights?: Float64Array
  /** Half spans of phase up to this [m] are interpolated; longer ones are taken apart. */
  reach: number
}

/**
 * As many nodes as interpolate 1/k^2 over the band to the tolerance, and the phases exp(jkx), |x| <= reach, that they
 * interpolate as well: the error of P nodes is (dk x)^P / (2^(P-1) P!) for a band of half-width dk.
 */
export function bandNodes(band: Band, tolerance: number): Nodes {
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
 * Frequencies from which the NUFFT is the faster summation (docs/numerics.md), for a narrow band; in proportion more for a wide one,
 * which takes more nodes.
 */
const NUFFT_FROM = 14

export function isNufft({ band, options: { frequencySum } }: SbrJob): boolean {
  const ends = [band.f0, highestFrequency(band)]
  const many = NUFFT_FROM * (Math.max(...ends) / Math.min(...ends))
  return frequencySum === undefined ? band.n >= many : frequencySum === 'fast' && band.n > 1
}

/** Bytes of the totals of `fieldSum`; its own working memory is about as much again. */
export function fieldSumBytes(job: SbrJob): number {
  const { band, options, extrapolation } = job
  const { sumTolerance = SUM_TOLERANCE } = options
  const rows = isNufft(job)
    ? bandNodes(band, sumTolerance / 2).k.length * delayRows(band, spreadWidth(sumTolerance))
    : band.n
  return 64 * rows * (extrapolation?.directions.length ?? 1)
}

/** The sum that the job's options ask for. */
export function fieldSum(job: SbrJob, quantum: number): FieldSum {
  const { band, options, extrapolation } = job
  const { sumTolerance = SUM_TOLERANCE } = options
  const fast = isNufft(job)
  const sumOf = (values?: Float64Array, like?: FieldSum): FieldSum =>
    fast
      ? new NufftSum(band, quantum, sumTolerance, values, like as NufftSum | undefined)
      : new DirectSum(band, quantum, values)
  return extrapolation ? new ExtrapolatedSum(job.aspect, extrapolation, sumOf) : sumOf()
}

/**
 * The fields of a whole band by a non-uniform FFT of type 1 (docs/numerics.md): each contribution's slow amplitude at a few
 * Chebyshev nodes p of the band, V S_p, is spread at its path length onto a delay grid, and one FFT at the end gives
 * F(k) = sum_p l_p(k) sum V S_p exp(-jkL) (`DelaySum`). Shapes that are too long for their phase to be slow over the band
 * are taken apart into their corners or edges, whose phases join the delay: sinc(kx) = (exp(jkx) - exp(-jkx)) / 2jkx.
 * The error is about `tolerance` times the sum of the parts' magnitudes, and less where their errors average out.
 */
export class NufftSum implements FieldSum {
  protected readonly sum: DelaySum
  readonly k: Float64Array
  readonly reach: number
  readonly weights?: Float64Array
  /** Slow amplitudes, P x 4 channels, re and im. */
  protected readonly amplitudes: Float64Array
  /** The same for parallelograms, whose shapes are real but for a factor j. */
  private readonly real: Float64Array
  private readonly shape = new Float64Array(2)
  private readonly groups = new ShapeGroups()

  /** The delay grid, not yet transformed. */
  readonly values: Float64Array

  /**
   * @param quantum  that sums are multiples of, see `exactQuantum`
   * @param like  a sum of the same band and tolerance, whose tables this one shares
   * @param nodes  where amplitudes are smooth over the band only with others than the shapes take
   */
  constructor(
    private readonly band: Band,
    private readonly quantum: number,
    tolerance: number,
    values?: Float64Array,
    like?: NufftSum,
    nodes?: Nodes,
  ) {
    const { k, reach, weights }: Nodes = like ?? nodes ?? bandNodes(band, tolerance / 2)
    this.k = k
    this.reach = reach
    this.weights = weights
    this.amplitudes = new Float64Array(8 * k.length)
    this.real = new Float64Array(4 * k.length)
    this.sum = new DelaySum(band, 4 * k.length, spreadWidth(tolerance), like?.sum)
    this.values = values ?? new Float64Array(8 * k.length * this.sum.rows)
  }

  add({ parallelograms, quadrilaterals }: Contributions): void {
    this.groups.group(parallelograms)
    for (let g = 0; g < this.groups.count; g++) this.parallelograms(parallelograms.data, g)
    for (let i = 0; i < quadrilaterals.length; i++)
      this.quadrilateral(quadrilaterals.data, i * QUADRILATERAL.size)
    this.sum.drain(this.values, this.quantum)
  }

  finish(out: Float64Array): void {
    const { sum, k, band, values, weights } = this
    sum.finish(values)
    out.fill(0)
    for (let n = 0; n < band.n; n++) {
      const polynomials = weights
        ? weights.subarray(k.length * n, k.length * (n + 1))
        : lagrange(k, wavenumber(frequency(band, n)))
      let at = sum.rowOf(n)
      for (const l of polynomials)
        for (let c = 0; c < 8; c++) out[8 * n + c] += sum.factor(n) * l * values[at++]
    }
  }

  /** All of a group: their path lengths share what is spread there. */
  private parallelograms(data: Float64Array, group: number): void {
    const { k, reach } = this
    const at = PARALLELOGRAM.size * this.groups.first[group]
    const halfSpanP = data[at + PARALLELOGRAM.spans]
    const halfSpanQ = data[at + PARALLELOGRAM.spans + 1]
    const [long, short] =
      Math.abs(halfSpanP) > Math.abs(halfSpanQ) ? [halfSpanP, halfSpanQ] : [halfSpanQ, halfSpanP]
    if (Math.abs(long) + Math.abs(short) <= reach) {
      for (let p = 0; p < k.length; p++) this.putReal(p, data, at, sinc(k[p] * long) * sinc(k[p] * short))
      return this.spread(data, group, 0, false)
    }
    for (let i = -1; i < 2; i += 2) {
      if (Math.abs(short) <= reach) {
        for (let p = 0; p < k.length; p++)
          this.putReal(p, data, at, (-i * sinc(k[p] * short)) / (2 * k[p] * long))
        this.spread(data, group, i * long, true)
        continue
      }
      for (let j = -1; j < 2; j += 2) {
        for (let p = 0; p < k.length; p++)
          this.putReal(p, data, at, (-i * j) / (4 * k[p] * k[p] * long * short))
        this.spread(data, group, i * long + j * short, false)
      }
    }
  }

  /** Adds the amplitudes `real`, or j times them with `quarter`, at the delays of a group moved by `offset`. */
  private spread(data: Float64Array, group: number, offset: number, quarter: boolean): void {
    const { sum, groups } = this
    const { pathLength, size } = PARALLELOGRAM
    for (let i = groups.first[group]; i >= 0; i = groups.next[i])
      sum.collect(offset - data[size * i + pathLength], quarter)
    this.addCollected()
  }

  protected addCollected(): void {
    this.sum.addCollected(this.real)
  }

  /** See `gordonSum`; taken apart, its edges are g / (jk) sinc(kx) exp(jk phi). */
  private quadrilateral(data: Float64Array, at: number): void {
    const { k, reach, amplitudes, sum, shape } = this
    const L = data[at + QUADRILATERAL.pathLength]
    const first = at + QUADRILATERAL.edges
    const end = at + QUADRILATERAL.size
    let span = 0
    for (let e = first; e < end; e += 3) span = Math.max(span, Math.abs(data[e]) + Math.abs(data[e + 1]))
    if (span <= reach) {
      for (let p = 0; p < k.length; p++) {
        gordonSum(data, first, 4, k[p], shape)
        this.put(p, data, at, shape[0], shape[1])
      }
      sum.add(-L, amplitudes)
      return
    }
    for (let e = first; e < end; e += 3) {
      const x = data[e]
      const delay = data[e + 1] - L
      const g = data[e + 2]
      if (Math.abs(x) <= reach) {
        for (let p = 0; p < k.length; p++) this.put(p, data, at, 0, (-g * sinc(k[p] * x)) / k[p])
        sum.add(delay, amplitudes)
        continue
      }
      for (let i = -1; i < 2; i += 2) {
        for (let p = 0; p < k.length; p++) this.put(p, data, at, (-i * g) / (2 * k[p] * k[p] * x), 0)
        sum.add(delay + i * x, amplitudes)
      }
    }
  }

  /** Real amplitudes at node p: those of the record at `at` times a shape. */
  protected putReal(p: number, data: Float64Array, at: number, shape: number): void {
    const from = at + CONTRIBUTION.amplitudes
    for (let c = 0; c < 4; c++) this.real[4 * p + c] = data[from + c] * shape
  }

  /** Complex ones. */
  protected put(p: number, data: Float64Array, at: number, shapeRe: number, shapeIm: number): void {
    const { amplitudes } = this
    const from = at + CONTRIBUTION.amplitudes
    for (let c = 0, o = 8 * p; c < 4; c++, o += 2) {
      amplitudes[o] = data[from + c] * shapeRe
      amplitudes[o + 1] = data[from + c] * shapeIm
    }
  }
}
