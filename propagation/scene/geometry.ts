import { InputError, type Mesh, type Vec3 } from '../../scene/index.js'

/** Sides of a box, in the order -x +x -y +y -z +z. */
export const SIDES = ['-x', '+x', '-y', '+y', '-z', '+z'] as const
export type Side = (typeof SIDES)[number]

/** Axis-aligned box of two facets a side, without the sides left out; normals outwards, or inwards for a room. */
export function boxMesh(min: Vec3, max: Vec3, without: readonly Side[] = [], inward = false): Mesh {
  if (!min.every((x, a) => x < max[a]))
    throw new InputError(
      `box from ${min.join()} to ${max.join()}: every coordinate of min must be below that of max`,
    )
  const positions = Array.from({ length: 8 }, (_, v) =>
    [0, 1, 2].map((a) => ((v >> a) & 1 ? max : min)[a]),
  ).flat()
  const triangles: number[] = []
  SIDES.forEach((side, s) => {
    if (without.includes(side)) return
    const axis = s >> 1
    const [b, c] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)]
    const at = s & 1 ? 1 << axis : 0
    const ring = [at, at + b, at + b + c, at + c]
    if ((s & 1) === (inward ? 1 : 0)) ring.reverse()
    triangles.push(ring[0], ring[1], ring[2], ring[0], ring[2], ring[3])
  })
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) }
}

/** Plane polygon of three or more corners, convex, seen counter-clockwise from its front. */
export function polygonMesh(corners: Vec3[]): Mesh {
  const triangles: number[] = []
  for (let k = 2; k < corners.length; k++) triangles.push(0, k - 1, k)
  return { positions: Float64Array.from(corners.flat()), triangles: Uint32Array.from(triangles) }
}

/** Several meshes as one; the groups of each follow those of the ones before it (one group where it has none). */
export function joinMeshes(meshes: Mesh[]): Required<Pick<Mesh, 'positions' | 'triangles' | 'facetGroup'>> {
  const positions = new Float64Array(meshes.reduce((s, m) => s + m.positions.length, 0))
  const triangles = new Uint32Array(meshes.reduce((s, m) => s + m.triangles.length, 0))
  const facetGroup = new Uint32Array(triangles.length / 3)
  let [vertex, corner, group] = [0, 0, 0]
  for (const mesh of meshes) {
    positions.set(mesh.positions, 3 * vertex)
    mesh.triangles.forEach((v, i) => (triangles[corner + i] = vertex + v))
    for (let t = 0; t < mesh.triangles.length / 3; t++)
      facetGroup[corner / 3 + t] = group + (mesh.facetGroup?.[t] ?? 0)
    vertex += mesh.positions.length / 3
    corner += mesh.triangles.length
    group += mesh.groupNames?.length ?? 1
  }
  return { positions, triangles, facetGroup }
}
