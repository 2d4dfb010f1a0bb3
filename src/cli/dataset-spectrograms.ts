import type { Command } from 'commander'
import { checkSpectrogramConfig, previewPlan, runSpectrograms } from '../../dataset/index.js'
import { datasetStore } from '../../dataset/job.js'
import { checkDatasetSolver } from '../../dataset/solver-settings.js'
import {
  captionOf,
  chipHooks,
  makeSpectrograms,
  prepareSpectrograms,
  solving,
  type SpectrogramsPlan,
} from '../../dataset/spectrograms/job.js'
import { InputError } from '../../scene/index.js'
import { folderLocation, noStore } from '../../run/results.js'
import { bytes, Console, count, duration } from './console.js'
import { drawSheet, parseShard, partRecord, reportPart } from './dataset.js'
import { drawPreview, type Preview } from './dataset-preview.js'
import { mergedOptions, refuseBeside, solverOptions, type SolverOptions } from './options.js'
import { reportJob } from './run.js'

/** `isar dataset` of micro-Doppler spectrograms. @param value  of the configuration's JSON */
export async function runSpectrogramDataset(command: Command, path: string, value: unknown): Promise<void> {
  const config = checkSpectrogramConfig(value, path)
  checkDatasetSolver(config.solver)
  refuse(command)
  const raw = mergedOptions(command, config.solver)
  refuseBeside(command, raw, config.solver)
  const options: SolverOptions = { ...solverOptions({ secondOrder: 'none', ...raw, pol: 'all' }), channels: config.channels } // prettier-ignore
  const { shard, preview } = command.opts<{ shard?: string; preview?: boolean }>()
  const share = shard === undefined ? null : parseShard(shard)
  const out = new Console(options.quiet)
  const prepared = await prepareSpectrograms(config, path)
  const { loaded, plan } = prepared
  const { pulses, columns } = config.spectrogram
  const size: [number, number] = [2 * pulses, columns]
  if (preview) {
    // Random numbers of a chip follow from its pose's number and its realisation.
    const few = previewPlan(plan, ({ serial }) => serial)
    const make: Preview['make'] = (folder, thumbnails, hooks) =>
      runSpectrograms(
        {
          config: { ...config, formats: ['npz'] },
          loaded,
          plan: few,
          folder,
          key: '',
          thumbnails,
          solve: solving(options, chipHooks(hooks)),
        },
        few.shards,
        (done, total) => hooks.progress('solve', done, total, undefined, 'chips'),
      )
    return drawPreview({ name: config.name, caption: captionOf(config), size, plan: few, make }, options, out)
  }
  const { folder } = folderLocation(options.out ?? `${config.name}-dataset`)
  const { resume, force, plan: onlyPlan } = options
  const output = { folder, share, resume, force, drawSheet }
  const part = await reportJob(
    { command: 'dataset', options, out, report: (planned: SpectrogramsPlan) => describe(planned, out) },
    (reported) =>
      makeSpectrograms(prepared, options, output, {
        ...reported,
        store: onlyPlan ? noStore : datasetStore(output),
        onlyPlan,
      }),
  )
  if (!part) return
  reportPart(path, part, '', out)
  const { solutions, seconds, device } = part
  if (options.json)
    process.stdout.write(`${JSON.stringify({ ...partRecord(part), solutions, seconds, device })}\n`)
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

/** Prints the plan. @returns what --plan --json prints */
function describe(
  { config, plan, device, wavelengths, solutions, total, diskBytes, estimate }: SpectrogramsPlan,
  out: Console,
): Record<string, unknown> {
  const plural = (n: number, one: string): string => `${n} ${n === 1 ? one : one === 'class' ? 'classes' : `${one}s`}` // prettier-ignore
  const images = plan.poses.length * plan.realisations
  const { pulses, columns } = config.spectrogram
  out.say(`targets   ${config.targets.length} of ${plural(plan.classes.length, 'class')}, up to ${Number(wavelengths.toPrecision(3))} wavelengths`) // prettier-ignore
  out.say(`plan      ${images} chips of ${2 * pulses} x ${columns} in ${plural(plan.shards.length, 'shard')}: ${plural(plan.poses.length, 'aspect')}, each of ${[...new Set(solutions.values())].join(', ')} solutions at first, x ${plan.realisations} realisations`) // prettier-ignore
  out.say(`device    ${device}`)
  out.say(`estimate  ${count(images)} chips, ${bytes(diskBytes)} on disk`)
  if (!estimate) return {}
  const { seconds, memoryBytes } = estimate
  out.say(`time      about ${duration(seconds)}, ${bytes(memoryBytes)} of memory`)
  return { targets: config.targets.length, images, solutions: total, memory_bytes: memoryBytes, disk_bytes: diskBytes, seconds, device } // prettier-ignore
}
