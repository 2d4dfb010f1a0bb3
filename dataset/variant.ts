import { setImmediate } from 'node:timers/promises'
import { buildEdgeScene, type EdgeScene } from '../cpu-diffraction/index.js'
import {
  COARSER,
  type DatasetConfig,
  type DatasetPlan,
  isOfSpectrograms,
  parseDatasetConfig,
  planSteps,
  type Pose,
  type Radar,
  radarBand,
  sha256,
  type Variant,
} from './index.js'
import { ofTarget, type ReadTarget, variantMesh, wavesGround } from './targets.js'
import { parseJson } from '../formats/described-json.js'
import { parseFrequencies, parseFrequency } from '../formats/expression.js'
import { readRegularFile } from '../formats/index.js'
import { estimateSystem } from '../full-wave/index.js'
import { estimateRun, type RunEstimate } from '../run/estimate.js'
import { checkBeside } from '../run/ground.js'
import { curveForBands, type LoadedTarget, prepareRecipe } from '../run/loaded-target.js'
import { openRunEngines } from '../run/run.js'
import { type EngineRequest, openEngines, type OpenEngines } from '../run/solver.js'
import { type FacetEngine, isFullWave } from '../run/sweep/index.js'
import { direction, type Mesh, wavelength } from '../scene/index.js'
import { checkBands } from '../scene/materials/index.js'
import type { Hooks, RunSettings } from '../run/hooks.js'

/** A variant with its description for plan and report. */
export interface OpenedVariant extends Variant {
  /** The target in free space, and with what its rays are cast in: with a ground its mirror image too. */
  alone: LoadedTarget
  loaded: LoadedTarget
  engines: OpenEngines
  free?: OpenEngines
}

/** A pose's target, and with what its rays are cast in. @throws InputError for an unusable mesh, or options that its ground refuses */
function prepareVariant(
  config: DatasetConfig,
  radar: Radar,
  targets: ReadTarget[],
  pose: Pose,
  options: RunSettings,
  hooks?: Hooks,
): { alone: LoadedTarget; loaded: LoadedTarget; ground: Mesh['ground'] | null } {
  const read = targets[pose.target]
  const mesh = variantMesh(config, read, pose)
  const hash = sha256(Buffer.concat([Buffer.from(mesh.positions.buffer), Buffer.from(mesh.triangles.buffer)]))
  const name = config.targets[pose.target].label
  const bands = [radarBand(radar)]
  const prepared = (of: Mesh): LoadedTarget => {
    const recipe = { mesh: of, smoothAngleDeg: options.smoothAngleDeg }
    try {
      return curveForBands(prepareRecipe(name, hash, recipe, options.cache), options, bands, hooks?.to.onNote)
    } catch (error) {
      throw ofTarget(pose.target, name, error)
    }
  }
  const ground = wavesGround(config, mesh)
  if (ground) {
    checkBeside(ground, options, 'set ground.waves to false')
    checkBands([ground.material], bands)
  }
  const alone = prepared(mesh)
  return { alone, loaded: ground ? prepared({ ...mesh, ground }) : alone, ground }
}

/** Poses of a target whose aspects are looked at for its estimate. */
const LOOKED_AT = 32

/** The estimate of a target, and seconds of one of its aspects. */
export interface TargetEstimate extends RunEstimate {
  label: string
  perAspect: number
}

/**
 * Estimates of the targets, by their numbers, none of those without poses: of some of their poses, all in the state and copy of the first.
 * @param first  the variant of the plan's first pose, whose engines the others will have too
 * @throws InputError for an unusable mesh, and as `estimateRun`
 */
