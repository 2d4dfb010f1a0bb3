import type { Command } from 'commander'
import {
  convergenceCsv,
  type ConvergenceStep,
  type LoadedScene,
  loadScene,
  type PropagationTable,
  rayCount,
  sceneNpz,
  subdivisionFor,
  withLimits,
} from '../../propagation/index.js'
import { wavelength } from '../../scene/index.js'
import {
  computePropagation,
  listedSets,
  PROPAGATE,
  type PropagationPlan,
  propagationStore,
  writePropagation,
} from '../propagate.js'
import {
  fileLocation,
  folderLocation,
  noStore,
  type ResultLocation,
  writeJson,
  writeResult,
} from '../../run/results.js'
import { bytes, type Console, count, duration } from './console.js'
import { reportJob } from './run.js'
import { readDeclared } from '../../run/settings/settings.js'
import { writeFigure } from '../write-figure.js'
import { addDeclared, planOption } from './options.js'
import { outputOptions, pdfOption } from './quantity.js'
interface PropagateOptions {
  device: 'auto' | 'gpu' | 'cpu'
  workers?: number
  paths: readonly string[]
  convergence: boolean
  plot: boolean
  out?: string
  resume: boolean
  force: boolean
  json: boolean
  plan: boolean
  quiet: boolean
}

export function propagateCommand(command: Command, out: Console): void {
  command.argument('<scene>', 'scene file (.json; docs/propagation.md has the format)')
  addDeclared(command, PROPAGATE)
  command
    .option('--paths <names>', 'sets of receivers whose paths are listed: a,b or all')
    .option('--no-plot', 'draw nothing')
    .addOption(pdfOption())
    .option('--out <path>', 'result folder, or one .csv, .npz, .h5 or .mat file')
    .addOption(planOption())
    .option('--resume', 'go on with an interrupted run')
  outputOptions(command).action((scene, raw) => runPropagate(scene, raw, out))
}

async function runPropagate(
  path: string,
  raw: Record<string, string | boolean | undefined>,
  out: Console,
): Promise<void> {
  const { device, workers, convergence, ...limits } = readDeclared(PROPAGATE, raw)
  const loaded = withLimits(await loadScene(path), limits)
  const options = readOptions(raw, loaded, { device, workers, convergence })
  const { place: files, table: tableName, folder } = resultPlace(options.out, loaded.file.name)
  const place = { ...files, pdf: raw.pdf === true }
  const listed = options.paths.length > 0
  const results = [
    tableName,
    'meta.json',
    ...(folder ? ['results.npz', 'scene.npz'] : []),
    ...(listed ? ['paths.csv'] : []),
    ...(options.convergence ? ['convergence.csv'] : []),
  ]
  const written = place.path
  const store = propagationStore(place, results, options)
  const { plan: onlyPlan, ...record } = options
  const computed = await reportJob(
    {
      command: 'propagate',
      plan: options.plan,
      out,
      otherwise: 'nothing is kept',
      report(plan: PropagationPlan) {
        reportPlan(loaded, plan, out)
        return planRecord(loaded, plan)
      },
    },
    (reported) =>
      computePropagation(
        { loaded, ...options },
        { ...reported, store: onlyPlan ? noStore : store, record, onlyPlan },
      ),
  )
  if (!computed) return
  const { table, steps, meta, device: used } = computed
  const { result, receivers } = table
  await writePropagation(place, folder ? [tableName, 'results.npz'] : [tableName], table, listed)
  if (folder) await writeResult(place, 'scene.npz', sceneNpz(loaded.scene.mesh))
  if (steps) {
    await writeResult(place, 'convergence.csv', convergenceCsv(steps))
    for (const line of describeSteps(steps)) out.say(line)
  }
  if (options.plot && folder) await drawAll(place, table)
  await writeJson(place, 'meta.json', meta)
  await store.discard()
  const { segments, paths, escaped } = result.statistics
  out.say(`done      ${count(segments)} segments, ${count(paths)} paths in ${duration(result.seconds)}`)
  out.say(`wrote     ${written}`)
  out.json({
    command: 'propagate',
    out: written,
    receivers,
    rays: rayCount(subdivisionFor(loaded.file.rays)),
    paths,
    escaped,
    seconds: result.seconds,
    device: used,
  })
}

