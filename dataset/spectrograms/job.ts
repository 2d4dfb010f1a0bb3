import { dirname, resolve } from 'node:path'
import { facetsOf } from '../../run/doppler/compute.js'
import { openUnits, type UnitEstimate } from '../../run/doppler/units.js'
import { checkMemory } from '../../run/estimate.js'
import { Hooks, type Job, type JobPlan, keyOf, type RunSettings, runWholeJob } from '../../run/job.js'
import { ambiguities, type LoadedMotion, loadMotion, type MotionDescription, targetMesh } from '../../run/motion/index.js' // prettier-ignore
import { folderLocation, writeJson } from '../../run/results.js'
import { stripForDataset } from '../../run/settings/settings.js'
import { expressionsOf } from '../../run/run.js'
import { VERSION } from '../../run/version.js'
import { boundingBox, InputError, wavelength } from '../../scene/index.js'
import { checkBands, facetMaterials, type Material } from '../../scene/materials/index.js'
import { sheetChips, type DatasetIdentity } from '../record.js'
import {
  checkRoom,
  type DatasetCaller,
  type DatasetOutput,
  type DatasetPart,
  shardsOf,
  timingName,
} from '../job.js'
import { recordsOf } from '../finish.js'
import {
  chipMotion,
  chipPlan,
  poseBand,
  chipDraw,
  chipPulses,
  planSpectrograms,
  type SpectrogramConfig,
  type SpectrogramPlan,
} from './config.js'
import { finishSpectrograms, runSpectrograms } from './run.js'

/** Under the contact sheet. */
export const captionOf = ({ spectrogram }: SpectrogramConfig): string =>
  `Decibels, ${spectrogram.dynamicRangeDb} dB down from the highest level of each; azimuth and elevation below. Doppler upwards, positive: approaching; time to the right.`

/** A configuration with its motions read. */
interface PreparedSpectrograms {
  config: SpectrogramConfig
  loaded: LoadedMotion[]
  plan: SpectrogramPlan
}

/** Reads the motions and plans the chips. @param path  of the configuration, which files are named relative to */
export async function prepareSpectrograms(
  config: SpectrogramConfig,
  path: string,
): Promise<PreparedSpectrograms> {
  const loaded = await loadTargets(config, dirname(resolve(path)))
  return { config, loaded, plan: planSpectrograms(config, loaded) }
}

/** What is known of a dataset before its first shard. */
export interface SpectrogramsPlan extends JobPlan, PreparedSpectrograms {
  device: string
  /** Of the largest target at the highest carrier. */
  wavelengths: number
  /** Solutions of a chip, by target, and those of all chips, about. */
  solutions: ReadonlyMap<number, number>
  total: number
  diskBytes: number
  /** Of all chips; only where the plan alone is wanted. */
  estimate?: { seconds: number; memoryBytes: number }
}

interface Caller extends DatasetCaller<SpectrogramsPlan> {
  onlyPlan?: boolean
}

/** Makes a dataset of spectrograms, or the missing part of it. @throws as `runJob` */
export const makeSpectrograms = (
  prepared: PreparedSpectrograms,
  settings: RunSettings,
  output: DatasetOutput,
  caller: Caller,
): Promise<DatasetPart & { solutions: number }> =>
  runWholeJob(() => openSpectrograms(prepared, settings, output, caller), caller)

async function openSpectrograms(
  prepared: PreparedSpectrograms,
  settings: RunSettings,
  output: DatasetOutput,
  { hooks, onlyPlan }: Caller,
): Promise<Job<undefined, void, SpectrogramsPlan, DatasetPart & { solutions: number }>> {
  const { config, loaded, plan } = prepared
  const { folder, share, drawSheet } = output
  const { pulses, columns } = config.spectrogram
  const images = plan.poses.length * plan.realisations
  const size = 4 * config.channels.length * 2 * pulses * columns
  const diskBytes = images * size * config.formats.length
  checkRoom(folder, diskBytes)
  checkMemory(3 * size * config.shardChips, 'take a lower shardChips')
  const own = chipHooks(hooks)
  const first = plan.poses[0]
  const motion = chipMotion(config, loaded[first.target], first, chipDraw(config, first, 0))
  const tried = await openUnits(chipPlan(motion).units, poseBand(first), settings, own)
  const { device } = tried
  let one: UnitEstimate | undefined
  try {
    if (onlyPlan) one = await tried.estimate()
  } finally {
    await tried.close()
  }
  const solver = stripForDataset(settings)
  const made = loaded.flatMap(({ hash, materialsKey }) => [hash, ...materialsKey])
  const motions = loaded.map((target) => target.config)
  const key = [VERSION, { ...config, solver: {} }, motions, solver, device.kind, made]
  const { shards, kept } = shardsOf(output, plan.shards)
  let solved: { solutions: number; seconds: number }
  let started = false
  return {
    key,
    shape: undefined,
    warnings: [],
    plan() {
      const solutions = solutionsOf(prepared, own)
      const total = plan.poses.reduce(
        (sum, { target }) => sum + plan.realisations * solutions.get(target)!,
        0,
      )
      const estimate = one && {
        seconds: (one.seconds * total) / Math.max(1, chipPlan(motion).rows),
        memoryBytes: one.memoryBytes + 3 * size * config.shardChips,
      }
      const wavelengths =
        Math.max(...loaded.map((target) => Math.hypot(...sizeOf(target)))) /
        wavelength(config.radar.freqHz[1])
      return {
        ...prepared,
        device: device.text,
        wavelengths,
        solutions,
        total,
        diskBytes,
        estimate,
        kept: () => kept(started),
      }
    },
    async solve() {
      started = true
      const start = performance.now()
      const thumbnails = new Set(sheetChips(plan))
      const solutions = await runSpectrograms(
        { config, loaded, plan, folder, key: keyOf(key), thumbnails, solve: solving(settings, own) },
        shards,
        (done, total) => hooks.progress('solve', done, total, undefined, 'chips'),
      )
      solved = { solutions, seconds: (performance.now() - start) / 1000 }
    },
    async finish() {
      const { solutions, seconds } = solved
      const records = recordsOf(folder, plan)
      const finished = share === null && records.length === plan.shards.length
      const identity = identityOf(prepared, { solver, device: device.kind, key: keyOf(key) })
      if (finished)
        await finishSpectrograms(folder, { config, plan, loaded, identity }, records, (rows) =>
          drawSheet(config.name, captionOf(config), rows, [2 * pulses, columns]),
        )
      await writeJson(folderLocation(folder), timingName(output), {
        device: device.text,
        total: seconds,
        dataset: { images, solutions, images_per_hour: (3600 * images) / seconds },
      })
      return { folder, images, computed: images, shards: plan.shards.length, complete: records.length, finished, seconds, device: device.text, solutions } // prettier-ignore
    },
    close: () => Promise.resolve(),
  }
}

