import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import {
  checkSpectrogramConfig,
  chipDraw,
  chipMotion,
  chipPlan,
  chipPulses,
  claimDataset,
  type DatasetIdentity,
  finishSpectrograms,
  planSpectrograms,
  previewPlan,
  poseBand,
  readRecord,
  recordsOf,
  runSpectrograms,
  sha256,
  sheetChips,
  type SpectrogramConfig,
  type SpectrogramPlan,
} from '../../dataset/index.js'
import { checkRoom } from '../../dataset/estimate.js'
import {
  ambiguities,
  type LoadedMotion,
  loadMotion,
  type MotionDescription,
  targetMesh,
} from '../../run/motion/index.js'
import { boundingBox, InputError, wavelength } from '../../scene/index.js'
import { checkBands, facetMaterials, type Material } from '../../scene/materials/index.js'
import { facetsOf } from '../../run/doppler/compute.js'
import { openUnits } from '../../run/doppler/units.js'
import { checkMemory } from '../../run/estimate.js'
import { Hooks } from '../../run/hooks.js'
import { folderLocation, writeJson } from '../../run/results.js'
import { stripForDataset } from '../../run/settings/settings.js'
import { checkDatasetSolver } from '../dataset-settings.js'
import { expressionsOf } from '../../run/solved-run.js'
import { VERSION } from '../../run/version.js'
import { bytes, Console, count, duration, interruptible } from './console.js'
import { parseShard } from './dataset-variant.js'
import { drawPreview } from './dataset-preview.js'
import { mergedOptions, optionName, refuseBeside, solverOptions, type SolverOptions } from './options.js'

