import { type Command, Option } from 'commander'
import { withNpz } from '../../formats/index.js'
import { type WindowName, WINDOWS } from '../../isar/index.js'
import { type LoadedMotion, loadMotion, motionJsonSchema, targetMesh } from '../../run/motion/index.js'
import { boundingBox, InputError, wavelength } from '../../scene/index.js'
import {
  checkImage,
  motionImageFiles,
  motionImages,
  motionRenderFiles,
  writeMotionImages,
  writeMotionRender,
} from '../doppler/image.js'
import { DOPPLER, dopplerFiles, resolveProducts, writeDoppler } from '../doppler/output.js'
import { folderLocation, resultStore, type RunStore } from '../../run/results.js'
import { bytes, type Console, duration } from './console.js'
import { readDeclared } from '../../run/settings/settings.js'
import {
  addDeclared,
  addSolverOptions,
  CLUSTER_OPTIONS,
  formatsOption,
  mergedOptions,
  motionImageOptions,
  motionImageSettings,
  optionName,
  parseFormats,
  refuseMotionImage,
  solverOptions,
  type SolverOptions,
} from './options.js'
import {
  parseCount,
  parseDynamicRange,
  parseNumber,
  parsePositive,
  pdfOption,
  refuseGiven,
} from './quantity.js'
import { advanced, heading, noMeshOption } from './program.js'
import {
  type ComputedDoppler,
  computeDoppler,
  type DopplerPlan,
  facetsOf,
} from '../../run/doppler/compute.js'
import type { RequestedImage } from '../../run/formed-images.js'
import { planStore, reportJob } from './run.js'

export function dopplerCommand(command: Command, out: Console): void {
  command
    .argument('<motion>', 'motion file, JSON (docs/doppler.md has the format)')
    .optionsGroup(heading('Sweep'))
    .option('--interval <n>', 'pulses of a range–Doppler map (default: all, at most 1024)')
    .option('--stft <n>', 'pulses of a column of the spectrogram (default: an eighth of the fastest turn)')
    .addOption(
      advanced(new Option('--overlap <part>', 'part of a column that the next one shares').default('0.75')),
    )
    .addOption(
      advanced(new Option('--window <name>', 'spectral window').choices([...WINDOWS]).default('hamming')),
    )
    .optionsGroup(heading('Accuracy'))
  addDeclared(command, DOPPLER)
  command
    .optionsGroup(heading('Output'))
    .option('--image', 'also an ISAR image of the whole dwell, by the known rotation')
    .option('--film', 'a picture of every range–Doppler map, numbered')
    .addOption(formatsOption('arrays also as hdf5, mat (npz are always written)'))
    .addOption(pdfOption())
    .addOption(noMeshOption())
    .addOption(advanced(new Option('--dynamic-range <dB>', 'levels shown below the maximum').default('50')))
  for (const option of motionImageOptions('with --image')) command.addOption(option)
  command
    .command('schema')
    .description('print the JSON Schema of motion files')
    .exitOverride()
    .action(() => {
      out.print(`${JSON.stringify(motionJsonSchema(), null, 2)}\n`)
    })
  // The subcommand above keeps its own help.
  addSolverOptions(command, [...NOT_OF_MOTIONS.map(([, option]) => option), ...CLUSTER_OPTIONS]) // prettier-ignore
  command.action((path: string) => runDoppler(command, path, out))
}