export function estimateTargets(
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  targets: ReadTarget[],
  first: OpenedVariant,
  options: RunSettings,
): (TargetEstimate | undefined)[] {
  const { engines, free } = first
  const edgesOf = ({ target, scene }: LoadedTarget): EdgeScene =>
    buildEdgeScene(target, options.maxWedgeAngleDeg, scene.origin)
  return targets.map(({ centre }, t) => {
    const poses = plan.poses.filter((pose) => pose.target === t)
    if (poses.length === 0) return undefined
    const isFirst = poses[0] === plan.poses[0]
    const { alone, loaded } = isFirst ? first : prepareVariant(config, radar, targets, poses[0], options)
    const edgeScene = isFirst ? engines.edgeScene : engines.edgeScene && edgesOf(loaded)
    const step = Math.ceil(poses.length / LOOKED_AT)
    const aspects = poses
      .filter((_, i) => i % step === 0)
      .map(({ elevationDeg, azimuthDeg }) => direction(90 - elevationDeg, azimuthDeg))
      .map((d) => ({ tx: d, rx: d }))
    const facets = facetsOf(loaded, engines.facets)
    // Full wave has factors that all aspects of a state and copy share.
    const states = isFullWave(facets) ? new Set(poses.map(({ state, copy }) => `${state} ${copy}`)).size : 1
    const count = isFullWave(facets) ? poses.length * radar.angles : aspects.length
    const all = Array.from({ length: count }, (_, i) => aspects[i % aspects.length])
    const job = { aspects: all, bands: [radarBand(radar)], phaseCentre: centre }
    const { label } = config.targets[t]
    try {
      const { box } = alone.target
      const own = { ...engines, facets, edgeScene, size: loaded.scene.size }
      const estimate = estimateRun(loaded.scene, box, job, own, engines.sbrWorkers)
      if (free) {
        const bare = { ...free, edgeScene: free.edgeScene && edgesOf(alone), size: alone.scene.size }
        estimate.seconds += estimateRun(alone.scene, box, job, bare, free.sbrWorkers).seconds
      }
      const warnings = [...alone.warnings, ...estimate.warnings].map((line) => `${label}: ${line}`)
      return { ...estimate, warnings, label, perAspect: (states * estimate.seconds) / count }
    } catch (error) {
      throw ofTarget(t, label, error)
    }
  })
}

/** Of another target of the same engines: full wave counts its unknowns. */
function facetsOf({ target }: LoadedTarget, facets: FacetEngine): FacetEngine {
  if (!isFullWave(facets)) return facets
  const size = estimateSystem(target)
  return { ...facets, size: (frequencyHz) => size(wavelength(frequencyHz)) }
}

/** Prepares a pose's target and opens its engines. @throws InputError for unusable meshes, options and devices */
export async function openVariant(
  config: DatasetConfig,
  radar: Radar,
  targets: ReadTarget[],
  pose: Pose,
  options: RunSettings,
  hooks: Hooks,
): Promise<OpenedVariant> {
  const read = targets[pose.target]
  const { labels } = config
  const { alone, loaded, ground } = prepareVariant(config, radar, targets, pose, options, hooks)
  const request: EngineRequest & Pick<RunSettings, 'cluster'> = {
    ...options,
    mechanisms: (labels.includes('layers') || labels.includes('centres')) && 'first',
    ...(labels.includes('convergence') && { coarser: [COARSER] }),
  }
  const engines = await openRunEngines(loaded, request, (message) => hooks.warn(message))
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

/** Reads a configuration file of images, or the JSON of one of spectrograms. @throws InputError naming the file and the position in it */
export async function readDatasetConfig(
  path: string,
): Promise<{ images: DatasetConfig } | { spectrograms: unknown }> {
  const text = new TextDecoder().decode(await readRegularFile(path, 'a dataset configuration (JSON)'))
  const value = parseJson(text, path)
  return isOfSpectrograms(value) ? { spectrograms: value } : { images: parseDatasetConfig(text, path) }
}

/** The configuration's frequencies in Hz. @throws InputError */
export function configFrequencies({ radar }: DatasetConfig): { centreHz?: number; band?: [number, number] } {
  if (!radar.band) return { centreHz: parseFrequency(String(radar.centreHz), 'radar.centreHz') }
  const [f0, f1] = parseFrequencies(radar.band.map(String), 'radar.band')
  return { band: [f0, f1] }
}

/** The plan, made in steps so that a signal can end the process meanwhile. */
export async function planned(config: DatasetConfig, radar: Radar): Promise<DatasetPlan> {
  const steps = planSteps(config, radar)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await setImmediate()
  }
}