/** `isar dataset` of micro-Doppler spectrograms. @param value  of the configuration's JSON */
export async function runSpectrogramDataset(command: Command, path: string, value: unknown): Promise<void> {
  const config = checkSpectrogramConfig(value, path)
  checkDatasetSolver(config.solver)
  refuse(command)
  const raw = mergedOptions(command, config.solver)
  refuseBeside(command, raw, config.solver)
  const options: SolverOptions = { ...solverOptions({ secondOrder: 'none', ...raw, pol: 'all' }), channels: config.channels } // prettier-ignore
  const shard = command.opts<{ shard?: string }>().shard
  const share = shard === undefined ? null : parseShard(shard)
  const out = new Console(options.quiet)
  const loaded = await loadTargets(config, dirname(resolve(path)))
  const plan = planSpectrograms(config, loaded)
  const { pulses, columns, dynamicRangeDb } = config.spectrogram
  const caption = `Decibels, ${dynamicRangeDb} dB down from the highest level of each; azimuth and elevation below. Doppler upwards, positive: approaching; time to the right.`
  if (command.opts<{ preview?: boolean }>().preview) {
    // Random numbers of a chip follow from its pose's number and its realisation.
    const few = previewPlan(plan, ({ serial }) => serial)
    const make = (folder: string, thumbnails: ReadonlySet<number>, signal: AbortSignal): Promise<number> => {
      const hooks = new Hooks({ signal, nameOf: optionName, onWarning: (message) => out.warn(message) })
      return runSpectrograms(
        {
          config: { ...config, formats: ['npz'] },
          loaded,
          plan: few,
          folder,
          key: '',
          thumbnails,
          solve: solving(options, hooks),
        },
        few.shards,
        (done, total) => out.progress(done, total, 'chips'),
      )
    }
    return drawPreview(
      { name: config.name, caption, size: [2 * pulses, columns], plan: few, make },
      options,
      out,
    )
  }
  const place = folderLocation(options.out ?? `${config.name}-dataset`)
  const images = plan.poses.length * plan.realisations
  const size = 4 * config.channels.length * 2 * config.spectrogram.pulses * config.spectrogram.columns
  checkRoom(place.folder, images * size * config.formats.length)
  checkMemory(3 * size * config.shardChips, 'take a lower shardChips')
  await interruptible(
    () => 'interrupted; finished shards and aspects are kept; continue with --resume',
    async (signal) => {
      const told = new Set<string>()
      const warn = (message: string): void => {
        if (!told.has(message) && told.add(message)) out.warn(message)
      }
      const hooks = new Hooks({ signal, nameOf: optionName, onWarning: warn })
      const first = plan.poses[0]
      const motion = chipMotion(config, loaded[first.target], first, chipDraw(config, first, 0))
      const tried = await openUnits(chipPlan(motion).units, poseBand(first), options, hooks)
      const { device } = tried
      const estimate = options.plan ? await tried.estimate() : null
      await tried.close()
      if (estimate) {
        const total = describe(
          config,
          plan,
          loaded,
          device.text,
          images * size * config.formats.length,
          out,
          warn,
        )
        const seconds = (estimate.seconds * total) / Math.max(1, chipPlan(motion).rows)
        const memory = estimate.memoryBytes + 3 * size * config.shardChips
        out.say(`time      about ${duration(seconds)}, ${bytes(memory)} of memory`)
        if (options.json) process.stdout.write(`${JSON.stringify({ command: 'dataset', plan: true, targets: config.targets.length, images, solutions: total, memory_bytes: memory, disk_bytes: images * size * config.formats.length, seconds, device: device.text })}\n`) // prettier-ignore
        return
      }
      const identity = identityOf(config, loaded, options, device.kind)
      const state = await claimDataset(place.folder, identity.key, { ...options, join: share !== null })
      if (state === 'done') {
        out.say(`complete  ${place.folder} holds this dataset: already complete`)
        if (options.json) process.stdout.write(`${JSON.stringify({ command: 'dataset', out: place.folder, complete: true })}\n`) // prettier-ignore
        return
      }
      describe(config, plan, loaded, device.text, images * size * config.formats.length, out, warn)
      const shards = share ? plan.shards.filter((s) => s.index % share[1] === share[0] - 1) : plan.shards
      const kept = shards.filter((s) => readRecord(place.folder, s.index)).length
      if (kept > 0) out.say(`resuming  ${kept} of ${shards.length} shards already computed`)
      const start = performance.now()
      const thumbnails = new Set(sheetChips(plan))
      const solved = await runSpectrograms(
        {
          config,
          loaded,
          plan,
          folder: place.folder,
          key: identity.key,
          thumbnails,
          solve: solving(options, hooks),
        },
        shards,
        (done, total) => out.progress(done, total, 'chips'),
      )
      const seconds = (performance.now() - start) / 1000
      const records = recordsOf(place.folder, plan)
      const finished = share === null && records.length === plan.shards.length
      if (!finished)
        out.say(`part      ${records.length} of ${plan.shards.length} shards are complete; when all are, finish with isar dataset ${path} --out ${place.folder} --resume`) // prettier-ignore
      else {
        const { drawSheet } = await import('../../views/figures/contact-sheet.js')
        await finishSpectrograms(place.folder, config, plan, loaded, identity, records, (rows) =>
          drawSheet(config.name, caption, rows, [2 * pulses, columns]),
        )
      }
      const timing = { device: device.text, total: seconds, dataset: { images, solutions: solved, images_per_hour: (3600 * images) / seconds } } // prettier-ignore
      await writeJson(place, share ? `timing-${share.join('-of-')}.json` : 'timing.json', timing)
      out.say(`wrote     ${place.folder} in ${duration(seconds)}`)
      if (options.json)
        process.stdout.write(`${JSON.stringify({ command: 'dataset', out: place.folder, images, shards: plan.shards.length, finished, solutions: solved, seconds, device: device.text })}\n`) // prettier-ignore
    },
  )
}

