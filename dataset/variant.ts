import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import { buildEdgeScene, type EdgeScene } from '../cpu-diffraction/index.js'
import { parseJson } from '../formats/described-json.js'
import { parseFrequencies, parseFrequency } from '../formats/expression.js'
import {
  FilesHash,
  materialsKey,
  readMesh,
  readRegularFile,
  withMaterials,
  withSharedMaterials,
} from '../formats/index.js'
import { estimateSystem } from '../full-wave/index.js'
import { estimateRun, type RunEstimate } from '../run/estimate.js'
import { checkBeside } from '../run/ground.js'
import type { Hooks, RunSettings } from '../run/job.js'
import { curveForBands, type LoadedTarget, prepareRecipe } from '../run/loaded-target.js'
import { openRunEngines } from '../run/run.js'
import { optionOf, settingOf, SETTINGS } from '../run/settings/settings.js'
import { defaultOf, innerType, type Setting } from '../run/settings/types.js'
import { type EngineRequest, type OpenEngines, openEngines } from '../run/solver.js'
import { type FacetEngine, isFullWave } from '../run/sweep/index.js'
import { type Ground, surfacePlane } from '../scene/ground/index.js'
import {
  boundingBox,
  didYouMean,
  direction,
  InputError,
  joinMeshes,
  type Mesh,
  rotatePart,
  scaleMesh,
  splitGroup,
  type Unit,
  type Vec3,
  wavelength,
} from '../scene/index.js'
import {
  checkBands,
  facetMaterials,
  type Material,
  materialNamed,
  NO_LIBRARY,
} from '../scene/materials/index.js'
import { type DatasetConfig, datasetSchema, parseDatasetConfig, type TargetConfig } from './config.js'
import {
  boxDiameter,
  materialFactors,
  type MaterialFactors,
  materialShapes,
  middle,
  perturbed,
  scaled,
  withFactors,
  yawed,
} from './material-state.js'
import { type DatasetPlan, planSteps, type Pose, type Radar } from './plan.js'
import { sha256 } from './record.js'
import { isOfSpectrograms, spectrogramSchema } from './spectrograms/config.js'
import { COARSER, radarBand, type Variant } from './trace.js'

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
      const own = { ...engines, facets, edgeScene }
      const estimate = estimateRun(loaded.scene, box, job, own, engines.sbrWorkers)
      if (free) {
        const bare = { ...free, edgeScene: free.edgeScene && edgesOf(alone) }
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
const ofTarget = (index: number, label: string, error: unknown): unknown =>
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
function wavesGround({ ground }: DatasetConfig, mesh: Mesh): Ground | null {
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

/** A value as a configuration has it: a number may also be written as text, and what is no scalar is, as on the command line. */
function configuredType(setting: Setting): z.ZodType {
  const { value, word, help, unit } = setting
  const type = innerType(setting.type)
  const standard = word === undefined ? defaultOf(setting) : undefined
  const about = [help, unit && ` [${unit}]`, word && ` (default: ${word})`].filter(Boolean).join('')
  const meta = { description: about, ...(standard !== undefined && { default: standard }) }
  if (type instanceof z.ZodEnum || type instanceof z.ZodBoolean) return type.optional().meta(meta)
  if (!(type instanceof z.ZodNumber)) return z.string().optional().meta(meta)
  const flag = value?.startsWith('[') ? [z.literal(true)] : []
  return z
    .union([type, z.string(), ...flag], {
      error: ({ input }) => type.safeParse(input).error?.issues[0].message,
    })
    .optional()
    .meta(meta)
}

const allowed = () => SETTINGS.filter((name) => settingOf(name).dataset !== false)

/** The `solver` of a dataset's configuration: settings by the names of their options. */
const solverSchema = () =>
  z
    .strictObject(
      Object.fromEntries(allowed().map((name) => [optionOf(name), configuredType(settingOf(name))])),
    )
    .default({})
    .describe('settings of the solver by their names on the command line, like {"rays-per-wavelength": 6}')

/** The schema of dataset configurations as JSON Schema, for editors. */
export const datasetJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(datasetSchema.extend({ solver: solverSchema() }), { io: 'input' }) as Record<string, unknown>

/** The same of spectrograms. */
export const spectrogramDatasetSchema = (): Record<string, unknown> =>
  z.toJSONSchema(spectrogramSchema.extend({ solver: solverSchema() }), { io: 'input' }) as Record<
    string,
    unknown
  >

/** @throws InputError for what is no setting that a configuration's `solver` may hold, or not of its type and range */
export function checkDatasetSolver(solver: Record<string, unknown>): void {
  const [issue] = solverSchema().safeParse(solver).error?.issues ?? []
  if (!issue) return
  if (issue.code !== 'unrecognized_keys')
    throw new InputError(`solver: ${issue.path.join('.')}: ${issue.message}`)
  const [name] = issue.keys
  const names = allowed().map(optionOf)
  throw new InputError(
    `solver: "${name}" is not an option of the solver${didYouMean(name, names)}; known are ${names.join(', ')}`,
  )
}
