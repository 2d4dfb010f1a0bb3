import { availableParallelism } from 'node:os'
import { arrayFormat, encodeArrays, FIELD_CONVENTIONS, type NpyArray } from '../formats/index.js'
import { type GpuContext, GpuError } from '../gpu/index.js'
import {
  buildPropagation,
  checkScene,
  convergence,
  type ConvergenceStep,
  createCpuPropagation,
  createGpuPropagation,
  KeptState,
  type LoadedScene,
  loadScene,
  MAX_REFLECTIONS,
  openScene,
  pathsCsv,
  propagationArrays,
  propagationCsv,
  type PropagationEngine,
  propagationMeta,
  type PropagationPath,
  type PropagationResult,
  type PropagationSetup,
  PropagationTable,
  rayCount,
  type ReceiverSet,
  RECEPTIONS,
  resultWarnings,
  type SceneDescription,
  shellWarnings,
  subdivisionFor,
  SUM,
  withLimits,
} from '../propagation/index.js'
import { checkMemory, freeMemory } from '../run/estimate.js'
import { mayHaveGpu, refuseGpu, withGpu } from '../run/find-gpu.js'
import {
  CALL_OPTIONS,
  type Caller,
  type CallOptions,
  Hooks,
  type Job,
  type JobPlan,
  runWholeJob,
  type Store,
} from '../run/job.js'
import {
  type Claim,
  claimLocation,
  claimOf,
  folderLocation,
  noStore,
  type ResultLocation,
  type SaveOptions,
  writeJson,
  writeResult,
} from '../run/results.js'
import { cappedWorkers, faults } from '../run/solver.js'
import { VERSION } from '../run/version.js'
import { InputError, type Target } from '../scene/index.js'
import { resolve } from 'node:path'
import { checkKeys, choice, flag, type Setting, whole } from '../run/settings/types.js'
import { checkDeclared, DEVICES, type SettingsOf } from '../run/settings/settings.js'

/** Options of `isar propagate` and `propagate`. */
export const PROPAGATE = {
  /** Where rays run: `auto` takes a hardware GPU where there is one, else the CPU in double precision. Default auto. */
  device: { type: choice(DEVICES).default('auto'), help: 'where rays run', group: 'Run' },
  /** Rays launched, at least; default: the scene's. */
  rays: {
    type: whole(12, 1e9).optional(),
    help: 'rays launched, at least (instead of the scene’s)',
    group: 'Accuracy',
    value: '<n>',
  },
  /** Reflections followed; default: the scene's. */
  maxReflections: {
    type: whole(0, MAX_REFLECTIONS).optional(),
    help: 'reflections followed (instead of the scene’s)',
    group: 'Accuracy',
    value: '<n>',
  },
  /** Exact paths to receivers, or reception spheres; default: the scene's. */
  reception: {
    type: choice(RECEPTIONS).optional(),
    help: 'exact paths to receivers, or reception spheres (instead of the scene’s)',
    group: 'Accuracy',
    option: 'receivers',
  },
  /** First-order edge diffraction; default: the scene's. */
  diffraction: {
    type: choice(['none', 'utd']).optional(),
    help: 'first-order edge diffraction',
    group: 'Accuracy',
  },
  /** Also run with a quarter and half of the rays. Default false. */
  convergence: {
    type: flag().default(false),
    help: 'also run with a quarter and half of the rays: what more of them would change',
    group: 'Accuracy',
  },
  /** Worker threads; default: all cores. */
  workers: {
    type: whole(1, 1024).optional(),
    help: 'worker threads on the cpu (default: all cores)',
    group: 'Run',
    value: '<n>',
  },
} as const satisfies Record<string, Setting>

/** How a propagation scene is computed. */
export interface PropagateOptions extends CallOptions, SettingsOf<typeof PROPAGATE> {
  /** Sets of receivers, by name, whose paths are listed, or `all`. Default: the scene's own `paths`. */
  paths?: readonly string[] | 'all'
  /** Folder that a scene's files are named relative to, for a scene that is no file itself. Default: the working folder. */
  folder?: string
}

