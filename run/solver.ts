import { availableParallelism } from 'node:os'
import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  type EdgeEngine,
  type EdgeOptions,
  type EdgeScene,
  SECOND_ORDER,
  type SecondOrder,
  type Truncation,
} from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { createRasterEngine } from '../cpu-sbr/raster/engine.js'
import { cpuBackend, createFullWaveEngine, gpuBackend } from '../full-wave/index.js'
import { describeGpu, type GpuContext, GpuecoEngine, GpuError, GpuSbrEngine } from '../gpu/index.js'
import type { FaultOptions } from '../parallel/worker-pool.js'
import {
  isExitForm,
  type RayScene,
  type SbrEngine,
  type SbrOptions,
  withoutLists,
  withRopes,
} from '../rays/index.js'
import { buildRasterScene, DEFAULT_PIXELS, metalEdges } from '../rays/raster-scene.js'
import { isMirror } from '../scene/ground/index.js'
import { type Band, InputError, projectedArea, type Target } from '../scene/index.js'
import { mayHaveGpu, refuseGpu, tryGpu } from './find-gpu.js'
import { edgesOverGround, raysOverGround } from './ground.js'
import { type LoadedTarget, stepOfBand } from './loaded-target.js'
import type { ClusterTiming, Engines, FacetEngine, Schedule } from './sweep/index.js'
import { takeEarlyEdges, takeEarlyGpu } from './target-thread.js'

/** Which engines a run needs. */
export interface EngineRequest {
  device: 'auto' | 'gpu' | 'cpu'
  /** Rays where absent; `gpueco` draws the target, `pixels` along a side of its image; `mom` solves for its currents. */
  method?: Method
  pixels?: number
  sbr: SbrOptions
  diffraction: Truncation | 'none'
  maxWedgeAngleDeg: number
  /** Mechanisms of second order at edges; none where absent. */
  secondOrder?: readonly SecondOrder[]
  /** See `Engines.mechanisms`. */
  mechanisms?: boolean | 'first'
  /** See `Engines.coarser`. */
  coarser?: readonly number[]
  /** See `Engines.orderChange`. */
  orderChange?: boolean
  /** See `Engines.schedule`; `overlapped` where absent. */
  schedule?: Schedule
  /** Worker threads; all cores for SBR on the cpu, all but one or two for diffraction where absent. */
  workers?: number
  subGrid: number
  /** How rays find facets; does not affect results. `auto` where absent; the cpu uses a stack instead of `lists`. */
  traversal?: Traversal
  /** Called for threads that fail and whose tasks are tried again; on stderr where absent. */
  onFault?: (message: string) => void
}

export const METHODS = ['sbr', 'gpueco', 'mom'] as const
/** What computes the field: rays and edges, a raster and edges, or currents (full wave). */
export type Method = (typeof METHODS)[number]

export const TRAVERSALS = ['auto', 'lists', 'stack', 'ropes'] as const
/** How rays find facets. */
export type Traversal = (typeof TRAVERSALS)[number]

export interface OpenEngines extends Engines {
  /** The scene that rays are cast in. */
  scene: RayScene
  /** The edges that diffract; null where diffraction is off. */
  edgeScene: EdgeScene | null
  /** Why this device was chosen, for the plan. */
  reason: string
  /** One line each on what the user should know of the device. */
  warnings: string[]
  /** Worker threads of SBR on the cpu. */
  sbrWorkers: number
  /** For clusters: called before the run with the number of aspects, and after each finished aspect. */
  progress?: (done: number, total: number) => void
  /** How a cluster distributed these aspects. */
  report?: () => ClusterTiming
  /** Ends threads and releases the device; the engines may not be used afterwards. */
  close: () => Promise<void>
}

/** Failing threads are reported; ISAR_HANG_SECONDS sets after how long without a result threads count as hung. */
export const faults = ({ onFault }: Pick<EngineRequest, 'onFault'>): FaultOptions => ({
  onFault: onFault ?? ((message) => void process.stderr.write(`warning: ${message}\n`)),
  silence: Number(process.env.ISAR_HANG_SECONDS) || undefined,
})

/** What a job or a band of a step is told by: a job, edges of one that are prepared, or a frequency [Hz]. */
type OfBand = { band?: Band; job?: { band: Band } } | number | undefined

