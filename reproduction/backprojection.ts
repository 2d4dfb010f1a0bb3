// Backprojection of random pulses in the far field and near, on the GPU and on one core: time, pixels times pulses a second, and the
// difference of a part of the image from double precision.
//   npm run build && node dist/reproduction/backprojection.js [--size 1024] [--pulses 5000] [--frequencies 512] [--repeats 5]
//     [--cpu 64] (rows of the image on one core; 0: none) [--tiles] (the same bytes for other tiles and batches)
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { GpuBackprojector } from '../gpu/index.js'
import {
  backproject,
  type BackprojectionPlan,
  compressPulses,
  planBackprojection,
  profileBins,
  PULSE_GROUP,
  type PulseHistory,
} from '../isar/index.js'
import { circularPass } from '../samples/models/gotcha.js'
import { gpuJob } from '../src/imaging/solve.js'
import { openNodeGpu } from '../run/node-gpu.js'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '1024' },
    pulses: { type: 'string', default: '5000' },
    frequencies: { type: 'string', default: '512' },
    repeats: { type: 'string', default: '5' },
    cpu: { type: 'string', default: '4' },
    tiles: { type: 'boolean', default: false },
  },
})
const [size, pulses, frequencies, repeats, cpuRows] = [
  values.size,
  values.pulses,
  values.frequencies,
  values.repeats,
  values.cpu,
].map(Number)
const print = (...cells: (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`)
const median = (x: number[]): number => [...x].sort((a, b) => a - b)[x.length >> 1]

const context = await openNodeGpu(false)
console.log(`device   ${context?.name ?? 'no gpu'}, cpu ${cpus()[0].model}, node ${process.version}`)
console.log(
  `case     ${size} x ${size} pixels of 0.1 m, ${pulses} pulses over 45 degrees, ${frequencies} frequencies`,
)
print(
  'radar',
  'where',
  'range compression [s]',
  'whole image [s]',
  'G pixel pulses/s',
  'difference, of the peak',
)
print('---', '---', '---:', '---:', '---:', '---:')
for (const [name, rangeM] of [
  ['far field', Infinity],
  ['10 km', 10_000],
] as const)
  await measure(name, rangeM)
process.exit(0)

async function measure(name: string, rangeM: number): Promise<void> {
  const pass = circularPass({ pulses, spanDeg: 45, elevationDeg: 45, rangeM })
  const freqHz = Float64Array.from({ length: frequencies }, (_, m) => 9.3e9 + (6e8 * m) / (frequencies - 1))
  let state = 1
  const noise = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1
  const f = Float64Array.from({ length: 2 * frequencies * pulses }, noise)
  const history: PulseHistory = { ...pass, freqHz, f }
  const half = (0.1 * size) / 2
  const plan = planBackprojection(history, { plane: 'ground', window: 'taylor', acrossM: [-half, half], alongM: [-half, half], pixelM: 0.1 }) // prettier-ignore
  const [part, compression, seconds] = onOneCore(history, plan)
  const rate = (rows: number, s: number): string => ((rows * size * pulses) / s / 1e9).toPrecision(3)
  if (cpuRows > 0)
    print(name, `one core, ${cpuRows} rows`, compression.toFixed(2), '', rate(cpuRows, seconds), '')
  if (!context) return
  const engine = new GpuBackprojector(context, { group: PULSE_GROUP })
  const times: number[] = []
  let image = new Float32Array(0)
  for (let i = 0; i <= repeats; i++) {
    const start = performance.now()
    image = (await engine.run(gpuJob(history, plan))) as Float32Array<ArrayBuffer>
    // The first compiles the kernel.
    if (i > 0 || repeats === 0) times.push((performance.now() - start) / 1000)
  }
  let [worst, peak] = [0, 0]
  for (let i = 0; i < image.length; i += 2) peak = Math.max(peak, Math.hypot(image[i], image[i + 1]))
  for (let i = 0; i < part.length; i += 2)
    worst = Math.max(worst, Math.hypot(part[i] - image[i], part[i + 1] - image[i + 1]))
  const s = median(times)
  print(name, 'gpu', '', s.toFixed(3), rate(size, s), cpuRows > 0 ? (worst / peak).toExponential(1) : '')
  if (values.tiles) {
    const cut = new GpuBackprojector(context, { group: PULSE_GROUP, batchBytes: 2 ** 24, tileBytes: 2 ** 19 })
    const other = await cut.run(gpuJob(history, plan))
    console.log(`tiles    ${other.every((x, i) => x === image[i]) ? 'the same bytes' : 'DIFFERENT'}`)
  }
}

/** The first rows of the image in double precision, seconds of range compression and of the rest. */
function onOneCore(
  history: PulseHistory,
  { grid, frequencyWeights, pulseWeights: weights }: BackprojectionPlan,
): [Float64Array, number, number] {
  const part = new Float64Array(2 * cpuRows * grid.cols)
  const { freqHz, f } = history
  const profiles = new Float64Array(2 * profileBins(frequencies) * pulses)
  const start = performance.now()
  const compressed = compressPulses(freqHz, f, pulses, frequencyWeights, [0, pulses], profiles)
  const middle = performance.now()
  backproject({ grid, geometry: history, weights, compressed, pulses: [0, pulses] }, 0, part)
  return [part, (middle - start) / 1000, (performance.now() - middle) / 1000]
}
