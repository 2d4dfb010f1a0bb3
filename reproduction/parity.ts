// The GPU engine against the double-precision one, sample by sample, on this machine's first GPU, as Markdown.
//   npm run docs -- parity
//   [--freq 10e9] [--density 10] [--bounces 32] [--formulation exit] [--frequencies 3] [sample ...]
// Without --freq each sample is 60 wavelengths long; without any argument the 12 m aircraft at 10 GHz has a second table.
import { createCpuEngine } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import { models } from '../samples/models/index.js'
import { buildRayScene, type Formulation, type SbrJob } from '../rays/index.js'
import { C0, prepareTarget } from '../scene/index.js'
import { SOLVER_SETTINGS } from '../run/settings/declarations.js'
import { monostatic } from './cases.js'
import { argumentsOf, firstGpu, tableOf } from './kit.js'
import { differingLeaves, PathReplay } from './leaf-sets.js'

const { values, words } = argumentsOf({
  /** 0: each sample is 60 wavelengths long. */
  freq: 0,
  density: 10,
  bounces: SOLVER_SETTINGS.maxBounces.type.parse(undefined),
  formulation: 'all-bounces',
  frequencies: 3,
})
const ASPECTS: [number, number][] = [
  [90, 0],
  [80, 25],
  [65, 110],
  [120, -40],
]

const HEAD = ['sample', 'θ, φ', 'tubes', 'paths GPU', 'paths CPU', 'differing', 'independent paths', 'same paths'] // prettier-ignore

/** ||a - b|| / ||b||, 0 for two zero fields. */
const relative = (a: Float64Array, b: Float64Array): number =>
  Math.hypot(...a.map((x, i) => x - b[i])) / Math.hypot(...b) || 0

const context = await firstGpu()

/** A table of samples. @param freqHz  highest frequency; 0: each sample is 60 wavelengths long */
async function table(samples: string[], freqHz: number, n: number): Promise<string> {
  const rows: (string | number)[][] = []
  for (const name of samples) {
    const target = prepareTarget(models[name].make(), { smoothAngleDeg: 20 })
    const scene = buildRayScene(target)
    const top = freqHz || (60 * C0) / scene.diagonal
    const band = { f0: 0.9 * top, df: n > 1 ? (0.1 * top) / (n - 1) : 0, n }
    const gpu = new GpuSbrEngine(context, scene, target.area, { subGrid: 2048 })
    const cpu = createCpuEngine(scene, target.area, 0)
    for (const [theta, phi] of ASPECTS) {
      const job: SbrJob = {
        aspect: monostatic(theta, phi),
        band,
        options: {
          raysPerWavelength: values.density,
          maxBounces: values.bounces,
          subdivisions: 2,
          formulation: values.formulation as Formulation,
        },
      }
      // First, because it determines the batch size that the lists can hold.
      const found = await gpu.field(job)
      const replay = new PathReplay(scene, job)
      const leaves = await differingLeaves(scene, job, (visit) =>
        gpu.paths(job, (path) => {
          replay.add(path)
          visit(path)
        }),
      )
      const reference = await cpu.field(job)
      rows.push([
        name,
        `${theta}, ${phi}`,
        found.statistics.tubes,
        leaves.gpu,
        leaves.cpu,
        leaves.differing,
        relative(found.field, reference.field).toExponential(1),
        relative(found.field, replay.finish()).toExponential(1),
      ])
    }
  }
  return tableOf(HEAD, rows)
}

console.log(`# Parity of the GPU and the double-precision engine

On ${context.name}: ${values.density} tubes per wavelength, ${values.bounces} bounces, 2 subdivisions, ${values.formulation}.

Paths: tubes and sub-tubes that radiate. Differing: paths that only one engine has. Independent paths: norm of the difference over the norm of the scattering matrix as
each engine traces for itself. Same paths: the same with the GPU's paths summed in double precision, which is the error of the field kernels alone.
[Numerics](../numerics.md#parity-of-gpu-and-cpu) explains the figures.
`)
const all = process.argv.length === 2
console.log(all ? '## Every sample at 60 wavelengths, three frequencies\n' : '## Selected samples\n')
console.log(await table(words.length > 0 ? words : Object.keys(models), values.freq, values.frequencies))
if (all) console.log(`\n## 12 m aircraft at 10 GHz\n\n${await table(['aircraft-a'], 10e9, 1)}`)
context.device.destroy()
