import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { prepareRecipe } from '../../run/loaded-target.js'
import { resolveSettings } from '../../run/settings/settings.js'
import { cappedWorkers, edgeThreads, openEngines } from '../../run/solver.js'
import { VERSION } from '../../run/version.js'
import { cube } from '../../samples/models/canonical.js'
import { InputError } from '../../scene/index.js'
import type { Console } from './console.js'
import { settingOption } from './options.js'
import { parseCount } from './quantity.js'

/** Numbers of this host's NVIDIA GPUs, by their device files. */
function gpuNumbers(): number[] {
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
