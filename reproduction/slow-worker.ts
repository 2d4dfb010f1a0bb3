/** A worker that computes everything `times` times, to emulate a slower GPU. For reproduction/cluster.ts. */
import { randomBytes } from 'node:crypto'
import { release } from '../run/cluster/wire.js'
import { serve, type WorkerEngines } from '../run/cluster/worker.js'
import type { AspectResult, SbrEngine } from '../rays/index.js'
import { VERSION } from '../run/version.js'
import { openWorkerTarget } from '../run/cluster-engines.js'

const [redis, kind, times] = process.argv.slice(2)

function slowed(sbr: SbrEngine, factor: number): SbrEngine {
  const field: SbrEngine['field'] = async (job, signal) => {
    const runs: AspectResult[] = []
    for (let i = 0; i < factor; i++) runs.push(await sbr.field(job, signal))
    const sum = (of: (run: AspectResult) => number): number => runs.reduce((s, run) => s + of(run), 0)
    return {
      ...runs[0],
      times: {
        trace: sum((r) => r.times.trace),
        field: sum((r) => r.times.field),
        reduction: sum((r) => r.times.reduction),
        total: sum((r) => r.times.total),
      },
    }
  }
  return { describe: () => sbr.describe(), field, close: () => sbr.close() }
}

const open = openWorkerTarget(kind as 'gpu' | 'cpu', 1)
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
await serve(
  {
    redis,
    id: `bench-${randomBytes(4).toString('hex')}`,
    kind: kind as 'gpu' | 'cpu',
    release: release(VERSION),
    description: `${kind}, for measurements`,
    threads: 1,
    capacity: kind === 'gpu' ? 16 : 2,
    maxMeshBytes: 2 ** 28,
    open: async (spec, mesh): Promise<WorkerEngines> => {
      const engines = await open(spec, mesh)
      return Number(times) > 1 ? { ...engines, sbr: slowed(engines.sbr, Number(times)) } : engines
    },
    onTrouble: (message) => process.stderr.write(message + '\n'),
  },
  stop.signal,
)
process.exit(0)
