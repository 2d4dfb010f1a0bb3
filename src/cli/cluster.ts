import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { filesAt, folderLocation, writeResult } from '../../run/results.js'
import { type ClusterTiming, makeFolder, type TimingReport } from '../../run/sweep/index.js'
import { InputError } from '../../scene/index.js'
import type { LinePlot, LineSeries } from '../../views/figures/node.js'
import { writeFigure } from '../write-figure.js'
import { type Console, duration } from './console.js'
import { pdfOption } from './quantity.js'

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
