import { cross, dot, type Vec3 } from '../../scene/index.js'
import type { Complex } from './complex.js'
import { ruleFor } from './quadrature.js'
import { add, length, subtract, times } from './vectors.js'

/*
 * The shape function I(k) of docs/theory.md (9): the integral of exp(j w.(r' - r)) over a footprint, w = k (s - d).
 */

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(x) / x)

/** I of (9) over a parallelogram about its centre, w in rad/m; it is real. */
export const parallelogramIntegral = (a: Vec3, b: Vec3, w: Vec3): Complex => [
  length(cross(a, b)) * sinc(dot(w, a) / 2) * sinc(dot(w, b) / 2),
  0,
]

/**
 * I of (9) over the quadrilateral of four hits, about `centre`, by quadrature; of hits that are not in one plane, over their
 * projection along the vector area ("Shape function").
 */
export function quadrilateralIntegral(hits: Vec3[], centre: Vec3, w: Vec3): Complex {
  const [q0, q1, q2, q3] = hits.map((hit) => subtract(hit, centre))
  const vectorArea = cross(subtract(q2, q0), subtract(q3, q1))
  const p = times(1 / length(vectorArea), vectorArea)
  const wt = add(w, p, -dot(w, p))
  const spans = [subtract(q1, q0), subtract(q2, q1), subtract(q3, q2), subtract(q0, q3)]
  const rule = ruleFor(Math.max(...spans.map((edge) => Math.abs(dot(wt, edge)))))
  let re = 0
  let im = 0
  rule.x.forEach((x, i) =>
    rule.x.forEach((y, j) => {
      // The square [-1, 1]^2 mapped onto the quadrilateral by its bilinear function.
      const top = add(times((1 + x) / 2, q0), q1, (1 - x) / 2)
      const bottom = add(times((1 + x) / 2, q3), q2, (1 - x) / 2)
      const r = add(times((1 + y) / 2, top), bottom, (1 - y) / 2)
      const dx = add(times((1 + y) / 4, subtract(q0, q1)), subtract(q3, q2), (1 - y) / 4)
      const dy = times(0.5, subtract(top, bottom))
      const dS = rule.w[i] * rule.w[j] * dot(p, cross(dx, dy))
      re += dS * Math.cos(dot(wt, r))
      im += dS * Math.sin(dot(wt, r))
    }),
  )
  return [re, im]
}
