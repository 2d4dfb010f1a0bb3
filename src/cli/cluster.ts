import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { filesAt, folderLocation, writeResult } from '../../run/results.js'
import { type ClusterTiming, makeFolder, type TimingReport } from '../../run/sweep/index.js'
import { InputError } from '../../scene/index.js'
import type { LinePlot, LineSeries } from '../../views/figures/node.js'
import { writeFigure } from '../write-figure.js'
import { type Console, duration } from './console.js'
import { parseCount, pdfOption, settingOption } from './options.js'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import { prepareRecipe } from '../../run/loaded-target.js'
import { resolveSettings } from '../../run/settings/settings.js'
import { cappedWorkers, edgeThreads, openEngines } from '../../run/solver.js'
import { VERSION } from '../../run/version.js'
import { cube } from '../../samples/models/canonical.js'

type ClusterReport = TimingReport & { cluster: ClusterTiming }

/**
 * Table and plots of finished cluster runs, after tables and figures of paper 000: `cluster.md` (its Table 2), per run with
 * shared apertures the least and greatest time per angle (Figure 7), and speed-up over the runs of one target with one
 * worker (Figure 6). Returns the files written.
 * @throws InputError for files that are not a cluster run's timing.json
 */
async function clusterPlots(files: string[], out: string, pdf: boolean): Promise<string[]> {
  const { linePlot } = await import('../../views/figures/node.js')
  const reports = await Promise.all(files.map(readReport))
  const place = { ...folderLocation(out), pdf }
  makeFolder(place.folder)
  const written = ['cluster.md']
  await writeResult(place, 'cluster.md', table(reports))
  const write = async (name: string, plot: LinePlot): Promise<void> => {
    await writeFigure(place, name, linePlot(plot))
    written.push(...filesAt(place, [`${name}.svg`, `${name}.png`]))
  }
  for (const report of reports) {
    const { target, workers, distribute, shared_angles: shared } = report.cluster
    if (shared < 2) continue
    await write(`times-${target}-${workers.length}-${distribute}`, timesPerAngle(report))
  }
  const series = speedUps(reports)
  if (series.length > 0) {
    const most = Math.max(...series.flatMap((s) => Array.from(s.x)))
    await write('speed-up', {
      title: 'Speed-up over one worker',
      xTitle: 'Workers',
      yTitle: 'Speed-up',
      series: [...series, { name: 'linear', x: [1, most], y: [1, most], style: 'dashed' }],
    })
  }
  return written.map(place.file)
}

async function readReport(file: string): Promise<ClusterReport> {
  const report = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as Partial<ClusterReport>)
    .catch((error: Error) => {
      throw new InputError(`cannot read ${file}: ${error.message}`, { cause: error })
    })
  if (!report.cluster || !Array.isArray(report.per_angle))
    throw new InputError(`${file} is not the timing.json of a run with --cluster`)
  return report as ClusterReport
}

/** The run of the same sweep with one worker, where there is one. */
const alone = (reports: ClusterReport[], of: ClusterReport): ClusterReport | undefined =>
  reports.find(
    (r) =>
      r.cluster.workers.length === 1 &&
      r.cluster.target === of.cluster.target &&
      r.per_angle.length === of.per_angle.length,
  )

function table(reports: ClusterReport[]): string {
  const rows = reports.map((report) => {
    const { target, workers, distribute, efficiency } = report.cluster
    const one = alone(reports, report)
    return [
      target,
      workers.length,
      distribute,
      report.per_angle.length,
      report.total.toFixed(2),
      one ? (one.total / report.total).toFixed(2) : '–',
      one ? `${((100 * one.total) / report.total / workers.length).toFixed(0)} %` : '–',
      efficiency === null ? '–' : `${(100 * efficiency).toFixed(0)} %`,
    ]
  })
  return [
    '| target | workers | distribution | angles | seconds | speed-up | efficiency | efficiency of the parts |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n')
}

