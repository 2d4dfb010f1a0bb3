// Draws the figures of docs/doppler.md from samples/drone-motion.json and samples/ship-motion.json. A minute or two on two cores.
//   npm run build && node dist/reproduction/doppler-figures.js [folder, docs/figures/doppler]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadMotion, type MotionDescription } from '../run/motion/index.js'
import { dopplerSvg, imageSvg, svgToPng } from '../views/figures/node.js'
import { dopplerProducts, resolveProducts } from '../src/doppler/output.js'
import { imageOfPulses } from '../src/doppler/image.js'
import { doppler } from '../src/library/doppler.js'

const folder = process.argv[2] ?? 'docs/figures/doppler'
mkdirSync(folder, { recursive: true })
const save = async (name: string, svg: string): Promise<void> =>
  writeFileSync(join(folder, `${name}.png`), await svgToPng(svg))
const read = (name: string): MotionDescription =>
  JSON.parse(readFileSync(`samples/${name}.json`, 'utf8')) as MotionDescription
const options = { folder: 'samples', channels: ['vv'] as const }

/** Two turns of the rotors, without noise, which would make the picture's file large. */
const drone = read('drone-motion')
const motion = { ...drone, noise: undefined, radar: { ...drone.radar, pulses: 500 } }
const flying = await doppler(motion, options)
const settings = resolveProducts(await loadMotion(motion, {}, 'samples'), { window: 'hamming', overlap: 0.9 }, (x) => x) // prettier-ignore
const { spectrogram } = dopplerProducts(flying.computed, 'vv', settings)
const levels = Float32Array.from(spectrogram.power, (p) => 10 * Math.log10(Math.max(p, 1e-30)))
const axes = { x: spectrogram.timeS, y: spectrogram.dopplerHz, xTitle: 'Time [s]', yTitle: 'Doppler [Hz], positive: approaching' } // prettier-ignore
const about = {
  title: 'A drone with four rotors, VV',
  subtitle: `10 GHz  ·  ${settings.stft} pulses of 50 µs`,
}
await save('drone', dopplerSvg({ levels, ...axes, ...about, dynamicRangeDb: 35 }))
console.log('drone', flying.error)

const ship = read('ship-motion')
const sailing = await doppler({ ...ship, noise: undefined }, options)
const imaging = { window: 'hamming', translation: 'removed' } as const
const { image, rangeM, crossRangeM } = imageOfPulses(sailing.computed, 'vv', imaging)
const title = 'A ship that rolls, pitches, turns and sails, VV'
await save('ship', imageSvg({ image, rangeM, crossRangeM, title, dynamicRangeDb: 35 }))
console.log('ship', sailing.error)
