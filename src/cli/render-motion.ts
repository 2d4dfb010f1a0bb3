import type { Command } from 'commander'
import { withNpz } from '../../formats/index.js'
import { loadMotion } from '../../run/motion/index.js'
import { InputError } from '../../scene/index.js'
import { checkImage, motionRenderFiles, writeMotionRender } from '../doppler/image.js'
import type { RequestedImage } from '../../run/formed-images.js'
import { folderLocation, resultStore } from '../../run/results.js'
import { Console, duration } from './console.js'
import { motionImageSettings, parseFormats } from './options.js'
import { parseDynamicRange } from './picture-options.js'
import { motionOptions, solveMotion } from './solve-motion.js'

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
): Promise<void> {
  for (const [key, option, instead] of NOT_HERE)
    if (command.getOptionValueSource(key) === 'cli') throw new InputError(`${option}: ${instead}`)
  const texts = command.opts<Record<string, string | undefined>>()
  const options = motionOptions(command)
  const out = new Console(options.quiet)
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
    if (options.json)
      process.stdout.write(
        JSON.stringify({
          command: 'render',
          out: place.folder,
          images: options.channels.map((c) => place.file(`image-${c}.png`)),
          image_peak_dbsm: peaks,
          aspects: computed.history.timeS.length,
          frequencies: computed.history.freqHz.length,
          seconds: computed.timing.total,
          device: computed.meta.device,
        }) + '\n',
      )
  })
}
