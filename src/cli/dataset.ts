import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import {
  aspectsPerTarget,
  bytesOf,
  CAPTION,
  type DatasetOutput,
  type DatasetPart,
  datasetStore,
  type ImagesPlan,
  makeImages,
  prepareDataset,
  type PreparedDataset,
} from '../../dataset/job.js'
import {
  checkSpectrogramConfig,
  type DatasetConfig,
  previewPlan,
  readRecord,
  runDataset,
  runSpectrograms,
  sheetChips,
  sheetRows,
  verifyDataset,
} from '../../dataset/index.js'
import {
  checkDatasetSolver,
  datasetJsonSchema,
  openVariant,
  readDatasetConfig,
  spectrogramDatasetSchema,
} from '../../dataset/variant.js'
import {
  captionOf,
  chipHooks,
  makeSpectrograms,
  prepareSpectrograms,
  solving,
  type SpectrogramsPlan,
} from '../../dataset/spectrograms/job.js'
import { type Hooks, type Job, type JobPlan, runWholeJob } from '../../run/job.js'
import { claimStore, fileLocation, folderLocation, noStore, writeResult } from '../../run/results.js'
import { cappedWorkers, faults } from '../../run/solver.js'
import { InputError } from '../../scene/index.js'
import { bytes, type Console, count, duration } from './console.js'
import { readDeclared } from '../../run/settings/settings.js'
import { DATASET } from '../library/dataset.js'
import {
  addDeclared,
  addSolverOptions,
  mergedOptions,
  optionName,
  refuseBeside,
  type SolverOptions,
  solverOptions,
} from './options.js'
import { refuseGiven } from './quantity.js'
import { heading } from './program.js'
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

export function datasetCommand(command: Command, out: Console): void {
  command
    .argument('<config>', 'configuration, JSON')
    .optionsGroup(heading('Run'))
    .option('--shard <i/n>', 'only every n-th shard from the i-th: for batch systems')
    .option('--preview', 'draw one image of each class on a sheet, NAME-preview.png, and end')
  addDeclared(command, DATASET, 'imageWorkers')
  command
    .command('verify')
    .description('check a finished dataset: checksums, numbering, splits')
    .argument('<path>', 'folder that isar dataset wrote')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .exitOverride()
    .action((path: string) => runVerify(path, out))
  command
    .command('schema')
    .description('print the JSON Schema of the configuration: of images, or of spectrograms')
    .addArgument(
      new Argument('[product]', 'what it makes').choices(['images', 'spectrograms']).default('images'),
    )
    .exitOverride()
    .action((product: string) => {
      const schema = product === 'spectrograms' ? spectrogramDatasetSchema() : datasetJsonSchema()
      out.print(`${JSON.stringify(schema, null, 2)}\n`)
    })
  // The subcommands above keep their own help.
  addSolverOptions(command, NOT_OF_DATASETS.map(([, option]) => option)) // prettier-ignore
  command.action((config: string) => runCommand(command, config, out))
}

async function runVerify(path: string, out: Console): Promise<void> {
  const found = await verifyDataset(resolve(path), (done, total) => out.progress(done, total, 'files'))
  for (const other of found.others.slice(0, 10)) out.say(`note      ${other} is not in the manifest`)
  out.json({ command: 'dataset verify', ...found })
  if (found.problems.length > 0) {
    const [first, ...others] = found.problems
    for (const problem of others.slice(0, 19)) out.say(`problem   ${problem}`)
    throw new Error(
      `${path}: ${others.length === 0 ? '1 problem' : `${found.problems.length} problems, the first`}: ${first}`,
    )
  }
  out.say(`whole     ${found.files} files, ${bytes(found.bytes)}, ${found.images} images`)
}

