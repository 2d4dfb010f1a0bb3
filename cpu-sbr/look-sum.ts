import { finishField, gordonSum, type Look, LookGrid, type SbrJob, sinc, type Vec3 } from '../scene/index.js'
import { type Contributor, FLAT_SIZE, QUAD_SIZE } from './contribution.js'
import type { FieldSum } from './field-sum.js'

/** One look: every contribution is deposited once for all frequencies and angles, its shape taken in the middle of the band. */
export class LookSum implements FieldSum {
  private readonly grid: LookGrid
  private readonly amplitudes = new Float64Array(8)
  private readonly shape = new Float64Array(2)

  /** @param spacing  of the numbers of `values`, see `exactGrid` */
  constructor({ band, aspect }: SbrJob, look: Look, spacing: number) {
    this.grid = new LookGrid(band, look, aspect.tx, spacing)
  }

  get values(): Float64Array {
    return this.grid.values
  }

  add({ flat, quad }: Contributor): void {
    const k = this.grid.kMiddle
    for (let i = 0, at = 0; i < flat.length; i++, at += FLAT_SIZE) {
      const d = flat.data
      this.put(d, at, sinc(k * d[at + 5]) * sinc(k * d[at + 6]), 0, at + 7)
    }
    for (let i = 0, at = 0; i < quad.length; i++, at += QUAD_SIZE) {
      gordonSum(quad.data, at + 5, 4, k, this.shape)
      this.put(quad.data, at, this.shape[0], this.shape[1], at + 17)
    }
  }

  finish(out: Float64Array): void {
    this.grid.finish(out)
  }

  private put(d: Float64Array, at: number, re: number, im: number, place: number): void {
    const { amplitudes } = this
    for (let c = 0; c < 4; c++) {
      amplitudes[2 * c] = d[at + 1 + c] * re
      amplitudes[2 * c + 1] = d[at + 1 + c] * im
    }
    this.grid.add(-d[at], d[place], d[place + 1], d[place + 2], amplitudes)
  }
}

/** `finishField` for the fields of all angles of one look, [angle][frequency]. */
export function finishLook(origin: Vec3, job: SbrJob, look: Look, fields: Float64Array): void {
  const { band } = job
  const grid = new LookGrid(band, look, job.aspect.tx, 0)
  for (let m = 0; m < look.count; m++) {
    const field = fields.subarray(8 * band.n * m, 8 * band.n * (m + 1))
    finishField(origin, { aspect: { tx: look.centre, rx: look.centre }, band }, field)
    const angle = grid.turn(m, origin)
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    for (let i = 0; i < field.length; i += 2) {
      const re = field[i]
      field[i] = re * c - field[i + 1] * s
      field[i + 1] = re * s + field[i + 1] * c
    }
  }
}
