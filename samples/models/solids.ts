import type { Mesh } from '../../scene/index.js'
import { Surface, type Point } from './surface.js'
import { orientOutward } from './topology.js'

/** Mean of the points of a loop. */
const centre = (loop: Point[]): Point => {
  const mean = [0, 1, 2].map((a) => loop.reduce((sum, p) => sum + p[a], 0) / loop.length)
  return [mean[0], mean[1], mean[2]]
}

/**
 * Closed body through loops of equally many points: walls between consecutive loops, the first and last loop capped from
 * their means. Two loops at one height make a step, a smaller loop below the one before it a recess.
 */
export function stack(loops: Point[][]): Mesh {
  const surface = new Surface()
  surface.loft(loops, true)
  for (const end of [loops[0], loops[loops.length - 1]]) surface.cap(end, centre(end), 1, true)
  return orientOutward(surface.mesh())
}

/** Octagonal outline at height z: x from aft to fore, half width w, corners cut back by c [m]. */
export function deck(z: number, aft: number, fore: number, w: number, c: number): Point[] {
  return [
    [fore, -w + c, z],
    [fore, w - c, z],
    [fore - c, w, z],
    [aft + c, w, z],
    [aft, w - c, z],
    [aft, -w + c, z],
    [aft + c, -w, z],
    [fore - c, -w, z],
  ]
}

/** Circle of n points about `at`, its axis along x, y or z (0, 1, 2). */
export function circle(at: Point, radius: number, axis: 0 | 1 | 2, n: number): Point[] {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
  return Array.from({ length: n }, (_, k) => {
    const p: Point = [...at]
    p[u] += radius * Math.cos((2 * Math.PI * k) / n)
    p[v] += radius * Math.sin((2 * Math.PI * k) / n)
    return p
  })
}

/** Sphere on a post (radome): n meridians, n / 2 parallels; the post's foot is at height `foot`. */
export function radome(at: Point, radius: number, post: number, foot: number, n: number): Mesh {
  const parallels = Array.from({ length: n / 2 }, (_, k) => {
    // From where the post enters the sphere to near its top.
    const low = Math.asin(post / radius) - Math.PI
    const a = low + ((-0.06 - low) * k) / (n / 2 - 1)
    return circle([at[0], at[1], at[2] + radius * Math.cos(a)], radius * Math.abs(Math.sin(a)), 2, n)
  })
  return stack([circle([at[0], at[1], foot], post, 2, n), ...parallels])
}
