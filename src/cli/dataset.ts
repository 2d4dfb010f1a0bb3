import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import {
  aspectsPerTarget,
  bytesOf,
  checkRoom,
  checkShardSize,
  imageBytes,
  rowBytes,
} from '../../dataset/estimate.js'
import {
  claimDataset,
  type DatasetConfig,
  type DatasetIdentity,
  type DatasetPlan,
  finishDataset,
  previewPlan,
  type Radar,
  radarBand,
  radarNotes,
  readRecord,
  recordsOf,
  resolveRadar,
  runDataset,
  sha256,
  sheetChips,
  verifyDataset,
} from '../../dataset/index.js'
import { copyFactors, type ReadTarget, readTargets } from '../../dataset/targets.js'
import { timingOf } from '../../dataset/timing-report.js'
import { checkMemory } from '../../run/estimate.js'
import { folderLocation, writeJson } from '../../run/results.js'
import { stripForDataset } from '../../run/settings/settings.js'
import { expressionsOf } from '../../run/solved-run.js'
import { cappedWorkers, faults } from '../../run/solver.js'
import { VERSION } from '../../run/version.js'
import { InputError, wavelength } from '../../scene/index.js'
import { checkBands } from '../../scene/materials/index.js'
import { checkDatasetSolver, datasetJsonSchema, spectrogramDatasetSchema } from '../dataset-settings.js'
import { bytes, Console, count, duration, interruptible } from './console.js'
import {
  configFrequencies,
  estimateTargets,
  type OpenedVariant,
  openVariant,
  parseShard,
  planned,
  readDatasetConfig,
  type TargetEstimate,
} from './dataset-variant.js'
import { drawPreview } from './dataset-preview.js'
import { heading } from './program.js'
import {
  addSolverOptions,
  mergedOptions,
  refuseBeside,
  type SolverOptions,
  solverOptions,
} from './options.js'
import { parseCount } from './quantity.js'

/** Prints the plan of a dataset of images, and returns it as --plan --json prints it. */
function describePlan(
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  options: SolverOptions,
  { engines, loaded }: OpenedVariant,
  estimates: (TargetEstimate | undefined)[],
  memoryBytes: number,
  out: Console,
): Record<string, unknown> {
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
  refuse(config, options, command)
  const share = cli.shard === undefined ? null : parseShard(String(cli.shard))
  const out = new Console(options.quiet)
  const frequencies = configFrequencies(config)
  // The band does not depend on the targets' size.
  const { freqHz } = resolveRadar(config, frequencies, 1)
  const targets = await readTargets(config, dirname(resolve(path)), wavelength(Math.max(...freqHz)))
  const diameterM = Math.max(...targets.map((t) => t.diameterM)) * (1 + 2 * config.copies.scale)
  const radar = resolveRadar(config, frequencies, diameterM)
  for (const { materials } of targets) checkBands(materials, [radarBand(radar)])
  const plan = await planned(config, radar)
  if (cli.preview)
    return previewImages(config, radar, plan, targets, options, imageWorkers(cli.imageWorkers), out)
  const place = folderLocation(options.out ?? `${config.name}-dataset`)
  checkShardSize(config, radar, plan)
  const first: { variant: OpenedVariant | null } = {
    variant: await openVariant(config, radar, targets, plan.poses[0], options, out),
  }
  try {
    const { engines } = first.variant!
    const { device } = engines.facets.describe()
    const identity: DatasetIdentity = {
      version: VERSION,
      device,
      solver: stripForDataset(options),
      meshes: targets.map((t, i) => ({
        name: config.targets[i].mesh.replace(/^.*[/\\]/, ''),
        sha256: t.hash,
        facets: t.facets,
        size_m: t.sizeM,
      })),
      materials: targets.map((t, i) => materialsRecord(config, t, i)),
      key: sha256(JSON.stringify([VERSION, { ...config, solver: {} }, radar, stripForDataset(options), device, targets.map((t) => t.hash), ...targets.flatMap((t) => t.materialsKey)])), // prettier-ignore
    }
    checkRoom(place.folder, bytesOf(config, radar, plan))
    const estimates = estimateTargets(config, radar, plan, targets, first.variant!, options)
    const threads = imageWorkers(cli.imageWorkers)
    const memoryBytes =
      Math.max(...estimates.map((e) => e?.memoryBytes ?? 0)) +
      rowBytes(radar, plan, first.variant!) +
      imageBytes(config, radar, plan, threads)
    checkMemory(
      memoryBytes,
      'take fewer frequencies, angles or pixels, a lower shardChips, or fewer --image-workers',
    )
    if (options.plan) {
      for (const note of radarNotes(radar, config.product === 'chips' ? diameterM : 0)) out.warn(note)
      const planned = describePlan(config, radar, plan, options, first.variant!, estimates, memoryBytes, out)
      if (options.json)
        process.stdout.write(`${JSON.stringify({ command: 'dataset', plan: true, ...planned })}\n`)
      return
    }
    const state = await claimDataset(place.folder, identity.key, { ...options, join: share !== null })
    if (state === 'done') {
      out.say(`complete  ${place.folder} holds this dataset: already complete`)
      if (options.json)
        process.stdout.write(`${JSON.stringify({ command: 'dataset', out: place.folder, complete: true })}\n`)
      return
    }
    for (const note of [
      ...radarNotes(radar, config.product === 'chips' ? diameterM : 0),
      ...engines.warnings,
    ])
      out.warn(note)
    describePlan(config, radar, plan, options, first.variant!, estimates, memoryBytes, out)
    const shards = share ? plan.shards.filter((s) => s.index % share[1] === share[0] - 1) : plan.shards
    const kept = shards.filter((s) => readRecord(place.folder, s.index)).length
    if (kept > 0) out.say(`resuming  ${kept} of ${shards.length} shards already computed`)
    const start = performance.now()
    const what = config.product === 'chips' ? 'images' : 'sweeps'
    const timing = await interruptible(
      () => 'interrupted; finished shards and aspects are kept; continue with --resume',
      (signal) =>
        runDataset(
          {
            config,
            radar,
            plan,
            folder: place.folder,
            key: identity.key,
            openVariant: async (pose) => {
              const opened = first.variant
              first.variant = null
              if (opened && pose === plan.poses[0]) return opened
              await opened?.close()
              return openVariant(config, radar, targets, pose, options, out)
            },
            workers: threads,
            faults: faults({}),
            thumbnails: new Set(sheetChips(plan)),
          },
          shards,
          ({ done, total }) => out.progress(done, total, what),
          signal,
        ),
    )
    const seconds = (performance.now() - start) / 1000
    const records = recordsOf(place.folder, plan)
    // Shares may end at the same time on several machines: none of them makes the last step.
    const finished = share === null && records.length === plan.shards.length
    if (!finished) {
      out.say(`part      ${records.length} of ${plan.shards.length} shards are complete; when all are, finish with isar dataset ${path} --out ${place.folder} --resume`) // prettier-ignore
    } else {
      const { drawSheet } = await import('../../views/figures/contact-sheet.js')
      await finishDataset(place.folder, config, radar, plan, identity, records, (rows) =>
        drawSheet(config.name, CAPTION, rows, radar.size),
      )
    }
    await writeJson(place, share ? `timing-${share.join('-of-')}.json` : 'timing.json', timingOf(engines.facets.describe().text, options.schedule, timing, seconds)) // prettier-ignore
    const warning = timing.cutOff.warning(options.sbr.maxBounces, '--max-bounces')
    if (warning) out.warn(warning)
    const images = timing.images
    const rate = images > 0 ? `, ${count((3600 * images) / seconds)} images an hour` : ''
    out.say(`wrote     ${place.folder} in ${duration(seconds)}${rate}`)
    if (options.json)
      process.stdout.write(`${JSON.stringify({ command: 'dataset', out: place.folder, images: plan.poses.length * plan.realisations, shards: plan.shards.length, finished, computed: images, seconds, images_per_hour: images > 0 ? (3600 * images) / seconds : null, device: engines.facets.describe().text, trace: config.trace })}\n`) // prettier-ignore
  } finally {
    await first.variant?.close()
  }
}

