import type { Mesh } from '../../scene/index.js'
import { circle, stack } from './solids.js'
import { merge, type Point } from './surface.js'

/** Facets of round parts meet at less than 20 degrees, so that their edges do not diffract. */
const SIDES = 24

/** Outline of a body that is alike from side to side: corners (x, z) at -y and +y [m]. */
const across = (corners: [x: number, z: number][], y0: number, y1: number): Mesh =>
  stack([y0, y1].map((y) => corners.map(([x, z]): Point => [x, y, z])))

const track = (y0: number, y1: number): Mesh =>
  across([[-1.2, 0], [1.15, 0], [1.45, 0.3], [1.35, 0.46], [-1.4, 0.46], [-1.5, 0.25]], y0, y1) // prettier-ignore

/**
 * Small tracked vehicle, 2.95 x 1.6 x 1.1 m, front +x: it stands with its tracks on z = 0. Hull with sloping front, turret and barrel. Several
 * intersecting closed shells.
 */
export function vehicle(): Mesh {
  const hull = across([[-1.4, 0.25], [1.1, 0.25], [1.42, 0.5], [0.8, 0.75], [-1.35, 0.75]], -0.55, 0.55) // prettier-ignore
  const turret = stack([
    circle([-0.15, 0, 0.7], 0.46, 2, SIDES),
    circle([-0.15, 0, 0.98], 0.42, 2, SIDES),
    circle([-0.15, 0, 1.1], 0.25, 2, SIDES),
  ])
  const barrel = stack([0.1, 1.4].map((x) => circle([x, 0, 0.86], 0.04, 0, SIDES)))
  return merge([hull, track(-0.8, -0.57), track(0.57, 0.8), turret, barrel])
}
