import { addExactly } from '../math/exact-sum.js'
import { type Extrapolation, gordonSum, type SbrJob, sinc } from '../rays/index.js'
import { type Band, type Vec3, wavenumber } from '../scene/index.js'
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