/** Received fields of a scene: Nf frequencies, R receivers. */
export interface PropagateResult {
  /** The scene's name. */
  name: string
  /** Nf frequencies [Hz]. */
  freqHz: Float64Array
  /** R receivers: x y z each [m]. */
  positionM: Float64Array
  /** The scene's sets of receivers: numbers first ... first + count. */
  sets: ReceiverSet[]
  /**
   * Transfers h by channel (transmit, receive; `vv`, `vh`, ...): [frequency][receiver], interleaved re, im, without a unit;
   * |h|^2 is the path gain. Time factor exp(+j w t).
   */
  h: Record<string, Float64Array>
  /** Path gains 10 log10 |h|^2 by the same names [dB]; -300 for none. */
  pathGainDb: Record<string, Float64Array>
  /** Every array of the command's results.npz by its name: also fields, delays and spreads (docs/file-formats.md). */
  arrays: Record<string, NpyArray>
  /** Paths of the receivers listed, by receiver and length. */
  paths: PropagationPath[]
  /** With `convergence`: what fewer rays would have given. */
  convergence?: ConvergenceStep[]
  /** The same results as the writers take them. */
  table: PropagationTable
  /** What `meta.json` of `isar propagate` holds: version, device, scene, options, counts. */
  meta: Record<string, unknown>
  /** One line each on what is odd about scene, device or result. */
  warnings: string[]
}

/**
 * Radio propagation in a scene, as `isar propagate` computes it and with the same bytes. Nothing is written to disk
 * (`savePropagation` does). Threads and GPU are its own, and released before the promise settles.
 *
 * @param scene  path of a scene file, or its content as an object (docs/propagation.md)
 * @throws (rejects) InputError for bad input, the signal's reason, GpuError where the GPU fails
 */
export async function propagate(
  scene: string | SceneDescription,
  options: PropagateOptions = {},
): Promise<PropagateResult> {
  checkKeys(options, 'propagate', [...CALL_OPTIONS, ...Object.keys(PROPAGATE), 'paths', 'folder'])
  const hooks = new Hooks(options)
  const { device, workers, convergence, ...limits } = checkDeclared(PROPAGATE, { ...options })
  const given =
    typeof scene === 'string'
      ? await loadScene(scene)
      : await openScene(checkScene(scene, 'scene'), 'scene', resolve(options.folder ?? '.'))
  const loaded = withLimits(given, limits)
  const paths = listedSets(loaded, options.paths, 'paths')
  const { table, steps, meta } = await computePropagation(
    { loaded, device, workers, paths, convergence },
    { store: noStore, hooks, record: { device, workers, paths } },
  )
  return {
    ...arraysOf(table),
    paths: table.result.paths,
    ...(steps && { convergence: steps }),
    table,
    meta,
    warnings: hooks.warnings,
  }
}

function arraysOf(
  table: PropagationTable,
): Pick<PropagateResult, 'name' | 'freqHz' | 'positionM' | 'sets' | 'h' | 'pathGainDb' | 'arrays'> {
  const { file, scene, sets } = table.loaded
  const arrays = propagationArrays(table)
  const h: Record<string, Float64Array> = {}
  const pathGainDb: Record<string, Float64Array> = {}
  const { receivers, channels } = table
  for (const channel of channels) {
    h[channel] = arrays[`h_${channel}`].data as Float64Array
    pathGainDb[channel] = Float64Array.from({ length: h[channel].length / 2 }, (_, i) =>
      table.gain(i % receivers, Math.floor(i / receivers), channel),
    )
  }
  return {
    name: file.name,
    freqHz: Float64Array.from(scene.freqHz),
    positionM: scene.receivers,
    sets,
    h,
    pathGainDb,
    arrays,
  }
}

/**
 * The engine of the device asked for; `auto` takes a hardware GPU where there is one that serves.
 * @param onFault  told of threads that fail and are replaced; stderr where absent
 */
async function openPropagation(
  setup: PropagationSetup,
  device: 'auto' | 'gpu' | 'cpu',
  wanted: number | undefined,
  onFault?: (message: string) => void,
): Promise<{ engine: PropagationEngine; reason: string; warnings: string[] }> {
  const { workers, warnings } = cappedWorkers(wanted)
  const threads = workers ?? availableParallelism()
  const watch = faults({ onFault })
  const open = (context: GpuContext): PropagationEngine =>
    createGpuPropagation(context, setup, undefined, threads, watch)
  const gpu = device !== 'cpu' && mayHaveGpu() ? await withGpu(device === 'auto', open) : null
  if (gpu && !(gpu instanceof GpuError))
    return { engine: gpu, reason: device === 'auto' ? 'a hardware GPU was found' : 'asked for', warnings }
  if (device === 'gpu') refuseGpu(gpu)
  return {
    engine: createCpuPropagation(setup, threads, watch),
    reason: device === 'cpu' ? 'asked for' : gpu ? 'the GPU was refused' : 'no hardware GPU was found',
    warnings: [...warnings, ...(gpu ? [`${gpu.message}; rays run on the cpu`] : [])],
  }
}

