import { createHash } from 'node:crypto'
import { facetCount, InputError, joinedGroups, joinMeshes, type Mesh, type Target } from '../scene/index.js'
import type { Ground } from '../scene/ground/index.js'
import type { Assignment, MaterialLibrary } from '../scene/materials/index.js'
import { FilesHash } from './files-hash.js'
import type { MaterialsDescription } from './materials-schema.js'

/** A ground as settings say it. */
export interface GroundChoice {
  /** A material's name; no ground where absent. */
  ground?: string
  /** z of the plane [m]; default 0. */
  groundHeight?: number
  /** rms height of its irregularities [m]; default 0. */
  groundRoughness?: number
}

/** What a target's facets are made of, and the ground under it, as settings say it. */
export interface MaterialChoice extends GroundChoice {
  /** `GROUP=MATERIAL`, or `MATERIAL` for all facets that nothing else is said about. */
  material?: readonly string[]
  /** Path of a materials file, or what one holds. */
  materials?: string | MaterialsDescription
}

/** Media and materials of a file or description. @throws InputError for anything wrong in it */
export async function libraryOf(materials: MaterialChoice['materials']): Promise<MaterialLibrary> {
  if (materials === undefined) return (await import('../scene/materials/index.js')).NO_LIBRARY
  // Loaded on demand: its schema takes a while.
  const { openMaterials, readMaterials } = await import('./materials-file.js')
  if (typeof materials === 'string') return readMaterials(materials, new FilesHash())
  return openMaterials(materials, 'materials', '.', new FilesHash())
}

/** The mesh with the materials and the ground that are chosen for it. @throws InputError for unknown groups and materials, and a wrong file */
export async function withMaterials(mesh: Mesh, choice: MaterialChoice): Promise<Mesh> {
  const { material = [], materials, ground } = choice
  if (material.length === 0 && materials === undefined && ground === undefined) return mesh
  const library = await libraryOf(materials)
  const made =
    material.length === 0 && materials === undefined ? mesh : await assigned(mesh, material, library)
  if (ground === undefined) return made
  const { materialNamed } = await import('../scene/materials/index.js')
  const under = materialNamed(ground, library, 'ground')
  if (under.kind === 'sheet')
    throw new InputError(
      `ground: "${ground}" is a sheet that waves pass through; take a medium, of which the ground is a half-space, or a material with "coating", "half_space" or "surface_impedance"`,
    )
  const { groundHeight: height = 0, groundRoughness: roughness = 0 } = choice
  return { ...made, ground: { material: under, height, roughness } }
}

/**
 * Meshes of one target, each with its facets' materials: a group may be in any of them.
 * @throws InputError as `withMaterials`
 */
export async function withSharedMaterials(
  meshes: Mesh[],
  choice: MaterialChoice,
): Promise<{ meshes: Mesh[]; ground?: Ground }> {
  const whole = meshes.reduce((a, b): Mesh => {
    const { facetGroup, groupNames } = joinedGroups(a, b)
    return { ...joinMeshes(a, b), facetGroup, groupNames }
  })
  const { facetGroup, groupNames, groupMaterials, ground } = await withMaterials(whole, choice)
  let at = 0
  return {
    meshes: groupMaterials
      ? meshes.map((mesh) => ({
          ...mesh,
          facetGroup: facetGroup?.slice(at, (at += facetCount(mesh))),
          groupNames,
          groupMaterials,
        }))
      : meshes,
    ...(ground && { ground }),
  }
}

async function assigned(mesh: Mesh, material: readonly string[], library: MaterialLibrary): Promise<Mesh> {
  const { assignMaterials } = await import('../scene/materials/index.js')
  const given = material.map(parseAssignment)
  return assignMaterials(mesh, given, library, (assignment) => {
    const at = given.indexOf(assignment)
    return at < 0 ? 'materials' : `material ${material[at]}`
  })
}

function parseAssignment(text: string): Assignment {
  const at = text.lastIndexOf('=')
  const [group, material] = at < 0 ? [undefined, text] : [text.slice(0, at).trim(), text.slice(at + 1)]
  if (group === '' || material.trim() === '')
    throw new InputError(`material "${text}": write GROUP=MATERIAL, or MATERIAL for the whole target`)
  return { ...(group !== undefined && { group }), material: material.trim() }
}

/** What identifies the materials of a target and its ground in keys; nothing where everything conducts in free space. */
export const materialsKey = ({
  facetMaterial,
  groupMaterials,
  ground,
}: Pick<Target, 'facetMaterial' | 'groupMaterials' | 'ground'>): string[] => [
  ...(facetMaterial ? [hashOf(groupMaterials)] : []),
  ...(ground ? [hashOf(ground)] : []),
]

const hashOf = (data: unknown): string => createHash('sha256').update(JSON.stringify(data)).digest('hex')
