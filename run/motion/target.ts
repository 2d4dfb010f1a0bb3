import { basename, dirname, extname, resolve } from 'node:path'
import { parseJson } from '../../formats/described-json.js'
import {
  FilesHash,
  type MaterialChoice,
  materialsKey,
  readMesh,
  readRegularFile,
  withSharedMaterials,
} from '../../formats/index.js'
import type { Ground } from '../../scene/ground/index.js'
import {
  type Aspect,
  direction,
  dot,
  facetCount,
  InputError,
  type Mesh,
  scaleMesh,
  splitGroup,
  type Vec3,
} from '../../scene/index.js'
import { checkMotion, type MotionConfig, type MotionDescription } from './config.js'
import { type Motion, motionOf, readPoses, rotated, rotatedBack } from './poses.js'

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
    typeof table === 'string' ? await readPoses(resolve(folder, table), duration, files) : undefined
  const motion = motionOf(config, poses)
  // A function without a value at a pulse is refused before anything is solved.
  if (typeof table === 'object') for (let p = 0; p < pulses; p++) motion.at((p * instants) / pulses / prfHz)
  return {
    config,
    name: name ?? stemOf(config.mesh),
    motion,
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

/** How the radar sees a mesh, in that mesh's axes: direction to the radar, and the world's V and H there. */
export interface Sight {
  r: Vec3
  v: Vec3
  h: Vec3
}

/** Time of a sample [s]. @param index  of the frequency, which counts with stepped waveforms alone */
export function timeOf(
  { config: { radar }, startS = 0 }: LoadedMotion,
  pulse: number,
  index: number,
): number {
  const { waveform, prfHz, freqHz } = radar
  return startS + (waveform === 'stepped' ? pulse * freqHz.length + index : pulse) / prfHz
}

/** Sight of the whole target. */
export function targetSight({ config: { radar }, motion }: LoadedMotion, time: number): Sight {
  const { r, thetaHat, phiHat } = direction(radar.thetaDeg, radar.phiDeg)
  const { rotation: m } = motion.at(time)
  return { r: rotatedBack(m, r), v: rotatedBack(m, thetaHat), h: rotatedBack(m, phiHat) }
}

/** The aspect of a sight, whose polarisation basis is that of its direction (`turnBasis` gives the sight's own). */
export function aspectOf({ r }: Sight): Aspect {
  const deg = 180 / Math.PI
  const d = direction(Math.atan2(Math.hypot(r[0], r[1]), r[2]) * deg, Math.atan2(r[1], r[0]) * deg)
  return { tx: d, rx: d }
}

/** Path by which the position of the target's origin brings it towards the radar [m]: u . (centre + shift - rotation centre). */
export function translation({ config, motion }: LoadedMotion, time: number): number {
  const { thetaDeg, phiDeg } = config.radar
  const { rotation, shift } = motion.at(time)
  const centre = config.motion.centre_m
  const back = rotated(rotation, centre)
  const d = centre.map((x, c) => x + shift[c] - back[c]) as Vec3
  return dot(direction(thetaDeg, phiDeg).r, d)
}

/** Turns a row's field, in the basis of its aspect, to the basis of a sight; in place. */
export function turnBasis(field: Float64Array, sight: Sight): void {
  const { thetaHat, phiHat } = aspectOf(sight).tx
  const [c, s] = [dot(sight.v, thetaHat), dot(sight.v, phiHat)]
  const [cc, cs, ss] = [c * c, c * s, s * s]
  for (let i = 0; i < field.length; i += 8)
    for (let part = i; part < i + 2; part++) {
      const [vv, hh, vh, hv] = [field[part], field[part + 2], field[part + 4], field[part + 6]]
      field[part] = cc * vv + cs * (vh + hv) + ss * hh
      field[part + 2] = ss * vv - cs * (vh + hv) + cc * hh
      field[part + 4] = cs * (hh - vv) + cc * vh - ss * hv
      field[part + 6] = cs * (hh - vv) + cc * hv - ss * vh
    }
}
