import { createHash } from 'node:crypto'
import { InputError, type Mesh, type Target } from '../scene/index.js'
import type { Assignment, MaterialLibrary } from '../scene/materials/index.js'
import { FilesHash } from './files-hash.js'
import type { MaterialsDescription } from './materials-schema.js'

/** What a target's facets are made of, as settings say it. */
export interface MaterialChoice {
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

/** The mesh with the materials that are chosen for it. @throws InputError for unknown groups and materials, and a wrong file */
export async function withMaterials(mesh: Mesh, { material = [], materials }: MaterialChoice): Promise<Mesh> {
  if (material.length === 0 && materials === undefined) return mesh
  const library = await libraryOf(materials)
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

/** What identifies the materials of a target in keys; nothing where everything conducts. */
export const materialsKey = ({
  facetMaterial,
  groupMaterials,
}: Pick<Target, 'facetMaterial' | 'groupMaterials'>): string[] =>
  facetMaterial ? [createHash('sha256').update(JSON.stringify(groupMaterials)).digest('hex')] : []
