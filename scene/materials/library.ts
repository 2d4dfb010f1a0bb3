import { type Band, highestFrequency } from '../band.js'
import { didYouMean, InputError } from '../errors.js'
import { groupsNamed, type Mesh } from '../mesh.js'
import { type Material, PERFECT_CONDUCTOR } from './material.js'
import type { Fit, Medium } from './medium.js'
import { slab } from './slab.js'

const fit = (low: number, high: number, a: number, b: number, c: number, d: number): Fit => ({
  a,
  b,
  c,
  d,
  low,
  high,
})

/** Table 3 of Recommendation ITU-R P.2040-3. */
const ITU: Record<string, Fit[]> = {
  vacuum: [fit(0.001, 100, 1, 0, 0, 0)],
  concrete: [fit(1, 100, 5.24, 0, 0.0462, 0.7822)],
  brick: [fit(1, 40, 3.91, 0, 0.0238, 0.16)],
  plasterboard: [fit(1, 100, 2.73, 0, 0.0085, 0.9395)],
  wood: [fit(0.001, 100, 1.99, 0, 0.0047, 1.0718)],
  glass: [fit(0.1, 100, 6.31, 0, 0.0036, 1.3394), fit(220, 450, 5.79, 0, 0.0004, 1.658)],
  'ceiling-board': [fit(1, 100, 1.48, 0, 0.0011, 1.075), fit(220, 450, 1.52, 0, 0.0029, 1.029)],
  chipboard: [fit(1, 100, 2.58, 0, 0.0217, 0.78)],
  plywood: [fit(1, 40, 2.71, 0, 0.33, 0)],
  marble: [fit(1, 60, 7.074, 0, 0.0055, 0.9262)],
  floorboard: [fit(50, 100, 3.66, 0, 0.0044, 1.3515)],
  metal: [fit(1, 100, 1, 0, 1e7, 0)],
  'very-dry-ground': [fit(1, 10, 3, 0, 0.00015, 2.52)],
  'medium-dry-ground': [fit(1, 10, 15, -0.1, 0.035, 1.63)],
  'wet-ground': [fit(1, 10, 30, -0.4, 0.15, 1.3)],
}

/** Media of Recommendation ITU-R P.2040-3. */
export const ITU_MEDIA: readonly Medium[] = Object.entries(ITU).map(([name, fits]) => ({ name, fits }))

/** A medium that needs no file, and where its figures are from. */
export interface BuiltIn {
  medium: Medium
  source: string
}

const constant = (name: string, eps: number, lossTangent: number, conductivity = 0): Medium => ({
  name,
  eps: [eps, 0 - eps * lossTangent],
  mu: [1, 0],
  conductivity,
})

/** Nominal media of radar targets, besides those of Recommendation ITU-R P.2040-3. */
const OTHERS: BuiltIn[] = [
  {
    medium: constant('ptfe', 2.08, 3.7e-4),
    source: 'A. von Hippel, Dielectric Materials and Applications, 1954: 10 GHz, 25 °C',
  },
  {
    medium: constant('fr4', 4.4, 0.02),
    source: 'nominal, 1 to 10 GHz; A. R. Djordjevic et al., IEEE Trans. EMC 43, 2001, 662-667',
  },
  {
    medium: constant('cfrp', 1, 0, 1e4),
    source:
      'carbon-fibre laminate, nominal conductivity in its plane, alike in all directions; compare C. L. Holloway et al., IEEE Trans. EMC 47, 2005, 833-844',
  },
  {
    medium: {
      name: 'magnetic-absorber',
      debye: {
        eps: { infinity: 15, low: 15, relaxationHz: 1e9 },
        mu: { infinity: 0, low: 25, relaxationHz: 3.5e9 },
      },
    },
    source: 'material 16 of E. Michielssen et al., IEEE Trans. MTT 41, 1993, 1024-1031',
  },
  {
    medium: {
      name: 'sea-water',
      debye: {
        eps: { infinity: 4.9, low: 72.474, relaxationHz: 17.506e9 },
        mu: { infinity: 1, low: 1, relaxationHz: 1e9 },
      },
      conductivity: 4.7883,
    },
    source: '20 °C, 35 g of salt in a kilogram; L. A. Klein, C. T. Swift, IEEE Trans. AP 25, 1977, 104-111',
  },
]

/** All media that need no file. */
export const BUILT_IN: readonly BuiltIn[] = [
  ...OTHERS,
  ...ITU_MEDIA.map((medium) => ({ medium, source: 'Recommendation ITU-R P.2040-3, table 3' })),
]

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

/** Most materials of a target. */
const MOST = 255

/**
 * The materials of a mesh's facets, those that are used, the perfect conductor first, and their numbers per facet; no numbers where
 * everything conducts. @throws InputError for more than 255 materials
 */
export function facetMaterials({ triangles, facetGroup, groupMaterials }: Mesh): {
  materials: Material[]
  facetMaterial?: Uint8Array
} {
  const materials = [PERFECT_CONDUCTOR]
  if (!groupMaterials) return { materials }
  const facetMaterial = new Uint8Array(triangles.length / 3)
  const ofGroup = new Map<number, number>()
  for (let t = 0; t < facetMaterial.length; t++) {
    const group = facetGroup ? facetGroup[t] : 0
    let number = ofGroup.get(group)
    if (number === undefined) {
      const material = groupMaterials[group]
      const known = materials.indexOf(material)
      number = material.kind === 'conductor' ? 0 : known > 0 ? known : materials.push(material) - 1
      ofGroup.set(group, number)
    }
    facetMaterial[t] = number
  }
  if (materials.length > MOST + 1)
    throw new InputError(`the target has ${materials.length - 1} materials; give it ${MOST} at most`)
  return materials.length > 1 ? { materials, facetMaterial } : { materials }
}

/** Frequencies of a band at which materials are tried: ends, and enough between them to meet every gap of the recommendations' fits. */
const TRIED = 65

/** @throws InputError for a material that is not given for all of the bands */
export function checkBands(materials: readonly Material[], bands: readonly Band[]): void {
  const out = new Float64Array(8)
  for (const material of materials)
    for (const band of bands) {
      const high = highestFrequency(band)
      for (let i = 0; i < TRIED; i++)
        slab(material, i === TRIED - 1 ? high : band.f0 + ((high - band.f0) * i) / (TRIED - 1), 1, out)
    }
}