/** An engine that leaves each job to the engine of its band's step, and describes itself as the finest; the only engine where there are no steps. */
export function engineOfSteps<E extends object>(engines: E[], steps: LoadedTarget['steps']): E {
  const finest = engines.length - 1
  if (!steps) return engines[finest]
  const stepOf = (of: OfBand): number => {
    const band = typeof of === 'number' ? { f0: of, df: 0, n: 1 } : (of?.band ?? of?.job?.band)
    return band ? stepOfBand(steps, band) : finest
  }
  return new Proxy(engines[finest], {
    get(engine, name) {
      const key = name as keyof E
      if (typeof engine[key] !== 'function') return engine[key]
      return (...given: [OfBand]): unknown =>
        (engines[stepOf(given[0])][key] as (...given: [OfBand]) => unknown)(...given)
    },
  })
}

/** The engines of a run; with curved patches those of every step of its bands. @throws InputError as `openTarget` */
export async function openEngines(loaded: LoadedTarget, request: EngineRequest): Promise<OpenEngines> {
  const { steps } = loaded
  if (!steps) return openTarget(loaded, request)
  const opened: OpenEngines[] = []
  const close = async (): Promise<void> => void (await Promise.all(opened.map((engines) => engines.close())))
  try {
    for (const step of steps) opened.push(await openTarget({ ...loaded, ...step }, request))
  } catch (error) {
    await close()
    throw error
  }
  const finest = opened[opened.length - 1]
  const edges = opened.flatMap((engines) => engines.edges?.engine ?? [])
  return {
    ...finest,
    facets: engineOfSteps(
      opened.map(({ facets }) => facets),
      steps,
    ),
    edges: finest.edges && { ...finest.edges, engine: engineOfSteps(edges, steps) },
    meshOfStep: true,
    close,
  }
}

/**
 * The engines of one mesh. Device `auto` takes a hardware GPU where there is one, else the cpu; `gpu` also takes a
 * software adapter. `auto` skips a GPU that is unusable or fails the arithmetic test, with a warning.
 * @throws InputError where a GPU is requested and absent or refused
 */
async function openTarget(loaded: LoadedTarget, request: EngineRequest): Promise<OpenEngines> {
  const { target, scene } = loaded
  refuseWhatConducts(target, request)
  const cores = availableParallelism()
  const { workers, warnings: capped } = cappedWorkers(request.workers, cores)
  const wanted = request.diffraction !== 'none' && request.sbr.onlyBounce === undefined
  const edgesFound = wanted ? edgesOf(loaded, request.maxWedgeAngleDeg) : Promise.resolve(null)
  const drawnEdges = request.method === 'gpueco' && request.diffraction === 'eec'
  const options = edgeOptions(request)
  const hasGpu = request.device !== 'cpu' && !drawsMaterials(target, request.method) && mayHaveGpu()
  const startEdges = (edgeScene: EdgeScene | null): EdgeEngine | null => {
    if (!edgeScene || drawnEdges) return null
    // With meshes of several steps all of them have edges or none, whichever of them has tips.
    if (!loaded.steps && !diffracts(edgeScene, request.secondOrder)) return null
    const settings = { workers: workers ?? edgeThreads(cores), ...faults(request) }
    return target.ground
      ? edgesOverGround(edgeScene, scene, target.ground, settings)
      : createEdgeEngine(edgeScene, scene, settings)
  }
  // Threads start while the GPU is opened; without a GPU a refusal comes before threads start.
  const early = hasGpu ? edgesFound.then(startEdges) : undefined
  early?.catch(() => {})
  const { facets, reason, warnings, gpu } = await openFacets(
    loaded,
    request,
    workers ?? cores,
    drawnEdges ? await edgesFound : null,
  ).catch(async (error: unknown) => {
    await (await early)?.close()
    throw error
  })
  const edgeScene = await edgesFound
  const edges = early === undefined ? startEdges(edgeScene) : await early
  return {
    scene,
    facets: target.ground ? raysOverGround(facets as SbrEngine, target.ground) : facets,
    options: request.sbr,
    edges: edges ? { engine: edges, options } : undefined,
    edgeScene,
    mechanisms: request.mechanisms,
    coarser: request.coarser,
    orderChange: request.orderChange,
    bothWays: edges ? (r) => projectedArea(loaded.uncurved ?? target, r) : undefined,
    schedule: request.schedule ?? 'overlapped',
    reason,
    warnings: [...capped, ...warnings],
    sbrWorkers: workers ?? cores,
    close: async () => {
      const ended = edges?.close()
      // Releasing a device blocks the calling thread: only after the threads have ended.
      if (gpu) await ended
      await Promise.all([ended, facets.close()])
      if (request.method === 'mom') gpu?.device.destroy()
    },
  }
}

