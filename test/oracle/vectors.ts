import type { Vec3 } from '../../scene/index.js'

/** a + scale b. */
export const add = (a: Vec3, b: Vec3, scale = 1): Vec3 => [
  a[0] + scale * b[0],
  a[1] + scale * b[1],
  a[2] + scale * b[2],
]
export const subtract = (a: Vec3, b: Vec3): Vec3 => add(a, b, -1)
export const times = (scale: number, a: Vec3): Vec3 => [scale * a[0], scale * a[1], scale * a[2]]
export const length = (a: Vec3): number => Math.hypot(a[0], a[1], a[2])
export const unit = (a: Vec3): Vec3 => times(1 / length(a), a)
