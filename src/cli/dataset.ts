import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { aspectsPerTarget, bytesOf } from '../../dataset/estimate.js'
import { type DatasetConfig, previewPlan, runDataset, verifyDataset } from '../../dataset/index.js'
import {
  CAPTION,
  type DatasetOutput,
  type DatasetPart,
  datasetStore,
  type ImagesPlan,
  makeImages,
  type PreparedDataset,
  prepareDataset,
} from '../../dataset/job.js'
import {
  checkDatasetSolver,
  datasetJsonSchema,
  spectrogramDatasetSchema,
} from '../../dataset/solver-settings.js'
import { openVariant, readDatasetConfig } from '../../dataset/variant.js'
import { folderLocation, noStore } from '../../run/results.js'
import { cappedWorkers, faults } from '../../run/solver.js'
import { InputError } from '../../scene/index.js'
import { bytes, Console, count, duration } from './console.js'
import { drawPreview, type Preview } from './dataset-preview.js'
import { heading } from './program.js'
import {
  addSolverOptions,
  mergedOptions,
  optionName,
  refuseBeside,
  type SolverOptions,
  solverOptions,
} from './options.js'
import { parseCount } from './quantity.js'
import { reportJob } from './run.js'

/** Prints the plan of a dataset of images, and returns it as --plan --json prints it. */
function describePlan(
  { config, radar, plan, variant, estimates, memoryBytes }: ImagesPlan,
  options: SolverOptions,
  out: Console,
): Record<string, unknown> {
  const { engines, loaded } = variant
  const aspects = aspectsPerTarget(config, radar, plan)
  const total = aspects.reduce((a, b) => a + b, 0)
  const variants = new Set(plan.poses.map(({ target, state, copy }) => `${target} ${state} ${copy}`)).size
  let [seconds, wavelengths, cold] = [0, 0, 0]
  estimates.forEach((estimate, t) => {
    if (!estimate) return
    for (const line of estimate.warnings) out.warn(line)
    seconds += aspects[t] * estimate.perAspect
    wavelengths = Math.max(wavelengths, estimate.wavelengths)
    cold = estimate.coldSeconds
  })
  const images = plan.poses.length * plan.realisations
  out.say(`targets   ${config.targets.length} of ${plan.classes.length} class${plan.classes.length === 1 ? '' : 'es'}, up to ${Number(wavelengths.toPrecision(3))} wavelengths`) // prettier-ignore
  out.say(
    config.product === 'history'
      ? `plan      ${plan.poses.length} sweep${plan.poses.length === 1 ? '' : 's'} of ${radar.angles} aspects x ${radar.freqHz.length} frequencies`
      : `plan      ${images} images in ${plan.shards.length} shard${plan.shards.length === 1 ? '' : 's'}${plan.dropped ? `, ${plan.dropped * plan.realisations} more left out at the borders of splits` : ''}: ${count(total)} aspects (${config.trace}) x ${radar.freqHz.length} frequencies, ${radar.angles} aspects an image`,
  )
  const { ground } = loaded.target
  if (ground)
    out.say(
      `ground    waves by ${ground.material.name}, rms height ${Number(ground.roughness.toPrecision(3))} m`,
    )
  out.say(`device    ${engines.facets.describe().text} (${engines.reason})`)
  out.say(`estimate  about ${duration(seconds + variants * cold)}, ${bytes(memoryBytes)} of memory, ${bytes(bytesOf(config, radar, plan))} on disk`) // prettier-ignore
  if (options.diffraction !== 'none') out.say(`edges     ${options.diffraction}`)
  return {
    targets: config.targets.length,
    classes: plan.classes.length,
    wavelengths,
    images,
    shards: plan.shards.length,
    aspects: total,
    frequencies: radar.freqHz.length,
    memory_bytes: memoryBytes,
    disk_bytes: bytesOf(config, radar, plan),
    seconds: seconds + variants * cold,
    device: engines.facets.describe().text,
  }
}

