import type { Mesh } from '../../scene/index.js'
import { circle, stack } from './solids.js'
import { merge, type Point } from './surface.js'

/** Sides of the body: neighbouring facets meet at less than 20 degrees. */
const SIDES = 24
/** Where the wings are hinged: a line along x at this |y| and z [m]. */
const HINGE: [y: number, z: number] = [0.03, 0.02]

/** Tail to beak: x, radius [m]. */
const body = (): Mesh =>
  stack(
    (
      [
        [-0.2, 0.012],
        [-0.12, 0.03],
        [-0.03, 0.045],
        [0.05, 0.045],
        [0.11, 0.03],
        [0.14, 0.025],
        [0.17, 0.022],
        [0.19, 0.008],
        [0.22, 0.003],
      ] as const
    ).map(([x, radius]) => circle([x, 0, 0], radius, 0, SIDES)),
  )

/** A wing of 4 mm, its chord and sweep by the distance from its hinge. */
const wing = (side: 1 | -1): Mesh =>
  stack(
    (
      [
        [0.02, 0.06, -0.08],
        [0.14, 0.075, -0.07],
        [0.26, 0.03, -0.08],
        [0.36, -0.04, -0.08],
      ] as const
    ).map(([y, fore, aft]): Point[] => {
      const at = (x: number, z: number): Point => [x, side * (HINGE[0] + y), HINGE[1] + z]
      return [at(aft, -0.002), at(fore, -0.002), at(fore, 0.002), at(aft, 0.002)]
    }),
  )

/** A bird of a gull's size, 0.42 m long and 0.78 m across, forward +x, in groups `body`, `wing-left` (+y) and `wing-right`. */
export function bird(): Mesh {
  const shells: [string, Mesh][] = [
    ['body', body()],
    ['wing-left', wing(1)],
    ['wing-right', wing(-1)],
  ]
  return {
    ...merge(shells.map(([, mesh]) => mesh)),
    facetGroup: Uint32Array.from(shells.flatMap(([, { triangles }], g) => Array.from({ length: triangles.length / 3 }, () => g))), // prettier-ignore
    groupNames: shells.map(([name]) => name),
  }
}
