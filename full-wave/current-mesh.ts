import { dot, type Vec3 } from '../scene/index.js'

/** Triangles that carry surface currents: a target's surface meshed again for one wavelength. */
export interface CurrentMesh {
  /** x, y, z of each vertex [m]; vertices are shared by the triangles that meet at them. */
  positions: Float64Array
  /** Three vertices a triangle, counter-clockwise seen from the side of the facet's normal. */
  triangles: Uint32Array
  symmetry?: MirrorSymmetry
}

/**
 * Perpendicular planes in which a mesh is its own mirror image. With n planes, the first 1/2ⁿ of the triangles are on one side of all;
 * their images in the first plane follow, then the images of both in the second, and so on. The image of a, b, c is a', c', b'.
 */
export interface MirrorSymmetry {
  /** A point of all planes [m]. */
  centre: Vec3
  /** Their unit normals. */
  normals: Vec3[]
}

/** The image of a vector in those planes through the origin, one after the other, whose bits are set. */
export function mirrored(v: Vec3, normals: Vec3[], bits: number): Vec3 {
  const out: Vec3 = [v[0], v[1], v[2]]
  normals.forEach((n, p) => {
    if (((bits >> p) & 1) === 0) return
    const twice = 2 * dot(v, n)
    for (let a = 0; a < 3; a++) out[a] -= twice * n[a]
  })
  return out
}
