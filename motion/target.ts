import { basename, dirname, extname, resolve } from 'node:path'
import { FilesHash, readMesh, readRegularFile } from '../formats/index.js'

import { facetCount, InputError, type Mesh, scaleMesh, splitGroup } from '../scene/index.js'
import { checkMotion, type MotionConfig, type MotionDescription, parseMotion } from './config.js'
import { type Motion, motionOf, readPoses } from './poses.js'

/** A motion file with all that it names. */
export interface LoadedMotion {
  config: MotionConfig
  /** The motion file's name, or the mesh's, without folder and ending. */
  name: string
  motion: Motion
  /** Duration of the dwell, from the first sample to the last [s]. */
  duration: number
  /** What does not turn, as at time 0 [m]; without facets where everything turns. */
  body: Mesh
  /** Each part in its file's pose [m]. */
  parts: Mesh[]
  /** SHA-256 of all files named in it. */
  hash: string
}

/**
 * Reads a motion file, or takes what one holds, and the meshes and the table that it names.
 * @param folder  that files are relative to, for what is no file itself
 * @throws InputError naming file and position
 */
export async function loadMotion(source: string | MotionDescription, folder = '.'): Promise<LoadedMotion> {
  if (typeof source !== 'string') return openMotion(checkMotion(source, 'motion'), undefined, folder)
  const text = (await readRegularFile(source, 'a motion file (JSON)')).toString()
  return openMotion(parseMotion(text, source), stemOf(source), dirname(resolve(source)))
}

async function openMotion(
  config: MotionConfig,
  name: string | undefined,
  folder: string,
): Promise<LoadedMotion> {
  const files = new FilesHash()
  const read = async (file: string): Promise<Mesh> =>
    scaleMesh(await readMesh(resolve(folder, file), files), config.units)
  let body = await read(config.mesh)
  const parts: Mesh[] = []
  for (const { group, mesh } of config.parts) {
    if (mesh !== undefined) {
      parts.push(await read(mesh))
      continue
    }
    const { part, remainder } = splitGroup(body, group!)
    if (facetCount(part) === 0) throw new InputError(`${config.mesh}: two parts take the group "${group}"`)
    parts.push(part)
    body = remainder
  }
  const { freqHz, pulses, prfHz, waveform } = config.radar
  const instants = waveform === 'stepped' ? pulses * freqHz.length : pulses
  const duration = (instants - 1) / prfHz
  const { table } = config.motion
  const poses = table === undefined ? undefined : await readPoses(resolve(folder, table), duration, files)
  return {
    config,
    name: name ?? stemOf(config.mesh),
    motion: motionOf(config, poses),
    duration,
    body,
    parts,
    hash: files.sha256,
  }
}

/** Name of a file without folder and ending. */
const stemOf = (path: string): string => basename(path, extname(path))
