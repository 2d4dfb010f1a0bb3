import { InputError } from '../errors.js'
import type { Mesh } from '../mesh.js'
import { dropUnusedVertices } from '../weld.js'

/** Vertices within this part of the box's diagonal of the ground lie on it: as near as others are welded. */
const ON_GROUND = 1e-6

/**
 * The mesh with its mirror image at the plane z = height, facets of the image after those of the mesh, oriented outwards where these are. Vertices
 * on the plane are shared; facets that lie on it are left out of both: they neither radiate nor hide the image.
 *
 * @param diagonal  of the mesh's box [m]
 * @throws InputError for a mesh that reaches below the plane, or lies on it
 */
export function withMirrorImage(mesh: Mesh, height: number, diagonal: number): Mesh {
  const { positions: p, triangles, facetGroup } = mesh
  const vertices = p.length / 3
  const tolerance = ON_GROUND * diagonal
  let lowest = Infinity
  for (let v = 0; v < triangles.length; v++) lowest = Math.min(lowest, p[3 * triangles[v] + 2])
  if (lowest < height - tolerance)
    throw new InputError(
      `the target reaches ${Number((height - lowest).toPrecision(4))} m below the ground at z = ${height} m: take a ground height of ${lowest} or less, or raise the mesh`,
    )
  const isOn = Uint8Array.from({ length: vertices }, (_, v) => (p[3 * v + 2] <= height + tolerance ? 1 : 0))
  const kept: number[] = []
  for (let t = 0; t < triangles.length / 3; t++)
    if (!isOn[triangles[3 * t]] || !isOn[triangles[3 * t + 1]] || !isOn[triangles[3 * t + 2]]) kept.push(t)
  if (kept.length === 0)
    throw new InputError(`all facets lie on the ground at z = ${height} m: nothing of the target is above it`)
  const positions = new Float64Array(2 * p.length)
  positions.set(p)
  for (let v = 0; v < vertices; v++) {
    if (isOn[v]) positions[3 * v + 2] = height
    positions[3 * (vertices + v)] = p[3 * v]
    positions[3 * (vertices + v) + 1] = p[3 * v + 1]
    positions[3 * (vertices + v) + 2] = 2 * height - p[3 * v + 2]
  }
  const doubled = new Uint32Array(6 * kept.length)
  const image = (v: number): number => (isOn[v] ? v : vertices + v)
  kept.forEach((t, i) => {
    const to = 3 * (kept.length + i)
    for (let c = 0; c < 3; c++) doubled[3 * i + c] = triangles[3 * t + c]
    doubled[to] = image(triangles[3 * t])
    doubled[to + 1] = image(triangles[3 * t + 2])
    doubled[to + 2] = image(triangles[3 * t + 1])
  })
  return {
    ...mesh,
    positions,
    triangles: doubled,
    ...(facetGroup && {
      facetGroup: Uint32Array.from([...kept, ...kept], (t) => facetGroup[t]),
    }),
  }
}

/** 1 for each facet of the mirror image: those of the mesh `withMirrorImage` that lie below the plane. */
export function facetsBelow({ positions: p, triangles }: Mesh, height: number): Uint8Array {
  const z = (i: number): number => p[3 * triangles[i] + 2]
  return Uint8Array.from({ length: triangles.length / 3 }, (_, t) =>
    z(3 * t) + z(3 * t + 1) + z(3 * t + 2) < 3 * height ? 1 : 0,
  )
}

/** Of a mesh with its mirror image the facets above the ground, and so all of a mesh without a ground. */
export function withoutImage(mesh: Mesh & { facetMaterial?: Uint8Array }): typeof mesh {
  const { positions, triangles, rounding, ground, facetMaterial, facetGroup, groupNames } = mesh
  if (!ground) return mesh
  const below = facetsBelow(mesh, ground.height)
  const own = triangles.filter((_, i) => below[Math.floor(i / 3)] === 0)
  return {
    ...dropUnusedVertices({ positions, triangles: own, rounding }),
    ...(facetMaterial && { facetMaterial: facetMaterial.filter((_, t) => below[t] === 0) }),
    ...(facetGroup && { facetGroup: facetGroup.filter((_, t) => below[t] === 0), groupNames }),
  }
}