async function runDoppler(command: Command, path: string, out: Console): Promise<void> {
  const texts = command.opts<Record<string, string | undefined>>()
  const options = motionOptions(command)
  const loaded = await loadMotion(path, options)
  const products = resolveProducts(
    loaded,
    {
      window: texts.window as WindowName,
      overlap: parseNumber(texts.overlap!, '--overlap', 0, 0.99),
      ...(texts.interval !== undefined && { interval: parseCount(texts.interval, '--interval', 2, 1e6) }),
      ...(texts.stft !== undefined && { stft: parseCount(texts.stft, '--stft', 2, 1e6) }),
    },
    optionName,
  )
  const { mesh, pdf } = command.opts<{ mesh: boolean; pdf?: boolean }>()
  const writing = {
    products,
    formats: withNpz(parseFormats(texts)),
    dynamicRangeDb: parsePositive(texts.dynamicRange!, '--dynamic-range'),
    film: Boolean(texts.film),
    mesh,
  }
  const several = loaded.config.radar.freqHz.length > 1
  if (writing.film && !several)
    throw new InputError('--film: one frequency has no range; give radar.band, or leave it out')
  const imaging = texts.image && motionImageSettings(texts, writing.dynamicRangeDb)
  if (!imaging) refuseMotionImage(command, 'is of images; give --image too')
  if (imaging) checkImage(loaded, imaging)
  const place = { ...folderLocation(options.out ?? `${loaded.name}-doppler`), pdf }
  const images = imaging ? motionImageFiles(options.channels) : []
  const store = resultStore(
    place,
    [...images, ...dopplerFiles(options.channels, writing.formats, several)],
    options,
  )
  await solveMotion(
    'doppler',
    loaded,
    readDeclared(DOPPLER, texts).exact,
    { options, out, store },
    async (computed) => {
      if (imaging) await writeMotionImages(place, computed, motionImages(computed, imaging), imaging)
      await writeDoppler(place, computed, writing)
      store.discard()
      out.say(`wrote     ${place.folder} in ${duration(Number(computed.timing.total))}`)
      out.json({
        command: 'doppler',
        out: place.folder,
        pulses: computed.history.timeS.length,
        frequencies: computed.history.freqHz.length,
        solved: computed.meta.counts,
        error: computed.error ?? null,
        seconds: computed.timing.total,
        device: computed.meta.device,
      })
    },
  )
}

/** What the motion file says instead, and what images of moving targets do not have. */
const NOT_HERE: [key: string, option: string, instead: string][] = [
  ...['band', 'freq', 'theta', 'phi'].map((key): [string, string, string] => [
    key,
    `--${key}`,
    'the motion file says it; set "radar" there',
  ]),
  ...['resolution', 'aperture', 'angles'].map((key): [string, string, string] => [
    key,
    `--${key}`,
    'it follows from radar and motion in the motion file; leave it out',
  ]),
  ['polarFormat', '--polar-format', 'images of a motion are in focus everywhere; leave it out'],
  ['fast', '--fast', 'pulses are interpolated already; leave it out'],
  ['check', '--check', 'it checks sweeps of a turntable; leave it out'],
]

/** `isar render --motion FILE`: images of a target that moves. */
export async function runMotionRender(
  command: Command,
  path: string,
  { size }: RequestedImage,
  out: Console,
): Promise<void> {
  refuseGiven(command, NOT_HERE)
  const texts = command.opts<Record<string, string | undefined>>()
  const options = motionOptions(command)
  const loaded = await loadMotion(path, options)
  const dynamicRangeDb = parseDynamicRange(texts.dynamicRange!)
  const { outline, mesh, pdf } = command.opts<{ outline: boolean; mesh: boolean; pdf?: boolean }>()
  const imaging = { ...motionImageSettings(texts, dynamicRangeDb, outline), size }
  checkImage(loaded, imaging)
  const place = { ...folderLocation(options.out ?? `${loaded.name}-render`), pdf }
  const formats = withNpz(parseFormats(texts))
  const store = resultStore(place, motionRenderFiles(options.channels, formats), options)
  await solveMotion('render', loaded, false, { options, out, store }, async (computed) => {
    const peaks = await writeMotionRender(place, computed, imaging, formats, {
      smoothAngleDeg: options.smoothAngleDeg,
      keeps: mesh,
    })
    store.discard()
    out.say(`wrote     ${place.folder} in ${duration(Number(computed.timing.total))}`)
    out.json({
      command: 'render',
      out: place.folder,
      images: options.channels.map((c) => place.file(`image-${c}.png`)),
      image_peak_dbsm: peaks,
      aspects: computed.history.timeS.length,
      frequencies: computed.history.freqHz.length,
      seconds: computed.timing.total,
      device: computed.meta.device,
    })
  })
}

/** Options of the solver that the motion file determines, or that pulses cannot have, by the keys of commander's values. */
const NOT_OF_MOTIONS: [key: string, option: string, instead: string][] = [
  ['units', '--units', 'the motion file says it; set "units" there'],
  ['phaseCentre', '--phase-centre', 'phases are referred to the mesh’s origin at time 0; leave it out'],
  ['mechanisms', '--mechanisms', 'pulses have no parts; leave it out'],
  ['cluster', '--cluster', 'this command runs on one machine; leave it out'],
]

