// One-look images (render --fast) beside full ones: correlation of their magnitudes, and times.
//   npm run build && node dist/bench/one-look.js [mesh] [--band 9.25e9:10.75e9] [--theta 80] [--phi 0] [--device auto] [--density 10] [--bounces 5] [--looks 1,2,4,8] [--aperture DEG]
// The full sweep runs on --device. Channel by channel: the correlation with the full image, once focused (polar format) and
// once by the small-angle transform, which smears a large target and which one look does not.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEdgeScene } from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { formImage, imageCorrelation, type IsarImage, planSweep } from '../isar/index.js'
import { fieldNames, lookAtSweep, rowField, rowLength, RowStore, runSweep } from '../pipeline/index.js'
import { type Channel, CHANNELS, direction } from '../scene/index.js'
import { channelMatrix } from '../src/rcs-table.js'
import { textTable } from '../src/compare-report.js'
import { loadTarget, openEngines } from '../src/solver.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    band: { type: 'string', default: '9.25e9:10.75e9' },
    theta: { type: 'string', default: '80' },
    phi: { type: 'string', default: '0' },
    device: { type: 'string', default: 'auto' },
    density: { type: 'string', default: '10' },
    bounces: { type: 'string', default: '5' },
    looks: { type: 'string', default: '1,2,4,8' },
    aperture: { type: 'string' },
    workers: { type: 'string' },
  },
})
const [f0, f1] = values.band.split(':').map(Number)
const loaded = await loadTarget(positionals[0] ?? 'samples/aircraft.stl', 'm', 20)
const { scene, target } = loaded
const plan = planSweep({
  points: target.positions,
  thetaDeg: Number(values.theta),
  phiDeg: Number(values.phi),
  band: { f0, f1 },
  apertureDeg: values.aperture === undefined ? undefined : Number(values.aperture),
})
const { freqHz } = plan
const job = {
  aspects: Array.from(plan.phiDeg, (phi) => {
    const d = direction(plan.thetaDeg, phi)
    return { tx: d, rx: d }
  }),
  bands: [{ f0, df: freqHz[1] - freqHz[0], n: freqHz.length }],
  phaseCentre: [0, 0, 0] as [number, number, number],
}
const engines = await openEngines(loaded, {
  device: values.device as 'auto',
  sbr: {
    raysPerWavelength: Number(values.density),
    maxBounces: Number(values.bounces),
    subdivisions: 2,
    formulation: 'all-bounces',
  },
  diffraction: 'tw-ildc',
  maxWedgeAngleDeg: 160,
  mechanisms: false,
  schedule: 'overlapped',
  subGrid: 2048,
})
const workers = values.workers === undefined ? engines.sbrWorkers : Number(values.workers)
const cpu = createCpuEngine(scene, target.area, workers)
const edgeScene = buildEdgeScene(target, 160, scene.origin)
const edges = { scene: edgeScene, rays: scene, truncation: 'tw-ildc' as const }
await lookAtSweep(cpu, engines.options, edges, { ...job, aspects: job.aspects.slice(0, 2) })
type Size = { rows: number; cols: number }
const folder = mkdtempSync(join(tmpdir(), 'isar-bench-'))
const store = await RowStore.open(folder, 'full', rowLength(job, fieldNames(engines).length), false)
const begin = performance.now()
await runSweep(engines, job, store, () => {})
const fullSeconds = (performance.now() - begin) / 1000
const full = job.aspects.map((_, i) => rowField(job, store.rows.get(i)!))
store.close()
rmSync(folder, { recursive: true, force: true })

const imageOf = (fields: Float64Array[], c: Channel, polarFormat = false, size?: Size): IsarImage =>
  formImage({ ...plan, f: channelMatrix(fields, freqHz.length, c) }, { ...plan.window, polarFormat, size })
const rows: string[][] = []
for (const looks of values.looks.split(',').map(Number)) {
  const start = performance.now()
  const look = await lookAtSweep(cpu, engines.options, edges, job, looks)
  const seconds = (performance.now() - start) / 1000
  for (const c of CHANNELS.slice(0, 3)) {
    const fast = imageOf(look.fields, c)
    rows.push([
      String(looks),
      c,
      imageCorrelation(fast.image, imageOf(full, c, true, fast).image).toFixed(4),
      imageCorrelation(fast.image, imageOf(full, c).image).toFixed(4),
      seconds.toFixed(3),
      look.sbrSeconds.toFixed(3),
      look.edgeSeconds.toFixed(3),
    ])
  }
}
console.log(
  `${loaded.name}, ${plan.phiDeg.length} aspects over ${plan.apertureDeg.toFixed(2)} degrees x ${freqHz.length} frequencies, theta ${values.theta}, phi ${values.phi}; full on ${engines.sbr.description}: ${fullSeconds.toFixed(2)} s`,
)
console.log(`looks on ${workers} threads, their edges on one; times [s]\n`)
console.log(
  textTable(['looks', 'channel', 'full, focused', 'full, small angle', 'all', 'SBR', 'edges'], rows),
)
process.exit(0)
