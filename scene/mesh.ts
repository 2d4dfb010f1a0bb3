import type { Vec3 } from './direction.js'
import { didYouMean, InputError } from './errors.js'
import type { Ground } from './ground/ground.js'
import { type Material, PERFECT_CONDUCTOR } from './materials/material.js'

/** A triangle mesh as read from a file or made by a generator. Facets are oriented counter-clockwise seen from outside. */
export interface Mesh {
  /** 3V coordinates, x y z of each vertex [m] (in file units until scaled). */
  positions: Float64Array
  /** 3T vertex numbers, three per facet. */
  triangles: Uint32Array
  /** Group (object, material) number of each facet, T long; absent where the file has none. */
  facetGroup?: Uint32Array
  /** Names of the groups, by number. */
  groupNames?: string[]
  /** Material of each group, by number (of all facets where there are no groups); absent: everything conducts. */
  groupMaterials?: Material[]
  /** The ground under it; absent in free space. Of a target: its mirror image is part of the mesh. */
  ground?: Ground
  /** Rounding error of coordinates in the file's number format [m] (in file units until scaled); absent for double precision. */
  rounding?: number
  /** Largest distance of facets from the surfaces of the file that they stand for [m] (in file units until scaled); absent where it has facets. */
  sagitta?: number
  /** What the file has besides and is not read, e.g. "beams (12)"; absent where all is. */
  leftOut?: string
}

/** The remark on what a file has besides the mesh, where it has anything. */
export const leftOutRemarks = ({ leftOut }: Mesh): string[] =>
  leftOut ? [`not read from the file: ${leftOut}`] : []

/** Relative rounding error of single precision. */
export const SINGLE_ROUNDING = 2 ** -24

/** Rounding error of coordinates stored in single precision, in their unit. */
export function singleRounding(positions: ArrayLike<number>): number {
  let largest = 0
  for (let i = 0; i < positions.length; i++) {
    const size = Math.abs(positions[i])
    if (size > largest) largest = size
  }
  return SINGLE_ROUNDING * largest
}

export const facetCount = (mesh: Mesh): number => mesh.triangles.length / 3

/** Axis-aligned bounding box, [x y z] of both corners [m]. */
export interface Box {
  min: [number, number, number]
  max: [number, number, number]
}

/** Bounding box of the vertices used by facets; infinite bounds (min > max) for a mesh without facets. */
export function boundingBox({ positions: p, triangles }: Mesh): Box {
  const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] }
  const { min, max } = box
  for (let i = 0; i < triangles.length; i++) {
    const v = 3 * triangles[i]
    const x = p[v]
    const y = p[v + 1]
    const z = p[v + 2]
    if (x < min[0]) min[0] = x
    if (y < min[1]) min[1] = y
    if (z < min[2]) min[2] = z
    if (x > max[0]) max[0] = x
    if (y > max[1]) max[1] = y
    if (z > max[2]) max[2] = z
  }
  return box
}

/** Length of a box's diagonal [m]. */
export const diagonalOf = ({ min, max }: Box): number =>
  Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])

/**
 * Throws InputError unless every coordinate is finite, every vertex number names a vertex, and the arrays' lengths fit.
 * Vertices and facets are numbered from 0 in the messages.
 */
export function checkMesh(mesh: Mesh): void {
  const { positions, triangles, facetGroup } = mesh
  if (positions.length % 3 !== 0)
    throw new InputError(`the mesh has ${positions.length} coordinates, which is not three per vertex`)
  if (triangles.length % 3 !== 0)
    throw new InputError(`the mesh has ${triangles.length} vertex numbers, which is not three per facet`)
  if (facetGroup && facetGroup.length !== triangles.length / 3)
    throw new InputError(`the mesh has ${triangles.length / 3} facets but ${facetGroup.length} group numbers`)
  const odd = firstNotFinite(positions)
  if (odd >= 0)
    throw new InputError(
      `coordinate ${'xyz'[odd % 3]} of vertex ${Math.floor(odd / 3)} is ${positions[odd]}, not a finite number; repair the mesh`,
    )
  const vertices = positions.length / 3
  const wrong = firstFrom(triangles, vertices)
  if (wrong >= 0)
    throw new InputError(
      `facet ${Math.floor(wrong / 3)} uses vertex ${triangles[wrong]}, but the mesh has ${vertices} vertices (numbered from 0)`,
    )
}

function firstNotFinite(numbers: Float64Array): number {
  // x - x is 0 for finite numbers only.
  for (let i = 0; i < numbers.length; i++) if (!(numbers[i] - numbers[i] === 0)) return i
  return -1
}

function firstFrom(numbers: Uint32Array, least: number): number {
  for (let i = 0; i < numbers.length; i++) if (numbers[i] >= least) return i
  return -1
}

/** Whether a group is meant by a name: its own, or that of its object, its group or its material ("object/group/material"). */
export const isGroup = (group: string, name: string): boolean =>
  group === name || group.split('/').includes(name)

/** Groups that a message lists. */
const LISTED = 8

/**
 * Numbers of the groups that a name means (`isGroup`). @param what  begins the message, like `mesh.obj`
 * @throws InputError, naming the groups there are, where it means none
 */
export function groupsNamed(groupNames: readonly string[] | undefined, name: string, what: string): number[] {
  const groups = groupNames ?? []
  const found = groups.flatMap((group, i) => (isGroup(group, name) ? [i] : []))
  if (found.length > 0) return found
  if (groups.length === 0) throw new InputError(`${what} has no groups, and none named "${name}"`)
  const parts = groups.flatMap((group) => [group, ...group.split('/')])
  const more = groups.length > LISTED ? ` and ${groups.length - LISTED} more` : ''
  throw new InputError(
    `${what} has no group "${name}"${didYouMean(name, parts)}; it has ${groups.slice(0, LISTED).join(', ')}${more}`,
  )
}

/** Metres in one length unit of a mesh file. */
export const UNITS = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048 } as const

/** A length unit of a mesh file. */
export type Unit = keyof typeof UNITS

/** The mesh in metres, from one in `unit`. Shares facets and groups with the input; the positions are new. */
export const scaleMesh = (mesh: Mesh, unit: Unit): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => x * UNITS[unit]),
  ...(mesh.rounding !== undefined && { rounding: mesh.rounding * UNITS[unit] }),
  ...(mesh.sagitta !== undefined && { sagitta: mesh.sagitta * UNITS[unit] }),
})

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
