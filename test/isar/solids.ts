import type { Mesh, Vec3 } from '../../scene/index.js'

/** A closed box of 12 facets. */
export function box(low: Vec3, high: Vec3): Mesh {
  const positions = new Float64Array(24)
  for (let i = 0; i < 8; i++)
    for (let c = 0; c < 3; c++) positions[3 * i + c] = (i >> c) & 1 ? high[c] : low[c]
  const sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] // prettier-ignore
  return { positions, triangles: Uint32Array.from(sides.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])) }
}

/** Two meshes as one. */
export const join = (a: Mesh, b: Mesh): Mesh => ({
  positions: Float64Array.from([...a.positions, ...b.positions]),
  triangles: Uint32Array.from([...a.triangles, ...b.triangles.map((v) => v + a.positions.length / 3)]),
})
