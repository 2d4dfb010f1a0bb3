// Accuracy of rasterised physical optics with equivalent edge currents (docs/gpueco.md): the sphere against Mie and against physical
// optics in closed form, the cube against the method of moments, the missile beside SBR with TW-ILDC.
//   npm run build && node dist/reproduction/gpueco-accuracy.js [--device cpu|gpu] [--size 512] [--levels 6] [--step 1] [--plot FOLDER] [sphere|cube|missile ...]
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createEdgeEngine, buildEdgeScene } from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import { type AspectField, type SbrEngine } from '../rays/index.js'
import { C0 } from '../scene/index.js'
import { rasterImage } from '../rays/raster-scene.js'
import { linePlot, type LineSeries, svgToPng } from '../views/figures/node.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { curveErrors, dbErrors, decibels } from '../src/validate/errors.js'
import { miePec } from '../src/validate/kinds/sphere.js'
import { cubeCase, gpuecoEngine, gpuecoFields, gpuecoJob, missileCase, sphereCase } from './gpueco-cases.js'
import { Greco } from './greco/greco.js'
import { DEFAULT_SBR } from './mom-cases.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: 'string', default: 'cpu' },
    size: { type: 'string', default: '512' },
    levels: { type: 'string', default: '6' },
    step: { type: 'string', default: '1' },
    plot: { type: 'string' },
  },
})
const size = Number(values.size)
const context = values.device === 'gpu' ? await openNodeGpu(false) : null
if (values.device === 'gpu' && !context) throw new Error('no GPU found')
const wanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name)
const sigma = (fields: AspectField[], channel: number): number[] =>
  fields.map((f) => decibels(4 * Math.PI * Math.hypot(f[2 * channel], f[2 * channel + 1]) ** 2))
const amplitudes = (fields: AspectField[], channel: number): Float64Array =>
  Float64Array.from(fields.flatMap((f) => [f[2 * channel], f[2 * channel + 1]]))
const NAMES = ['VV', 'HH']
const dB = (x: number): string => x.toFixed(2)

/** Draws curves [dBsm] over an angle [degrees] into the given folder. */
async function plot(name: string, title: string, xTitle: string, series: LineSeries[]): Promise<void> {
  if (values.plot === undefined) return
  const svg = linePlot({ title, xTitle, yTitle: 'RCS [dBsm]', series, angular: true, depth: 50 })
  writeFileSync(join(values.plot, `gpueco-${name}.png`), await svgToPng(svg))
}

/** Backscatter of a sphere by physical optics: sigma / (pi a^2) = |1 - (1 - exp(2jx))/(2jx) ...|^2, in closed form. */
function spherePo(ka: number): number {
  // F = (a/2) exp(2jka) [1 - sin(ka)/(ka) exp(-jka)]: the integral of 2 cos(theta) exp(2jka cos(theta)) over the lit cap.
  const [s, c] = [Math.sin(ka), Math.cos(ka)]
  return Math.hypot(1 - (s / ka) * c, (s / ka) * s) ** 2
}

if (wanted('sphere')) {
  const c = sphereCase(Number(values.levels))
  const engine = gpuecoEngine(c, context, size)
  const fields = await gpuecoFields(c, engine)
  if (!context) await engine.close()
  const ka = (2 * Math.PI * c.freqHz) / C0
  const phi = c.aspects.map((a) => a.rx.phiDeg)
  console.log(
    `sphere, ${c.scene.count} facets, ${size}^2, ${engine.describe().text}: backscatter VV ${dB(sigma(fields, 0)[0])}, HH ${dB(sigma(fields, 1)[0])} dBsm; ` +
      `physical optics ${dB(decibels(Math.PI * spherePo(ka)))}, Mie ${dB(decibels(Math.PI * miePec(ka, 180).e))}`,
  )
  const mieOf = (channel: number): number[] =>
    phi.map((p) => decibels(Math.PI * miePec(ka, 180 - p)[channel === 0 ? 'h' : 'e']))
  await plot(
    'sphere',
    'Sphere of 1 m radius at 1 GHz, bistatic',
    'bistatic angle [deg]',
    [0, 1].flatMap((ch): LineSeries[] => [
      { name: `GPUECO, ${NAMES[ch]}`, x: phi, y: sigma(fields, ch) },
      { name: `Mie, ${NAMES[ch]}`, x: phi, y: mieOf(ch), style: 'dashed' },
    ]),
  )
  for (const channel of [0, 1])
    for (const to of [90, 180]) {
      const mie = mieOf(channel)
      const e = dbErrors(sigma(fields, channel), mie, { only: (i) => phi[i] <= to })
      console.log(
        `  ${NAMES[channel]} to ${to} degrees against Mie: ${dB(e.rmsDb)} dB rms, ${dB(e.maxDb)} at most`,
      )
    }
}

