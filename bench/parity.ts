// The GPU engine against the double-precision one, sample by sample, on this machine's first GPU.
//   npm run build && node dist/bench/parity.js [--freq 10e9] [--density 10] [--bounces 5] [--formulation exit] [sample ...]
// Per sample and aspect: tubes, paths (leaves) of either engine, leaves that only one of them has (cell, level and facets
// met), the difference of the fields as each engine finds its own paths, and as the double-precision engine sums the GPU's
// paths; both relative to the norm of the whole scattering matrix. Without --freq each sample is 60 wavelengths long.
import { parseArgs } from 'node:util'
import { createCpuEngine, PathReplay } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import { models } from '../samples/models/index.js'
import { buildRayScene, type Formulation, type SbrJob } from '../rays/index.js'
import { C0, direction, prepareTarget } from '../scene/index.js'
import { openNodeGpu } from '../src/node-gpu.js'
import { differingLeaves } from './leaf-sets.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    freq: { type: 'string' },
    density: { type: 'string', default: '10' },
    bounces: { type: 'string', default: '5' },
    formulation: { type: 'string', default: 'all-bounces' },
    frequencies: { type: 'string', default: '3' },
  },
})
const ASPECTS: [number, number][] = [
  [90, 0],
  [80, 25],
  [65, 110],
  [120, -40],
]

/** ||a - b|| / ||b||, 0 for two zero fields. */
const relative = (a: Float64Array, b: Float64Array): number =>
  Math.hypot(...a.map((x, i) => x - b[i])) / Math.hypot(...b) || 0

const context = await openNodeGpu(false)
if (!context) {
  console.error('no GPU here: install a Vulkan driver, or point VK_ICD_FILENAMES at a software one')
  process.exit(2)
}
console.log(context.name)
console.log(
  'sample                theta  phi     tubes leaves GPU leaves CPU differing  independent  replayed  GPU s',
)
for (const name of positionals.length > 0 ? positionals : Object.keys(models)) {
  const target = prepareTarget(models[name].make(), { smoothAngleDeg: 20 })
  const scene = buildRayScene(target)
  const top = values.freq === undefined ? (60 * C0) / scene.diagonal : Number(values.freq)
  const n = Number(values.frequencies)
  const band = { f0: 0.9 * top, df: n > 1 ? (0.1 * top) / (n - 1) : 0, n }
  const gpu = new GpuSbrEngine(context, scene, target.area, { subGrid: 2048 })
  const cpu = createCpuEngine(scene, target.area, 0)
  for (const [theta, phi] of ASPECTS) {
    const d = direction(theta, phi)
    const job: SbrJob = {
      aspect: { tx: d, rx: d },
      band,
      options: {
        raysPerWavelength: Number(values.density),
        maxBounces: Number(values.bounces),
        subdivisions: 2,
        formulation: values.formulation as Formulation,
      },
    }
    // First, since it finds the size of batch that the lists hold.
    const found = await gpu.field(job)
    const replay = new PathReplay(scene, job)
    const leaves = await differingLeaves(scene, job, (visit) =>
      gpu.paths(job, (batch) => {
        replay.add(batch)
        visit(batch)
      }),
    )
    const reference = await cpu.field(job)
    const replayed = replay.finish()
    console.log(
      name.padEnd(20),
      String(theta).padStart(6),
      String(phi).padStart(4),
      String(found.statistics.tubes).padStart(9),
      String(leaves.gpu).padStart(10),
      String(leaves.cpu).padStart(10),
      String(leaves.differing).padStart(9),
      relative(found.field, reference.field).toExponential(1).padStart(12),
      relative(found.field, replayed).toExponential(1).padStart(9),
      found.times.total.toFixed(2).padStart(6),
    )
  }
}
context.device.destroy()