/** What --plan --json prints. */
function planRecord(
  { file, scene }: LoadedScene,
  { target, setup, engine, memoryBytes, seconds }: PropagationPlan,
): Record<string, unknown> {
  const size = [0, 1, 2].map((a) => target.box.max[a] - target.box.min[a])
  return {
    scene: { name: file.name, size_m: size, facets: setup.scene.count },
    wavelengths: Math.max(...size) / wavelength(Math.max(...scene.freqHz)),
    rays: rayCount(subdivisionFor(file.rays)),
    receivers: scene.receivers.length / 3,
    frequencies: scene.freqHz.length,
    memory_bytes: memoryBytes,
    seconds,
    device: engine.description,
  }
}

function reportPlan(
  { file, scene }: LoadedScene,
  { target, setup, engine, reason, memoryBytes, seconds }: PropagationPlan,
  out: Console,
): void {
  const size = [0, 1, 2].map((a) => Number((target.box.max[a] - target.box.min[a]).toPrecision(4)))
  const waves = Math.max(...size) / wavelength(Math.max(...scene.freqHz))
  const receivers = scene.receivers.length / 3
  out.say(
    `scene     ${file.name}: ${size.join(' x ')} m, ${count(waves)} wavelengths across, ${setup.scene.count} facets`,
  )
  out.say(
    `plan      ${count(rayCount(subdivisionFor(file.rays)))} rays, up to ${scene.maxReflections} reflection${scene.maxReflections === 1 ? '' : 's'}, ${count(receivers)} receiver${receivers === 1 ? '' : 's'}, ${scene.freqHz.length} frequenc${scene.freqHz.length === 1 ? 'y' : 'ies'}${file.reception === 'spheres' ? ', reception spheres' : ''}${file.diffraction === 'utd' ? ', edge diffraction' : ''}`,
  )
  out.say(`device    ${engine.description} (${reason})`)
  if (seconds !== undefined) out.say(`estimate  about ${duration(seconds)}, ${bytes(memoryBytes)} of memory`)
}

function readOptions(
  raw: Record<string, string | boolean | undefined>,
  loaded: LoadedScene,
  { device, workers, convergence }: Pick<PropagateOptions, 'device' | 'workers' | 'convergence'>,
): PropagateOptions {
  const given = raw.paths === undefined ? undefined : String(raw.paths)
  const paths = listedSets(loaded, given === 'all' ? given : given?.split(','), '--paths')
  return {
    device,
    ...(workers !== undefined && { workers }),
    paths,
    convergence,
    plot: raw.plot !== false,
    ...(raw.out === undefined ? {} : { out: String(raw.out) }),
    resume: raw.resume === true,
    force: raw.force === true,
    json: raw.json === true,
    plan: raw.plan === true,
    quiet: raw.quiet === true,
  }
}

function resultPlace(
  out: string | undefined,
  name: string,
): { place: ResultLocation; table: string; folder: boolean } {
  if (out && /\.(csv|npz|h5|mat)$/i.test(out))
    return { place: fileLocation(out), table: out.split('/').pop()!, folder: false }
  return { place: folderLocation(out ?? `${name}-propagate`), table: 'results.csv', folder: true }
}

/** Most receivers whose impulse responses are drawn. */
const MOST_RESPONSES = 8

async function drawAll(place: ResultLocation, table: PropagationTable): Promise<void> {
  const { delayPlot, setPlot } = await import('../../views/figures/propagation-plots.js')
  for (const set of table.loaded.sets)
    if (set.count > 1) await writeFigure(place, `plot-${set.name}`, setPlot(table, set))
  const reached = new Set(table.result.paths.map(({ receiver }) => receiver))
  if (reached.size <= MOST_RESPONSES)
    for (const r of reached) await writeFigure(place, `impulse-response-${r}`, delayPlot(table, r))
}

function describeSteps(steps: ConvergenceStep[]): string[] {
  return steps
    .slice(0, -1)
    .map(
      (s) =>
        `converge  ${count(s.rays)} rays: median ${s.medianDb.toFixed(3)} dB, 95 % within ${s.ninetyFiveDb.toFixed(3)} dB of all rays, ${(100 * s.pathShare).toFixed(2)} % of the paths`,
    )
}