function timesPerAngle({ cluster, per_angle: angles }: ClusterReport): LinePlot {
  const shared = angles.map((a) => a.sub_grid_seconds).filter((parts) => parts.length > 1)
  const x = shared.map((_, i) => i + 1)
  return {
    title: `${cluster.target}: time of the workers' parts of each angle`,
    subtitle: `${cluster.workers.length} workers, ${cluster.distribute}`,
    xTitle: 'Aspect, in order',
    yTitle: 'Time [s]',
    series: [
      { name: 'longest', x, y: shared.map((parts) => Math.max(...parts)) },
      { name: 'shortest', x, y: shared.map((parts) => Math.min(...parts)) },
    ],
  }
}

function speedUps(reports: ClusterReport[]): LineSeries[] {
  const groups = new Map<string, { workers: number; gain: number }[]>()
  for (const report of reports) {
    const one = alone(reports, report)
    const { target, distribute, workers } = report.cluster
    if (!one || report === one) continue
    const key = `${target}, ${distribute}`
    const points = groups.get(key) ?? [{ workers: 1, gain: 1 }]
    points.push({ workers: workers.length, gain: one.total / report.total })
    groups.set(key, points)
  }
  return [...groups].map(([name, points]) => {
    points.sort((a, b) => a.workers - b.workers)
    return { name, x: points.map((p) => p.workers), y: points.map((p) => p.gain) }
  })
}

export function clusterCommand(cluster: Command, out: Console): void {
  cluster
    .command('status')
    .description('workers and runs in progress on a Redis server')
    .requiredOption('--redis <url>', 'the cluster’s Redis server')
    .option('--json', 'print them as JSON on stdout')
    .action((raw) => status(raw, out))
  cluster
    .command('plot')
    .description(
      'efficiency table, speed-up and times per angle of finished cluster runs (their timing.json)',
    )
    .argument('<timing...>', 'timing.json files; those of one target are compared')
    .addOption(pdfOption())
    .option('--out <folder>', 'where cluster.md and the plots go', 'cluster-plots')
    .action((files, raw) => plot(files, raw, out))
  for (const command of cluster.commands) command.exitOverride()
}

async function status({ redis: url, json }: { redis: string; json?: boolean }, out: Console): Promise<void> {
  const { connect, liveRuns, liveWorkers } = await import('../../run/cluster/redis.js')
  const redis = await connect(url, () => {})
  try {
    const [workers, runs] = await Promise.all([liveWorkers(redis), liveRuns(redis)])
    if (json) {
      out.json({ workers, runs })
      return
    }
    const lines = [
      `${workers.length} worker${workers.length === 1 ? '' : 's'}`,
      ...workers.map(
        (w) =>
          `  ${w.id}  ${w.description}, ${w.threads} ${w.threads === 1 ? 'thread' : 'threads'} for edges, on ${w.host}: ${w.done} done, ${w.busy} in progress, ${w.failed} failed`,
      ),
      `${runs.length} run${runs.length === 1 ? '' : 's'}`,
      ...runs.map((r) => {
        const left = r.done > 0 ? `, about ${duration((r.elapsed / r.done) * (r.total - r.done))} left` : ''
        const parts = r.parts
          ? `, parts of the latest angle ${r.parts.map((t) => duration(t)).join(' to ')}`
          : ''
        return `  ${r.target} from ${r.host} (${r.distribute}): ${r.done} of ${r.total} aspects in ${duration(r.elapsed)} with ${r.workers} workers${left}${parts}; ${r.resent} resent`
      }),
    ]
    out.print(lines.join('\n') + '\n')
  } finally {
    redis.disconnect()
  }
}

async function plot(files: string[], raw: { out: string; pdf?: boolean }, out: Console): Promise<void> {
  const written = await clusterPlots(files, raw.out, raw.pdf === true)
  out.say(`wrote     ${written.join(' ')}`)
}

