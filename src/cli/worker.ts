import { randomBytes } from 'node:crypto'
import { availableParallelism, hostname } from 'node:os'
import type { Command } from 'commander'
import { cube } from '../../samples/models/canonical.js'
import { InputError } from '../../scene/index.js'
import { prepareRecipe } from '../../run/loaded-target.js'
import { resolveSettings } from '../../run/settings/settings.js'
import { cappedWorkers, edgeThreads, openEngines } from '../../run/solver.js'
import { Console } from './console.js'
import { settingOption } from './options.js'
import { parseCount } from './quantity.js'
import { VERSION } from '../../run/version.js'

/** Largest value that Redis stores. */
const MAX_MESH_MIB = 500

/** Options that a worker and those who start several share. */
export const addWorkerOptions = (command: Command): Command =>
  command
    .requiredOption(
      '--redis <url>',
      'the cluster’s Redis server: redis://[:PASSWORD@]HOST[:PORT], rediss:// for TLS',
    )
    .option('--workers <n>', 'worker threads (default: as for a local run)')
    .option('--max-mesh <MiB>', 'largest mesh accepted', String(MAX_MESH_MIB))
    .option('--quiet', 'only errors on stderr')

export function workerCommand(command: Command): void {
  addWorkerOptions(command)
    .addOption(settingOption('device'))
    .option('--name <name>', 'what the worker is called (default: host name and a random part)')
    .action(runWorker)
}

async function runWorker(raw: Record<string, string | undefined>): Promise<void> {
  const [{ release, serve }, { openWorkerTarget }] = await Promise.all([
    import('../../run/cluster/index.js'),
    import('../../run/cluster-engines.js'),
  ])
  const out = new Console(Boolean(raw.quiet))
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
