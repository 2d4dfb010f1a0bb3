import { boundingBox, facetCount, groupsNamed, type Mesh, type Vec3 } from '../scene/index.js'
import { type Material, PERFECT_CONDUCTOR } from '../scene/materials/index.js'
import { PURPOSE, Random } from './random.js'

export interface PartTurn {
  pivot: Vec3
  axis: Vec3
  angleDeg: number
}

export interface Perturbation {
  scale: number
  facetM: number
  tiltDeg: number
}

/** Rotation by `deg` about a unit axis, right-handed (Rodrigues). */
function rotation([x, y, z]: Vec3, deg: number): number[] {
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
function transformed(positions: Float64Array, matrix: number[], centre: Vec3): Float64Array {
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
const roundingOf = (rounding: number): Pick<Mesh, 'rounding'> => (rounding >= 0 ? { rounding } : {})

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
      ...(groupMaterials && { facetGroup: Uint32Array.from(facetGroup), groupNames, groupMaterials }),
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

/** The target scaled about its mesh's origin. */
export const scaled = (mesh: Mesh, factor: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => factor * x),
  ...roundingOf(factor * (mesh.rounding ?? -1)),
})

/** The target rotated about the vertical through `centre`. */
export const yawed = (mesh: Mesh, yawDeg: number, centre: Vec3): Mesh =>
  yawDeg === 0
    ? mesh
    : { ...mesh, positions: transformed(mesh.positions, rotation([0, 0, 1], yawDeg), centre) }

/** Middle of the box [m]. */
export function middle(mesh: Mesh): Vec3 {
  const { min, max } = boundingBox(mesh)
  return [0, 1, 2].map((a) => (min[a] + max[a]) / 2) as Vec3
}

/** Longest distance of two points of the box [m]. */
export function boxDiameter(mesh: Mesh): number {
  const { min, max } = boundingBox(mesh)
  return Math.hypot(...[0, 1, 2].map((a) => max[a] - min[a]))
}

/**
 * A perturbed copy: vertices moved along their normals (coincident ones together, so that a closed surface stays
 * closed), the whole scaled about `centre` and tilted in roll (about x) and pitch (about y). `target` and `copy` say which
 * random numbers.
 */
export function perturbed(
  mesh: Mesh,
  { scale, facetM, tiltDeg }: Perturbation,
  centre: Vec3,
  seed: number,
  target: number,
  copy: number,
): Mesh {
  if (scale === 0 && facetM === 0 && tiltDeg === 0) return mesh
  const random = new Random(seed, PURPOSE.copy, target, copy)
  const factor = Math.max(0.1, 1 + scale * random.normal())
  const roll = rotation([1, 0, 0], tiltDeg * random.normal())
  const pitch = rotation([0, 1, 0], tiltDeg * random.normal())
  let { positions } = mesh
  if (facetM > 0) positions = roughened(mesh, facetM, random)
  const d = [factor, 0, 0, 0, factor, 0, 0, 0, factor]
  for (const matrix of [d, roll, pitch]) positions = transformed(positions, matrix, centre)
  return { ...mesh, positions }
}

function roughened({ positions, triangles }: Mesh, sigma: number, random: Random): Float64Array {
  // Files without shared vertices repeat positions.
  const points = new Map<string, number>()
  const pointOf = new Int32Array(positions.length / 3)
  for (let v = 0; v < pointOf.length; v++) {
    const key = `${positions[3 * v]},${positions[3 * v + 1]},${positions[3 * v + 2]}`
    if (!points.has(key)) points.set(key, points.size)
    pointOf[v] = points.get(key)!
  }
  const normals = new Float64Array(3 * points.size)
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]]
    const u = [0, 1, 2].map((i) => positions[b + i] - positions[a + i])
    const v = [0, 1, 2].map((i) => positions[c + i] - positions[a + i])
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    for (let corner = 0; corner < 3; corner++)
      for (let i = 0; i < 3; i++) normals[3 * pointOf[triangles[t + corner]] + i] += n[i]
  }
  const shift = Float64Array.from({ length: points.size }, () => sigma * random.normal())
  return positions.map((x, i) => {
    const p = pointOf[Math.floor(i / 3)]
    const length = Math.hypot(normals[3 * p], normals[3 * p + 1], normals[3 * p + 2])
    return length > 0 ? x + (shift[p] * normals[3 * p + (i % 3)]) / length : x
  })
}
