import type { Command } from 'commander'
import { isMeshFile } from '../../formats/index.js'
import { claimLocation, claimStore, filesAt, folderLocation, noStore, writeJson } from '../../run/results.js'
import { readDeclared, strip } from '../../run/settings/settings.js'
import { describePlan, openSweep } from '../../run/sweep-job.js'
import { frequencyTotal, SCHEDULES } from '../../run/sweep/index.js'
import { VERSION } from '../../run/version.js'
import { InputError } from '../../scene/index.js'
import { drawKind } from '../../views/figures/index.js'
import { openResult } from '../../views/server/open-result.js'
import {
  COMPARE,
  comparedCurves,
  compareFiles,
  FLOOR_DB,
  formatErrors,
  isResult,
} from '../compare-results.js'
import {
  type ComparePlan,
  compareRuns,
  compareTiming,
  DISTURBANCE,
  edgesFigure,
  formatComparison,
  summarise,
  timelines,
} from '../compare.js'
import { writeFigure } from '../write-figure.js'
import { type Console, count, duration } from './console.js'
import { addDeclared, addSolverOptions, CLUSTER_OPTIONS, solverOptions } from './options.js'
import { parseCount, pdfOption } from './quantity.js'
import { heading } from './program.js'
import { addSweepOptions, imageOptions, parseSweep } from './render.js'
import { reportJob } from './run.js'

/** Options of a comparison of results; the others are of one of schedules. */
const OF_RESULTS = new Set(['floor', 'pol', 'out', 'pdf', 'force', 'json', 'quiet'])

/** `isar compare RESULT RESULT…`: each against the first. */
async function runResults(
  paths: string[],
  raw: Record<string, unknown>,
  command: Command,
  out: Console,
): Promise<void> {
  const mesh = paths.find((path) => !isResult(path) && isMeshFile(path))
  if (mesh !== undefined)
    throw new InputError(`${mesh} is a mesh: schedules are compared on one mesh, results with results (isar rcs and render make them)`) // prettier-ignore
  if (paths.length === 1)
    throw new InputError(
      `${paths[0]} is a result; give another to compare with, or a mesh to compare schedules`,
    )
  for (const option of command.options)
    if (
      command.getOptionValueSource(option.attributeName()) === 'cli' &&
      !OF_RESULTS.has(option.attributeName())
    )
      // prettier-ignore
      throw new InputError(`${option.long}: nothing is computed to compare results; leave it out`)
  const { floorDb: floor = FLOOR_DB } = readDeclared(COMPARE, raw)
  const channels =
    command.getOptionValueSource('pol') === 'cli' && raw.pol !== 'all'
      ? String(raw.pol).toLowerCase().split(',')
      : undefined
  const { names, sets, compared } = await compareFiles(paths, floor, channels)
  const others = paths.slice(1)
  const stems = names.map((name) =>
    name
      .replace(/\.\w+$/, '')
      .replace(/[^\w.-]+/g, '-')
      .replace(/^-+/, ''),
  )
  const location = folderLocation(
    (raw.out as string | undefined) ??
      `${stems.length > 3 ? `${stems[0]}-and-${stems.length - 1}` : stems.join('-')}-compare`,
  )
  const place = { ...location, pdf: raw.pdf === true }
  const figures: { name: string; draw: () => Promise<string> }[] = []
  for (const [s, set] of sets.entries()) {
    const drawn = new Set(compared[s].flatMap(({ differences }) => differences.flatMap((d) => (d.counted > 0 ? [d.channel] : [])))) // prettier-ignore
    for (const channel of drawn) {
      const suffix = channel.replace('_', '-')
      if (set[0].kind !== 'pixels') {
        const draw = async () =>
          (await import('../../views/figures/node.js')).linePlot(comparedCurves(set, compared[s], channel))
        figures.push({ name: `curves-${suffix}`, draw })
      } else
        others.forEach((_, i) =>
          figures.push({
            name: `difference-${suffix}${others.length > 1 ? `-${i + 1}` : ''}`,
            draw: () => imageDifference(paths[i + 1], paths[0], channel, floor),
          }),
        )
    }
  }
  const files = ['compare.json', ...figures.flatMap(({ name }) => [`${name}.svg`, `${name}.png`])]
  claimLocation(place, files, { force: raw.force === true })
  for (const { name, draw } of figures) {
    await writeFigure(place, name, await draw())
  }
  const comparisons = compared.flat()
  const report = { command: 'compare', version: VERSION, results: paths, comparisons }
  await writeJson(place, 'compare.json', report)
  const text = comparisons.map(formatErrors).join('\n')
  if (raw.json) {
    for (const line of text.trimEnd().split('\n')) out.say(line)
    out.json({ ...report, out: place.folder })
  } else out.print(text)
  out.say(`wrote     ${filesAt(place, files).map(place.file).join(' ')}`)
}

/** The map of an image less the reference's. */
async function imageDifference(
  path: string,
  reference: string,
  layer: string,
  depth: number,
): Promise<string> {
  const { paintPng } = await import('../../views/figures/node.js')
  const [one, other] = [await openResult(path), await openResult(reference)]
  const request = { kind: 'image' as const, layer, depth, width: 750, height: 560 }
  return drawKind(one, other, request, paintPng).markup
}

