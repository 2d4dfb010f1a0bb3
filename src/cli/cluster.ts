import type { Command } from 'commander'
import { Console, duration } from './console.js'
import { pdfOption } from './picture-options.js'

export function clusterCommand(cluster: Command): void {
  cluster
    .command('status')
    .description('workers and runs in progress on a Redis server')
    .requiredOption('--redis <url>', 'the cluster’s Redis server')
    .option('--json', 'print them as JSON on stdout')
    .action(status)
  cluster
    .command('plot')
    .description(
      'efficiency table, speed-up and times per angle of finished cluster runs (their timing.json)',
    )
    .argument('<timing...>', 'timing.json files; those of one target are compared')
    .addOption(pdfOption())
    .option('--out <folder>', 'where cluster.md and the plots go', 'cluster-plots')
    .action(plot)
  for (const command of cluster.commands) command.exitOverride()
}

async function status({ redis: url, json }: { redis: string; json?: boolean }): Promise<void> {
  const { connect, liveRuns, liveWorkers } = await import('../../run/cluster/index.js')
  const redis = await connect(url, () => {})
  try {
    const [workers, runs] = await Promise.all([liveWorkers(redis), liveRuns(redis)])
    if (json) {
      process.stdout.write(JSON.stringify({ workers, runs }) + '\n')
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
    process.stdout.write(lines.join('\n') + '\n')
  } finally {
    redis.disconnect()
  }
}

async function plot(files: string[], { out, pdf = false }: { out: string; pdf?: boolean }): Promise<void> {
  const { clusterPlots } = await import('../cluster-plots.js')
  const written = await clusterPlots(files, out, pdf)
  new Console(false).say(`wrote     ${written.join(' ')}`)
}
