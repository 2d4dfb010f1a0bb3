import type { Mesh } from '../../scene/index.js'
import { orientOutward, type Point, Surface } from './surface.js'

/** Open sheets from quads of corners, each counter-clockwise as seen from its lit side. */
function sheets(quads: [Point, Point, Point, Point][]): Mesh {
  const surface = new Surface()
  for (const [a, b, c, d] of quads) surface.quad(a, b, c, d)
  return surface.mesh()
}

/** Square sheet in z = 0 about the origin, facing +z. */
export function plate(edge: number): Mesh {
  const h = edge / 2
  return sheets([
    [
      [-h, -h, 0],
      [h, -h, 0],
      [h, h, 0],
      [-h, h, 0],
    ],
  ])
}

/** Right-angled dihedral of two squares: the seam on the z axis about the origin, the bisector along +x. */
export function dihedral(edge: number): Mesh {
  const [d, h] = [edge / Math.SQRT2, edge / 2]
  return sheets([
    [
      [0, 0, -h],
      [d, d, -h],
      [d, d, h],
      [0, 0, h],
    ],
    [
      [0, 0, -h],
      [0, 0, h],
      [d, -d, h],
      [d, -d, -h],
    ],
  ])
}

/** Trihedral corner of three squares in the coordinate planes, apex at the origin, opening to +x +y +z. */
export function squareTrihedral(edge: number): Mesh {
  const e = edge
  return sheets([
    [
      [0, 0, 0],
      [e, 0, 0],
      [e, e, 0],
      [0, e, 0],
    ],
    [
      [0, 0, 0],
      [0, e, 0],
      [0, e, e],
      [0, 0, e],
    ],
    [
      [0, 0, 0],
      [0, 0, e],
      [e, 0, e],
      [e, 0, 0],
    ],
  ])
}

/** Trihedral corner of three right isosceles triangles in the coordinate planes, apex at the origin. */
export function triangularTrihedral(edge: number): Mesh {
  const [x, y, z]: Point[] = [
    [edge, 0, 0],
    [0, edge, 0],
    [0, 0, edge],
  ]
  const surface = new Surface()
  surface.triangle([0, 0, 0], x, y)
  surface.triangle([0, 0, 0], y, z)
  surface.triangle([0, 0, 0], z, x)
  return surface.mesh()
}

/** Cube about the origin, two facets a face. */
export function cube(edge: number): Mesh {
  const h = edge / 2
  const ring = (z: number): Point[] => [
    [-h, -h, z],
    [h, -h, z],
    [h, h, z],
    [-h, h, z],
  ]
  const surface = new Surface()
  const [low, high] = [ring(-h), ring(h)]
  surface.strip(low, high, true)
  surface.quad(low[3], low[2], low[1], low[0])
  surface.quad(high[0], high[1], high[2], high[3])
  return surface.mesh()
}

/** Sphere about the origin: an icosahedron whose facets were quartered `levels` times, all vertices on the sphere. */
export function sphere(radius: number, levels: number): Mesh {
  const g = (1 + Math.sqrt(5)) / 2
  const place = ([x, y, z]: Point): Point => {
    const scale = radius / Math.hypot(x, y, z)
    return [x * scale, y * scale, z * scale]
  }
  const corners = [-1, 1].flatMap((a) =>
    [-g, g].flatMap((b): Point[] => [
      [0, a, b],
      [a, b, 0],
      [b, 0, a],
    ]),
  )
  const near = (p: Point, q: Point) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 2.1
  let facets: [Point, Point, Point][] = []
  for (let i = 0; i < 12; i++)
    for (let j = i + 1; j < 12; j++)
      for (let k = j + 1; k < 12; k++) {
        const [a, b, c] = [corners[i], corners[j], corners[k]]
        if (near(a, b) && near(b, c) && near(c, a)) facets.push([place(a), place(b), place(c)])
      }
  const middle = (p: Point, q: Point) => place([p[0] + q[0], p[1] + q[1], p[2] + q[2]])
  for (let level = 0; level < levels; level++)
    facets = facets.flatMap(([a, b, c]): [Point, Point, Point][] => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)]
      return [
        [a, ab, ca],
        [ab, b, bc],
        [ca, bc, c],
        [ab, bc, ca],
      ]
    })
  const surface = new Surface()
  for (const [a, b, c] of facets) surface.triangle(a, b, c)
  return orientOutward(surface.mesh())
}