async function runCommand(command: Command, path: string, out: Console): Promise<void> {
  const given = await readDatasetConfig(path)
  if ('spectrograms' in given) return runSpectrogramDataset(command, path, given.spectrograms, out)
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
  const prepared = await prepareDataset(config, options, path, optionName)
  const workers = imageWorkers(readDeclared(DATASET, cli).imageWorkers)
  if (cli.preview) return previewImages(prepared, options, workers, out)
  const { folder } = folderLocation(options.out ?? `${config.name}-dataset`)
  const { resume, force } = options
  const output = { folder, share, resume, force, drawSheet }
  const part = await reportJob(
    {
      command: 'dataset',
      plan: options.plan,
      out,
      report: (plan: ImagesPlan) => describePlan(plan, options, out),
    },
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
  out.json({ ...partRecord(part), computed, seconds, images_per_hour: anHour, device: part.device, trace: config.trace }) // prettier-ignore
}

/** Says what a call has made. */
function reportPart(path: string, part: DatasetPart, remark: string, out: Console): void {
  const { folder, shards, complete, finished, seconds } = part
  if (!finished)
    out.say(`part      ${complete} of ${shards} shards are complete; when all are, finish with isar dataset ${path} --out ${folder} --resume`) // prettier-ignore
  out.say(`wrote     ${folder} in ${duration(seconds)}${remark}`)
}

/** The same with --json. */
const partRecord = ({ folder, images, shards, finished }: DatasetPart): Record<string, unknown> => ({
  command: 'dataset',
  out: folder,
  images,
  shards,
  finished,
})

/** Draws a contact sheet; loaded when it is time. */
const drawSheet: DatasetOutput['drawSheet'] = async (...sheet) =>
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

const imageWorkers = (given: number | undefined): number =>
  given === undefined ? Math.max(1, availableParallelism() - 1) : cappedWorkers(given).workers!

/** Options that the configuration determines, by the keys of commander's values, and where it does. */
const NOT_OF_DATASETS: [key: string, option: string, instead: string][] = [
  ['units', '--units', 'targets[].units'],
  ['pol', '--pol', 'channels'],
  ['phaseCentre', '--phase-centre', 'targets[].centre'],
  ['mechanisms', '--mechanisms', 'labels'],
]

function refuse(command: Command): void {
  refuseGiven(
    command,
    NOT_OF_DATASETS.map(([key, option, instead]) => [
      key,
      option,
      `the dataset’s configuration determines this; set ${instead} there`,
    ]),
  )
}

/** `i/n` as [i, n]. */
function parseShard(text: string): [number, number] {
  const match = /^(\d+)\/(\d+)$/.exec(text.trim())
  const [i, n] = match ? [Number(match[1]), Number(match[2])] : [0, 0]
  if (i < 1 || i > n) throw new InputError(`--shard "${text}": write i/n, like 2/8, with i from 1 to n`)
  return [i, n]
}

/** `isar dataset` of micro-Doppler spectrograms. @param value  of the configuration's JSON */
async function runSpectrogramDataset(
  command: Command,
  path: string,
  value: unknown,
  out: Console,
): Promise<void> {
  const config = checkSpectrogramConfig(value, path)
  checkDatasetSolver(config.solver)
  refuseGiven(command, NOT_OF_SPECTROGRAMS)
  const raw = mergedOptions(command, config.solver)
  refuseBeside(command, raw, config.solver)
  const options: SolverOptions = { ...solverOptions({ secondOrder: 'none', ...raw, pol: 'all' }), channels: config.channels } // prettier-ignore
  const { shard, preview } = command.opts<{ shard?: string; preview?: boolean }>()
  const share = shard === undefined ? null : parseShard(shard)
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
    {
      command: 'dataset',
      plan: options.plan,
      out,
      report: (planned: SpectrogramsPlan) => describe(planned, out),
    },
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
  out.json({ ...partRecord(part), solutions, seconds, device })
}

/** Options that the configuration determines, and what datasets of spectrograms do not have. */
const NOT_OF_SPECTROGRAMS: [key: string, option: string, instead: string][] = [
  ['units', '--units', 'the motion files say it; set "units" there'],
  ['pol', '--pol', 'the dataset’s configuration determines this; set channels there'],
  ['phaseCentre', '--phase-centre', 'phases do not show in spectrograms; leave it out'],
  ['mechanisms', '--mechanisms', 'spectrograms have no layers; leave it out'],
  ['imageWorkers', '--image-workers', 'spectrograms are formed on one thread; leave it out'],
  ['cluster', '--cluster', 'spectrograms are computed on one machine; leave it out, and take --shard'],
]

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

/** Kept free of `--preview` on the command line by `ignored-options.ts`: what is about a whole set. */
interface Preview {
  /** Name of the dataset. */
  name: string
  caption: string
  /** Rows and columns of an image. */
  size: [number, number]
  /** Of one image a class (`previewPlan`). */
  plan: Parameters<typeof sheetRows>[0]
  /** Makes the images in a folder, with thumbnails of these. */
  make: (folder: string, thumbnails: ReadonlySet<number>, hooks: Hooks) => Promise<unknown>
}

/** Draws one image of each class on a sheet, the only file that stays. @throws InputError for a place that is none or taken */
async function drawPreview(
  { name, caption, size, plan, make }: Preview,
  { out: to = `${name}-preview.png`, force }: SolverOptions,
  out: Console,
): Promise<void> {
  if (!/\.png$/i.test(to)) throw new InputError(`--out ${to}: a preview is one picture; give a name like ${name}-preview.png`) // prettier-ignore
  const place = fileLocation(to)
  const path = place.file(basename(to))
  const start = performance.now()
  const store = claimStore(place, [basename(to)], { force })
  await reportJob(
    {
      command: 'dataset',
      out,
      report: () => ({}),
      otherwise: 'nothing is written',
    },
    (reported) => {
      const open = async (): Promise<Job<undefined, void, JobPlan, void>> => {
        const folder = mkdtempSync(join(tmpdir(), 'isar-preview-'))
        return {
          key: null,
          shape: undefined,
          warnings: [],
          plan: () => ({ kept: () => null }),
          solve: async () => void (await make(folder, new Set(sheetChips(plan)), reported.hooks)),
          async finish() {
            const { drawPreviewSheet } = await import('../../views/figures/contact-sheet.js')
            const rows = sheetRows(plan, [readRecord(folder, 0)!])
            await writeResult(place, basename(to), await drawPreviewSheet(`${name}: one image of each class`, caption, rows, size)) // prettier-ignore
          },
          close: async () => rmSync(folder, { recursive: true, force: true }),
        }
      }
      return runWholeJob(open, { ...reported, store })
    },
  )
  const seconds = (performance.now() - start) / 1000
  out.say(`wrote     ${path} in ${duration(seconds)}`)
  out.json({ command: 'dataset', preview: path, classes: plan.classes, seconds }) // prettier-ignore
}
