// Images extrapolated from reference aspects (render --fast) against full ones: correlation of their magnitudes, and times.
//   npm run build && node dist/reproduction/aspect-extrapolation.js [mesh] [--band 9.25e9:10.75e9] [--theta 80] [--phi 0] [--device auto] [--density 10]
//     [--fast-density 3] [--bounces 5] [--references auto,1,2,4,8] [--aperture DEG] [--workers N] [--subdivide 1] [--tolerance 1e-2] [--repeat 3]
// Correlations with the full image at --density, formed by the small-angle transform and by polar format ("focused").
// Seconds are the median of the repeats, after one warm-up.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formImage, imageCorrelation, planSweep } from '../isar/index.js'
import {
  referenceAspectCount,
  fieldNames,
  aspectGroups,
  rowField,
  rowLength,
  RowStore,
  rowReport,
  runSweep,
  type SweepJob,
} from '../run/sweep/index.js'
import { type Channel, CHANNELS } from '../rays/index.js'
import { highestFrequency } from '../scene/index.js'
import { channelMatrix } from '../formats/rcs-table.js'
import { textTable } from '../src/compare.js'
import { loadTarget } from '../run/loaded-target.js'
import { type EngineRequest, openEngines } from '../run/solver.js'
import { monostatic } from './cases.js'
import { argumentsOf, median } from './kit.js'

const { values, words } = argumentsOf({
  band: '9.25e9:10.75e9',
  theta: 80,
  phi: 0,
  device: 'auto',
  density: 10,
  'fast-density': 3,
  bounces: 5,
  references: 'auto,1,2,4,8',
  /** 0: as the plan has them. */
  aperture: 0,
  workers: 0,
  subdivide: 1,
  tolerance: 1e-2,
  repeat: 3,
})
const [f0, f1] = values.band.split(':').map(Number)
const loaded = await loadTarget(words[0] ?? 'samples/aircraft.stl', 'm', 20)
const { scene, target } = loaded
const plan = planSweep({
  points: target.positions,
  thetaDeg: values.theta,
  phiDeg: values.phi,
  band: { f0, f1 },
  apertureDeg: values.aperture || undefined,
})
const { freqHz } = plan
const job: SweepJob = {
  aspects: Array.from(plan.phiDeg, (phi) => monostatic(plan.thetaDeg, phi)),
  bands: [{ f0, df: freqHz[1] - freqHz[0], n: freqHz.length }],
  phaseCentre: [0, 0, 0],
}
const request: EngineRequest = {
  device: values.device as 'auto',
  sbr: { raysPerWavelength: values.density, maxBounces: values.bounces, subdivisions: 2 },
  diffraction: 'tw-ildc',
  maxWedgeAngleDeg: 160,
  workers: values.workers || undefined,
  subGrid: 2048,
}
const engines = await openEngines(loaded, request)
const fast = {
  ...engines,
  options: {
    ...request.sbr,
    raysPerWavelength: values['fast-density'],
    subdivisions: values.subdivide,
    sumTolerance: values.tolerance,
  },
}

async function sweep(on: typeof engines, of: SweepJob) {
  const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-'))
  const store = await RowStore.open(folder, 'all', rowLength(of, fieldNames(on).length), false)
  const begin = performance.now()
  await runSweep(on, of, store, () => {})
  const seconds = (performance.now() - begin) / 1000
  const rows = of.aspects.map((_, i) => store.rows.get(i)!)
  store.close()
  rmSync(folder, { recursive: true, force: true })
  const reports = rows.map(rowReport)
  const busy = (...keys: (keyof (typeof reports)[0])[]): number =>
    reports.reduce((sum, r) => sum + keys.reduce((s, key) => s + (r[key] as number), 0), 0)
  return {
    fields: rows.map((row) => rowField(of, row)),
    seconds,
    trace: busy('trace'),
    field: busy('field', 'reduction'),
    edges: busy('prepare', 'evaluate'),
  }
}

const full = await sweep(engines, job)
const highest = Math.max(...job.bands.map(highestFrequency))
const likeness = (fields: Float64Array[], c: Channel, polarFormat: boolean): string => {
  const image = (f: Float64Array[]) =>
    formImage({ ...plan, f: channelMatrix(f, freqHz.length, c) }, { ...plan.window, polarFormat })
  return imageCorrelation(image(fields).image, image(full.fields).image).toFixed(4)
}
const rows: string[][] = []
for (const text of values.references.split(',')) {
  const references = text === 'auto' ? referenceAspectCount(job.aspects, scene, highest) : Number(text)
  const of = { ...job, groups: aspectGroups([...job.aspects.keys()], references) }
  await sweep(fast, of)
  const runs = []
  for (let i = 0; i < values.repeat; i++) runs.push(await sweep(fast, of))
  const middle = median(runs.map(({ seconds }) => seconds))
  const run = runs.find(({ seconds }) => seconds === middle)!
  for (const c of CHANNELS.slice(0, 3))
    rows.push([
      `${references}${text === 'auto' ? ' (default)' : ''}`,
      c,
      likeness(run.fields, c, false),
      likeness(run.fields, c, true),
      ...[run.seconds, run.trace, run.field, run.edges].map((x) => x.toFixed(3)),
    ])
}
console.log(
  `${loaded.name}, ${plan.phiDeg.length} aspects over ${plan.apertureDeg.toFixed(2)} degrees x ${freqHz.length} frequencies, theta ${values.theta}, phi ${values.phi}; full at ${values.density} rays per wavelength on ${engines.facets.describe().text}: ${full.seconds.toFixed(2)} s; reference aspects at ${values['fast-density']}\n`,
)
console.log(
  textTable(
    ['references', 'channel', 'small angle', 'focused', 'all [s]', 'tracing', 'sums', 'edges, a thread'],
    rows,
  ),
)
await engines.close()