/** First order and mechanisms come apart where the run has their fields, or the change from one to the other. */
export const edgeOptions = ({
  diffraction,
  secondOrder,
  mechanisms,
  orderChange,
}: EngineRequest): EdgeOptions => ({
  diffraction: diffraction as Truncation,
  secondOrder,
  ...((mechanisms === true || orderChange) && { apart: true }),
})

/** The edges of a target: another thread's, where it finds them already. */
const edgesOf = async ({ target, scene }: LoadedTarget, maxWedgeAngleDeg: number): Promise<EdgeScene> =>
  (await takeEarlyEdges(target, maxWedgeAngleDeg)) ?? buildEdgeScene(target, maxWedgeAngleDeg, scene.origin)

/** Whether the target is to be drawn with materials: in double precision alone. */
const drawsMaterials = ({ facetMaterial }: Target, method: EngineRequest['method']): boolean =>
  method === 'gpueco' && facetMaterial !== undefined

/** @throws InputError for what does not compute the target's materials */
export function refuseWhatConducts(
  target: Target,
  { method, device, sbr, secondOrder }: EngineRequest,
): void {
  if (method === 'mom') refuseMaterials(target, '--method mom')
  if (method === 'gpueco' && target.materials.some(({ kind }) => kind === 'sheet'))
    throw new InputError(
      '--method gpueco follows no waves through sheets, of which the target has some; leave it out',
    )
  if (device === 'gpu' && drawsMaterials(target, method))
    throw new InputError(
      '--device gpu: --method gpueco computes materials in double precision alone; take --device cpu',
    )
  if (isExitForm(sbr)) refuseMaterials(target, '--formulation exit')
  if (secondOrder?.length && nothingConducts(target)) refuseMaterials(target, '--second-order')
}

/** Whether no facet of a target is a perfect conductor: no mechanism of second order has a part in it. */
export const nothingConducts = ({ facetMaterial }: Pick<Target, 'facetMaterial'>): boolean =>
  facetMaterial?.every((material) => material !== 0) ?? false

/** @param what  cannot take them @throws InputError for a target of other materials than perfect conductors */
function refuseMaterials({ materials, facetMaterial }: Target, what: string): void {
  if (facetMaterial)
    throw new InputError(
      `the target has facets of "${materials[1].name}", but ${what} computes perfect conductors alone; leave it out, or --material and --materials`,
    )
}

/** At most as many threads as cores: more are slower, and hundreds exhaust the process's memory. */
export function cappedWorkers(
  wanted: number | undefined,
  cores = availableParallelism(),
): { workers: number | undefined; warnings: string[] } {
  if (wanted === undefined || wanted <= cores) return { workers: wanted, warnings: [] }
  return {
    workers: cores,
    warnings: [`${wanted} workers are more than this machine's cores: ${cores} are used`],
  }
}

/** Threads for edges by default: one core is left to the calling thread, a second of many to the driver and to compilers (decision 009). */
export const edgeThreads = (cores: number): number => Math.max(1, cores < 8 ? cores - 1 : cores - 2)

