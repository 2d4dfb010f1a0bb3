import { ANGLES, MANY } from './branch-cut.js'
import { sin } from '../../../math/complex.js'
import { type Condition, Maliuzhinets } from '../../../math/maliuzhinets.js'

/** A wedge: Maliuzhinets' function and what was computed of it for faces. */
export class MaterialWedge {
  readonly psi: Maliuzhinets
  /** sin((w - Phi)/N) at w = pi - phi and pi + phi of each node, 4 numbers. */
  readonly sines: Float64Array
  private readonly room = [new Float64Array(4 * MANY), new Float64Array(4 * MANY)]
  /** Of conditions that serve many edges, their factors about both faces of the wedge. */
  private readonly kept = new Map<Condition, [Float64Array | null, Float64Array | null]>()

  /** @param N  exterior angle over pi */
  constructor(readonly N: number) {
    this.psi = new Maliuzhinets((Math.PI * N) / 2)
    const half = Math.PI * (1 - N / 2)
    this.sines = Float64Array.from(
      ANGLES.flatMap(([re, im]) => [...sin([(half - re) / N, -im / N]), ...sin([(half + re) / N, im / N])]),
    )
  }

  /**
   * Factors of a face at w = pi - phi and pi + phi of nodes start to count - 1, 4 numbers each: of the face itself, or of the other one. They
   * hold until the next call.
   */
  factors(condition: Condition, isOther: boolean, start: number, count: number): Float64Array {
    if (!condition.isFixed) return this.compute(condition, isOther, start, this.room[isOther ? 1 : 0], count)
    let kept = this.kept.get(condition)
    if (!kept) this.kept.set(condition, (kept = [null, null]))
    const i = isOther ? 1 : 0
    let found = kept[i]
    if (!found || found.length < 4 * count)
      kept[i] = found = this.compute(condition, isOther, 0, new Float64Array(4 * count), count)
    return found
  }

  private compute(
    condition: Condition,
    isOther: boolean,
    start: number,
    out: Float64Array,
    count: number,
  ): Float64Array {
    const { psi } = this
    const x = isOther ? Math.PI : Math.PI * (1 - this.N)
    for (let n = start; n < count; n++) {
      const [re, im] = ANGLES[n]
      psi.begin()
      psi.multiplyFace(x - re, -im, condition)
      psi.end(out, 4 * n)
      psi.begin()
      psi.multiplyFace(x + re, im, condition)
      psi.end(out, 4 * n + 2)
    }
    return out
  }
}
