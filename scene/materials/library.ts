import { InputError } from '../errors.js'
import { groupsNamed } from '../groups.js'
import type { Mesh } from '../mesh.js'
import { didYouMean } from '../near-name.js'
import { BUILT_IN } from './built-in.js'
import { type Material, PERFECT_CONDUCTOR } from './material.js'
import type { Medium } from './medium.js'

/** Named media and materials of a user, besides those that are built in, and what the groups of a mesh are made of. */
export interface MaterialLibrary {
  media: ReadonlyMap<string, Medium>
  materials: ReadonlyMap<string, Material>
  /** Names of materials by groups, and of all other facets. */
  groups: ReadonlyMap<string, string>
  standard?: string
}

export const NO_LIBRARY: MaterialLibrary = { media: new Map(), materials: new Map(), groups: new Map() }

/** Lengths that may stand behind a medium's name [m]. */
const LENGTHS: Record<string, number> = { m: 1, cm: 1e-2, mm: 1e-3, um: 1e-6 }

/** A medium by its name, a user's before a built-in one. @param what  begins the message @throws InputError for an unknown name */
export function mediumNamed(name: string, media: ReadonlyMap<string, Medium>, what: string): Medium {
  const found = media.get(name) ?? BUILT_IN.find(({ medium }) => medium.name === name)?.medium
  if (found) return found
  throw new InputError(
    `${what}: there is no medium "${name}"${didYouMean(name, [...media.keys(), ...builtInNames])}`,
  )
}

const builtInNames = BUILT_IN.map(({ medium }) => medium.name)

/**
 * A material by its name: `conductor`; one of the library; a medium, of which it is a half-space; or a medium and a thickness, like
 * `glass:4mm`, of which it is a sheet.
 * @param what  begins the message
 * @throws InputError for an unknown name
 */
export function materialNamed(name: string, library: MaterialLibrary, what: string): Material {
  if (name === PERFECT_CONDUCTOR.name || name === 'pec') return PERFECT_CONDUCTOR
  const known = library.materials.get(name)
  if (known) return known
  const [, medium = name, thickness, unit] = /^(.+):([\d.]+(?:e[+-]?\d+)?) *(m|cm|mm|um)$/i.exec(name) ?? []
  const own = library.media.get(medium) ?? BUILT_IN.find((b) => b.medium.name === medium)?.medium
  if (own && thickness) {
    const layer = { medium: own, thickness: Number(thickness) * LENGTHS[unit.toLowerCase()] }
    if (layer.thickness > 0) return { name, kind: 'sheet', stack: [layer] }
  } else if (own) return { name, kind: 'opaque', stack: [], backing: own, facet: 'outer', sides: 'both' }
  const names = [
    PERFECT_CONDUCTOR.name,
    ...library.materials.keys(),
    ...library.media.keys(),
    ...builtInNames,
  ]
  throw new InputError(
    `${what}: there is no material "${name}"${didYouMean(medium, names)}; isar materials list names those that are built in`,
  )
}

/** The material of one group, or of all facets that nothing else is said about. */
export interface Assignment {
  group?: string
  material: string
}

/**
 * The mesh with a material for each of its groups. Those that are assigned by the caller come before those of the library, later ones
 * before earlier ones.
 * @param nameOf  how messages write an assignment
 * @throws InputError for an unknown group or material
 */
export function assignMaterials(
  mesh: Mesh,
  assignments: readonly Assignment[],
  library: MaterialLibrary,
  nameOf: (assignment: Assignment) => string,
): Mesh {
  const standard = assignments.findLast(({ group }) => group === undefined)
  const others = [...Array.from(library.groups, ([group, material]) => ({ group, material })), ...assignments]
  const first = standard ?? (library.standard === undefined ? undefined : { material: library.standard })
  // One object for each name: facets of equal names have the same material.
  const known = new Map<string, Material>()
  const materialOf = (assignment: Assignment): Material => {
    const { material: name } = assignment
    if (!known.has(name)) known.set(name, materialNamed(name, library, nameOf(assignment)))
    return known.get(name)!
  }
  const given = first ? materialOf(first) : PERFECT_CONDUCTOR
  const count = mesh.facetGroup ? (mesh.groupNames?.length ?? 1) : 1
  const groupMaterials = Array.from({ length: count }, () => given)
  for (const assignment of others) {
    if (assignment.group === undefined) continue
    const material = materialOf(assignment)
    for (const g of groupsNamed(
      mesh.facetGroup && mesh.groupNames,
      assignment.group,
      `${nameOf(assignment)}: the mesh`,
    ))
      groupMaterials[g] = material
  }
  return { ...mesh, groupMaterials }
}
