import { type Extrapolation, type SbrJob } from '../rays/index.js'
import { type Vec3 } from '../scene/index.js'
import type { Contributions, FieldSum } from './field-sum.js'
import { CONTRIBUTION, type Records } from './records.js'

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
