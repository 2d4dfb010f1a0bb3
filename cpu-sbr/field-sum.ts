import { addExactly } from '../parallel/index.js'
import { type Band, wavenumber } from '../scene/index.js'
import { gordonSum, sinc } from '../rays/index.js'
import { FLAT_SIZE, QUAD_SIZE, type Contributor } from './contribution.js'

/** Sums contributions over a band. */
export interface FieldSum {
  /** Multiples of the spacing that the sum was made with, so that those of parts may be added up in any order. */
  readonly values: Float64Array
  /** Adds all that the contributor holds. */
  add(contributor: Contributor): void
  /** Writes the fields that `values` stand for, 8 numbers per frequency (re, im of VV, HH, VH, HV) [m^2]; ends the sum. */
  finish(out: Float64Array): void
}

/** Every contribution at every frequency; rounds what each call of `add` brings. */
export class DirectSum implements FieldSum {
  private readonly part: Float64Array

  /** @param grid  spacing of the sums, see `exactGrid` */
  constructor(
    private readonly band: Band,
    private readonly grid: number,
    readonly values: Float64Array = new Float64Array(8 * band.n),
  ) {
    this.part = new Float64Array(8 * band.n)
  }

  add(contributor: Contributor): void {
    this.part.fill(0)
    sumContributions(contributor, this.band, this.part)
    addExactly(this.values, this.part, this.grid)
  }

  finish(out: Float64Array): void {
    out.set(this.values)
  }
}

/**
 * Sum over contributions of V exp(-jkL) I(k) for every frequency of a band: 8 numbers per frequency (re, im of
 * VV, HH, VH, HV) [m^2], without the factor jk / 4 pi. The phase goes from frequency to frequency by a rotation,
 * which over a thousand steps costs less than 1e-12 in double precision.
 */
export function sumContributions(contributor: Contributor, band: Band, out: Float64Array): void {
  const { flat, quad } = contributor
  const k0 = wavenumber(band.f0)
  const dk = wavenumber(band.df)
  for (let i = 0; i < flat.length; i++) {
    const at = i * FLAT_SIZE
    const d = flat.data
    const sa = d[at + 5]
    const sb = d[at + 6]
    let c = Math.cos(k0 * d[at])
    let s = -Math.sin(k0 * d[at])
    const rc = Math.cos(dk * d[at])
    const rs = -Math.sin(dk * d[at])
    for (let n = 0, o = 0; n < band.n; n++, o += 8) {
      const k = k0 + n * dk
      const shape = sinc(k * sa) * sinc(k * sb)
      deposit(out, o, d, at, shape * c, shape * s)
      const next = c * rc - s * rs
      s = c * rs + s * rc
      c = next
    }
  }
  const shape = new Float64Array(2)
  for (let i = 0; i < quad.length; i++) {
    const at = i * QUAD_SIZE
    const d = quad.data
    for (let n = 0, o = 0; n < band.n; n++, o += 8) {
      const k = k0 + n * dk
      gordonSum(d, at + 5, 4, k, shape)
      const c = Math.cos(k * d[at])
      const s = -Math.sin(k * d[at])
      deposit(out, o, d, at, shape[0] * c - shape[1] * s, shape[0] * s + shape[1] * c)
    }
  }
}

function deposit(out: Float64Array, o: number, d: Float64Array, at: number, re: number, im: number): void {
  out[o] += d[at + 1] * re
  out[o + 1] += d[at + 1] * im
  out[o + 2] += d[at + 2] * re
  out[o + 3] += d[at + 2] * im
  out[o + 4] += d[at + 3] * re
  out[o + 5] += d[at + 3] * im
  out[o + 6] += d[at + 4] * re
  out[o + 7] += d[at + 4] * im
}
