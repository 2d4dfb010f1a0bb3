/**
 * Measures cluster runs, as Markdown. Needs a Redis server.
 *   node dist/reproduction/cluster.js overhead REDIS [JOBS] [WORKERS]       small jobs: overhead per job
 *   node dist/reproduction/cluster.js sweep REDIS gpus|cpus ANGLES COUNTS [SCALE] [TARGETS]   the targets of paper 000, Table 1
 * COUNTS: numbers of workers, like 1,2,4; SCALE: of the frequencies, 1 where absent. Decision 012 has results.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ADJUST, type AdjustOptions, type Distribution } from '../run/cluster/partition.js'
import { connect, liveWorkers } from '../run/cluster/redis.js'
import { Dispatcher } from '../run/cluster/dispatcher.js'
import { release } from '../run/cluster/wire.js'
import {
  type AspectDetail,
  rowField,
  rowLength,
  RowStore,
  runSweep,
  type SweepJob,
} from '../run/sweep/index.js'
import { cube } from '../samples/models/canonical.js'
import { direction } from '../scene/index.js'
import { parseRange } from '../src/cli/options.js'
import { VERSION } from '../run/version.js'
import { openClusterEngines } from '../run/cluster-engines.js'
import { besides, gpuNumbers, isolated } from '../src/cli/cluster.js'
import { type LoadedTarget, prepareRecipe } from '../run/loaded-target.js'
import type { EngineRequest } from '../run/solver.js'
import { type ClusterTarget, clusterTargets } from './cluster-targets.js'

const SLOW_WORKER = fileURLToPath(new URL('./slow-worker.js', import.meta.url))
const IN_FLIGHT = 256
/** Sweeps for the median, after one warm-up. */
const REPEATS = 3
/** A smaller threshold than the paper's. */
const FINER: AdjustOptions = { ...ADJUST, threshold: 0.02 }

const say = (line: string): boolean => process.stdout.write(line + '\n')
const warn = (line: string): boolean => process.stderr.write(line + '\n')

