import { createHash } from 'node:crypto'
import { type Command, Option } from 'commander'
import { writeHdf5, writeNpz } from '../../formats/index.js'
import {
  buildPropagation,
  convergence,
  convergenceCsv,
  type ConvergenceStep,
  KeptState,
  type LoadedScene,
  loadScene,
  MAX_REFLECTIONS,
  pathsCsv,
  propagationArrays,
  propagationCsv,
  propagationMeta,
  PropagationTable,
  rayCount,
  type Reception,
  RECEPTIONS,
  resultWarnings,
  sceneNpz,
  type SceneLimits,
  shellWarnings,
  subdivisionFor,
  withLimits,
} from '../../propagation/index.js'
import { InputError, wavelength } from '../../scene/index.js'
import { openPropagation } from '../open-propagation.js'
import {
  checkResults,
  claimLocation,
  fileLocation,
  finishedKey,
  folderLocation,
  isComplete,
  type ResultLocation,
  writeJson,
  writeResult,
} from '../results.js'
import { Console, count, duration, reportComplete } from './console.js'
import { settingOption } from './setting-options.js'
import { parseCount } from './quantity.js'
import { VERSION } from '../version.js'
import { Interrupted, interruptible } from './interrupt.js'

interface PropagateOptions {
  device: 'auto' | 'gpu' | 'cpu'
  workers?: number
  paths: string[]
  convergence: boolean
  plot: boolean
  out?: string
  resume: boolean
  force: boolean
  json: boolean
  quiet: boolean
}

export function propagateCommand(command: Command): void {
  command
    .argument('<scene>', 'scene file (.json; docs/propagation.md has the format)')
    .addOption(settingOption('device'))
    .option('--rays <n>', 'rays launched, at least (instead of the scene’s)')
    .option('--max-reflections <n>', 'reflections followed (instead of the scene’s)')
    .addOption(
      new Option(
        '--receivers <which>',
        'exact paths to receivers, or reception spheres (instead of the scene’s)',
      ).choices(RECEPTIONS),
    )
    .addOption(new Option('--diffraction <which>', 'first-order edge diffraction').choices(['none', 'utd']))
    .option('--paths <names>', 'sets of receivers whose paths are listed: a,b or all')
    .option('--convergence', 'also run with a quarter and half of the rays: what more of them would change')
    .option('--no-plot', 'draw nothing')
    .option('--workers <n>', 'worker threads on the cpu (default: all cores)')
    .option('--out <path>', 'result folder, or one .csv, .npz or .h5 file')
    .option('--resume', 'go on with an interrupted run')
    .option('--force', 'overwrite results')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .action(runPropagate)
}

async function runPropagate(path: string, raw: Record<string, string | boolean | undefined>): Promise<void> {
  const out = new Console(raw.quiet === true)
  const loaded = override(await loadScene(path), raw)
  const { file, scene, sets } = loaded
  const options = readOptions(raw, loaded)
  const { place, table: tableName, folder } = resultPlace(options.out, file.name)
  const draw = options.plot && folder
  const built = buildPropagation(scene)
  const { setup, target } = built
  const receivers = scene.receivers.length / 3
  const listed = sets.filter((s) => options.paths.includes(s.name))
  const results = [
    tableName,
    'meta.json',
    ...(folder ? ['results.npz', 'scene.npz'] : []),
    ...(listed.length > 0 ? ['paths.csv'] : []),
    ...(options.convergence ? ['convergence.csv'] : []),
  ]
  const finished = finishedKey(place, results, options)
  if (finished === undefined) claimLocation(place, results, options)
  const subdivision = subdivisionFor(file.rays)
  const { engine, reason, warnings } = await openPropagation(setup, options.device, options.workers)
  try {
    const key = runKey(loaded, options, engine.kind)
    if (isComplete(finished, key, place)) {
      reportComplete('propagate', folder ? place.folder : place.file(tableName), options, out)
      return
    }
    for (const line of [...shellWarnings(target), ...warnings]) out.warn(line)
    const size = [0, 1, 2].map((a) => Number((target.box.max[a] - target.box.min[a]).toPrecision(4)))
    const waves = Math.max(...size) / wavelength(Math.max(...scene.freqHz))
    out.say(
      `scene     ${file.name}: ${size.join(' x ')} m, ${count(waves)} wavelengths across, ${setup.scene.count} facets`,
    )
    out.say(
      `plan      ${count(rayCount(subdivision))} rays, up to ${scene.maxReflections} reflections, ${count(receivers)} receiver${receivers === 1 ? '' : 's'}, ${scene.freqHz.length} frequenc${scene.freqHz.length === 1 ? 'y' : 'ies'}${file.reception === 'spheres' ? ', reception spheres' : ''}${file.diffraction === 'utd' ? ', edge diffraction' : ''}`,
    )
    out.say(`device    ${engine.description} (${reason})`)
    const wanted = listed.flatMap((s) => Array.from({ length: s.count }, (_, i) => s.first + i))
    const kept = await KeptState.open(
      place.partial,
      key,
      setup,
      options.resume,
      checkResults(place, results, options),
    )
    const { state } = kept
    if (state.done.size > 0) out.say(`resuming  ${state.done.size} batches are at hand`)
    const { result, steps } = await interruptible(
      () => 'interrupted; nothing is kept',
      async (signal) => {
        const result = await engine.run(
          { subdivision, listed: wanted, state },
          (done, total) => {
            kept.tick()
            out.progress(done, total, 'batches of rays')
          },
          signal,
        )
        const steps = options.convergence
          ? await convergence(engine, loaded, subdivision, result, signal)
          : undefined
        return { result, steps }
      },
    ).catch(async (error: Error) => {
      if (state.done.size === 0) await kept.discard()
      else {
        await kept.close()
        if (error instanceof Interrupted)
          error.message = `interrupted; ${state.done.size} batches are kept, --resume goes on with them`
      }
      throw error
    })
    const table = new PropagationTable(loaded, result, built)
    for (const line of resultWarnings(table)) out.warn(line)
    await writeTables(place, tableName, folder, table)
    if (folder) await writeResult(place, 'scene.npz', sceneNpz(scene.mesh))
    if (listed.length > 0) await writeResult(place, 'paths.csv', pathsCsv(table))
    if (steps) {
      await writeResult(place, 'convergence.csv', convergenceCsv(steps))
      for (const line of describeSteps(steps)) out.say(line)
    }
    if (draw) await drawAll(place, table, wanted)
    const meta = propagationMeta(table, { version: VERSION, device: engine.description, options })
    await writeJson(place, 'meta.json', { ...meta, key })
    await kept.discard()
    out.say(
      `done      ${count(result.statistics.segments)} segments, ${count(result.statistics.paths)} paths in ${duration(result.seconds)}`,
    )
    out.say(`wrote     ${folder ? place.folder : place.file(tableName)}`)
    if (options.json)
      process.stdout.write(
        JSON.stringify({
          command: 'propagate',
          out: folder ? place.folder : place.file(tableName),
          receivers,
          rays: rayCount(subdivision),
          paths: result.statistics.paths,
          escaped: result.statistics.escaped,
          seconds: result.seconds,
          device: engine.description,
        }) + '\n',
      )
  } finally {
    await engine.close()
  }
}

