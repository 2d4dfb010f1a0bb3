import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FilesHash, readMesh } from '../formats/index.js'
import {
  boxDiameter,
  type DatasetConfig,
  joinMeshes,
  type Pose,
  middle,
  perturbed,
  scaled,
  splitGroup,
  rotatePart,
  yawed,
} from './index.js'
import { InputError, type Mesh, scaleMesh, type Unit, type Vec3 } from '../scene/index.js'

/** A target of a configuration as read, in metres and at its scale, before any part of it is rotated. */
export interface ReadTarget {
  body: Mesh
  /** The rotating part. */
  part: Mesh | null
  /** Point that images are centred at [m]. */
  centre: Vec3
  /** Largest diameter of its box over all angles of the part [m]. */
  diameterM: number
  sizeM: number[]
  facets: number
  /** SHA-256 of the file, or of the hashes of all files that it is read from (`FilesHash`). */
  hash: string
}

/** Reads the targets' files, relative to `folder`. @throws InputError naming the target */
export async function readTargets(config: DatasetConfig, folder: string): Promise<ReadTarget[]> {
  const targets: ReadTarget[] = []
  for (const [i, target] of config.targets.entries()) {
    const { articulation, units, scale, centre } = target
    const files = new FilesHash()
    try {
      const read = async (file: string): Promise<Mesh> =>
        scaled(scaleMesh(await readMesh(resolve(folder, file), files), units as Unit), scale)
      let body = await read(target.mesh)
      let part: Mesh | null = null
      if (articulation?.mesh !== undefined) part = await read(articulation.mesh)
      else if (articulation?.group !== undefined)
        ({ part, remainder: body } = splitGroup(body, articulation.group))
      const whole = part ? joinMeshes(body, part) : body
      let diameterM = articulation ? 0 : boxDiameter(whole)
      for (const angleDeg of articulation?.anglesDeg ?? []) {
        const rotated = joinMeshes(body, rotatePart(part!, { ...articulation!, angleDeg }))
        diameterM = Math.max(diameterM, boxDiameter(rotated))
        // Signals are handled in between.
        await setImmediate()
      }
      const { positions } = whole
      const side = (a: number): number => {
        let [min, max] = [Infinity, -Infinity]
        for (let v = a; v < positions.length; v += 3) {
          min = Math.min(min, positions[v])
          max = Math.max(max, positions[v])
        }
        return max - min
      }
      targets.push({
        body,
        part,
        centre: (centre as Vec3 | undefined) ?? middle(whole),
        diameterM,
        sizeM: [side(0), side(1), side(2)],
        facets: whole.triangles.length / 3,
        hash: files.sha256,
      })
    } catch (error) {
      if (error instanceof InputError)
        throw new InputError(`targets[${i}] (${target.label}): ${error.message}`, { cause: error })
      throw error
    }
  }
  return targets
}

/** The mesh of a pose: its part rotated, perturbed as its copy, and rotated to its yaw. */
export function variantMesh(config: DatasetConfig, { body, part, centre }: ReadTarget, pose: Pose): Mesh {
  const { articulation, yawDeg } = config.targets[pose.target]
  const mesh = part
    ? joinMeshes(body, rotatePart(part, { ...articulation!, angleDeg: articulation!.anglesDeg[pose.state] }))
    : body
  return yawed(perturbed(mesh, config.copies, centre, config.seed, pose.target, pose.copy), yawDeg, centre)
}