/** Worker processes; the first one computes everything `slow` times. */
async function startWorkers(
  url: string,
  kind: 'gpu' | 'cpu',
  count: number,
  slow = 1,
): Promise<() => Promise<void>> {
  const gpus = gpuNumbers()
  const children: ChildProcess[] = Array.from({ length: count }, (_, n) => {
    const args = [process.execPath, SLOW_WORKER, url, kind, String(n === 0 ? slow : 1)]
    const [command, ...rest] = isolated(kind === 'gpu' ? besides(gpus[n], gpus) : [], args)
    return spawn(command, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  })
  const redis = await connect(url, warn)
  while ((await liveWorkers(redis)).length < count) await sleep(50)
  return async () => {
    const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(ended)
    while ((await liveWorkers(redis)).length > 0) await sleep(50)
    redis.disconnect()
  }
}

async function overhead(url: string, jobs: number, count: number): Promise<void> {
  const stop = await startWorkers(url, 'cpu', count)
  const dispatcher = await Dispatcher.open(
    {
      redis: url,
      release: release(VERSION),
      kind: 'cpu',
      target: 'cube',
      distribute: 'pull',
      unitSeconds: 600,
      onTrouble: warn,
    },
    { mesh: cube(0.1), smoothAngleDeg: 20 },
    { subGrid: 2048 },
  )
  const redis = await connect(url, warn)
  let work = 0
  const send = async (i: number): Promise<void> => {
    const at: [number, number] = [90, (360 * i) / jobs]
    const { times } = await dispatcher.send(
      {
        what: 'sbr',
        tx: at,
        rx: at,
        band: { f0: 3e8, df: 0, n: 1 },
        options: { raysPerWavelength: 10, maxBounces: 1, subdivisions: 0 },
      },
      null,
    )
    work += times.total
  }
  const many = async (from: number, to: number): Promise<void> => {
    let next = from
    const lane = async (): Promise<void> => {
      while (next < to) await send(next++)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  }
  await many(0, 500)
  work = 0
  const rssBefore = process.memoryUsage.rss()
  const cpu = process.cpuUsage()
  const start = performance.now()
  await many(0, jobs)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const memory = /used_memory_peak:(\d+)/.exec(await redis.info('memory'))![1]
  say(
    '| jobs | workers | seconds | ms a job | work a job, on one worker [ms] | overhead a job [ms] | coordinator’s CPU a job [ms] | coordinator’s memory before, after [MiB] | Redis at most [MiB] |',
  )
  say('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const perJob = (1e3 * seconds) / jobs
  const workPerJob = (1e3 * work) / jobs
  const cells = [
    jobs,
    count,
    seconds.toFixed(1),
    perJob.toFixed(3),
    workPerJob.toFixed(3),
    (perJob - workPerJob / count).toFixed(3),
    ((user + system) / 1e3 / jobs).toFixed(3),
    `${(rssBefore / 2 ** 20).toFixed(0)}, ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)}`,
    (Number(memory) / 2 ** 20).toFixed(0),
  ]
  say(`| ${cells.join(' | ')} |`)
  redis.disconnect()
  await dispatcher.close()
  await stop()
}

interface Swept {
  seconds: number
  fields: Float64Array[]
  parts: number[][]
  device: number
}

async function sweep(
  url: string,
  kind: 'gpu' | 'cpu',
  loaded: LoadedTarget,
  job: SweepJob,
  distribute: Distribution,
  adjust = ADJUST,
): Promise<Swept> {
  const request: EngineRequest = {
    device: kind,
    sbr: { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2 },
    diffraction: 'none',
    maxWedgeAngleDeg: 160,
    subGrid: 2048,
  }
  const cluster = { url, distribute, adjust, unitSeconds: 600 }
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
  return { seconds, fields, parts, device: parts.flat().reduce((a, b) => a + b, 0) }
}

/** Efficiency of divided apertures: sum over (workers times longest), of all angles and from the fifth on. */
function partsEfficiency(parts: number[][]): string {
  const of = (some: number[][]): string => {
    const longest = some.reduce((s, p) => s + p.length * Math.max(...p), 0)
    return `${((100 * some.flat().reduce((a, b) => a + b, 0)) / longest).toFixed(0)} %`
  }
  return `${of(parts)} (${of(parts.slice(4))})`
}

async function sweeps(
  url: string,
  kind: 'gpu' | 'cpu',
  angles: number,
  counts: number[],
  scale: number,
  names: string[],
): Promise<void> {
  const targets = clusterTargets().filter((t) => names.length === 0 || names.includes(t.name))
  const jobOf = ({ cut, frequency }: ClusterTarget, n: number): SweepJob => {
    const { theta, phi } = cut(n)
    const ranges = [parseRange(theta, 'theta'), parseRange(phi, 'phi')]
    const aspects = ranges[0].flatMap((t) => ranges[1].map((p) => direction(t, p)))
    return {
      aspects: aspects.map((d) => ({ tx: d, rx: d })),
      bands: [{ f0: scale * frequency, df: 0, n: 1 }],
      phaseCentre: [0, 0, 0],
    }
  }
  const loaded = new Map(
    targets.map((t) => [t.name, prepareRecipe(t.name, t.name, { mesh: t.mesh, smoothAngleDeg: 20 })]),
  )
  const first = new Map<string, Swept>()
  say(
    '| target | workers | distribution | seconds | speed-up | efficiency | of the parts (from the 5th angle) | shortest and longest part, last angle [ms] | bytes |',
  )
  say('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
  const row = (target: string, workers: string, count: number, how: string, run: Swept): void => {
    const one = first.get(target) ?? run
    first.set(target, one)
    const last = run.parts[run.parts.length - 1]
    const same = run.fields.every((f, i) => Buffer.from(f.buffer).equals(Buffer.from(one.fields[i].buffer)))
    const gain = one.seconds / run.seconds
    const cells = [
      target,
      workers,
      how,
      run.seconds.toFixed(2),
      gain.toFixed(2),
      `${((100 * gain) / count).toFixed(0)} %`,
      count > 1 && last.length > 1 ? partsEfficiency(run.parts) : '–',
      last.length > 1
        ? `${(1e3 * Math.min(...last)).toFixed(1)}, ${(1e3 * Math.max(...last)).toFixed(1)}`
        : '–',
      same ? 'same' : 'DIFFERENT',
    ]
    say(`| ${cells.join(' | ')} |`)
  }
  const median = async (run: () => Promise<Swept>): Promise<Swept> => {
    const runs: Swept[] = []
    for (let i = 0; i < REPEATS; i++) runs.push(await run())
    return runs.toSorted((a, b) => a.seconds - b.seconds)[REPEATS >> 1]
  }
  for (const count of counts) {
    const stop = await startWorkers(url, kind, count)
    const most = count === Math.max(...counts)
    const ways: Distribution[] =
      count === 1 ? ['aperture'] : most ? ['aperture', 'uniform', 'pull'] : ['aperture']
    for (const target of targets) {
      const run = (how: Distribution, adjust?: AdjustOptions): Promise<Swept> =>
        sweep(url, kind, loaded.get(target.name)!, jobOf(target, angles), how, adjust)
      // Warm-up: targets are fetched, kernels compiled, lists grown.
      await run('aperture')
      for (const how of ways) row(target.name, String(count), count, how, await median(() => run(how)))
      if (most && count > 1) {
        const swept = await median(() => run('aperture', FINER))
        row(target.name, String(count), count, `aperture, threshold ${FINER.threshold}`, swept)
      }
    }
    await stop()
  }
  const count = Math.max(...counts)
  const stop = await startWorkers(url, kind, count, 2)
  const [target] = targets
  const run = (how: Distribution): Promise<Swept> =>
    sweep(url, kind, loaded.get(target.name)!, jobOf(target, angles), how)
  await run('aperture')
  for (const how of ['uniform', 'aperture'] as const)
    row(target.name, `${count}, one at half speed`, count - 0.5, how, await median(() => run(how)))
  await stop()
}

const [what, url, ...rest] = process.argv.slice(2)
if (what === 'overhead') await overhead(url, Number(rest[0] ?? 20_000), Number(rest[1] ?? 8))
else
  await sweeps(
    url,
    rest[0] === 'gpus' ? 'gpu' : 'cpu',
    Number(rest[1]),
    rest[2].split(',').map(Number),
    Number(rest[3] ?? 1),
    rest[4]?.split(',') ?? [],
  )
process.exit(0)
