import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FilesHash, readMesh } from '../formats/index.js'
import {
  boxDiameter,
  type DatasetConfig,
  joinMeshes,
  type Look,
  middle,
  perturbed,
  scaled,
  splitGroup,
  turnPart,
  yawed,
} from './index.js'
import { InputError, type Mesh, scaleMesh, type Unit, type Vec3 } from '../scene/index.js'

/** A target of a configuration as read, in metres and at its scale, before any part of it is turned. */
export interface ReadTarget {
  body: Mesh
  /** The part that turns. */
  part: Mesh | null
  /** Point that images are centred at [m]. */
  centre: Vec3
  /** Longest side to side distance of its box, whatever the part's angle [m]. */
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
        ({ part, rest: body } = splitGroup(body, articulation.group))
      const whole = part ? joinMeshes(body, part) : body
      let diameterM = articulation ? 0 : boxDiameter(whole)
      for (const angleDeg of articulation?.anglesDeg ?? []) {
        const turned = joinMeshes(body, turnPart(part!, { ...articulation!, angleDeg }))
        diameterM = Math.max(diameterM, boxDiameter(turned))
        // Signals come in between.
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

/** The mesh that a look sees: its part turned, perturbed as its copy is, and turned to its yaw. */
export function variantMesh(config: DatasetConfig, { body, part, centre }: ReadTarget, look: Look): Mesh {
  const { articulation, yawDeg } = config.targets[look.target]
  const mesh = part
    ? joinMeshes(body, turnPart(part, { ...articulation!, angleDeg: articulation!.anglesDeg[look.state] }))
    : body
  return yawed(perturbed(mesh, config.copies, centre, config.seed, look.target, look.copy), yawDeg, centre)
}
