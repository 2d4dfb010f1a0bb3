import { basename, dirname, extname, resolve } from 'node:path'
import {
  FilesHash,
  type MaterialChoice,
  materialsKey,
  readMesh,
  readRegularFile,
  withSharedMaterials,
} from '../formats/index.js'
import type { Ground } from '../scene/ground/index.js'
import { facetCount, InputError, type Mesh, scaleMesh, splitGroup } from '../scene/index.js'
import { parseJson } from '../formats/described-json.js'
import { checkMotion, type MotionConfig, type MotionDescription } from './config.js'
import { type Motion, motionOf, readPoses, sampledPoses } from './poses.js'

/** A motion file with all that it names. */
export interface LoadedMotion {
  config: MotionConfig
  /** The motion file's name, or the mesh's, without folder and ending. */
  name: string
  motion: Motion
  /** Duration of the dwell, from the first sample to the last [s]. */
  duration: number
  /** Time of the first sample [s]; 0 where absent. */
  startS?: number
  /** What does not turn, as at time 0 [m]; without facets where everything turns. */
  body: Mesh
  /** Each part in its file's pose [m]. */
  parts: Mesh[]
  /** The ground under it. */
  ground?: Ground
  /** SHA-256 of all files named in it. */
  hash: string
  /** What identifies its materials and ground: nothing where it conducts, in free space. */
  materialsKey: string[]
}

/**
 * Reads a motion file, or takes what one holds, and the meshes and the table that it names.
 * @param choice  materials of its groups, and its ground; all conducts in free space where absent
 * @param folder  that files are relative to, for what is no file itself
 * @param radar   in place of the file's own
 * @throws InputError naming file and position
 */
export async function loadMotion(
  source: string | MotionDescription,
  choice: MaterialChoice = {},
  folder = '.',
  radar?: MotionDescription['radar'],
): Promise<LoadedMotion> {
  const seen = <T>(given: T): T => (radar ? { ...given, radar } : given)
  if (typeof source !== 'string')
    return openMotion(checkMotion(seen(source), 'motion'), choice, undefined, folder)
  const text = new TextDecoder().decode(await readRegularFile(source, 'a motion file (JSON)'))
  const config = checkMotion(seen(parseJson(text, source)), source)
  return openMotion(config, choice, stemOf(source), dirname(resolve(source)))
}

async function openMotion(
  config: MotionConfig,
  choice: MaterialChoice,
  name: string | undefined,
  folder: string,
): Promise<LoadedMotion> {
  const files = new FilesHash()
  const read = async (file: string): Promise<Mesh> =>
    scaleMesh(await readMesh(resolve(folder, file), files), config.units)
  const own = [await read(config.mesh)]
  for (const { mesh } of config.parts) if (mesh !== undefined) own.push(await read(mesh))
  const { meshes, ground } = await withSharedMaterials(own, choice)
  const { groupMaterials } = meshes[0]
  let [body] = meshes
  const ofFiles = meshes.slice(1).values()
  const parts = config.parts.map(({ group }): Mesh => {
    if (group === undefined) return ofFiles.next().value!
    const { part, remainder } = splitGroup(body, group)
    if (facetCount(part) === 0) throw new InputError(`${config.mesh}: two parts take the group "${group}"`)
    body = remainder
    return part
  })
  const { freqHz, pulses, prfHz, waveform } = config.radar
  const instants = waveform === 'stepped' ? pulses * freqHz.length : pulses
  const duration = (instants - 1) / prfHz
  const { table } = config.motion
  const poses =
    typeof table === 'string'
      ? await readPoses(resolve(folder, table), duration, files)
      : table && sampledPoses(table, duration, instants)
  return {
    config,
    name: name ?? stemOf(config.mesh),
    motion: motionOf(config, poses),
    duration,
    body,
    parts,
    ...(ground && { ground }),
    hash: files.sha256,
    materialsKey: materialsKey({
      facetMaterial: groupMaterials && new Uint8Array(0),
      groupMaterials,
      ground,
    }),
  }
}

/** Name of a file without folder and ending. */
const stemOf = (path: string): string => basename(path, extname(path))