export function datasetCommand(command: Command): void {
  command
    .argument('<config>', 'configuration, JSON')
    .optionsGroup(heading('Run'))
    .option('--shard <i/n>', 'only every n-th shard from the i-th: for batch systems')
    .option('--preview', 'draw one image of each class on a sheet, NAME-preview.png, and end')
    .option('--image-workers <n>', 'threads that form images (default: one less than the cores)')
  const verify = command
    .command('verify')
    .description('check a finished dataset: checksums, numbering, splits')
    .argument('<path>', 'folder that isar dataset wrote')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .exitOverride()
    .action((path: string) => runVerify(path, { ...command.opts(), ...verify.opts() }))
  command
    .command('schema')
    .description('print the JSON Schema of the configuration: of images, or of spectrograms')
    .addArgument(
      new Argument('[product]', 'what it makes').choices(['images', 'spectrograms']).default('images'),
    )
    .exitOverride()
    .action((product: string) => {
      const schema = product === 'spectrograms' ? spectrogramDatasetSchema() : datasetJsonSchema()
      process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`)
    })
  // The subcommands above keep their own help.
  addSolverOptions(command).action((config: string) => runCommand(command, config))
}

async function runVerify(path: string, raw: { json?: boolean; quiet?: boolean }): Promise<void> {
  const out = new Console(raw.quiet === true)
  const found = await verifyDataset(resolve(path), (done, total) => out.progress(done, total, 'files'))
  for (const other of found.others.slice(0, 10)) out.say(`note      ${other} is not in the manifest`)
  if (raw.json) process.stdout.write(`${JSON.stringify({ command: 'dataset verify', ...found })}\n`)
  if (found.problems.length > 0) {
    const [first, ...others] = found.problems
    for (const problem of others.slice(0, 19)) out.say(`problem   ${problem}`)
    throw new Error(
      `${path}: ${others.length === 0 ? '1 problem' : `${found.problems.length} problems, the first`}: ${first}`,
    )
  }
  out.say(`whole     ${found.files} files, ${bytes(found.bytes)}, ${found.images} images`)
}

async function runCommand(command: Command, path: string): Promise<void> {
  const given = await readDatasetConfig(path)
  if ('spectrograms' in given)
    return (await import('./dataset-spectrograms.js')).runSpectrogramDataset(
      command,
      path,
      given.spectrograms,
    )
  const config = given.images
  const cli = command.opts<Record<string, unknown>>()
  checkDatasetSolver(config.solver)
  const raw = mergedOptions(command, config.solver)
  refuseBeside(command, raw, config.solver)
  // Of first order unless asked for more: a dataset's time is that of its edges (docs/dataset.md).
  const solver = solverOptions({ secondOrder: 'none', ...raw, pol: 'all' })
  const options: SolverOptions = { ...solver, channels: config.channels }
  refuse(command)
  const share = cli.shard === undefined ? null : parseShard(String(cli.shard))
  const out = new Console(options.quiet)
  const prepared = await prepareDataset(config, options, path, optionName)
  const workers = imageWorkers(cli.imageWorkers)
  if (cli.preview) return previewImages(prepared, options, workers, out)
  const { folder } = folderLocation(options.out ?? `${config.name}-dataset`)
  const { resume, force } = options
  const output = { folder, share, resume, force, drawSheet }
  const part = await reportJob(
    { command: 'dataset', options, out, report: (plan: ImagesPlan) => describePlan(plan, options, out) },
    (reported) =>
      makeImages(prepared, options, output, workers, {
        ...reported,
        store: options.plan ? noStore : datasetStore(output),
      }),
  )
  if (!part) return
  const { computed, seconds } = part
  const anHour = computed > 0 ? (3600 * computed) / seconds : null
  reportPart(path, part, anHour === null ? '' : `, ${count(anHour)} images an hour`, out)
  if (options.json)
    process.stdout.write(`${JSON.stringify({ ...partRecord(part), computed, seconds, images_per_hour: anHour, device: part.device, trace: config.trace })}\n`) // prettier-ignore
}

/** Says what a call has made. */
export function reportPart(path: string, part: DatasetPart, remark: string, out: Console): void {
  const { folder, shards, complete, finished, seconds } = part
  if (!finished)
    out.say(`part      ${complete} of ${shards} shards are complete; when all are, finish with isar dataset ${path} --out ${folder} --resume`) // prettier-ignore
  out.say(`wrote     ${folder} in ${duration(seconds)}${remark}`)
}

/** The same with --json. */
export const partRecord = ({ folder, images, shards, finished }: DatasetPart): Record<string, unknown> => ({
  command: 'dataset',
  out: folder,
  images,
  shards,
  finished,
})

/** Draws a contact sheet; loaded when it is time. */
export const drawSheet: DatasetOutput['drawSheet'] = async (...sheet) =>
  (await import('../../views/figures/contact-sheet.js')).drawSheet(...sheet)

/** Draws the first image of a pose of each class, as it is in the dataset, without labels. */
async function previewImages(
  { config: whole, radar, plan, targets }: PreparedDataset,
  options: SolverOptions,
  workers: number,
  out: Console,
): Promise<void> {
  if (whole.product === 'history')
    throw new InputError('--preview: a dataset of whole sweeps has no images to draw; leave it out')
  const config: DatasetConfig = { ...whole, labels: [], formats: ['npz'] }
  // Random numbers of an image follow from its pose's number times the realisations.
  const few = previewPlan(plan, ({ serial }) => serial * plan.realisations)
  const make: Preview['make'] = (folder, thumbnails, hooks) =>
    runDataset(
      {
        config,
        radar,
        plan: few,
        folder,
        key: '',
        openVariant: (pose) => openVariant(config, radar, targets, pose, options, hooks),
        workers,
        faults: faults({}),
        thumbnails,
      },
      few.shards,
      ({ done, total }) => hooks.progress('solve', done, total, undefined, 'images'),
      hooks.signal,
    )
  await drawPreview({ name: config.name, caption: CAPTION, size: radar.size, plan: few, make }, options, out)
}

const imageWorkers = (given: unknown): number =>
  given === undefined
    ? Math.max(1, availableParallelism() - 1)
    : cappedWorkers(parseCount(String(given), '--image-workers', 0, 1024)).workers!

/** Refuses options that the configuration determines. */
function refuse(command: Command): void {
  for (const [key, option, instead] of [
    ['units', '--units', 'targets[].units'],
    ['pol', '--pol', 'channels'],
    ['phaseCentre', '--phase-centre', 'targets[].centre'],
    ['mechanisms', '--mechanisms', 'labels'],
  ])
    if (command.getOptionValueSource(key) === 'cli')
      throw new InputError(`${option}: the dataset’s configuration determines this; set ${instead} there`)
}

/** `i/n` as [i, n]. */
export function parseShard(text: string): [number, number] {
  const match = /^(\d+)\/(\d+)$/.exec(text.trim())
  const [i, n] = match ? [Number(match[1]), Number(match[2])] : [0, 0]
  if (i < 1 || i > n) throw new InputError(`--shard "${text}": write i/n, like 2/8, with i from 1 to n`)
  return [i, n]
}
