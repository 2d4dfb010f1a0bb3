import { type Command, Option } from 'commander'
import { withNpz } from '../../formats/index.js'
import { type WindowName, WINDOWS } from '../../isar/index.js'
import { loadMotion, motionJsonSchema } from '../../run/motion/index.js'
import { InputError } from '../../scene/index.js'
import { checkImage, motionImageFiles, motionImages, writeMotionImages } from '../doppler/image.js'
import { dopplerFiles, resolveProducts, writeDoppler } from '../doppler/output.js'
import { folderLocation, resultStore } from '../../run/results.js'
import { type Console, duration } from './console.js'
import { readDeclared } from '../../run/settings/settings.js'
import { DOPPLER } from '../library/doppler.js'
import {
  addDeclared,
  addSolverOptions,
  CLUSTER_OPTIONS,
  formatsOption,
  motionImageOptions,
  motionImageSettings,
  optionName,
  parseFormats,
  refuseMotionImage,
} from './options.js'
import { advanced, heading, noMeshOption } from './program.js'
import { parseCount, parseNumber, parsePositive, pdfOption } from './quantity.js'
import { motionOptions, NOT_OF_MOTIONS, solveMotion } from './solve-motion.js'

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
