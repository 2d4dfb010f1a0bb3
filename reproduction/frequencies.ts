// Cost of the frequencies of a band: one aspect, summed directly and by NUFFT, for increasing numbers of frequencies.
//   npm run build && node dist/reproduction/frequencies.js [mesh] [--device cpu|gpu] [--n 1,8,16,32,64,128] [--f0 9.25e9] [--f1 10.75e9]
//     [--theta 80] [--phi 0] [--density 10] [--repeat 3] [--sweep 0]
// Prints the time of the aspect (cpu: CPU time of one thread; gpu: of all kernels, and of the field kernels), its ratio
// to one frequency's, and the difference of the NUFFT from direct summation: largest over the field's peak, and rms over rms.
// With --sweep N on the gpu also whole sweeps of N aspects, with edge diffraction, per number of frequencies.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { GpuSbrEngine } from '../gpu/index.js'
import type { Band } from '../scene/index.js'
import { type AspectResult, type FrequencySum, type SbrOptions } from '../rays/index.js'
import { measureRun, textTable } from '../src/compare.js'
import { loadTarget } from '../run/loaded-target.js'
import { openEngines } from '../run/solver.js'
import { DEFAULT_SBR, monostatic } from './cases.js'
import { argumentsOf, firstGpu, median, numbersOf } from './kit.js'

const { values, words } = argumentsOf({
  device: 'cpu',
  n: '1,8,16,32,64,128',
  f0: 9.25e9,
  f1: 10.75e9,
  theta: 80,
  phi: 0,
  density: 10,
  repeat: 3,
  sweep: 0,
})
const { f0, f1, theta, phi, density, repeat, sweep } = values
const counts = numbersOf(values.n)
const gpu = values.device === 'gpu'
// The single frequency is the highest, so that the tubes are the same.
const bandOf = (n: number): Band => (n > 1 ? { f0, df: (f1 - f0) / (n - 1), n } : { f0: f1, df: 0, n })
const optionsOf = (frequencySum: FrequencySum): SbrOptions => ({
  ...DEFAULT_SBR,
  raysPerWavelength: density,
  frequencySum,
})
const aspect = monostatic(theta, phi)
const loaded = await loadTarget(words[0] ?? 'samples/aircraft.stl', 'm', 20)
const { scene, target } = loaded
const engine = gpu
  ? new GpuSbrEngine(await firstGpu(), scene, target.area, { subGrid: 2048 })
  : createCpuEngine(scene, target.area, 0)

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
const ms = (s: number): string => (1e3 * s).toFixed(gpu ? 3 : 0)

await measure(bandOf(counts[counts.length - 1]), 'direct') // warms up
const rows: string[][] = []
let one = 0
for (const n of counts) {
  const direct = await measure(bandOf(n), 'direct')
  const fast = await measure(bandOf(n), 'fast')
  if (n === 1) one = Math.min(direct.seconds, fast.seconds)
  const difference = fast.result.field.map((x, i) => x - direct.result.field[i])
  rows.push([
    String(n),
    ...[direct.seconds, direct.field, fast.seconds, fast.field].map(ms),
    ...[direct, fast].map(({ seconds }) => (one ? (seconds / one).toFixed(3) : '')),
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
          aspects: Array.from({ length: sweep }, (_, i) => monostatic(theta, phi + 0.07 * i)),
          bands: [bandOf(n)],
          phaseCentre: [0, 0, 0] as [number, number, number],
        }
        const seconds: number[] = []
        for (let i = 0; i <= repeat; i++) {
          const run = await measureRun('overlapped', engines, job, folder, () => {})
          if (i > 0) seconds.push(run.timing.total)
        }
        const middle = median(seconds)
        if (n === 1) first = middle
        const each = (s: number): string => ((1e3 * s) / sweep).toFixed(2)
        table.push([
          frequencySum,
          String(n),
          each(middle),
          `${each(Math.min(...seconds))} to ${each(Math.max(...seconds))}`,
          first ? (middle / first).toFixed(3) : '',
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