if (wanted('cube')) {
  const c = await cubeCase()
  const engine = gpuecoEngine(c, context, size)
  const greco = new Greco(c.scene, rasterImage(c.scene.radius, size))
  const curves: [string, AspectField[]][] = [
    ['facets and edges', await gpuecoFields(c, engine)],
    ['facets alone', await gpuecoFields(c, engine, 'facets')],
    ['CPU-GRECO, edges found in the image', c.aspects.map((a) => greco.aspect(a, c.freqHz))],
  ]
  for (const [what, fields] of curves) {
    const [v, h] = [c.cut.vv, c.cut.hh].map((reference, ch) => curveErrors(amplitudes(fields, ch), reference))
    console.log(
      `cube, ${size}^2, ${what}, against the method of moments: VV ${dB(v.db)} dB rms, HH ${dB(h.db)} dB rms (complex ${v.complex.toFixed(4)}, ${h.complex.toFixed(4)})`,
    )
  }
  for (const ch of [0, 1]) {
    const reference = [c.cut.vv, c.cut.hh][ch]
    const mom = c.cut.phi.map((_, i) =>
      decibels(4 * Math.PI * Math.hypot(reference[2 * i], reference[2 * i + 1]) ** 2),
    )
    await plot(`cube-${NAMES[ch].toLowerCase()}`, `Cube of 1 m at 3 GHz, θ = 90°, ${NAMES[ch]}`, 'φ [deg]', [
      { name: 'GPUECO, facets and edges', x: c.cut.phi, y: sigma(curves[0][1], ch) },
      { name: 'CPU-GRECO', x: c.cut.phi, y: sigma(curves[2][1], ch), style: 'dashed' },
      { name: 'method of moments', x: c.cut.phi, y: mom, style: 'points' },
    ])
  }
  if (!context) await engine.close()
}

if (wanted('missile')) {
  const c = missileCase(Number(values.step))
  const drawn = gpuecoEngine(c, context, size)
  const fields = await gpuecoFields(c, drawn)
  const po = await gpuecoFields(c, drawn, 'facets')
  const sbr: SbrEngine = context
    ? new GpuSbrEngine(context, c.rays, c.target.area, { subGrid: 2048 })
    : createCpuEngine(c.rays, c.target.area, 2)
  const edges = createEdgeEngine(buildEdgeScene(c.target, 160, c.rays.origin), c.rays, {
    workers: Math.max(1, availableParallelism() - 1),
  })
  const reference: AspectField[] = []
  const firstBounce: AspectField[] = []
  for (const aspect of c.aspects) {
    const job = { ...gpuecoJob(aspect, c.freqHz), options: DEFAULT_SBR }
    const [rays, first, fringe] = await Promise.all([
      sbr.field(job),
      sbr.field({ ...job, options: { ...DEFAULT_SBR, onlyBounce: 1 } }),
      edges.field({ ...job, options: { diffraction: 'tw-ildc' } }),
    ])
    reference.push(rays.field.map((x, i) => x + fringe.field[i]))
    firstBounce.push(first.field)
  }
  await edges.close()
  if (!context) await Promise.all([sbr.close(), drawn.close()])
  const phi = c.aspects.map((a) => a.tx.phiDeg)
  for (const channel of [0, 1]) {
    const name = NAMES[channel]
    const away = (p: number): boolean => p <= 150 || p >= 210
    const all = dbErrors(sigma(fields, channel), sigma(reference, channel))
    const front = dbErrors(sigma(fields, channel), sigma(reference, channel), { only: (i) => away(phi[i]) })
    const first = curveErrors(amplitudes(po, channel), amplitudes(firstBounce, channel))
    console.log(
      `missile, ${size}^2, ${name} against SBR + TW-ILDC: ${dB(all.rmsDb)} dB rms, ${dB(front.rmsDb)} away from the tail cavity (150 to 210 degrees); ` +
        `facets alone against SBR's first bounce: complex ${first.complex.toFixed(4)}, ${dB(first.db)} dB rms`,
    )
    await plot(`missile-${name.toLowerCase()}`, `Missile at 7.5 GHz, θ = 90°, ${name}`, 'φ [deg]', [
      { name: 'GPUECO, facets and edges', x: phi, y: sigma(fields, channel) },
      { name: 'SBR + TW-ILDC', x: phi, y: sigma(reference, channel), style: 'dashed' },
    ])
  }
}
context?.device.destroy()
