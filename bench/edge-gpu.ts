// Edge diffraction on worker threads alone against shares of it on the GPU (--gpu-edges), whole sweeps with SBR beside it.
//   npm run build && node dist/bench/edge-gpu.js [mesh] [--f0 9.25e9] [--f1 10.75e9] [--n 161] [--theta 80]
//     [--aspects 60] [--step 0.07] [--workers 2,4,8,15] [--shares 0,0.5,1,auto] [--device auto] [--repeat 3]
// Prints per number of threads and share: the share that the GPU had, time of the sweep (median, spread), of edges without SBR,
// busy times of SBR and of the threads (per thread), the edge kernels' time per aspect (in the run without SBR: beside it their
// passes wait for SBR's), and the largest difference of the edges' field from that of the threads alone, over its peak.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SharedEdges, type SweepJob } from '../pipeline/index.js'
import { direction } from '../scene/index.js'
import { textTable } from '../src/compare-report.js'
import { measureRun } from '../src/compare.js'
import { loadTarget } from '../src/loaded-target.js'
import { openEngines, type OpenEngines } from '../src/solver.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    f0: { type: 'string', default: '9.25e9' },
    f1: { type: 'string', default: '10.75e9' },
    n: { type: 'string', default: '161' },
    theta: { type: 'string', default: '80' },
    aspects: { type: 'string', default: '60' },
    step: { type: 'string', default: '0.07' },
    workers: { type: 'string', default: '2,4,8,15' },
    shares: { type: 'string', default: '0,0.5,1,auto' },
    device: { type: 'string', default: 'auto' },
    repeat: { type: 'string', default: '3' },
  },
})
const [f0, f1, n, theta, aspects, step, repeat] = [
  values.f0,
  values.f1,
  values.n,
  values.theta,
  values.aspects,
  values.step,
  values.repeat,
].map(Number)
const job: SweepJob = {
  aspects: Array.from({ length: aspects }, (_, i) => {
    const d = direction(theta, step * (i - (aspects - 1) / 2))
    return { tx: d, rx: d }
  }),
  bands: [{ f0, df: n > 1 ? (f1 - f0) / (n - 1) : 0, n }],
  phaseCentre: [0, 0, 0],
}
/** Aspects whose fields are compared. */
const COMPARED = 4

const loaded = await loadTarget(positionals[0] ?? 'samples/aircraft-a.stl', 'm', 20)
const folder = mkdtempSync(join(tmpdir(), 'isar-bench-'))
const rows: string[][] = []
let device = ''
let alone: Float64Array[] = []
try {
  for (const workers of values.workers.split(','))
    for (const share of values.shares.split(',')) await measure(workers, share)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(
  `${loaded.name}, ${aspects} aspects x ${n} frequencies, theta ${theta}; ${device}, node ${process.version}; times [s]\n`,
)
console.log(
  textTable(
    [
      'threads',
      'share',
      'on GPU',
      'sweep',
      'min to max',
      'edges alone',
      'SBR busy',
      'threads busy',
      'kernels [ms]',
      'difference',
    ],
    rows,
  ),
)
process.exit(0)

async function measure(workers: string, share: string): Promise<void> {
  const engines = await openEngines(loaded, {
    device: values.device as 'auto',
    sbr: { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2, formulation: 'all-bounces' },
    diffraction: 'tw-ildc',
    maxWedgeAngleDeg: 160,
    mechanisms: false,
    schedule: 'overlapped',
    workers: Number(workers),
    subGrid: 2048,
    gpuEdges: share === 'auto' ? 'auto' : Number(share),
  })
  device = engines.sbr.description
  const shared = engines.edges?.engine
  const done = shared instanceof SharedEdges ? shared.done : { blocks: 0, gpuBlocks: 0, gpuSeconds: 0 }
  const sweep = () => measureRun('overlapped', engines, job, folder, () => {})
  await sweep()
  const runs = []
  const before = { ...done }
  for (let i = 0; i < repeat; i++) runs.push(await sweep())
  const gpuBlocks = done.gpuBlocks - before.gpuBlocks
  const onGpu = gpuBlocks / Math.max(1, done.blocks - before.blocks)
  runs.sort((a, b) => a.timing.total - b.timing.total)
  const { timing } = runs[Math.floor(repeat / 2)]
  const gpuSeconds = done.gpuSeconds
  const edges = await edgesAlone(engines)
  const kernels = (1000 * (done.gpuSeconds - gpuSeconds)) / aspects
  if (share === '0') alone = edges.fields
  rows.push([
    workers,
    share,
    onGpu.toFixed(2),
    timing.total.toFixed(3),
    `${runs[0].timing.total.toFixed(3)} to ${runs[repeat - 1].timing.total.toFixed(3)}`,
    edges.seconds.toFixed(3),
    timing.gpu_busy.toFixed(3),
    timing.cpu_busy.toFixed(3),
    kernels.toFixed(3),
    alone.length > 0 ? difference(edges.fields).toExponential(1) : '',
  ])
  await engines.close()
}

/** All aspects' edges with as many on the way at once as in a sweep. */
async function edgesAlone({ edges, sbr }: OpenEngines): Promise<{ seconds: number; fields: Float64Array[] }> {
  if (!edges) throw new Error('no edge of this mesh diffracts')
  const { engine, options } = edges
  const fields: Float64Array[] = []
  const todo = job.aspects.entries()
  const start = performance.now()
  const lane = async (): Promise<void> => {
    for (const [i, aspect] of todo) {
      const { field } = await engine.aspect({ aspect, band: job.bands[0], options })
      if (i < COMPARED) fields[i] = field
    }
  }
  await Promise.all(Array.from({ length: sbr.aspectsInFlight }, lane))
  return { seconds: (performance.now() - start) / 1000, fields }
}

function difference(fields: Float64Array[]): number {
  const worst = fields.map((field, i) => {
    let [peak, error] = [0, 0]
    field.forEach((v, at) => {
      peak = Math.max(peak, Math.abs(alone[i][at]))
      error = Math.max(error, Math.abs(v - alone[i][at]))
    })
    return error / peak
  })
  return Math.max(...worst)
}
