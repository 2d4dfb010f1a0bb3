import { type Look, type SbrJob } from '../rays/index.js'
import { type Vec3 } from '../scene/index.js'
import { type Contributor, FLAT_SIZE, QUAD_SIZE, type Records } from './contribution.js'
import type { FieldSum } from './field-sum.js'

/** Position of P in the records of a contributor. */
const FLAT_PLACE = 7
const QUAD_PLACE = 17

/** The sums of all directions of a look, one after the other: between two of them every contribution's delay is moved (`Look`). */
export class LookSum implements FieldSum {
  readonly values: Float64Array
  private readonly sums: FieldSum[]

  /** @param sumOf  the sum of one direction, in the place given for its values, with the tables of another one */
  constructor(
    private readonly from: SbrJob['aspect'],
    private readonly look: Look,
    sumOf: (values?: Float64Array, like?: FieldSum) => FieldSum,
  ) {
    const one = sumOf()
    const size = one.values.length
    this.values = new Float64Array(size * look.directions.length)
    this.sums = look.directions.map((_, m) => sumOf(this.values.subarray(size * m, size * (m + 1)), one))
  }

  /** Adds all that the contributor holds, and leaves its delays as those of the last direction. */
  add(contributor: Contributor): void {
    let { r } = this.from.tx
    this.look.directions.forEach((to, m) => {
      const turn = r.map((x, c) => x - to.r[c]) as Vec3
      move(contributor.flat, FLAT_SIZE, FLAT_PLACE, turn)
      move(contributor.quad, QUAD_SIZE, QUAD_PLACE, turn)
      this.sums[m].add(contributor)
      r = to.r
    })
  }

  finish(out: Float64Array): void {
    const size = out.length / this.sums.length
    this.sums.forEach((sum, m) => sum.finish(out.subarray(size * m, size * (m + 1))))
  }
}

function move({ data, length }: Records, size: number, place: number, [x, y, z]: Vec3): void {
  for (let at = 0; at < size * length; at += size)
    data[at] += x * data[at + place] + y * data[at + place + 1] + z * data[at + place + 2]
}
