import { circle, stack } from '../../samples/models/surface.js'
import type { Mesh } from '../../scene/index.js'

/** Body of revolution about z through the points (radius, z). */
export const revolve = (profile: [number, number][], n: number): Mesh =>
  stack(profile.map(([rho, z]) => circle([0, 0, z], rho, 2, n)))

/** Tips at z = +-3 of half angle 22.6 degrees, greatest radius 0.6. */
export function ogive(rings: number, n: number): Mesh {
  const arc = (9 + 0.36) / 1.2
  return revolve(
    Array.from({ length: rings + 1 }, (_, i) => {
      const z = -3 * Math.cos((Math.PI * i) / rings)
      return [Math.max(0, Math.sqrt(arc * arc - z * z) - (arc - 0.6)), z]
    }),
    n,
  )
}

export const spheroid = (rings: number, n: number): Mesh =>
  revolve(
    Array.from({ length: rings + 1 }, (_, i) => {
      const t = (Math.PI * i) / rings
      return [i % rings === 0 ? 0 : Math.sin(t), -3 * Math.cos(t)]
    }),
    n,
  )

/** Cone with its tip at z = 3, on a flat base at z = 0. */
export const cone = (radius: number, n: number): Mesh => revolve([[radius, 0], [0, 3]], n) // prettier-ignore
