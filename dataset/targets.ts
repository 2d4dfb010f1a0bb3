import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { FilesHash, materialsKey, readMesh, withMaterials, withSharedMaterials } from '../formats/index.js'
import {
  boxDiameter,
  type DatasetConfig,
  type MaterialFactors,
  materialFactors,
  materialShapes,
  type Pose,
  middle,
  perturbed,
  scaled,
  type TargetConfig,
  withFactors,
  yawed,
} from './index.js'
import { facetMaterials, type Material, materialNamed, NO_LIBRARY } from '../scene/materials/index.js'
import {
  boundingBox,
  InputError,
  joinMeshes,
  type Mesh,
  rotatePart,
  scaleMesh,
  splitGroup,
  type Unit,
  type Vec3,
} from '../scene/index.js'
import { type Ground, surfacePlane } from '../scene/ground/index.js'

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
  /** The materials that its facets have, the conductor first, and what identifies them: nothing where all conducts. */
  materials: Material[]
  materialsKey: string[]
}

/**
 * Reads the targets' files, relative to `folder`. @throws InputError naming the target
 * @param shortestM  see `readMesh`
 */
export async function readTargets(
  config: DatasetConfig,
  folder: string,
  shortestM?: number,
): Promise<ReadTarget[]> {
  const targets: ReadTarget[] = []
  for (const [i, target] of config.targets.entries()) {
    const { articulation, units, scale, centre } = target
    const files = new FilesHash()
    try {
      const read = async (file: string): Promise<Mesh> =>
        scaled(
          scaleMesh(
            await readMesh(resolve(folder, file), files, shortestM && shortestM / scale),
            units as Unit,
          ),
          scale,
        )
      let body = await read(target.mesh)
      let part: Mesh | null = null
      if (articulation?.mesh !== undefined) part = await read(articulation.mesh)
      if (target.material || target.materials !== undefined)
        [body, part] = await assigned(body, part, target, folder)
      if (articulation?.group !== undefined && !part)
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
      const made = facetMaterials(whole)
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
        materials: made.materials,
        materialsKey: materialsKey({ ...whole, ...made }),
      })
    } catch (error) {
      throw ofTarget(i, target.label, error)
    }
  }
  return targets
}

/** A target's failure; bad input with the target's name before it. */
export const ofTarget = (index: number, label: string, error: unknown): unknown =>
  error instanceof InputError
    ? new InputError(`targets[${index}] (${label}): ${error.message}`, { cause: error })
    : error

/** Body and part with the materials that a target's configuration gives their groups. */
async function assigned(
  body: Mesh,
  part: Mesh | null,
  { material, materials }: TargetConfig,
  folder: string,
): Promise<[Mesh, Mesh | null]> {
  const choice = {
    ...(material && { material }),
    ...(materials !== undefined && { materials: resolve(folder, materials) }),
  }
  if (!part) return [await withMaterials(body, choice), null]
  const { meshes } = await withSharedMaterials([body, part], choice)
  return [meshes[0], meshes[1]]
}

/** Random factors of a copy's materials; none where the configuration does not perturb them. */
export function copyFactors(
  { copies, seed }: DatasetConfig,
  { materials }: Pick<ReadTarget, 'materials'>,
  target: number,
  copy: number,
): MaterialFactors[] {
  if (!copies.thickness && !copies.permittivity) return []
  return materialFactors(copies, materialShapes(materials), seed, target, copy)
}

/** The mesh of a pose: its part rotated, perturbed as its copy, and rotated to its yaw. */
export function variantMesh(config: DatasetConfig, read: ReadTarget, pose: Pose): Mesh {
  const { body, part, centre } = read
  const { articulation, yawDeg } = config.targets[pose.target]
  const mesh = part
    ? joinMeshes(body, rotatePart(part, { ...articulation!, angleDeg: articulation!.anglesDeg[pose.state] }))
    : body
  const made = withFactors(mesh, copyFactors(config, read, pose.target, pose.copy))
  return yawed(perturbed(made, config.copies, centre, config.seed, pose.target, pose.copy), yawDeg, centre)
}

/** The ground that waves come back from under a pose's mesh; null where they do not. @throws InputError for a material that it cannot have */
export function wavesGround({ ground }: DatasetConfig, mesh: Mesh): Ground | null {
  if (!ground?.waves) return null
  const { waves, surface, heightM: height = boundingBox(mesh).min[2] } = ground
  if (waves === true) return { ...surfacePlane(surface)!, height }
  const material = materialNamed(waves.material, NO_LIBRARY, 'ground.waves.material')
  if (material.kind === 'sheet')
    throw new InputError(
      `ground.waves.material: "${waves.material}" is a sheet that waves pass through; take pec or a medium`,
    )
  return { material, roughness: waves.rmsHeightM, height }
}
