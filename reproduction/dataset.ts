// Images per hour of isar dataset: an aircraft-sized target at 10 GHz, 128 x 128 pixels of 0.1 m, 0.15 m resolution, by the times of timing.json,
// without start-up. own: every aspect traced for its own image; shared: one sweep per elevation, an image every half degree.
//   npm run build && node dist/reproduction/dataset.js [own] [shared] [--images 20] [--mesh samples/aircraft-a.stl] [-- options of isar dataset]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { argumentsOf, processor, tableOf } from './kit.js'

const split = process.argv.indexOf('--')
const extra = split < 0 ? [] : process.argv.slice(split + 1)
const { values, words } = argumentsOf(
  { images: 20, mesh: 'samples/aircraft-a.stl' },
  process.argv.slice(2, split < 0 ? undefined : split),
)
const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-dataset-'))

/** Parts of timing.json. */
interface Timing {
  device: string
  total: number
  gpu_busy: number
  cpu_busy: number
  dataset: { images: number; aspects: number; images_per_hour: number }
}

const rows: (string | number)[][] = []
for (const trace of ['own', 'shared'].filter((name) => words.length === 0 || words.includes(name))) {
  // With shared aspects many images are needed to amortise the first aperture.
  const images = values.images * (trace === 'shared' ? 10 : 1)
  const step = trace === 'shared' ? 0.5 : 360 / images
  const config = join(folder, `${trace}.json`)
  const out = join(folder, trace)
  writeFileSync(
    config,
    JSON.stringify({
      name: trace,
      targets: [{ label: 'aircraft', mesh: resolve(values.mesh) }],
      aspects: { azimuth: { from: 0, to: (images - 1) * step, step }, elevation: [10] },
      radar: { centreHz: 10e9, resolutionM: 0.15 },
      image: { size: [128, 128], spacingM: 0.1 },
      trace,
      shardChips: 1024,
    }),
  )
  const args = [resolve('dist/src/cli/main.js'), 'dataset', config, '--out', out, ...extra]
  const run = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (run.status !== 0) throw new Error(`${trace}: isar dataset ended with ${run.status}`)
  const { dataset, ...times } = JSON.parse(readFileSync(join(out, 'timing.json'), 'utf8')) as Timing
  rows.push([
    trace,
    dataset.images,
    dataset.aspects,
    times.total.toFixed(1),
    dataset.images_per_hour.toFixed(0),
    times.gpu_busy.toFixed(1),
    times.cpu_busy.toFixed(1),
    times.device,
  ])
}
rmSync(folder, { recursive: true })
console.log(processor())
console.log(
  tableOf(
    'trace, images, aspects, seconds, images/h, rays busy [s], edges busy [s], device'.split(', '),
    rows,
  ),
)
