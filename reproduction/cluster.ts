/**
 * The targets of paper 000, Table 1, on clusters with messages, as Markdown. Needs a Redis server.
 *   node dist/reproduction/cluster.js REDIS gpus|cpus ANGLES COUNTS [--scale 1] [--targets ship,radar]
 * COUNTS: numbers of workers, like 1,2,4; --scale: of the frequencies. Decision 012 has results.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ADJUST, type Distribution } from '../run/cluster/partition.js'
import { connect, liveWorkers } from '../run/cluster/redis.js'
import { openClusterEngines } from '../run/cluster-engines.js'
import { type LoadedTarget, prepareRecipe } from '../run/loaded-target.js'
import { type AspectDetail, rowField, rowLength, RowStore, runSweep, type SweepJob } from '../run/sweep/index.js' // prettier-ignore
import { VERSION } from '../run/version.js'
import { DEFAULT_SBR } from './cases.js'
import { argumentsOf, median, numbersOf, tableOf } from './kit.js'
import { clusterTargets } from './paper-000.js'

/** Sweeps for the median, after one warm-up. */
const REPEATS = 3

const warn = (line: string): boolean => process.stderr.write(line + '\n')

const { values, words } = argumentsOf({ scale: 1, targets: '' })
const [url, what, angles, counts] = words
if (counts === undefined) throw new Error('give REDIS gpus|cpus ANGLES COUNTS: see the head of this file')
const kind = what === 'gpus' ? 'gpu' : 'cpu'

/** Workers as `isar workers` starts them; the function that ends them. */
async function startWorkers(count: number): Promise<() => Promise<void>> {
  const which = kind === 'gpu' ? ['--gpus', [...Array(count).keys()].join()] : ['--cpus', String(count)]
  const args = ['dist/src/cli/main.js', 'workers', '--redis', url, ...which, '--workers', '1', '--quiet']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const redis = await connect(url, warn)
  while ((await liveWorkers(redis)).length < count) await sleep(50)
  return async () => {
    child.kill('SIGTERM')
    while ((await liveWorkers(redis)).length > 0) await sleep(50)
    redis.disconnect()
  }
}

interface Swept {
  seconds: number
  fields: Float64Array[]
  /** Seconds of each part, by angle. */
  parts: number[][]
}

async function sweep(loaded: LoadedTarget, job: SweepJob, distribute: Distribution): Promise<Swept> {
  const request = { device: kind, sbr: DEFAULT_SBR, diffraction: 'none', maxWedgeAngleDeg: 160, subGrid: 2048 } as const // prettier-ignore
  const cluster = { url, distribute, adjust: ADJUST, unitSeconds: 600 }
  const engines = await openClusterEngines(loaded, request, cluster, VERSION, warn)
  const folder = mkdtempSync(join(tmpdir(), 'isar-reproduction-'))
  const store = await RowStore.open(folder, 'reproduction', rowLength(job, 1), false)
  const start = performance.now()
  const details = await runSweep(engines, job, store, ({ done, total }) => engines.progress!(done, total))
  const seconds = (performance.now() - start) / 1000
  await engines.close()
  const parts = Array.from(job.aspects.keys(), (i) => (details.get(i) as AspectDetail).partSeconds)
  const fields = Array.from(job.aspects.keys(), (i) => rowField(job, store.rows.get(i)!).slice())
  store.discard()
  return { seconds, fields, parts }
}

/** Of divided apertures: sum over (workers times longest), of the angles from the fifth on, when parts have settled. */
function balance(parts: number[][]): string {
  const some = parts.slice(4)
  const longest = some.reduce((s, p) => s + p.length * Math.max(...p), 0)
  return `${((100 * some.flat().reduce((a, b) => a + b, 0)) / longest).toFixed(0)} %`
}

const targets = clusterTargets()
  .filter(({ name }) => values.targets === '' || values.targets.split(',').includes(name))
  .map(({ name, mesh, frequency, cut }) => {
    const band = { f0: values.scale * frequency, df: 0, n: 1 }
    const job: SweepJob = { aspects: cut(Number(angles)), bands: [band], phaseCentre: [0, 0, 0] }
    return { name, job, loaded: prepareRecipe(name, name, { mesh, smoothAngleDeg: 20 }) }
  })
const first = new Map<string, Swept>()
const rows: (string | number)[][] = []
const most = Math.max(...numbersOf(counts))
for (const count of numbersOf(counts)) {
  const stop = await startWorkers(count)
  for (const { name, job, loaded } of targets) {
    // Warm-up: targets are fetched, kernels compiled, lists grown.
    await sweep(loaded, job, 'aperture')
    for (const how of count === most && count > 1
      ? (['aperture', 'uniform', 'pull'] as const)
      : (['aperture'] as const)) {
      const runs: Swept[] = []
      for (let i = 0; i < REPEATS; i++) runs.push(await sweep(loaded, job, how))
      const middle = median(runs.map(({ seconds }) => seconds))
      const run = runs.find(({ seconds }) => seconds === middle)!
      const one = first.get(name) ?? run
      first.set(name, one)
      const same = run.fields.every((f, i) => Buffer.from(f.buffer).equals(Buffer.from(one.fields[i].buffer)))
      const gain = one.seconds / run.seconds
      const cells = [run.seconds.toFixed(2), gain.toFixed(2), `${((100 * gain) / count).toFixed(0)} %`]
      const divided = count > 1 && how !== 'pull'
      rows.push([name, count, how, ...cells, divided ? balance(run.parts) : '–', same ? 'same' : 'DIFFERENT'])
      warn(`${name}, ${count} workers, ${how}: ${middle.toFixed(2)} s`)
    }
  }
  await stop()
}
const head = [
  'target',
  'workers',
  'distribution',
  'seconds',
  'speed-up',
  'efficiency',
  'of the parts',
  'bytes',
]
console.log(tableOf(head, rows))
process.exit(0)