/** Solves the missing rows of a chip's plan. */
const solving =
  (options: SolverOptions, hooks: Hooks): Parameters<typeof runSpectrograms>[0]['solve'] =>
  async (own, pose, rows) => {
    hooks.check()
    const solver = await openUnits(own.units, poseBand(pose), options, hooks)
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

function identityOf(
  config: SpectrogramConfig,
  loaded: LoadedMotion[],
  options: SolverOptions,
  device: 'cpu' | 'gpu',
): DatasetIdentity {
  const solver = stripForDataset(options)
  const made = loaded.flatMap(({ hash, materialsKey }) => [hash, ...materialsKey])
  return {
    version: VERSION,
    device,
    solver,
    meshes: loaded.map((target) => {
      const { min, max } = boundingBox(wholeMesh(target))
      return {
        name: target.config.mesh.replace(/^.*[/\\]/, ''),
        sha256: target.hash,
        facets: facetsOf(target),
        size_m: min.map((x, c) => max[c] - x),
      }
    }),
    materials: loaded.map((target) => ({ names: materialsOf(target).slice(1).map(({ name }) => name), copies: [], ...expressionsOf(materialsOf(target)) })), // prettier-ignore
    key: sha256(JSON.stringify([VERSION, { ...config, solver: {} }, loaded.map((target) => target.config), solver, device, made])), // prettier-ignore
  }
}

/** Refuses options that the configuration determines, and what these datasets do not have. */
function refuse(command: Command): void {
  for (const [key, option, instead] of [
    ['units', '--units', 'the motion files say it; set "units" there'],
    ['pol', '--pol', 'the dataset’s configuration determines this; set channels there'],
    ['phaseCentre', '--phase-centre', 'phases do not show in spectrograms; leave it out'],
    ['mechanisms', '--mechanisms', 'spectrograms have no layers; leave it out'],
    ['imageWorkers', '--image-workers', 'spectrograms are formed on one thread; leave it out'],
    ['cluster', '--cluster', 'spectrograms are computed on one machine; leave it out, and take --shard'],
  ])
    if (command.getOptionValueSource(key) === 'cli') throw new InputError(`${option}: ${instead}`)
}

/** Prints the plan. @returns solutions of all chips, about */
function describe(
  config: SpectrogramConfig,
  plan: SpectrogramPlan,
  loaded: LoadedMotion[],
  device: string,
  size: number,
  out: Console,
  warn: (message: string) => void,
): number {
  const plural = (n: number, one: string): string => `${n} ${n === 1 ? one : one === 'class' ? 'classes' : `${one}s`}` // prettier-ignore
  const waves = Math.max(
    ...loaded.map((target) => {
      const { min, max } = boundingBox(wholeMesh(target))
      return Math.hypot(...min.map((x, c) => max[c] - x)) / wavelength(config.radar.freqHz[1])
    }),
  )
  const solutions = new Map<number, number>()
  for (const pose of plan.poses)
    if (!solutions.has(pose.target)) {
      const motion = chipMotion(config, loaded[pose.target], pose, chipDraw(config, pose, 0))
      for (const message of ambiguities(motion)) warn(`${plan.names[pose.target]}: ${message}`)
      solutions.set(pose.target, chipPlan(motion).rows)
    }
  const images = plan.poses.length * plan.realisations
  const { pulses, columns } = config.spectrogram
  out.say(`targets   ${config.targets.length} of ${plural(plan.classes.length, 'class')}, up to ${Number(waves.toPrecision(3))} wavelengths`) // prettier-ignore
  out.say(`plan      ${images} chips of ${2 * pulses} x ${columns} in ${plural(plan.shards.length, 'shard')}: ${plural(plan.poses.length, 'aspect')}, each of ${[...new Set(solutions.values())].join(', ')} solutions at first, x ${plan.realisations} realisations`) // prettier-ignore
  out.say(`device    ${device}`)
  out.say(`estimate  ${count(images)} chips, ${bytes(size)} on disk`)
  return plan.poses.reduce((sum, { target }) => sum + plan.realisations * solutions.get(target)!, 0)
}
