import { type Command, Option } from 'commander'
import { withNpz } from '../../formats/index.js'
import { AUTOFOCUS, type AutofocusName, type WindowName, WINDOWS } from '../../isar/index.js'
import { loadMotion, motionJsonSchema, targetMesh } from '../../motion/index.js'
import { boundingBox, InputError, wavelength } from '../../scene/index.js'
import { computeDoppler, type DopplerPlan } from '../doppler/compute.js'
import { dopplerFiles, resolveProducts, writeDoppler } from '../doppler/output.js'
import { checkImage, motionImageFiles, writeMotionImages } from '../doppler/image.js'
import { facetsOf } from '../doppler/target.js'
import { Hooks } from '../hooks.js'
import { AlreadyComplete, folderLocation, resultStore } from '../results.js'
import { Console, duration, reportComplete } from './console.js'
import { formatsOption, parseFormats } from './formats.js'
import { advanced, heading, noMeshOption } from './help.js'
import { interruption } from './interrupt.js'
import { mergedOptions } from './merged-options.js'
import { addSolverOptions, optionName, solverOptions } from './options.js'
import { parseCount, parseNumber, parsePositive } from './quantity.js'
import { noteReporter } from './run.js'

export function dopplerCommand(command: Command): void {
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
    .option('--exact', 'a full solution at every pulse, without interpolation')
    .optionsGroup(heading('Output'))
    .option('--image', 'also an ISAR image of the whole dwell, by the known rotation')
    .addOption(
      new Option('--translation <which>', 'in images').choices(['removed', 'kept']).default('removed'),
    )
    .addOption(
      new Option('--autofocus <method>', 'in images: minimum entropy, or phase gradient').choices([
        ...AUTOFOCUS,
      ]),
    )
    .option('--film', 'a picture of every range–Doppler map, numbered')
    .addOption(formatsOption('arrays also as hdf5, mat (npz are always written)'))
    .addOption(noMeshOption())
    .addOption(advanced(new Option('--dynamic-range <dB>', 'levels shown below the maximum').default('50')))
  command
    .command('schema')
    .description('print the JSON Schema of motion files')
    .exitOverride()
    .action(() => {
      process.stdout.write(`${JSON.stringify(motionJsonSchema(), null, 2)}\n`)
    })
  // The subcommand above keeps its own help.
  addSolverOptions(command).action((path: string) => runDoppler(command, path))
}

async function runDoppler(command: Command, path: string): Promise<void> {
  const texts = command.opts<Record<string, string | undefined>>()
  refuse(command)
  // Of first order unless asked for more: the meshes are many.
  const options = solverOptions({ secondOrder: 'none', ...mergedOptions(command, {}) })
  const out = new Console(options.quiet)
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
  const writing = {
    products,
    formats: withNpz(parseFormats(texts)),
    dynamicRangeDb: parsePositive(texts.dynamicRange!, '--dynamic-range'),
    film: Boolean(texts.film),
    mesh: command.opts<{ mesh: boolean }>().mesh,
  }
  const several = loaded.config.radar.freqHz.length > 1
  if (writing.film && !several)
    throw new InputError('--film: one frequency has no range; give radar.band, or leave it out')
  const imaging = texts.image && {
    window: products.window,
    translation: texts.translation as 'removed' | 'kept',
    dynamicRangeDb: writing.dynamicRangeDb,
    ...(texts.autofocus !== undefined && { autofocus: texts.autofocus as AutofocusName }),
  }
  if (!imaging && command.getOptionValueSource('translation') === 'cli')
    throw new InputError('--translation is of images; give --image too')
  if (!imaging && texts.autofocus !== undefined)
    throw new InputError('--autofocus is of images; give --image too')
  if (imaging) checkImage(loaded, imaging)
  const place = folderLocation(options.out ?? `${loaded.name}-doppler`)
  const images = imaging ? motionImageFiles(options.channels) : []
  const store = resultStore(
    place,
    [...images, ...dopplerFiles(options.channels, writing.formats, several)],
    options,
  )
  const { signal, listen, end } = interruption(() => 'interrupted')
  let plan: DopplerPlan | undefined
  let rows = 0
  const hooks = new Hooks({
    signal,
    nameOf: optionName,
    onWarning: (message) => out.warn(message),
    onNote: noteReporter(out),
    onProgress: ({ phase, done, total }) => {
      if (phase !== 'solve') return
      rows = done
      out.progress(done, total, 'aspects')
    },
  })
  try {
    const computed = await computeDoppler(loaded, Boolean(texts.exact), options, {
      store,
      hooks,
      onPlan: (planned) => {
        plan = planned
        rows = planned.done
        reportPlan(planned, out)
        listen()
      },
    })
    if (computed.error) out.say(`accuracy  ${describeError(computed.error)}`)
    if (imaging) await writeMotionImages(place, computed, imaging)
    await writeDoppler(place, computed, writing)
    store.discard()
    out.say(`wrote     ${place.folder} in ${duration(Number(computed.timing.total))}`)
    if (options.json)
      process.stdout.write(
        JSON.stringify({
          command: 'doppler',
          out: place.folder,
          pulses: computed.history.timeS.length,
          frequencies: computed.history.freqHz.length,
          solved: computed.meta.counts,
          error: computed.error ?? null,
          seconds: computed.timing.total,
          device: computed.meta.device,
        }) + '\n',
      )
  } catch (error) {
    if (error instanceof AlreadyComplete) {
      reportComplete('doppler', error.file, options, out)
      return
    }
    const failure = error as Error
    if (plan && !(error instanceof InputError) && !failure.message.includes('--resume'))
      failure.message = `${failure.message.split('\n')[0]}; ${rows} of ${plan.plan.rows} aspects are kept; continue with --resume`
    throw error
  } finally {
    end()
  }
}

/** Refuses options that the motion file determines, and what this command does not do. */
function refuse(command: Command): void {
  for (const [key, option, instead] of [
    ['units', '--units', 'the motion file says it; set "units" there'],
    ['phaseCentre', '--phase-centre', 'phases are referred to the mesh’s origin at time 0; leave it out'],
    ['mechanisms', '--mechanisms', 'pulses have no parts; leave it out'],
    ['cluster', '--cluster', 'this command runs on one machine; leave it out'],
  ])
    if (command.getOptionValueSource(key) === 'cli') throw new InputError(`${option}: ${instead}`)
}

const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`

const describeError = ({ total, interpolation }: { total: number; interpolation?: number }): string =>
  `rms error at 4 pulses ${percent(total)} of the rms field against full solutions` +
  (interpolation === undefined ? '' : `, ${percent(interpolation)} by interpolation`)

function reportPlan({ plan, device, done }: DopplerPlan, out: Console): void {
  const { loaded, components, rows, units, checked } = plan
  const { radar, parts } = loaded.config
  const facets = facetsOf(loaded)
  const { min, max } = boundingBox(targetMesh(loaded, parts.map(() => 0))) // prettier-ignore
  const size = min.map((x, c) => Number((max[c] - x).toPrecision(4)))
  const waves = Math.hypot(...size) / wavelength(radar.freqHz[radar.freqHz.length - 1])
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
  if (done > 0) out.say(`resuming  ${done} of ${rows} aspects already computed`)
}