export function compareCommand(command: Command, out: Console): void {
  command
    .argument('<mesh>', 'a result, to be compared with; or a mesh, of which schedules are compared')
    .argument('[results...]', 'results compared with the first: folders, or .csv, .npz, .h5, .mat files')
    .usage(
      '<result> <result...> [--floor dB] [--pol list]\n       isar compare <mesh> --band f0:f1 [options]',
    )
    .optionsGroup(heading('Output'))
  addDeclared(command, COMPARE)
  command.addOption(pdfOption())
  addSweepOptions(command)
  // Accepts the command line of render unchanged.
  for (const option of imageOptions()) command.addOption(option.hideHelp())
  command
    .optionsGroup(heading('Run'))
    .option('--repeat <n>', 'times that each schedule is run', '3')
    .option(
      '--disturb <aspect>',
      `repeat the diffraction of this aspect (the first is 0) ${DISTURBANCE} times: the dynamic schedule recovers one aspect later`,
    )
  addSolverOptions(command, [...CLUSTER_OPTIONS, '--schedule', '--resume'])
  command.action((mesh, others, raw, self) => runCompare(mesh, others, raw, self, out))
  for (const option of command.options) {
    // Full wave has no schedules of rays and edges.
    if (option.long === '--method') {
      option.description = 'ray tubes, or rasterised physical optics'
      option.choices(['sbr', 'gpueco'])
    }
  }
}

const RESULTS = [
  'compare.json',
  'timing.json',
  'timelines.json',
  ...[...SCHEDULES.map((s) => `timeline-${s}`), 'edges'].flatMap((p) => [`${p}.svg`, `${p}.png`]),
]

async function runCompare(
  mesh: string,
  others: string[],
  raw: Record<string, unknown>,
  command: Command,
  out: Console,
): Promise<void> {
  if (others.length > 0 || isResult(mesh)) return runResults([mesh, ...others], raw, command, out)
  if (raw.floor !== undefined)
    throw new InputError(
      '--floor: schedules are compared in time alone; it is for isar compare RESULT RESULT',
    )
  const options = solverOptions(raw)
  if (options.cluster) throw new InputError('--cluster: schedules are compared on one machine; leave it out')
  if (command.getOptionValueSource('schedule') === 'cli')
    throw new InputError('--schedule: compare runs all of them; leave it out')
  if (options.resume)
    throw new InputError('--resume: a comparison is measured in one run; use --force to start again')
  const repeat = parseCount(raw.repeat as string, '--repeat', 1, 1000)
  const sweep = parseSweep(raw as Record<string, string | undefined>)
  const compared = await reportJob(
    {
      command: 'compare',
      plan: options.plan,
      out,
      otherwise: 'a comparison stores no partial results',
      report({ job, engines, estimate }: ComparePlan) {
        const { tubesPerAspect, seconds } = estimate
        const frequencies = frequencyTotal(job)
        const threads = engines.edges ? `, threads for edges: ${engines.edges.engine.describe().threads}` : ''
        out.say(
          `plan      ${job.aspects.length} aspects x ${frequencies} frequencies, ${count(tubesPerAspect)} ray tubes per aspect, every schedule ${repeat} time${repeat === 1 ? '' : 's'}`,
        )
        out.say(`device    ${engines.facets.describe().text} (${engines.reason})${threads}`)
        out.say(`estimate  about ${duration(seconds)} for each run`)
        return {
          aspects: job.aspects.length,
          frequencies,
          repeat,
          seconds,
          device: engines.facets.describe().text,
        }
      },
    },
    async ({ hooks, onPlan }) => {
      const opened = await openSweep(mesh, sweep, options, hooks)
      const disturb =
        raw.disturb === undefined
          ? undefined
          : parseCount(raw.disturb as string, '--disturb', 0, opened.job.aspects.length - 1)
      const location = folderLocation(options.out ?? `${opened.target.name}-compare`)
      const place = { ...location, pdf: raw.pdf === true }
      const store = options.plan ? noStore : claimStore(place, RESULTS, options)
      const request = { repeat, disturb, folder: place.partial }
      return { ...(await compareRuns(opened, request, { store, hooks, onPlan })), ...opened, disturb, place }
    },
  )
  if (!compared) return
  const { runs, engines, target: loaded, plan, job, settings, disturb, place } = compared
  const summary = summarise(runs)
  const report = {
    command: 'compare',
    version: VERSION,
    created: new Date().toISOString(),
    mesh: { name: loaded.name, sha256: loaded.hash, facets: loaded.scene.count },
    device: engines.facets.describe().text,
    edge_threads: engines.edges?.engine.describe().threads ?? 0,
    aspects: job.aspects.length,
    frequencies: frequencyTotal(job),
    repeat,
    ...(disturb === undefined ? {} : { disturbed_aspect: disturb }),
    ...summary,
  }
  const { subGrid } = options
  const resolved = { ...strip({ ...settings }), subGrid, sweep: describePlan(plan) }
  await writeJson(place, 'timing.json', compareTiming(runs, summary))
  const { stackedCounts, timelineSvg } = await import('../../views/figures/node.js')
  const drawn = timelines(loaded.name, runs, job.aspects, disturb && Math.max(0, disturb - 1))
  await writeJson(place, 'timelines.json', drawn)
  await writeFigure(place, 'edges', stackedCounts(edgesFigure(loaded.name, runs, job.aspects)))
  for (const s of SCHEDULES) await writeFigure(place, `timeline-${s}`, timelineSvg(drawn[s]))
  await writeJson(place, 'compare.json', { ...report, options: resolved })

  const tables = formatComparison(summary)
  if (raw.json) {
    for (const line of tables.trimEnd().split('\n')) out.say(line)
    out.json({ ...report, out: place.folder })
  } else out.print(tables)
  out.say(`wrote     ${place.file('compare.json')} and its figures`)
}