/** Numbers of this host's NVIDIA GPUs, by their device files. */
export function gpuNumbers(): number[] {
  const files = process.platform === 'linux' ? readdirSync('/dev').filter((f) => /^nvidia\d+$/.test(f)) : []
  return files.map((f) => Number(f.slice(6))).sort((a, b) => a - b)
}

/** Device files of all GPUs but one. */
export const besides = (gpu: number, all: number[]): string[] =>
  all.filter((other) => other !== gpu).map((other) => `/dev/nvidia${other}`)

/**
 * The command in a mount namespace of its own with /dev/null mounted over the other GPUs' device files: neither the
 * Vulkan loader nor the driver has another way to exclude a GPU. Without root a user namespace is used.
 */
export function isolated(hidden: string[], command: string[]): string[] {
  if (hidden.length === 0) return command
  const rights = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const script = `for d in ${hidden.join(' ')}; do mount --bind /dev/null "$d" || exit 2; done; exec "$@"`
  return ['unshare', '--mount', ...rights, 'sh', '-c', script, 'sh', ...command]
}

/** A worker that ends sooner than this [ms] so many times in a row is not started again. */
const TOO_SOON_MS = 10_000
const MOST_FAILURES = 5

export function workersCommand(command: Command, out: Console): void {
  addWorkerOptions(command)
    .option('--gpus <which>', 'all, or numbers as in nvidia-smi: 0,2')
    .option('--cpus <n>', 'workers that use the processor instead, sharing its cores')
    .action((raw) => runWorkers(raw, out))
}

/** One worker to keep running. */
interface Post {
  name: string
  device: 'gpu' | 'cpu'
  /** Device files that it must not see. */
  hidden: string[]
  failures: number
  child?: ChildProcess
}

async function runWorkers(raw: Record<string, string | undefined>, out: Console): Promise<void> {
  const posts = raw.cpus === undefined ? gpuPosts(raw.gpus) : cpuPosts(raw.cpus, raw.gpus)
  const cores = availableParallelism()
  const share = Math.max(1, Math.floor(cores / posts.length) - (raw.cpus === undefined ? 1 : 0))
  const threads = raw.workers === undefined ? share : parseCount(raw.workers, '--workers', 1, 1024)
  const ending = new AbortController()
  const stop = (): void => {
    ending.abort()
    for (const { child } of posts) child?.kill('SIGTERM')
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)

  const keep = async (post: Post): Promise<void> => {
    for (let time = 0; !ending.signal.aborted; time++) {
      const name = time === 0 ? post.name : `${post.name}-${time}`
      const args = ['worker', '--redis', raw.redis!, '--device', post.device, '--name', name]
      args.push('--workers', String(threads), '--max-mesh', raw.maxMesh!, ...(raw.quiet ? ['--quiet'] : []))
      const start = performance.now()
      const code = await runOne(post, args)
      if (ending.signal.aborted) return
      // Bad usage or no server: another attempt would fail too.
      if (code === 2) throw new InputError(`worker ${name} could not start (see above)`)
      post.failures = performance.now() - start < TOO_SOON_MS ? post.failures + 1 : 0
      if (post.failures >= MOST_FAILURES) throw new Error(`worker ${name} ends again and again`)
      out.warn(`worker ${name} ended with ${code}; starting another`)
    }
  }
  try {
    await Promise.all(posts.map(keep))
  } finally {
    stop()
  }
}

/** The worker's exit code, once it has ended. */
function runOne(post: Post, args: string[]): Promise<number> {
  const [command, ...rest] = isolated(post.hidden, [process.execPath, MAIN, ...args])
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  post.child = child
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new InputError(`cannot start ${command}: ${error.message}; see docs/cluster.md for other ways`)),
    )
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url))

