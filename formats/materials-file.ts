import { basename, dirname, resolve } from 'node:path'
import { InputError } from '../scene/index.js'
import type { Layer, Material, MaterialLibrary, Medium, ShuntSheet } from '../scene/materials/index.js'
import { mediumNamed } from '../scene/materials/index.js'
import { describeIssues, parseJson } from './described-json.js'
import { LEAST, mediumOf } from './described-medium.js'
import type { FilesHash } from './files-hash.js'
import type { LayeredMediumGiven } from './layered-schema.js'
import { layeredMaterial, mediumOfValues } from './layered-materials.js'
import {
  type ItemDescription,
  type MaterialDescription,
  materialsSchema,
  type MediumDescription,
} from './materials-schema.js'
import { expressionsIn } from './schema-numbers.js'
import { readRegularFile } from './regular-file.js'
import { readPlainTable, readReflectionTable } from './reflection-csv.js'

/** Reads a materials file and the tables that it names. @param files  takes all of them @throws InputError for anything wrong in them */
export async function readMaterials(path: string, files: FilesHash): Promise<MaterialLibrary> {
  const bytes = await readRegularFile(path, 'a materials file')
  files.add(bytes)
  const name = basename(path)
  return openMaterials(parseJson(new TextDecoder().decode(bytes), name), name, dirname(resolve(path)), files)
}

/**
 * Media and materials of a description. @param name  of it, in messages
 * @param folder  that tables are named relative to
 * @throws InputError for anything wrong in it
 */
export async function openMaterials(
  description: unknown,
  name: string,
  folder: string,
  files: FilesHash,
): Promise<MaterialLibrary> {
  const { data, error } = materialsSchema.safeParse(description)
  if (!data) throw new InputError(`${name}: ${describeIssues(materialsSchema, error.issues)}`)
  const written = expressionsIn(description, data) ?? {}
  const writtenIn = (place: string): { written?: Record<string, string> } => {
    const own = Object.entries(written).filter(([at]) => at.startsWith(`${place}.`))
    return own.length > 0 ? { written: Object.fromEntries(own) } : {}
  }
  const media = new Map<string, Medium>()
  for (const [key, given] of Object.entries(data.media)) {
    const at = `${name}: media.${key}`
    media.set(key, {
      ...(isLayered(given) ? mediumOfValues(given, at) : mediumOf(given, at)),
      name: key,
      ...writtenIn(`media.${key}`),
    })
  }
  const materials = new Map<string, Material>()
  for (const [key, given] of Object.entries(data.materials))
    materials.set(key, {
      ...(await materialOf(given, key, `${name}: materials.${key}`, media, folder, files)),
      ...writtenIn(`materials.${key}`),
    })
  return { media, materials, groups: new Map(Object.entries(data.groups)), standard: data.default }
}

/** Whether a medium is given by `eps_r` and the other keys of layers. */
const isLayered = (given: MediumDescription | LayeredMediumGiven): given is LayeredMediumGiven =>
  !('active' in given)

async function materialOf(
  given: MaterialDescription,
  name: string,
  at: string,
  media: ReadonlyMap<string, Medium>,
  folder: string,
  files: FilesHash,
): Promise<Material> {
  const stackOf = (items: ItemDescription[], key: string): (Layer | ShuntSheet)[] =>
    items.map((item, i) => itemOf(item, `${at}.${key}.${i}`, media))
  if ('layers' in given || 'surface_impedance_ohm' in given || 'sheet_impedance_ohm' in given)
    return { name, ...layeredMaterial(given, at, media) }
  if ('table' in given) {
    const path = resolve(folder, given.table)
    if (!('p_convention' in given)) return { name, ...(await readPlainTable(path, given, at, files)) }
    return { name, ...(await readReflectionTable(path, given, at, files)) }
  }
  if ('sheet' in given) return { name, kind: 'sheet', stack: stackOf(given.sheet, 'sheet') }
  if ('surface_impedance' in given) {
    const backing = impedanceOf(given.surface_impedance, `${at}.surface_impedance`)
    return { name, kind: 'opaque', stack: [], backing, facet: 'outer', sides: 'both' }
  }
  const { facet } = given
  const stack = stackOf(given.coating, 'coating')
  if ('half_space' in given) {
    const backing = namedOrOwn(given.half_space, `${at}.half_space`, media)
    return { name, kind: 'opaque', stack, backing, facet, sides: 'both' }
  }
  return { name, kind: 'opaque', stack, backing: 'conductor', facet, sides: given.sides }
}

function itemOf(item: ItemDescription, at: string, media: ReadonlyMap<string, Medium>): Layer | ShuntSheet {
  if ('thickness_m' in item) {
    const medium = 'medium' in item ? namedOrOwn(item.medium, at, media) : mediumOf(item, at)
    return { medium, thickness: item.thickness_m }
  }
  const sheet = impedanceOf(item, at)
  if (Math.hypot(item.resistance_ohm, item.reactance_ohm) < LEAST)
    throw new InputError(`${at}: a sheet of 0 ohm is metal; give resistance_ohm or reactance_ohm`)
  return sheet
}

const namedOrOwn = (
  given: string | Omit<MediumDescription, 'description'>,
  at: string,
  media: ReadonlyMap<string, Medium>,
): Medium => (typeof given === 'string' ? mediumNamed(given, media, at) : mediumOf(given, at))

function impedanceOf(
  given: { resistance_ohm: number; reactance_ohm: number; active: boolean },
  at: string,
): ShuntSheet {
  const { resistance_ohm, reactance_ohm, active } = given
  if (resistance_ohm < 0 && !active)
    throw new InputError(
      `${at}: resistance_ohm is ${resistance_ohm}, a gain; give 0 or more, or "active": true if that is meant`,
    )
  return { impedance: [resistance_ohm, reactance_ohm] }
}
