// Cost of the frequencies of a band: one aspect on one core, summed directly and by NUFFT, for increasing numbers of frequencies.
//   npm run build && node dist/reproduction/frequencies.js [mesh] [--device cpu|gpu] [--n 1,8,16,32,64,128] [--f0 9.25e9] [--f1 10.75e9]
//     [--theta 80] [--phi 0] [--density 10] [--repeat 3] [--sweep 0]
// Prints the time of the aspect (cpu: CPU time of one thread; gpu: of all kernels, and of the field kernels), its ratio
// to one frequency's, and the difference of the NUFFT from direct summation: largest over the field's peak, and rms over rms.
// With --sweep N on the gpu also whole sweeps of N aspects, with edge diffraction, per number of frequencies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { type Aspect, type Band, direction } from '../scene/index.js'
import { type AspectResult, type FrequencySum, type SbrEngine, type SbrOptions } from '../rays/index.js'
import { measureRun, textTable } from '../src/compare.js'
import { loadTarget } from '../run/loaded-target.js'
import { openEngines } from '../run/solver.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: 'string', default: 'cpu' },
    n: { type: 'string', default: '1,8,16,32,64,128' },
    f0: { type: 'string', default: '9.25e9' },
    f1: { type: 'string', default: '10.75e9' },
    theta: { type: 'string', default: '80' },
    phi: { type: 'string', default: '0' },
    density: { type: 'string', default: '10' },
    repeat: { type: 'string', default: '3' },
    sweep: { type: 'string', default: '0' },
  },
})
const [f0, f1, theta, phi, density, repeat, sweep] = [
  values.f0,
  values.f1,
  values.theta,
  values.phi,
  values.density,
  values.repeat,
  values.sweep,
].map(Number)
const counts = values.n.split(',').map(Number)
const gpu = values.device === 'gpu'
// The single frequency is the highest, so that the tubes are the same.
const bandOf = (n: number): Band => (n > 1 ? { f0, df: (f1 - f0) / (n - 1), n } : { f0: f1, df: 0, n })
const optionsOf = (frequencySum: FrequencySum): SbrOptions => ({
  raysPerWavelength: density,
  maxBounces: 5,
  subdivisions: 2,
  frequencySum,
})
const toRadar = direction(theta, phi)
const aspect: Aspect = { tx: toRadar, rx: toRadar }
const loaded = await loadTarget(positionals[0] ?? 'samples/aircraft.stl', 'm', 20)
const { scene, target } = loaded

let engine: SbrEngine
if (gpu) {
  const { openNodeGpu } = await import('../run/node-gpu.js')
  const { GpuSbrEngine } = await import('../gpu/index.js')
  const context = await openNodeGpu(false)
  if (!context) throw new Error('no GPU found')
  engine = new GpuSbrEngine(context, scene, target.area, { subGrid: 2048 })
} else engine = createCpuEngine(scene, target.area, 0)

interface Measured {
  result: AspectResult
  /** Best of the repeats [s]: the whole, and the field's part of it. */
  seconds: number
  field: number
}

async function measure(band: Band, frequencySum: FrequencySum): Promise<Measured> {
  const job = { aspect, band, options: optionsOf(frequencySum) }
  let best: Measured | null = null
  // The first run warms up.
  for (let i = 0; i <= repeat; i++) {
    const before = process.cpuUsage()
    const result = await engine.field(job)
    const { trace, field, reduction } = result.times
    const seconds = gpu ? trace + field + reduction : process.cpuUsage(before).user / 1e6
    if (i > 0 && !(best && best.seconds <= seconds)) best = { result, seconds, field: field + reduction }
  }
  return best!
}

const norm = (a: Float64Array): number => Math.sqrt(a.reduce((s, x) => s + x * x, 0))
const peak = (a: Float64Array): number => a.reduce((m, x) => Math.max(m, Math.abs(x)), 0)

await measure(bandOf(counts[counts.length - 1]), 'direct') // warms up
const rows: string[][] = []
let one = 0
for (const n of counts) {
  const direct = await measure(bandOf(n), 'direct')
  const fast = await measure(bandOf(n), 'fast')
  if (n === 1) one = Math.min(direct.seconds, fast.seconds)
  const difference = fast.result.field.map((x, i) => x - direct.result.field[i])
  const ms = (s: number): string => (1e3 * s).toFixed(gpu ? 3 : 0)
  rows.push([
    String(n),
    ms(direct.seconds),
    ms(direct.field),
    ms(fast.seconds),
    ms(fast.field),
    one ? (direct.seconds / one).toFixed(3) : '',
    one ? (fast.seconds / one).toFixed(3) : '',
    (peak(difference) / peak(direct.result.field)).toExponential(1),
    (norm(difference) / norm(direct.result.field)).toExponential(1),
  ])
}
console.log(
  `${loaded.name}, ${scene.count} facets, ${f0 / 1e9} to ${f1 / 1e9} GHz, theta ${theta}, phi ${phi}, ${density} tubes per wavelength; ${engine.describe().text}, node ${process.version}; times [ms]\n`,
)
console.log(
  textTable(
    ['n', 'direct', 'its sums', 'fast', 'its sums', 'direct / one', 'fast / one', 'largest', 'rms'],
    rows,
  ),
)
if (gpu && sweep > 0) await sweeps()
process.exit(0)

/** Whole sweeps with edge diffraction on all but one core, per frequency count; the median of the repeats. */
async function sweeps(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-'))
  const table: string[][] = []
  try {
    for (const frequencySum of ['direct', 'fast'] as const) {
      const engines = await openEngines(loaded, {
        device: 'gpu',
        sbr: optionsOf(frequencySum),
        diffraction: 'tw-ildc',
        maxWedgeAngleDeg: 160,
        subGrid: 2048,
      })
      let first = 0
      for (const n of counts) {
        const job = {
          aspects: Array.from({ length: sweep }, (_, i) => {
            const d = direction(theta, phi + 0.07 * i)
            return { tx: d, rx: d }
          }),
          bands: [bandOf(n)],
          phaseCentre: [0, 0, 0] as [number, number, number],
        }
        const seconds: number[] = []
        for (let i = 0; i <= repeat; i++) {
          const run = await measureRun('overlapped', engines, job, folder, () => {})
          if (i > 0) seconds.push(run.timing.total)
        }
        seconds.sort((a, b) => a - b)
        const median = seconds[Math.floor(seconds.length / 2)]
        if (n === 1) first = median
        table.push([
          frequencySum,
          String(n),
          ((1e3 * median) / sweep).toFixed(2),
          `${((1e3 * seconds[0]) / sweep).toFixed(2)} to ${((1e3 * seconds[seconds.length - 1]) / sweep).toFixed(2)}`,
          first ? (median / first).toFixed(3) : '',
        ])
      }
      await engines.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(
    `\nSweeps of ${sweep} aspects with edge diffraction [ms per aspect]\n\n` +
      textTable(['sums', 'n', 'median', 'min to max', 'to one'], table),
  )
}
