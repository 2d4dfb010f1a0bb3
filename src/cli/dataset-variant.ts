import {
  COARSER,
  type DatasetConfig,
  type Pose,
  type Radar,
  radarBand,
  sha256,
  type Variant,
} from '../../dataset/index.js'
import type { Console } from './console.js'
import type { SolverOptions } from './options.js'
import { noteReporter } from './run.js'
import { openRunEngines } from '../run.js'
import { curveForBands, type LoadedTarget, prepareRecipe } from '../loaded-target.js'
import { type EngineRequest, openEngines, type OpenEngines } from '../solver.js'
import { checkBeside } from '../ground.js'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import type { Mesh } from '../../scene/index.js'
import { checkBands } from '../../scene/materials/index.js'
import { type ReadTarget, variantMesh, wavesGround } from '../../dataset/targets.js'

/** A variant with its description for plan and report. */
export interface OpenedVariant extends Variant {
  /** The target in free space, and with what its rays are cast in: with a ground its mirror image too. */
  alone: LoadedTarget
  loaded: LoadedTarget
  engines: OpenEngines
}

/** Prepares a pose's target and opens its engines. @throws InputError for unusable meshes, options and devices */
export async function openVariant(
  config: DatasetConfig,
  radar: Radar,
  targets: ReadTarget[],
  pose: Pose,
  options: SolverOptions,
  out: Console,
): Promise<OpenedVariant> {
  const read = targets[pose.target]
  const mesh = variantMesh(config, read, pose)
  const hash = sha256(Buffer.concat([Buffer.from(mesh.positions.buffer), Buffer.from(mesh.triangles.buffer)]))
  const name = config.targets[pose.target].label
  const bands = [radarBand(radar)]
  const prepared = (of: Mesh): LoadedTarget => {
    const recipe = { mesh: of, smoothAngleDeg: options.smoothAngleDeg }
    return curveForBands(prepareRecipe(name, hash, recipe, options.cache), options, bands, noteReporter(out))
  }
  const { labels } = config
  const ground = wavesGround(config, mesh)
  if (ground) {
    checkBeside(ground, options, 'set ground.waves to false')
    checkBands([ground.material], bands)
  }
  const alone = prepared(mesh)
  const loaded = ground ? prepared({ ...mesh, ground }) : alone
  const request: EngineRequest & Pick<SolverOptions, 'cluster'> = {
    ...options,
    mechanisms: (labels.includes('layers') || labels.includes('centres')) && 'first',
    ...(labels.includes('convergence') && { coarser: [COARSER] }),
  }
  const engines = await openRunEngines(loaded, request, (message) => out.warn(message))
  const free = labels.includes('free')
    ? await openEngines(alone, { ...options, mechanisms: false }).catch(async (error: unknown) => {
        await engines.close()
        throw error
      })
    : undefined
  const { progress } = engines
  // Labels name edges of the target itself.
  const edgeScene =
    ground && engines.edgeScene && labels.includes('centres')
      ? buildEdgeScene(alone.target, options.maxWedgeAngleDeg, alone.scene.origin)
      : engines.edgeScene
  const edges = edgeScene && edgeScene.count > 0 ? edgeScene : null
  // A cluster distributes the last aspects of a run differently; in a sequence of batches there is no last one.
  progress?.(0, Number.MAX_SAFE_INTEGER)
  return {
    scene: alone.scene,
    edges,
    phaseCentre: read.centre,
    alone,
    loaded,
    engines,
    ...(free && { free }),
    progress,
    close: async () => void (await Promise.all([engines.close(), free?.close()])),
  }
}