async function openFacets(
  { scene, target }: LoadedTarget,
  request: EngineRequest,
  workers: number,
  drawnEdges: EdgeScene | null,
): Promise<{ facets: FacetEngine; reason: string; warnings: string[]; gpu: GpuContext | null }> {
  const { device, method, pixels = DEFAULT_PIXELS, subGrid, traversal } = request
  const onCpu = drawsMaterials(target, method)
  if (onCpu) {
    // Nobody else would take, and release, a GPU that is being opened.
    const early = await takeEarlyGpu()
    if (early && !(early instanceof GpuError)) early.device.destroy()
  }
  const usable = device !== 'cpu' && !onCpu && mayHaveGpu()
  const gpu = usable ? await (takeEarlyGpu() ?? tryGpu(device === 'auto')) : null
  if (gpu && !(gpu instanceof GpuError)) {
    return {
      facets:
        method === 'mom'
          ? createFullWaveEngine(target, gpuBackend(gpu, workers, faults(request)), describeGpu(gpu, 1))
          : method === 'gpueco'
            ? new GpuecoEngine(gpu, buildRasterScene(target, scene), drawnEdges, { size: pixels })
            : new GpuSbrEngine(gpu, scene, target.area, { subGrid, traversal }),
      reason: device === 'auto' ? 'a hardware GPU was found' : 'requested',
      warnings: [],
      gpu,
    }
  }
  if (device === 'gpu') refuseGpu(gpu)
  const absent = gpu ? 'the GPU was refused' : 'no hardware GPU was found'
  return {
    facets:
      method === 'mom'
        ? fullWaveOnThreads(target, workers, faults(request))
        : method === 'gpueco'
          ? createRasterEngine(
              buildRasterScene(target, scene),
              drawnEdges && metalEdges(drawnEdges),
              workers,
              pixels,
              faults(request),
            )
          : createCpuEngine(searchedBy(scene, traversal), target.area, workers, subGrid, faults(request)),
    reason: device === 'cpu' ? 'requested' : onCpu ? 'materials are drawn there alone' : absent,
    warnings: gpu ? [`${gpu.message}; SBR runs on the cpu`] : [],
    gpu: null,
  }
}

/** Full wave in double precision. */
function fullWaveOnThreads(target: Target, workers: number, how: FaultOptions): FacetEngine {
  const backend = cpuBackend(workers, how)
  return createFullWaveEngine(target, backend, { device: 'cpu', text: `cpu, ${backend.description}` })
}

/** The scene with the requested traversal for rays on the CPU. */
const searchedBy = (scene: RayScene, traversal: EngineRequest['traversal']): RayScene =>
  traversal === 'ropes' ? withRopes(scene) : traversal === 'stack' ? withoutLists(scene) : scene

type Asked = Pick<EngineRequest, 'method' | 'sbr' | 'diffraction'> & { secondOrder?: SecondOrder[] }

/**
 * The settings of a run of this target: where they do not say which mechanisms of second order it has, all (docs/second-order.md,
 * "Default"), but none with the papers' variants of rays, edges and rasters, where the ground is no mirror, and where no facet is a
 * perfect conductor. Previews (`FAST`), datasets and moving targets give none themselves.
 */
export const withSecondOrder = <S extends Asked>(
  settings: S,
  target: Target,
): S & { secondOrder: SecondOrder[] } => ({
  ...settings,
  secondOrder: settings.secondOrder ?? (whyNone(settings, target) ? [] : [...SECOND_ORDER]),
})

/** Why a run has no mechanisms where nothing is said; undefined: it has all. */
function whyNone({ method, sbr, diffraction }: Asked, { facetMaterial, ground }: Target): string | undefined {
  if (method === 'gpueco' || method === 'mom') return `method ${method}`
  if (isExitForm(sbr)) return 'formulation exit'
  if (diffraction !== 'tw-ildc') return `diffraction ${diffraction}`
  if (ground && !isMirror(ground)) return `the ground is ${ground.material.name}, no mirror`
  return nothingConducts({ facetMaterial }) ? 'no facet is a perfect conductor' : undefined
}

/**
 * The mechanisms of second order that a run of this target leaves out unasked, and why; undefined where there are none such.
 * @param settings  as resolved by `withSecondOrder`
 */
export function leftOut(
  settings: Asked & { secondOrder: SecondOrder[] },
  target: Target,
): { mechanisms: SecondOrder[]; why: string; materials?: string[] } | undefined {
  const mechanisms = SECOND_ORDER.filter((name) => !settings.secondOrder.includes(name))
  const why = whyNone(settings, target)
  if (why && mechanisms.length > 0) return { mechanisms, why }
  if (settings.secondOrder.length === 0) return undefined
  const materials = target.facetMaterial && target.materials.slice(1).map(({ name }) => name)
  return materials && { mechanisms: [], why: 'facets of these materials have no part in any', materials }
}