/** Hooks of the solutions of chips: each warning once, and no progress of their own. */
export function chipHooks(hooks: Hooks): Hooks {
  const reported = new Set<string>()
  return new Hooks({
    signal: hooks.signal,
    nameOf: (name) => hooks.nameOf(name),
    onWarning(message) {
      if (!reported.has(message)) hooks.warn(message)
      reported.add(message)
    },
  })
}

/** Solutions of a chip of each target; warns of motions that are ambiguous. */
function solutionsOf({ config, loaded, plan }: PreparedSpectrograms, hooks: Hooks): Map<number, number> {
  const solutions = new Map<number, number>()
  for (const pose of plan.poses)
    if (!solutions.has(pose.target)) {
      const motion = chipMotion(config, loaded[pose.target], pose, chipDraw(config, pose, 0))
      for (const message of ambiguities(motion)) hooks.warn(`${plan.names[pose.target]}: ${message}`)
      solutions.set(pose.target, chipPlan(motion).rows)
    }
  return solutions
}

/** Solves the missing rows of a chip's plan. */
export const solving =
  (settings: RunSettings, hooks: Hooks): Parameters<typeof runSpectrograms>[0]['solve'] =>
  async (own, pose, rows) => {
    hooks.check()
    const solver = await openUnits(own.units, poseBand(pose), settings, hooks)
    try {
      await solver.run(rows, own.rows)
    } finally {
      await solver.close()
    }
  }

/** Reads the motions with their meshes. @throws InputError naming the target */
async function loadTargets(config: SpectrogramConfig, folder: string): Promise<LoadedMotion[]> {
  const last = config.start[1] + (chipPulses(config).pulses - 1) / config.radar.prfHz[0]
  // Tables of poses must reach the end of the last chip.
  const radar = { freq_hz: config.radar.freqHz[1], prf_hz: 1 / last, pulses: 2 }
  const targets: LoadedMotion[] = []
  for (const [i, { label, motion, material, materials }] of config.targets.entries())
    try {
      const choice = { material, ...(materials !== undefined && { materials: resolve(folder, materials) }) }
      const source = typeof motion === 'string' ? resolve(folder, motion) : (motion as unknown as MotionDescription) // prettier-ignore
      const loaded = await loadMotion(source, choice, folder, radar)
      const [f0, f1] = config.radar.freqHz
      checkBands(materialsOf(loaded), [{ f0, df: f1 - f0, n: 2 }])
      targets.push(loaded)
    } catch (error) {
      if (error instanceof InputError)
        throw new InputError(`targets[${i}] (${label}): ${error.message}`, { cause: error })
      throw error
    }
  return targets
}

const wholeMesh = (loaded: LoadedMotion) => targetMesh(loaded, loaded.parts.map(() => 0)) // prettier-ignore

/** The conductor first. */
const materialsOf = (loaded: LoadedMotion): Material[] => facetMaterials(wholeMesh(loaded)).materials

/** Sides of a target's box with its parts unturned [m]. */
function sizeOf(loaded: LoadedMotion): number[] {
  const { min, max } = boundingBox(wholeMesh(loaded))
  return min.map((x, c) => max[c] - x)
}

function identityOf(
  { loaded }: PreparedSpectrograms,
  { solver, device, key }: Pick<DatasetIdentity, 'solver' | 'device' | 'key'>,
): DatasetIdentity {
  return {
    version: VERSION,
    device,
    solver,
    meshes: loaded.map((target) => ({
      name: target.config.mesh.replace(/^.*[/\\]/, ''),
      sha256: target.hash,
      facets: facetsOf(target),
      size_m: sizeOf(target),
    })),
    materials: loaded.map((target) => ({ names: materialsOf(target).slice(1).map(({ name }) => name), copies: [], ...expressionsOf(materialsOf(target)) })), // prettier-ignore
    key,
  }
}
