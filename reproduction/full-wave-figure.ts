// Rays and full wave on a strip from 2 wavelengths on: their difference, unknowns and seconds of both; draws the difference over size.
//   npm run build && node dist/reproduction/full-wave-figure.js PICTURE.png [WAVELENGTHS ...]
import { writeFileSync } from 'node:fs'
import { type LineSeries, linePlot, svgToPng } from '../views/figures/node.js'
import { rcs } from '../src/index.js'
import { dbErrors } from '../src/validate/errors.js'

const [out, ...sizes] = process.argv.slice(2)
if (!out) throw new Error('give the picture to write')
/** 1 m by 0.1 m. */
const strip = {
  positions: Float64Array.of(-0.5, -0.05, 0, 0.5, -0.05, 0, 0.5, 0.05, 0, -0.5, 0.05, 0),
  indices: Uint32Array.of(0, 1, 2, 0, 2, 3),
}
/** Below the maximum: of a large strip little but the main lobe is above −30 dB. */
const FLOOR_DB = 50
const thetaDeg = Array.from({ length: 86 }, (_, i) => i)
const lengths = sizes.length > 0 ? sizes.map(Number) : [2, 3, 4, 6, 8, 10, 12]
const channels = ['vv', 'hh'] as const
const series = channels.map((c): LineSeries & { y: number[] } => ({
  name: c.toUpperCase(),
  x: lengths,
  y: [],
}))

console.log('length/λ  unknowns  rms VV  rms HH [dB]  rays s  full wave s')
for (const length of lengths) {
  const solve = async (method: 'sbr' | 'mom') => {
    const start = performance.now()
    const result = await rcs(strip, { freqHz: [299792458 * length], thetaDeg, phiDeg: 0, method })
    return { ...result, seconds: (performance.now() - start) / 1000 }
  }
  const [rays, wave] = [await solve('sbr'), await solve('mom')]
  const rms = channels.map((c) => dbErrors(rays.sigmaDbsm[c], wave.sigmaDbsm[c], { floorDb: FLOOR_DB }).rmsDb)
  rms.forEach((x, i) => series[i].y.push(x))
  const [{ unknowns }] = wave.meta.full_wave as { unknowns: number }[]
  console.log([length, unknowns, ...rms.map((x) => x.toFixed(2)), rays.seconds.toFixed(1), wave.seconds.toFixed(1)].join('  ')) // prettier-ignore
}
const svg = linePlot({
  title: 'Rays against full wave',
  subtitle: 'Strip of 10 : 1, cut along its length, θ 0 to 85°',
  xTitle: 'length [wavelengths]',
  yTitle: `rms difference [dB], floor −${FLOOR_DB} dB`,
  series,
})
writeFileSync(out, await svgToPng(svg))
