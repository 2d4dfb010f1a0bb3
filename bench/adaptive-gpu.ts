// Adaptive tubes on the GPU beside uniform ones: rays, milliseconds of tracing and of fields, and the difference from uniform
// tubes four times as fine in each direction, relative to k A / 2 pi; all four channels, monostatic, 5 bounces, one frequency.
// Uniform rays are counted by the double-precision engine where that takes no more than some minutes (--count).
//   npm run build && node dist/bench/adaptive-gpu.js [case ...] [--aspects 6] [--repeats 5] [--fine] [--count] [--traversal auto]
import { parseArgs } from 'node:util'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import { plate, squareTrihedral } from '../samples/models/canonical.js'
import { models } from '../samples/models/index.js'
import {
  type AspectResult,
  buildRayScene,
  C0,
  direction,
  type Mesh,
  prepareTarget,
  type SbrJob,
  wavenumber,
  withFlats,
} from '../scene/index.js'
import { openNodeGpu } from '../src/node-gpu.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    aspects: { type: 'string', default: '6' },
    repeats: { type: 'string', default: '5' },
    traversal: { type: 'string', default: 'auto' },
    fine: { type: 'boolean', default: false },
    count: { type: 'boolean', default: false },
  },
})
const CASES: Record<string, { make: () => Mesh; frequency: number }> = {
  plate: { make: () => plate(60 * 0.03), frequency: C0 / 0.03 },
  trihedral: { make: () => squareTrihedral(60 * 0.03), frequency: C0 / 0.03 },
  'ship-10': { make: models['ship-1m'].make, frequency: 10e9 },
  'ship-40': { make: models['ship-1m'].make, frequency: 40e9 },
  aircraft: { make: models.aircraft.make, frequency: 10e9 },
  'aircraft-a-10': { make: models['aircraft-a'].make, frequency: 10e9 },
  'aircraft-a-35': { make: models['aircraft-a'].make, frequency: 35e9 },
}
const median = (x: number[]): number => [...x].sort((a, b) => a - b)[x.length >> 1]
const context = await openNodeGpu(false)
if (!context) throw new Error('no GPU here')
console.log(`${context.name}, node ${process.version}`)
console.log('medians of aspects; the largest difference of any aspect')
console.log(
  '| case | tubes | subdivisions | tubes traced | rays | sub-tubes and facets that radiate | tracing [ms] | fields [ms] | both, worst aspect [ms] | difference |',
)
console.log('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
const aspects = Number(values.aspects)
for (const name of positionals.length > 0 ? positionals : Object.keys(CASES)) {
  const { make, frequency } = CASES[name]
  const target = prepareTarget(make(), { smoothAngleDeg: 20 })
  const scene = withFlats(buildRayScene(target), target)
  const engine = new GpuSbrEngine(context, scene, target.area, {
    subGrid: 8192,
    traversal: values.traversal as 'auto',
  })
  const cpu = createCpuEngine(scene, target.area, 0)
  const jobOf = (n: number, subdivisions: number, adaptive: boolean, density = 10): SbrJob => {
    // The trihedral opens towards (45, 45).
    const d =
      name === 'trihedral' ? direction(40 + 3 * n, 33 + 4 * n) : direction(80, 5 + (360 * n) / aspects)
    return {
      aspect: { tx: d, rx: d },
      band: { f0: frequency, df: 0, n: 1 },
      options: {
        raysPerWavelength: density,
        maxBounces: 5,
        subdivisions,
        formulation: 'all-bounces',
        adaptive,
      },
    }
  }
  const mirror = (wavenumber(frequency) * target.area) / (2 * Math.PI)
  const fine: AspectResult[] = []
  if (values.fine) for (let n = 0; n < aspects; n++) fine.push(await engine.aspect(jobOf(n, 2, false, 40)))
  for (const [subdivisions, adaptive] of [
    [0, false],
    [2, false],
    [0, true],
    [2, true],
  ] as const) {
    const rows: { tubes: number; rays: number; leaves: number; trace: number; field: number; off: number }[] =
      []
    for (let n = 0; n < aspects; n++) {
      const job = jobOf(n, subdivisions, adaptive)
      let result = await engine.aspect(job)
      const times = []
      for (let r = 0; r < Number(values.repeats); r++) {
        result = await engine.aspect(job)
        times.push(result.times)
      }
      const { tubes, leaves, rays } = result.statistics
      rows.push({
        tubes,
        leaves,
        rays: rays ?? (values.count ? (await cpu.aspect(job)).statistics.rays! : NaN),
        trace: 1e3 * median(times.map((t) => t.trace)),
        field: 1e3 * median(times.map((t) => t.field + t.reduction)),
        off: fine[n] ? Math.hypot(...result.field.map((x, i) => x - fine[n].field[i])) / mirror : NaN,
      })
    }
    const of = (pick: (row: (typeof rows)[0]) => number): number => median(rows.map(pick))
    console.log(
      `| ${name} | ${adaptive ? 'adaptive' : 'uniform'} | ${subdivisions} | ${of((r) => r.tubes)} | ${of((r) => r.rays) || '–'} | ${of((r) => r.leaves)} | ${of((r) => r.trace).toFixed(3)} | ${of((r) => r.field).toFixed(3)} | ${Math.max(...rows.map((r) => r.trace + r.field)).toFixed(3)} | ${values.fine ? Math.max(...rows.map((r) => r.off)).toExponential(1) : '–'} |`,
    )
  }
}
process.exit(0)
