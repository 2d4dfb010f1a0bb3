// The schedules on one target, with the load of either side varied, and memory over many aspects.
//   npm run build && node dist/reproduction/schedule.js [mesh] [--f0 9.25e9] [--f1 10.75e9] [--n 161] [--theta 80]
//     [--aspects 40] [--step 0.07] [--workers 1,4,15] [--rays 10] [--segments N] [--sub-grid 2048] [--device auto] [--repeat 3]
// prints the tables of isar compare for every number of workers and rays per wavelength; paper 003's sweeps: paper-003.js.
//   ... --memory [--aspects 1000] [--schedule overlapped]
// runs one sweep after a warm-up and prints the resident memory minus the result rows at every tenth of it; then its times.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fieldNames, rowLength, type Schedule, SCHEDULES, type SweepJob } from '../run/sweep/index.js'
import { direction } from '../scene/index.js'
import { compareSchedules, formatComparison, measureRun, summarise, textTable } from '../src/compare.js'
import { PAPER_SWEEPS } from './papers/sweeps.js'
import { loadTarget } from '../run/loaded-target.js'
import { openEngines, type EngineRequest } from '../run/solver.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    f0: { type: 'string' },
    f1: { type: 'string' },
    n: { type: 'string' },
    theta: { type: 'string' },
    aspects: { type: 'string' },
    step: { type: 'string' },
    workers: { type: 'string' },
    rays: { type: 'string' },
    segments: { type: 'string' },
    'sub-grid': { type: 'string', default: '2048' },
    device: { type: 'string', default: 'auto' },
    repeat: { type: 'string', default: '3' },
    schedule: { type: 'string', default: 'overlapped' },
    memory: { type: 'boolean', default: false },
  },
})
const schedule = SCHEDULES.find((s) => s === values.schedule)
if (!schedule) throw new Error(`--schedule: one of ${SCHEDULES.join(', ')}`)
/** Per wavelength; edges are cut where their strips change alone, where undefined. */
const segments = values.segments === undefined ? undefined : Number(values.segments)
const ofSweep = (key: 'f0' | 'f1' | 'n' | 'theta' | 'step'): number =>
  Number(values[key] ?? PAPER_SWEEPS.a[key])
const loaded = await loadTarget(positionals[0] ?? PAPER_SWEEPS.a.mesh, 'm', 20)
const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-'))
try {
  if (values.memory) await memory(schedule)
  else await schedules()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

function sweep(aspects: number): SweepJob {
  const [f0, f1, n] = [ofSweep('f0'), ofSweep('f1'), ofSweep('n')]
  return {
    aspects: Array.from({ length: aspects }, (_, i) => {
      const d = direction(ofSweep('theta'), ofSweep('step') * (i - (aspects - 1) / 2))
      return { tx: d, rx: d }
    }),
    bands: [{ f0, df: (f1 - f0) / (n - 1), n }],
    phaseCentre: [0, 0, 0],
  }
}

function request(wanted: Schedule, workers: string | undefined, rays: string): EngineRequest {
  return {
    device: values.device as EngineRequest['device'],
    sbr: { raysPerWavelength: Number(rays), maxBounces: 5, subdivisions: 2 },
    diffraction: 'tw-ildc',
    maxWedgeAngleDeg: 160,
    schedule: wanted,
    workers: workers === undefined ? undefined : Number(workers),
    subGrid: Number(values['sub-grid']),
  }
}

async function open(wanted: Schedule, workers: string | undefined, rays: string) {
  const engines = await openEngines(loaded, request(wanted, workers, rays))
  if (engines.edges) engines.edges.options.segmentsPerWavelength = segments
  return engines
}

async function schedules(): Promise<void> {
  const job = sweep(Number(values.aspects ?? '40'))
  for (const workers of values.workers?.split(',') ?? [undefined])
    for (const rays of (values.rays ?? '10').split(',')) {
      const engines = await open('overlapped', workers, rays)
      const threads = engines.edges?.engine.describe().threads ?? 0
      console.log(
        `${loaded.name}, ${job.aspects.length} aspects x ${ofSweep('n')} frequencies, ${rays} rays${segments === undefined ? '' : ` and ${segments} segments`} per wavelength, ` +
          `threads for edges: ${threads}; ${engines.facets.describe().text}, node ${process.version}\n`,
      )
      const runs = await compareSchedules(engines, job, { repeat: Number(values.repeat), folder })
      console.log(formatComparison(summarise(runs)))
      await engines.close()
    }
}

async function memory(wanted: Schedule): Promise<void> {
  const job = sweep(Number(values.aspects ?? '1000'))
  const engines = await open(wanted, values.workers, values.rays ?? '10')
  const rowBytes = 8 * rowLength(job, fieldNames(engines).length)
  const every = Math.max(1, Math.ceil(job.aspects.length / 10))
  const mebi = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)
  const table: string[][] = []
  const warmUp = { ...job, aspects: job.aspects.slice(0, engines.facets.describe().aspectsInFlight) }
  await measureRun(wanted, engines, warmUp, folder, () => {})
  const run = await measureRun(wanted, engines, job, folder, (done) => {
    if (done % every !== 0) return
    const { rss, heapUsed, external } = process.memoryUsage()
    table.push([`${done}`, ...[rss, done * rowBytes, rss - done * rowBytes, heapUsed, external].map(mebi)])
  })
  await engines.close()
  console.log(`${loaded.name}, ${wanted}, ${engines.facets.describe().text}, node ${process.version}; MiB`)
  console.log(textTable(['aspects', 'resident', 'rows kept', 'rest', 'heap', 'external'], table))
  const { maxMs, p99Ms, busy } = run.eventLoop
  const { total, gpu_busy, cpu_busy } = run.timing
  console.log(
    `${total.toFixed(2)} s; SBR busy ${gpu_busy.toFixed(2)} s, edges ${cpu_busy.toFixed(2)} s, total / busier side ${(total / Math.max(gpu_busy, cpu_busy)).toFixed(3)}; calling thread busy ${(100 * busy).toFixed(0)} %, late by ${maxMs.toFixed(1)} ms at most, ${p99Ms.toFixed(1)} ms in 99 % of cases`,
  )
}