/** The solver's options of a command that takes a motion file. @throws InputError for those that the file determines, or that pulses cannot have */
function motionOptions(command: Command): SolverOptions {
  refuseGiven(command, NOT_OF_MOTIONS)
  // Of first order unless asked for more: the meshes are many.
  return solverOptions({ secondOrder: 'none', ...mergedOptions(command, {}) })
}

/**
 * Solves a motion with plan and progress on stderr, and has its result written.
 * @param name  of the command
 */
async function solveMotion(
  name: string,
  loaded: LoadedMotion,
  exact: boolean,
  { options, out, store }: { options: SolverOptions; out: Console; store: RunStore },
  write: (computed: ComputedDoppler) => Promise<void>,
): Promise<void> {
  const computed = await reportJob(
    {
      command: name,
      plan: options.plan,
      out,
      report(plan: DopplerPlan) {
        reportPlan(plan, out)
        return options.plan ? planRecord(plan) : {}
      },
    },
    (reported) =>
      computeDoppler(loaded, exact, options, { ...reported, store: options.plan ? planStore(store) : store }),
  )
  if (!computed) return
  if (computed.error) out.say(`accuracy  ${describeError(computed.error)}`)
  await write(computed)
}

const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`

const describeError = ({ total, interpolation }: { total: number; interpolation?: number }): string =>
  `rms error at 4 pulses ${percent(total)} of the rms field against full solutions` +
  (interpolation === undefined ? '' : `, ${percent(interpolation)} by interpolation`)

/** Sides of the target's box [m], and its diagonal in wavelengths at the highest frequency. */
function sizeOf({ loaded }: DopplerPlan['plan']): { size: number[]; wavelengths: number } {
  const { radar, parts } = loaded.config
  const { min, max } = boundingBox(targetMesh(loaded, parts.map(() => 0))) // prettier-ignore
  const size = min.map((x, c) => max[c] - x)
  return { size, wavelengths: Math.hypot(...size) / wavelength(radar.freqHz[radar.freqHz.length - 1]) }
}

/** What --plan --json prints. */
function planRecord({ plan, device, estimate }: DopplerPlan): Record<string, unknown> {
  const { loaded, rows, units } = plan
  const { size, wavelengths } = sizeOf(plan)
  return {
    target: { name: loaded.name, size_m: size, wavelengths, facets: facetsOf(loaded) },
    pulses: loaded.config.radar.pulses,
    frequencies: loaded.config.radar.freqHz.length,
    aspects: rows,
    meshes: units.length,
    memory_bytes: estimate.memoryBytes,
    seconds: estimate.seconds,
    device,
  }
}

function reportPlan({ plan, device, estimate }: DopplerPlan, out: Console): void {
  const { loaded, components, rows, units, checked } = plan
  const { radar, parts } = loaded.config
  const facets = facetsOf(loaded)
  const { size: sides, wavelengths: waves } = sizeOf(plan)
  const size = sides.map((x) => Number(x.toPrecision(4)))
  const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
  const frequencies = plural(radar.freqHz.length, 'frequency', 'frequencies')
  out.say(
    `target    ${loaded.name}: ${size.join(' x ')} m, ${Number(waves.toPrecision(3))} wavelengths across, ${facets} facets${parts.length > 0 ? `, ${plural(parts.length, 'turning part')}` : ''}`,
  )
  out.say(
    `pulses    ${radar.pulses} x ${frequencies} over ${Number(loaded.duration.toPrecision(4))} s, ${radar.waveform}`,
  )
  for (const { name, direct, time, angle } of components)
    out.say(
      `plan      ${name}: ${direct ? 'solved at every pulse' : `${plural(time.nodes.length, 'aspect')}${angle.nodes.length > 1 ? ` x ${angle.nodes.length} angles` : ''}, pulses interpolated`}`,
    )
  if (checked.length > 0) out.say(`check     against full solutions at ${plural(checked.length, 'pulse')}`)
  out.say(`device    ${device}`)
  out.say(`solve     ${plural(rows, 'aspect')} of ${plural(units.length, 'mesh', 'meshes')}`)
  out.say(`estimate  about ${duration(estimate.seconds)}, ${bytes(estimate.memoryBytes)} of memory`)
}
