// Draws the figure of docs/doppler.md from samples/drone-motion.json. A minute on two cores.
//   npm run build && node dist/reproduction/doppler-figure.js PICTURE.png
import { readFileSync, writeFileSync } from 'node:fs'
import { loadMotion, type MotionDescription } from '../run/motion/index.js'
import { dopplerSvg, svgToPng } from '../views/figures/node.js'
import { doppler, dopplerProducts, resolveProducts } from '../src/doppler/output.js'
const [out] = process.argv.slice(2)
if (!out) throw new Error('give the picture to write')
const options = { folder: 'samples', channels: ['vv'] as const }

/** Two turns of the rotors, without noise, which would make the picture's file large. */
const drone = JSON.parse(readFileSync('samples/drone-motion.json', 'utf8')) as MotionDescription
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
writeFileSync(out, await svgToPng(dopplerSvg({ levels, ...axes, ...about, dynamicRangeDb: 35 })))
