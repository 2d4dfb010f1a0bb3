import { direction, dot, type Aspect, type Vec3 } from '../../scene/index.js'

/** A random right-handed frame x, y, z as nine numbers. */
export function randomFrame(next: () => number): Float64Array {
  const q = Array.from({ length: 4 }, () => next() + next() + next() - 1.5)
  const n = Math.hypot(...q)
  const [w, x, y, z] = q.map((v) => v / n)
  const first = [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]
  const second = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]
  const third = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
  return Float64Array.from([first, second, third].flat())
}

/** An aspect with these directions of incidence and observation and some polarisation basis across each. */
export function aspectOf(ki: Vec3, s: Vec3): Aspect {
  const toRadar: Vec3 = [-ki[0], -ki[1], -ki[2]]
  const towards = (r: Vec3) => {
    const theta = (Math.acos(Math.max(-1, Math.min(1, r[2]))) * 180) / Math.PI
    return { ...direction(theta, (Math.atan2(r[1], r[0]) * 180) / Math.PI), r }
  }
  return { tx: towards(toRadar), rx: towards(s) }
}

/** Phase path (s - ki).r [m] of a point. */
export const phasePath = ({ tx, rx }: Aspect, r: Vec3): number => dot(rx.r, r) + dot(tx.r, r)

/** Direction with components along the axes of a frame. */
export const inFrame = (f: Float64Array, x: number, y: number, z: number): Vec3 => [
  x * f[0] + y * f[3] + z * f[6],
  x * f[1] + y * f[4] + z * f[7],
  x * f[2] + y * f[5] + z * f[8],
]

/** A random direction of unit length. */
export function randomDirection(next: () => number): Vec3 {
  const z = 2 * next() - 1
  const phi = 2 * Math.PI * next()
  const r = Math.sqrt(1 - z * z)
  return [r * Math.cos(phi), r * Math.sin(phi), z]
}
