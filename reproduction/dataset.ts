// Images per hour of isar dataset: an aircraft-sized target at 10 GHz, 128 x 128 pixels of 0.1 m, 0.15 m resolution; and the minutes of a
// CVDomes-like slice: a car-sized target, 5,760 azimuths, 512 frequencies, three channels.
//   npm run build && node dist/reproduction/dataset.js [own] [shared] [gpueco] [gpueco-shared] [cvdomes] [--device gpu|cpu|auto]
//     [--images 20] [--step 0.5] [--mesh samples/aircraft-a.stl] [--azimuths 5760] [-- options of the solver]
// own: every aspect traced for its own image; shared: one sweep per elevation, an image every --step degrees;
// gpueco: rasterised physical optics instead of rays. Times are those of timing.json, without start-up.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { textTable } from '../src/compare.js'

const CASES = ['own', 'shared', 'gpueco', 'gpueco-shared', 'cvdomes'] as const
type Case = (typeof CASES)[number]

const split = process.argv.indexOf('--')
const extra = split < 0 ? [] : process.argv.slice(split + 1)
const { values, positionals } = parseArgs({
  args: process.argv.slice(2, split < 0 ? undefined : split),
  allowPositionals: true,
  options: {
    device: { type: 'string', default: 'auto' },
    images: { type: 'string', default: '20' },
    step: { type: 'string', default: '0.5' },
    mesh: { type: 'string', default: 'samples/aircraft-a.stl' },
    azimuths: { type: 'string', default: '5760' },
  },
})
const wanted = CASES.filter((c) => positionals.length === 0 || positionals.includes(c))
const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-dataset-'))
const step = Number(values.step)

function configOf(name: Case): object {
  if (name === 'cvdomes')
    return {
      name,
      product: 'history',
      // A missile's shape at the length of a car.
      targets: [{ label: 'car', mesh: resolve('samples/missile.stl'), scale: 4.1 }],
      aspects: { azimuth: { from: 0, to: 360, step: 360 / Number(values.azimuths) }, elevation: [30] },
      radar: { band: [6.9226e9, 12.2775e9], frequencies: 512 },
      channels: ['hh', 'hv', 'vv'],
      formats: ['cvdomes'],
    }
  const shared = name === 'shared' || name === 'gpueco-shared'
  // With shared aspects many images are needed to amortise the first aperture.
  const images = Number(values.images) * (shared || name === 'gpueco' ? 10 : 1)
  const apart = shared ? step : 360 / images
  return {
    name,
    targets: [{ label: 'aircraft', mesh: resolve(values.mesh) }],
    aspects: { azimuth: { from: 0, to: (images - 1) * apart, step: apart }, elevation: [10] },
    radar: { centreHz: 10e9, resolutionM: 0.15 },
    image: { size: [128, 128], spacingM: 0.1 },
    trace: shared ? 'shared' : 'own',
    shardChips: 1024,
  }
}

const rows: string[][] = []
for (const name of wanted) {
  const config = join(folder, `${name}.json`)
  const out = join(folder, name)
  writeFileSync(config, JSON.stringify(configOf(name)))
  const method = name.startsWith('gpueco') ? ['--method', 'gpueco'] : []
  const { device } = values
  const args = ['dataset', config, '--out', out, '--device', device, ...method, ...extra]
  const run = spawnSync(process.execPath, [resolve('dist/src/cli/main.js'), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (run.status !== 0) throw new Error(`${name}: isar dataset ended with ${run.status}`)
  const timing = JSON.parse(readFileSync(join(out, 'timing.json'), 'utf8')) as {
    device: string
    total: number
    gpu_busy: number
    cpu_busy: number
    dataset: { images: number; aspects: number; images_per_hour: number | null; forming_seconds: number }
  }
  const { images, aspects, images_per_hour, forming_seconds } = timing.dataset
  rows.push([
    name,
    String(images || 1),
    String(aspects),
    timing.total.toFixed(1),
    images_per_hour === null ? `${(timing.total / 60).toFixed(2)} min` : images_per_hour.toFixed(0),
    timing.gpu_busy.toFixed(1),
    timing.cpu_busy.toFixed(1),
    forming_seconds.toFixed(1),
    timing.device,
  ])
  rmSync(out, { recursive: true, force: true })
}
rmSync(folder, { recursive: true, force: true })
console.log(
  `${availableParallelism()} cores, ${cpus()[0].model}; an image every ${step} degrees where shared`,
)
console.log(
  textTable(
    ['case', 'images', 'aspects', 'seconds', 'images/h', 'SBR busy s', 'edges busy s', 'forming s', 'device'],
    rows,
  ),
)