/** What is computed. */
interface PropagationRequest {
  /** With the limits of the run. */
  loaded: LoadedScene
  device: 'auto' | 'gpu' | 'cpu'
  /** Worker threads; all cores where undefined. */
  workers?: number
  /** Sets of receivers whose paths are listed (`listedSets`). */
  paths: readonly string[]
  /** Also run with fewer rays. */
  convergence: boolean
}

/** Where a run keeps what it has summed so far; nowhere: undefined. */
type PropagationStore = Store<KeptState | undefined, PropagationSetup>

/** What is known of a run before it launches its rays. */
export interface PropagationPlan extends JobPlan {
  target: Target
  setup: PropagationSetup
  engine: PropagationEngine
  /** Why this engine. */
  reason: string
  memoryBytes: number
  /** Of the run, by one of fewer rays; only with `onlyPlan`. */
  seconds?: number
}

/** Who asks for a run. */
interface PropagationCaller extends Caller<KeptState | undefined, PropagationSetup, PropagationPlan> {
  /** Options for `meta.json`. */
  record: Record<string, unknown>
  /** The plan alone is wanted, with the run's time: `onPlan` throws. */
  onlyPlan?: boolean
}

interface ComputedPropagation {
  table: PropagationTable
  /** With `convergence`. */
  steps?: ConvergenceStep[]
  meta: Record<string, unknown>
  /** The engine's description. */
  device: string
}

/** Memory of a process and of each of its threads, and copies of the sums that are held at most [bytes]; measured with Node 20. */
const PROCESS_BYTES = 80e6
const THREAD_BYTES = 25e6
const COPIES = 7

/**
 * Refuses a run whose sums do not fit into memory, before anything of its size is made.
 * @param free  memory that can be taken [bytes]
 * @returns what the run needs [bytes]
 * @throws InputError that says how many frequencies would fit
 */
export function checkPropagationMemory(
  { scene }: Pick<LoadedScene, 'scene'>,
  workers = availableParallelism(),
  free = freeMemory(),
): number {
  const frequencies = scene.freqHz.length
  const fixed = PROCESS_BYTES + THREAD_BYTES * workers
  const each = COPIES * 8 * SUM.length * (scene.receivers.length / 3) * scene.transmit.length
  const most = Math.floor((free - fixed) / each)
  const bytes = fixed + each * frequencies
  checkMemory(
    bytes,
    most > 0
      ? `take at most ${most} of the ${frequencies} frequencies at a time, or fewer receivers`
      : 'take fewer receivers at a time',
    free,
  )
  return bytes
}

/**
 * Radio propagation in a scene: what `isar propagate` writes and `propagate` returns.
 * @throws as `runJob`
 */
export const computePropagation = (
  request: PropagationRequest,
  caller: PropagationCaller,
): Promise<ComputedPropagation> => runWholeJob(() => openJob(request, caller), caller)

async function openJob(
  { loaded, device, workers, paths, convergence: fewerRays }: PropagationRequest,
  { hooks, record, onlyPlan }: PropagationCaller,
): Promise<Job<KeptState | undefined, PropagationSetup, PropagationPlan, ComputedPropagation>> {
  const memoryBytes = checkPropagationMemory(loaded, workers)
  const built = buildPropagation(loaded.scene)
  const { setup, target } = built
  hooks.progress('target', 1, 1)
  const opened = await openPropagation(setup, device, workers, (message) => hooks.warn(message))
  const { engine, reason, warnings } = opened
  const { file, sha256, sets } = loaded
  const named = sets.filter(({ name }) => paths.includes(name))
  const listed = named.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i))
  const subdivision = subdivisionFor(file.rays)
  let solved: { result: PropagationResult; steps?: ConvergenceStep[] }
  let total = 0
  return {
    key: [VERSION, engine.kind, sha256, file, paths],
    shape: setup,
    warnings: [...shellWarnings(target), ...warnings],
    async plan(kept) {
      const seconds = onlyPlan ? await triedSeconds(engine, subdivision, listed, hooks) : undefined
      const done = (): number => kept?.state.done.size ?? 0
      const batches = (): string => (total > 0 ? `${done()} of ${total} batches` : `${done()} batches`)
      return {
        target,
        setup,
        engine,
        reason,
        memoryBytes,
        seconds,
        kept: () => (done() > 0 ? batches() : null),
      }
    },
    async solve(kept) {
      const result = await engine.run(
        { subdivision, listed, state: kept?.state },
        (done, of) => {
          total = of
          kept?.tick()
          hooks.progress('solve', done, of, undefined, 'batches of rays')
        },
        hooks.signal,
      )
      const steps = fewerRays
        ? await convergence(engine, loaded, subdivision, result, hooks.signal)
        : undefined
      solved = { result, steps }
    },
    finish(_, key) {
      const { result, steps } = solved
      const table = new PropagationTable(loaded, result, built)
      for (const line of resultWarnings(table)) hooks.warn(line)
      const meta = propagationMeta(table, { version: VERSION, device: engine.description, options: record })
      return { table, steps, meta: { ...meta, ...key }, device: engine.description }
    },
    close: () => engine.close(),
  }
}

