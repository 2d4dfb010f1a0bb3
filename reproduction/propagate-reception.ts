// Figure 4 of paper 004: the time to find the reception spheres that rays cross, on the GPU in two passes (count, allocate, list)
// against one CPU thread with one pass and a growing list, over the number of rays. As in the paper every ray is tested with
// every receiver; and again with the BVH of receivers of `isar propagate`. Draws reception.png from the measurements.
//   npm run build && node dist/reproduction/propagate-reception.js [--rays 50e3,100e3,...] [--cpu 20] (seconds of the CPU per point: of larger
//     ones every so many batches are timed, and the time scaled by rays) [--out FOLDER] [--from reception.csv] (draws alone)
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { GpuContext } from '../gpu/index.js'
import { batchVertices, launchBatches } from '../propagation/paths/geodesic.js'
import {
  createGpuPropagation,
  type PropagationSetup,
  rayCount,
  subdivisionFor,
} from '../propagation/index.js'
import { looseCaster, RayBatch } from '../propagation/paths/ray-batch.js'
import type { ReceiverIndex } from '../propagation/scene/receiver-index.js'
import { PathFinder } from '../propagation/paths/path-walker.js'
import { facetPlanes } from '../rays/index.js'
import { linePlot, svgToPng } from '../views/figures/node.js'
import { openNodeGpu } from '../run/node-gpu.js'
import { tunnelCase } from './propagate-case.js'

const { values } = parseArgs({
  options: {
    rays: { type: 'string', default: '50e3,100e3,250e3,500e3,1e6,1.5e6,2e6,2.5e6' },
    reflections: { type: 'string', default: '20' },
    receivers: { type: 'string', default: '791' },
    repeats: { type: 'string', default: '5' },
    cpu: { type: 'string', default: '20' },
    out: { type: 'string', default: 'docs/figures/propagation' },
    from: { type: 'string' },
  },
})
/** Rays of a CPU batch. */
const BATCH = 8192
const KINDS = ['every receiver', 'BVH'] as const

if (!values.from) await measure()
await draw(values.from ?? join(values.out, 'reception.csv'))
process.exit(0)

/** An index that excludes nothing: leaves with infinite boxes, so that every receiver is tested. */
function everyReceiver({ points, order }: ReceiverIndex): ReceiverIndex {
  const LEAF = 15
  const count = Math.ceil(order.length / LEAF)
  const nodes = new Float32Array(new SharedArrayBuffer(32 * count))
  const words = new Uint32Array(nodes.buffer)
  for (let n = 0; n < count; n++) {
    nodes.fill(-1e30, 8 * n, 8 * n + 3)
    nodes.fill(1e30, 8 * n + 4, 8 * n + 7)
    words[8 * n + 3] = n + 1
    words[8 * n + 7] = LEAF * n * 16 + Math.min(LEAF, order.length - LEAF * n)
  }
  return { points, order, nodes }
}

/** Seconds of one thread to find the spheres, and the fraction of the rays that were timed. */
function serial(setup: PropagationSetup, n: number, limit: number): { seconds: number; part: number } {
  const batches = launchBatches(n, BATCH)
  const all = batches.reduce((s, batch) => s + batchVertices(batch), 0)
  const loose = looseCaster(setup.scene, facetPlanes)
  let [seconds, rays] = [0, 0]
  // Batches far apart first: 0, 1/2, 1/4, 3/4 of the list, and so on.
  for (const i of spread(batches.length)) {
    const batch = new RayBatch(setup, loose, batches[i])
    batch.trace()
    const finder = new PathFinder(setup, batches[i], batch)
    const start = performance.now()
    finder.listSpheres()
    seconds += (performance.now() - start) / 1000
    rays += batchVertices(batches[i])
    if (seconds > limit) break
  }
  return { seconds: (seconds * all) / rays, part: rays / all }
}

/** 0 ... count - 1 in an order with evenly distributed prefixes: steps of the golden ratio. */
function spread(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => ((a * 0.6180339887) % 1) - ((b * 0.6180339887) % 1),
  )
}

async function parallel(gpu: GpuContext, setup: PropagationSetup, n: number): Promise<number> {
  const engine = createGpuPropagation(gpu, setup)
  const times: number[] = []
  for (let i = 0; i <= Number(values.repeats); i++) {
    await engine.run({ subdivision: n })
    times.push(engine.times.spheres)
  }
  // The first run compiles and allocates.
  return times.slice(1).sort((a, b) => a - b)[(times.length - 1) >> 1]
}

async function measure(): Promise<void> {
  const gpu = await openNodeGpu(false)
  if (!gpu) throw new Error('no gpu: figure 4 is the ratio of cpu and gpu times')
  const { setup } = tunnelCase(Number(values.receivers), Number(values.reflections), 'spheres')
  console.log(`device   ${gpu.name}, cpu ${cpus()[0].model}, node ${process.version}`)
  const lines = ['rays,receivers_tried,serial_s,serial_share_timed,gpu_two_passes_s,speedup,gpu,cpu']
  console.log('| rays | receivers tried | serial [s] | share timed | gpu, two passes [ms] | speed-up |')
  console.log('| ---: | :-- | ---: | ---: | ---: | ---: |')
  for (const rays of values.rays.split(',').map(Number))
    for (const kind of KINDS) {
      const receivers = kind === 'BVH' ? setup.receivers : everyReceiver(setup.receivers)
      const given = { ...setup, receivers }
      const n = subdivisionFor(rays)
      const { seconds, part } = serial(given, n, Number(values.cpu))
      const passes = await parallel(gpu, given, n)
      const ratio = seconds / passes
      console.log(
        `| ${rayCount(n)} | ${kind} | ${seconds.toFixed(3)} | ${(100 * part).toFixed(0)} % | ${(1e3 * passes).toFixed(3)} | ${ratio.toFixed(1)} |`,
      )
      lines.push([rayCount(n), kind, seconds, part, passes, ratio, gpu.name, cpus()[0].model].join())
    }
  mkdirSync(values.out, { recursive: true })
  writeFileSync(join(values.out, 'reception.csv'), [...lines, ''].join('\n'))
}

async function draw(file: string): Promise<void> {
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const curve = (kind: string): { x: number[]; y: number[] } => {
    const of = rows.filter((row) => row[1] === kind)
    return { x: of.map((row) => Number(row[0]) / 1e6), y: of.map((row) => Number(row[5])) }
  }
  const curves = KINDS.map((kind) => ({ kind, ...curve(kind) }))
  const most = Math.max(...curves.flatMap(({ y }) => y))
  const step = 10 ** Math.floor(Math.log10(most))
  const svg = linePlot({
    title: 'Finding reception spheres: speed-up of the GPU over one CPU thread',
    subtitle: `${rows[0][6]}, two passes · ${rows[0][7]}, one pass · ${values.receivers} receivers, ${values.reflections} reflections`,
    xTitle: 'Number of rays [millions]',
    yTitle: 'Speed-up',
    yRange: [0, step * Math.ceil((1.05 * most) / step)],
    series: curves.map(({ kind, x, y }) => ({
      name: kind === 'BVH' ? 'BVH of receivers' : 'every ray with every receiver',
      x,
      y,
    })),
  })
  mkdirSync(values.out, { recursive: true })
  writeFileSync(join(values.out, 'reception.png'), await svgToPng(svg))
}
