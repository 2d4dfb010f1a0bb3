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
import type { EngineRequest, OpenEngines } from '../solver.js'
import { type ReadTarget, variantMesh } from '../../dataset/targets.js'

/** A variant with its description for plan and report. */
export interface OpenedVariant extends Variant {
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
  const prepared = prepareRecipe(name, hash, { mesh, smoothAngleDeg: options.smoothAngleDeg }, options.cache)
  const loaded = curveForBands(prepared, options, [radarBand(radar)], noteReporter(out))
  const { labels } = config
  const request: EngineRequest & Pick<SolverOptions, 'cluster'> = {
    ...options,
    mechanisms: (labels.includes('layers') || labels.includes('centres')) && 'first',
    ...(labels.includes('convergence') && { coarser: [COARSER] }),
  }
  const engines = await openRunEngines(loaded, request, (message) => out.warn(message))
  const { scene, edgeScene, progress, close } = engines
  const edges = edgeScene && edgeScene.count > 0 ? edgeScene : null
  // A cluster distributes the last aspects of a run differently; in a sequence of batches there is no last one.
  progress?.(0, Number.MAX_SAFE_INTEGER)
  return { scene, edges, phaseCentre: read.centre, loaded, engines, progress, close }
}