/** Rays of the two trials that a plan makes, about. */
const TRIAL_RAYS = [300, 3000]

/**
 * Time of a run by the times of two of fewer rays [s]: a power of their number, which lies far below 1 where most paths are found by few rays
 * and paths take the time.
 */
async function triedSeconds(
  engine: PropagationEngine,
  subdivision: number,
  listed: number[],
  hooks: Hooks,
): Promise<number> {
  const timeOf = async (n: number): Promise<number> => {
    const start = performance.now()
    await engine.run({ subdivision: n, listed }, undefined, hooks.signal)
    return (performance.now() - start) / 1000
  }
  const [few, more] = TRIAL_RAYS.map((rays) => Math.min(subdivision, subdivisionFor(rays)))
  const [first, second] = [await timeOf(few), await timeOf(more)]
  const ratio = (a: number, b: number): number => rayCount(a) / rayCount(b)
  if (more === few) return second
  const power = Math.log(second / first) / Math.log(ratio(more, few))
  return second * ratio(subdivision, more) ** Math.max(0, Math.min(1, power))
}

/** What is summed so far stored beside the results, for a run that resumes. `discard` once the results are written. */
export function propagationStore(
  place: ResultLocation,
  results: string[],
  how: Claim,
): Omit<PropagationStore, 'open'> & {
  open: (key: string, setup: PropagationSetup) => Promise<KeptState>
  discard: () => Promise<void>
} {
  const { check, claim } = claimOf(place, results, how)
  let kept: KeptState
  return {
    check,
    async open(key, setup) {
      return (kept = await KeptState.open(place.partial, key, setup, how.resume === true, claim(key)))
    },
    // What does not fit would not fit again.
    close: (error) => (error instanceof InputError ? kept.discard() : kept.close()),
    discard: () => kept.discard(),
  }
}

/**
 * Names of the sets of receivers whose paths are listed: those given, all, or the scene's own.
 * @param option  its name in messages
 * @throws InputError for an unknown one
 */
export function listedSets(
  { file, sets }: LoadedScene,
  given: readonly string[] | 'all' | undefined,
  option: string,
): readonly string[] {
  const names = sets.map(({ name }) => name)
  const wanted = given === 'all' ? names : (given ?? file.paths)
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new InputError(
      `${option}: no receivers are named "${unknown}"; choose among ${names.join(', ')} or all`,
    )
  return wanted
}

/** Writes tables, each in the format of its name, and where paths are listed paths.csv. @throws InputError */
export async function writePropagation(
  place: ResultLocation,
  tables: string[],
  table: PropagationTable,
  listed: boolean,
): Promise<void> {
  for (const name of tables)
    if (/\.csv$/i.test(name)) await writeResult(place, name, propagationCsv(table))
    else
      await writeResult(
        place,
        name,
        await encodeArrays(arrayFormat(name)!, propagationArrays(table), {
          time_factor: FIELD_CONVENTIONS.time_factor,
        }),
      )
  if (listed) await writeResult(place, 'paths.csv', pathsCsv(table))
}

/**
 * Writes results.csv, results.npz, meta.json and, where paths were listed, paths.csv of `isar propagate` into a folder.
 * @throws (rejects) InputError where a result is there already and `force` is not given, or the system refuses
 */
export async function savePropagation(
  result: PropagateResult,
  folder: string,
  options: SaveOptions = {},
): Promise<void> {
  const place = folderLocation(folder)
  const listed = result.paths.length > 0
  const names = ['results.csv', 'results.npz', 'meta.json', ...(listed ? ['paths.csv'] : [])]
  claimLocation(place, names, options)
  await writePropagation(place, ['results.csv', 'results.npz'], result.table, listed)
  await writeJson(place, 'meta.json', result.meta)
}
