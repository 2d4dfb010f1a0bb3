// Radio propagation in the tunnel of paper 004 (4 x 4 x 1000 m, epsilon_r 5, 1 GHz, 20 reflections): its Table I (serial CPU against
// GPU), the scaling of the GPU with lanes and workgroups with Amdahl's law fitted (Figs. 5 and 6), and rays by the hundred million.
//   npm run build && node dist/reproduction/propagate.js [--rays 100e3,400e3,900e3,1.6e6] [--reflections 20] [--receivers 791] [--repeats 5]
//     [--reception spheres] (paper 004's estimator instead of exact paths)
//     [--cpu 1.6e6] (largest number of rays traced serially; 0: none) [--many 100e6]
//     [--scaling 2.5e6] (number of rays; 0: none) [--lanes 32] (smallest number of lanes)
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { GpuContext } from '../gpu/index.js'
import {
  createCpuPropagation,
  createGpuPropagation,
  imageTheory,
  type PropagationResult,
  rayCount,
  type Reception,
  subdivisionFor,
  SUM,
} from '../propagation/index.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { tunnelCase } from './propagate-case.js'

const { values } = parseArgs({
  options: {
    rays: { type: 'string', default: '100e3,400e3,900e3,1.6e6' },
    reflections: { type: 'string', default: '20' },
    receivers: { type: 'string', default: '791' },
    repeats: { type: 'string', default: '5' },
    cpu: { type: 'string', default: '1.6e6' },
    reception: { type: 'string', default: 'exact' },
    scaling: { type: 'string', default: '2.5e6' },
    lanes: { type: 'string', default: '32' },
    many: { type: 'string', default: '0' },
  },
})
const count = Number(values.receivers)
const reception = values.reception as Reception
const { scene, setup, heights } = tunnelCase(count, Number(values.reflections), reception)
const context = await openNodeGpu(false)
/** Seconds of a run that is not repeated. */
const SLOW = 2
/** A number with a fixed number of decimals; empty if not measured. */
const fixed = (x: number, digits: number): string => (Number.isFinite(x) ? x.toFixed(digits) : '')
const median = (x: number[]): number => [...x].sort((a, b) => a - b)[x.length >> 1]
const print = (...cells: (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`)
const header = (...cells: string[]): void => {
  print(...cells)
  print(...cells.map(() => '---:'))
}

console.log(`device   ${context?.name ?? 'no gpu'}, cpu ${cpus()[0].model}, node ${process.version}`)
console.log(
  `case     tunnel 4 x 4 x 1000 m, ${count} receivers, ${values.reflections} reflections, 1 GHz, ${reception === 'spheres' ? 'reception spheres' : 'exact paths'}`,
)
await tableOne()
if (context && Number(values.scaling) > 0) await scaling(context)
if (context && Number(values.many) > 0) await many(context)
process.exit(0)

/** Path gains of a result without their common factor [dB]. */
function gains({ sums }: PropagationResult): number[] {
  return Array.from({ length: count }, (_, r) => {
    const at = SUM.length * r + SUM.transfer
    return 10 * Math.log10(sums[at] ** 2 + sums[at + 1] ** 2)
  })
}

/** Median error against image theory of 60 reflections [dB], at 100 of the receivers. */
function imageError(result: PropagationResult): number {
  const got = gains(result)
  const wall: [number, number] = [5, 0]
  const room = {
    min: [0, 0, 0] as [number, number, number],
    max: [4, 4, 1000] as [number, number, number],
    walls: [wall, wall, wall, wall, 'open' as const, 'open' as const],
  }
  const errors: number[] = []
  for (let r = 0; r < count; r += Math.max(1, Math.floor(count / 100))) {
    const link = {
      ...scene,
      receiver: [1.9, 1.7, heights[r]] as [number, number, number],
      freqHz: 1e9,
      transmit: 'v' as const,
    }
    const { transfer } = imageTheory(room, link, 60)
    const r0 = Math.hypot(0.8, 0.4, heights[r])
    const scale = (299_792_458 / 1e9 / (4 * Math.PI * r0)) ** 2
    errors.push(
      Math.abs(got[r] + 10 * Math.log10(scale) - 10 * Math.log10(transfer[0] ** 2 + transfer[1] ** 2)),
    )
  }
  return median(errors)
}

async function tableOne(): Promise<void> {
  header(
    'rays',
    'serial cpu [s]',
    'gpu, wall [s]',
    'trace [ms]',
    'spheres [ms]',
    'paths [ms]',
    'speedup',
    'G segments/s',
    'paths',
    'median error to images [dB]',
  )
  for (const rays of values.rays.split(',').map(Number)) {
    const subdivision = subdivisionFor(rays)
    let cpu: PropagationResult | null = null
    if (rays <= Number(values.cpu)) cpu = await createCpuPropagation(setup, 0).run({ subdivision })
    let gpu: PropagationResult | null = null
    let [wall, trace, spheres, paths] = [NaN, NaN, NaN, NaN]
    if (context) {
      const engine = createGpuPropagation(context, setup)
      gpu = await engine.run({ subdivision })
      const runs: { wall: number; trace: number; spheres: number; paths: number }[] = []
      for (let i = 0; i < Number(values.repeats); i++) {
        const { seconds } = await engine.run({ subdivision })
        runs.push({ wall: seconds, ...engine.times })
      }
      wall = median(runs.map((x) => x.wall))
      trace = median(runs.map((x) => x.trace))
      spheres = median(runs.map((x) => x.spheres))
      paths = median(runs.map((x) => x.paths))
    }
    const result = (gpu ?? cpu)!
    print(
      rayCount(subdivision),
      cpu ? cpu.seconds.toFixed(2) : '',
      fixed(wall, 4),
      fixed(1e3 * trace, 2),
      reception === 'spheres' ? fixed(1e3 * spheres, 2) : '',
      fixed(1e3 * paths, 2),
      fixed((cpu?.seconds ?? NaN) / wall, 0),
      fixed(result.statistics.segments / (gpu ? wall : cpu!.seconds) / 1e9, 4),
      gpu && cpu && gpu.statistics.paths !== cpu.statistics.paths
        ? `${gpu.statistics.paths} (cpu ${cpu.statistics.paths})`
        : result.statistics.paths,
      imageError(result).toFixed(4),
    )
  }
}

/**
 * Amdahl's law T = T1 (1 - p + p / n) fitted to times (least squares in log T): the parallel part p and T1. The time of one lane
 * may be missing.
 */
function amdahl(points: { n: number; time: number }[]): { p: number; one: number } {
  const offset = (p: number): number =>
    points.reduce((s, { n, time }) => s + Math.log(time / (1 - p + p / n)), 0) / points.length
  const misfit = (p: number): number =>
    points.reduce((s, { n, time }) => s + (Math.log(time / (1 - p + p / n)) - offset(p)) ** 2, 0)
  // In log(1 - p), for p from 0 to 1 - 1e-8.
  let [low, high] = [Math.log(1e-8), 0]
  const golden = (Math.sqrt(5) - 1) / 2
  for (let i = 0; i < 100; i++) {
    const [a, b] = [high - golden * (high - low), low + golden * (high - low)]
    if (misfit(1 - Math.exp(a)) < misfit(1 - Math.exp(b))) high = b
    else low = a
  }
  const p = 1 - Math.exp((low + high) / 2)
  return { p, one: Math.exp(offset(p)) }
}

async function scaling(gpu: GpuContext): Promise<void> {
  const subdivision = subdivisionFor(Number(values.scaling))
  const series = async (title: string, cases: { workgroup: number; workgroups: number }[]): Promise<void> => {
    console.log(`\n${title}, ${rayCount(subdivision)} rays`)
    header('lanes of a workgroup', 'workgroups', 'all kernels [s]', 'fields alone [s]')
    const points: { n: number; all: number; fields: number }[] = []
    for (const options of cases) {
      const engine = createGpuPropagation(gpu, setup, options)
      let [all, fields] = [Infinity, Infinity]
      // Repeated without the set-up of the first run, unless it takes long.
      for (let i = 0; i < 3 && (i === 0 || all < SLOW); i++) {
        const { seconds } = await engine.run({ subdivision })
        const { trace, spheres, paths } = engine.times
        all = Math.min(all, trace + spheres + paths || seconds)
        fields = Math.min(fields, spheres + paths || seconds)
      }
      points.push({ n: options.workgroup * options.workgroups, all, fields })
      print(options.workgroup, options.workgroups, all.toFixed(5), fields.toFixed(5))
    }
    for (const part of ['all', 'fields'] as const) {
      const { p, one } = amdahl(points.map((x) => ({ n: x.n, time: x[part] })))
      console.log(
        `Amdahl's law, ${part === 'all' ? 'all kernels' : 'fields alone'}: parallel part ${(100 * p).toFixed(3)} %, one lane ${one.toFixed(1)} s, speed-up at ${points.at(-1)!.n} lanes ${(one / points.at(-1)![part]).toFixed(0)}`,
      )
    }
  }
  const powers = (last: number): number[] => Array.from({ length: Math.log2(last) + 1 }, (_, i) => 2 ** i)
  const most = Math.min(1024, gpu.device.limits.maxComputeInvocationsPerWorkgroup)
  await series(
    'One workgroup of more and more lanes',
    powers(most)
      .filter((workgroup) => workgroup >= Number(values.lanes))
      .map((workgroup) => ({ workgroup, workgroups: 1 })),
  )
  await series(
    'More and more workgroups of 128 lanes',
    powers(4096).map((workgroups) => ({ workgroup: 128, workgroups })),
  )
}

async function many(gpu: GpuContext): Promise<void> {
  const subdivision = subdivisionFor(Number(values.many))
  const engine = createGpuPropagation(gpu, setup)
  const { seconds, statistics } = await engine.run({ subdivision })
  console.log(
    `\n${rayCount(subdivision)} rays: ${seconds.toFixed(2)} s (trace ${engine.times.trace.toFixed(2)} s, paths ${engine.times.paths.toFixed(2)} s), ` +
      `${statistics.segments} segments, ${statistics.paths} paths, ${statistics.escaped} escaped, ` +
      `${(engine.bytes() / 2 ** 20).toFixed(0)} MiB of GPU buffers, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB of memory`,
  )
}
