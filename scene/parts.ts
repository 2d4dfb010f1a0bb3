import type { Vec3 } from './direction.js'
import { groupsNamed } from './groups.js'
import { type Material, PERFECT_CONDUCTOR } from './materials/material.js'
import { facetCount, type Mesh } from './mesh.js'

/** A rotation of a part by the right-hand rule about an axis through a point [m, degrees]; the axis is of any length. */
export interface PartTurn {
  pivot: Vec3
  axis: Vec3
  angleDeg: number
}

/** Rotation by `deg` about a unit axis, right-handed (Rodrigues). */
export function rotation([x, y, z]: Vec3, deg: number): number[] {
  const a = (deg * Math.PI) / 180
  const [c, s] = [Math.cos(a), Math.sin(a)]
  const t = 1 - c
  return [
    t * x * x + c,
    t * x * y - s * z,
    t * x * z + s * y,
    t * x * y + s * z,
    t * y * y + c,
    t * y * z - s * x,
    t * x * z - s * y,
    t * y * z + s * x,
    t * z * z + c,
  ]
}

/** Points about `centre` times the matrix (row-major), and back. */
export function transformed(positions: Float64Array, matrix: number[], centre: Vec3): Float64Array {
  const out = new Float64Array(positions.length)
  for (let i = 0; i < positions.length; i += 3) {
    const d = [0, 1, 2].map((a) => positions[i + a] - centre[a])
    for (let a = 0; a < 3; a++)
      out[i + a] = centre[a] + matrix[3 * a] * d[0] + matrix[3 * a + 1] * d[1] + matrix[3 * a + 2] * d[2]
  }
  return out
}

/** Both meshes as one; their groups stay apart where one has materials, and are left out where all conducts. */
export function joinMeshes(a: Mesh, b: Mesh): Mesh {
  const positions = new Float64Array(a.positions.length + b.positions.length)
  positions.set(a.positions)
  positions.set(b.positions, a.positions.length)
  const triangles = new Uint32Array(a.triangles.length + b.triangles.length)
  triangles.set(a.triangles)
  const offset = a.positions.length / 3
  b.triangles.forEach((v, i) => (triangles[a.triangles.length + i] = v + offset))
  return {
    positions,
    triangles,
    ...((a.groupMaterials ?? b.groupMaterials) && joinedGroups(a, b)),
    ...roundingOf(Math.max(a.rounding ?? -1, b.rounding ?? -1)),
  }
}

/** Groups of the first mesh, then those of the second; without groups they are `body` and `part`. */
export function joinedGroups(
  a: Mesh,
  b: Mesh,
): Required<Pick<Mesh, 'facetGroup' | 'groupNames' | 'groupMaterials'>> {
  const facetGroup = new Uint32Array(facetCount(a) + facetCount(b))
  const groupNames: string[] = []
  const groupMaterials: Material[] = []
  let at = 0
  for (const [mesh, own] of [
    [a, 'body'],
    [b, 'part'],
  ] as const) {
    const first = groupNames.length
    const names = (mesh.facetGroup && mesh.groupNames) ?? [own]
    for (let t = 0; t < facetCount(mesh); t++) facetGroup[at++] = first + (mesh.facetGroup?.[t] ?? 0)
    names.forEach((name, g) => {
      groupNames.push(name)
      groupMaterials.push(mesh.groupMaterials?.[g] ?? PERFECT_CONDUCTOR)
    })
  }
  return { facetGroup, groupNames, groupMaterials }
}

/** `Mesh.rounding` where there is one (0 or more). */
export const roundingOf = (rounding: number): Pick<Mesh, 'rounding'> => (rounding >= 0 ? { rounding } : {})

/** The facets of a named group, and all others. @throws InputError naming the groups there are */
export function splitGroup(mesh: Mesh, name: string): { part: Mesh; remainder: Mesh } {
  const groups = new Set(groupsNamed(mesh.facetGroup && mesh.groupNames, name, 'the mesh'))
  const of = (inside: boolean): Mesh => {
    const triangles: number[] = []
    const facetGroup: number[] = []
    for (let t = 0; t < facetCount(mesh); t++)
      if (groups.has(mesh.facetGroup![t]) === inside) {
        triangles.push(...mesh.triangles.subarray(3 * t, 3 * t + 3))
        facetGroup.push(mesh.facetGroup![t])
      }
    const { positions, groupNames, groupMaterials, rounding = -1 } = mesh
    return {
      positions,
      triangles: Uint32Array.from(triangles),
      facetGroup: Uint32Array.from(facetGroup),
      groupNames,
      ...(groupMaterials && { groupMaterials }),
      ...roundingOf(rounding),
    }
  }
  return { part: of(true), remainder: of(false) }
}

/** A part rotated about its axis. */
export function rotatePart(part: Mesh, { pivot, axis, angleDeg }: PartTurn): Mesh {
  const length = Math.hypot(...axis)
  const matrix = rotation(axis.map((x) => x / length) as Vec3, angleDeg)
  return { ...part, positions: transformed(part.positions, matrix, pivot) }
}
