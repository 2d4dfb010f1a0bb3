import { circle, fitBox, merge, type Point, radome, stack } from '../samples/models/surface.js'
import { models } from '../samples/models/index.js'
import type { Mesh } from '../scene/index.js'

/** A target after Table 1 of paper 000: size, frequency, and the cut of its section 3. */
export interface ClusterTarget {
  name: string
  mesh: Mesh
  frequency: number
  /** Directions: `theta` and `phi` as the command line takes them. */
  cut: (angles: number) => { theta: string; phi: string }
}

/** Box about a centre, `n` strips along its longest side. */
function box(at: Point, size: Point, n = 1): Mesh {
  const [x, y, z] = size.map((s) => s / 2)
  const loops = Array.from({ length: n + 1 }, (_, k): Point[] => {
    const h = at[2] - z + (2 * z * k) / n
    return [
      [at[0] - x, at[1] - y, h],
      [at[0] + x, at[1] - y, h],
      [at[0] + x, at[1] + y, h],
      [at[0] - x, at[1] + y, h],
    ]
  })
  return stack(loops)
}

/** A dish about x, open to +x: radius and depth of the paraboloid, wall, rings and meridians. */
function dish(at: Point, radius: number, depth: number, wall: number, rings: number, n: number): Mesh {
  const ring = (k: number, back: number): Point[] => {
    const r = (radius * k) / rings
    return circle([at[0] + depth * (r / radius) ** 2 - back, at[1], at[2]], Math.max(r, 1e-3 * radius), 0, n)
  }
  const front = Array.from({ length: rings + 1 }, (_, k) => ring(k, 0))
  const back = Array.from({ length: rings + 1 }, (_, k) => ring(rings - k, wall))
  return stack([...front, ...back])
}

/** Bus, two panels on struts, two dishes and a mast: 35.6 x 11.64 x 10.45 m. */
function satellite(): Mesh {
  const panels = [-1, 1].flatMap((side) => [
    box([side * 11.5, 0, 0], [12, 0.1, 5], 10),
    box([side * 4.1, 0, 0], [3, 0.3, 0.3], 4),
  ])
  const parts = [
    box([0, 0, 0], [5, 4, 6], 12),
    ...panels,
    dish([2.6, 0, 1], 2.4, 0.8, 0.05, 7, 24),
    dish([2.6, 0, -3], 1, 0.3, 0.05, 3, 16),
    stack([circle([0, 0, 3], 0.2, 2, 8), circle([0, 0, 6], 0.15, 2, 8), circle([0, 0, 6.3], 0.02, 2, 8)]),
  ]
  return fitBox(merge(parts), [35.6, 11.64, 10.45])
}

/** Dish on a pedestal, finely meshed as from a CAD program: 2.66 x 2.75 x 3.4 m. */
function radar(): Mesh {
  const parts = [
    dish([0.3, 0, 2], 1.35, 0.4, 0.04, 62, 400),
    stack(Array.from({ length: 31 }, (_, k) => circle([0, 0, 0.02 * k], 0.9 - 0.01 * k, 2, 100))),
    stack(Array.from({ length: 41 }, (_, k) => circle([0, 0, 0.62 + 0.02 * k], 0.2, 2, 60))),
    radome([1.2, 0, 2], 0.15, 0.05, 1.6, 40),
  ]
  return fitBox(merge(parts), [2.66, 2.75, 3.4])
}

/** The paper rotates ship and radar about the y axis from 0 to 90 degrees, satellite and airplane by 360 degrees. */
const aboutY = (angles: number) => ({ theta: `0:${angles - 1}:1`, phi: '0' })
const aboutZ = (angles: number) => ({ theta: '90', phi: `0:${angles - 1}:1` })

export const clusterTargets = (): ClusterTarget[] => [
  { name: 'ship', mesh: fitBox(models.deckhouse.make(), [43.71, 5.89, 9.144]), frequency: 30e9, cut: aboutY },
  { name: 'satellite', mesh: satellite(), frequency: 15e9, cut: aboutZ },
  { name: 'airplane', mesh: models['aircraft-a'].make(), frequency: 30e9, cut: aboutZ },
  { name: 'radar', mesh: radar(), frequency: 50e9, cut: aboutY },
]