function gpuPosts(which = 'all'): Post[] {
  const found = gpuNumbers()
  if (found.length === 0)
    throw new InputError(
      '--gpus: no /dev/nvidia0 here; use isar worker --device gpu for another GPU, or --cpus N',
    )
  const wanted = which === 'all' ? found : which.split(',').map((n) => parseCount(n, '--gpus', 0, 1023))
  for (const n of wanted)
    if (!found.includes(n))
      throw new InputError(`--gpus ${which}: GPU ${n} is not here, only ${found.join(',')}`)
  return wanted.map((n) => ({
    name: `${host()}-gpu${n}-${process.pid}`,
    device: 'gpu',
    hidden: besides(n, found),
    failures: 0,
  }))
}

function cpuPosts(cpus: string, gpus: string | undefined): Post[] {
  if (gpus !== undefined) throw new InputError('--cpus contradicts --gpus; start them one after the other')
  return Array.from({ length: parseCount(cpus, '--cpus', 1, 1024) }, (_, n) => ({
    name: `${host()}-cpu${n}-${process.pid}`,
    device: 'cpu',
    hidden: [],
    failures: 0,
  }))
}

const host = (): string =>
  hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, 40)

/** Largest value that Redis stores. */
const MAX_MESH_MIB = 500

/** Options that a worker and those who start several share. */
const addWorkerOptions = (command: Command): Command =>
  command
    .requiredOption(
      '--redis <url>',
      'the cluster’s Redis server: redis://[:PASSWORD@]HOST[:PORT], rediss:// for TLS',
    )
    .option('--workers <n>', 'worker threads (default: as for a local run)')
    .option('--max-mesh <MiB>', 'largest mesh accepted', String(MAX_MESH_MIB))
    .option('--quiet', 'only errors on stderr')

export function workerCommand(command: Command, out: Console): void {
  addWorkerOptions(command)
    .addOption(settingOption('device'))
    .option('--name <name>', 'what the worker is called (default: host name and a random part)')
    .action((raw) => runWorker(raw, out))
}

async function runWorker(raw: Record<string, string | undefined>, out: Console): Promise<void> {
  const [{ release }, { serve }, { openWorkerTarget }] = await Promise.all([
    import('../../run/cluster/wire.js'),
    import('../../run/cluster/worker.js'),
    import('../../run/cluster-engines.js'),
  ])
  const wanted = raw.workers === undefined ? undefined : parseCount(raw.workers, '--workers', 1, 1024)
  const { workers } = cappedWorkers(wanted)
  const id = raw.name ?? `${hostname().slice(0, 40)}-${randomBytes(4).toString('hex')}`
  if (!/^[\w.-]{1,80}$/.test(id))
    throw new InputError(`--name "${id}": use up to 80 letters, digits, dots, dashes and underscores`)
  const maxMeshBytes = parseCount(raw.maxMesh!, '--max-mesh', 1, MAX_MESH_MIB) * 2 ** 20
  const { kind, description, capacity, warnings } = await tryDevice(raw.device as 'auto', workers)
  for (const line of warnings) out.warn(line)
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  await serve(
    {
      redis: raw.redis!,
      id,
      kind,
      release: release(VERSION),
      description,
      threads: workers ?? edgeThreads(availableParallelism()),
      capacity,
      maxMeshBytes,
      open: openWorkerTarget(kind, workers),
      onTrouble: (message) => out.warn(message),
    },
    stop.signal,
    () => out.say(`worker    ${id} serves with ${description}`),
  )
}

/** The device that runs will have, from a small target. */
async function tryDevice(
  device: 'auto' | 'gpu' | 'cpu',
  workers: number | undefined,
): Promise<{ kind: 'gpu' | 'cpu'; description: string; capacity: number; warnings: string[] }> {
  const settings = resolveSettings({ device, workers, maxBounces: 1, subdivisions: 0, diffraction: 'none' })
  const target = prepareRecipe('cube', '', { mesh: cube(1), smoothAngleDeg: settings.smoothAngleDeg })
  const { facets, warnings, close } = await openEngines(target, settings)
  const { device: kind, text: description, aspectsInFlight } = facets.describe()
  await close()
  return { kind, description, capacity: aspectsInFlight, warnings }
}