const CAPTION =
  'Decibels, 40 dB down from the brightest pixel of each; azimuth and elevation below. Range upwards away from the radar.'

/** Draws the first image of a pose of each class, as it is in the dataset, without labels. */
async function previewImages(
  whole: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  targets: ReadTarget[],
  options: SolverOptions,
  workers: number,
  out: Console,
): Promise<void> {
  if (whole.product === 'history')
    throw new InputError('--preview: a dataset of whole sweeps has no images to draw; leave it out')
  const config: DatasetConfig = { ...whole, labels: [], formats: ['npz'] }
  // Random numbers of an image follow from its pose's number times the realisations.
  const few = previewPlan(plan, ({ serial }) => serial * plan.realisations)
  await drawPreview(
    {
      name: config.name,
      caption: CAPTION,
      size: radar.size,
      plan: few,
      make: (folder, thumbnails, signal) =>
        runDataset(
          {
            config,
            radar,
            plan: few,
            folder,
            key: '',
            openVariant: (pose) => openVariant(config, radar, targets, pose, options, out),
            workers,
            faults: faults({}),
            thumbnails,
          },
          few.shards,
          ({ done, total }) => out.progress(done, total, 'images'),
          signal,
        ),
    },
    options,
    out,
  )
}

/** Materials of a target, for the dataset's description. */
function materialsRecord(
  config: DatasetConfig,
  read: ReadTarget,
  target: number,
): DatasetIdentity['materials'][number] {
  const count = config.copies.thickness || config.copies.permittivity ? config.copies.count : 0
  return {
    names: read.materials.slice(1).map(({ name }) => name),
    ...expressionsOf(read.materials),
    copies: Array.from({ length: count }, (_, copy) => copyFactors(config, read, target, copy)),
  }
}

const imageWorkers = (given: unknown): number =>
  given === undefined
    ? Math.max(1, availableParallelism() - 1)
    : cappedWorkers(parseCount(String(given), '--image-workers', 0, 1024)).workers!

/** Refuses options that the configuration determines. */
function refuse(config: DatasetConfig, options: SolverOptions, command: Command): void {
  for (const [key, option, instead] of [
    ['units', '--units', 'targets[].units'],
    ['pol', '--pol', 'channels'],
    ['phaseCentre', '--phase-centre', 'targets[].centre'],
    ['mechanisms', '--mechanisms', 'labels'],
  ])
    if (command.getOptionValueSource(key) === 'cli')
      throw new InputError(`${option}: the dataset’s configuration determines this; set ${instead} there`)
  if (config.labels.includes('convergence') && options.method !== 'sbr')
    throw new InputError(
      `labels: with --method ${options.method} there are no ray tubes to coarsen; leave "convergence" out`,
    )
  const parts = config.labels.find((label) => label === 'layers' || label === 'centres')
  if (parts && options.method === 'mom')
    throw new InputError(
      `labels: with --method mom there is one field, without parts by mechanism; leave "${parts}" out`,
    )
}