/** The scene with what the command line says instead. */
function override(loaded: LoadedScene, raw: Record<string, string | boolean | undefined>): LoadedScene {
  const limits: SceneLimits = {}
  if (raw.rays !== undefined) limits.rays = parseCount(String(Number(raw.rays)), '--rays', 12, 1e9)
  if (raw.maxReflections !== undefined)
    limits.maxReflections = parseCount(String(raw.maxReflections), '--max-reflections', 0, MAX_REFLECTIONS)
  if (raw.receivers !== undefined) limits.reception = raw.receivers as Reception
  if (raw.diffraction !== undefined) limits.diffraction = raw.diffraction as 'none' | 'utd'
  return withLimits(loaded, limits)
}

function readOptions(
  raw: Record<string, string | boolean | undefined>,
  { file, sets }: LoadedScene,
): PropagateOptions {
  const names = sets.map((s) => s.name)
  const given = raw.paths === undefined ? undefined : String(raw.paths)
  const paths = given === undefined ? file.paths : given === 'all' ? names : given.split(',')
  const unknown = paths.find((n) => !names.includes(n))
  if (unknown !== undefined)
    throw new InputError(
      `--paths: no receivers are named "${unknown}"; choose among ${names.join(', ')} or all`,
    )
  return {
    device: raw.device as PropagateOptions['device'],
    ...(raw.workers === undefined ? {} : { workers: parseCount(String(raw.workers), '--workers', 1, 1024) }),
    paths,
    convergence: raw.convergence === true,
    plot: raw.plot !== false,
    ...(raw.out === undefined ? {} : { out: String(raw.out) }),
    resume: raw.resume === true,
    force: raw.force === true,
    json: raw.json === true,
    quiet: raw.quiet === true,
  }
}

/** What identifies a run: an interrupted one goes on with the same alone. */
const runKey = ({ file, sha256 }: LoadedScene, { paths }: PropagateOptions, kind: string): string =>
  createHash('sha256')
    .update(JSON.stringify([VERSION, kind, sha256, file, paths]))
    .digest('hex')

function resultPlace(
  out: string | undefined,
  name: string,
): { place: ResultLocation; table: string; folder: boolean } {
  if (out && /\.(csv|npz|h5)$/i.test(out))
    return { place: fileLocation(out), table: out.split('/').pop()!, folder: false }
  return { place: folderLocation(out ?? `${name}-propagate`), table: 'results.csv', folder: true }
}

async function writeTables(
  place: ResultLocation,
  name: string,
  folder: boolean,
  table: PropagationTable,
): Promise<void> {
  if (/\.csv$/i.test(name)) await writeResult(place, name, propagationCsv(table))
  else if (/\.npz$/i.test(name)) await writeResult(place, name, writeNpz(propagationArrays(table)))
  else await writeResult(place, name, await writeHdf5(propagationArrays(table)))
  if (folder) await writeResult(place, 'results.npz', writeNpz(propagationArrays(table)))
}

/** Most receivers whose impulse responses are drawn. */
const MOST_RESPONSES = 8

async function drawAll(place: ResultLocation, table: PropagationTable, listed: number[]): Promise<void> {
  const { delayPlot, setPlot } = await import('../../propagation/results/plots.js')
  const write = async (name: string, { svg, png }: { svg: string; png: Uint8Array }): Promise<void> => {
    await writeResult(place, `${name}.svg`, svg)
    await writeResult(place, `${name}.png`, png)
  }
  for (const set of table.loaded.sets)
    if (set.count > 1) await write(`plot-${set.name}`, await setPlot(table, set))
  const reached = listed.filter((r) => table.result.paths.some((p) => p.receiver === r))
  if (reached.length <= MOST_RESPONSES)
    for (const r of reached) await write(`impulse-response-${r}`, await delayPlot(table, r))
}

function describeSteps(steps: ConvergenceStep[]): string[] {
  return steps
    .slice(0, -1)
    .map(
      (s) =>
        `converge  ${count(s.rays)} rays: median ${s.medianDb.toFixed(3)} dB, 95 % within ${s.ninetyFiveDb.toFixed(3)} dB of all rays, ${(100 * s.pathShare).toFixed(2)} % of the paths`,
    )
}
