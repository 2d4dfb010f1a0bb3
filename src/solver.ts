import { availableParallelism } from 'node:os'
import {
  buildEdgeScene,
  createEdgeEngine,
  type EdgeEngine,
  type EdgeScene,
  type SecondOrder,
  type Truncation,
} from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { createRasterEngine } from '../raster/index.js'
import { type GpuContext, GpuecoEngine, GpuError, GpuSbrEngine } from '../gpu/index.js'
import { buildRasterScene, DEFAULT_PIXELS } from '../raster/raster-scene.js'
import { InputError } from '../scene/index.js'
import { type RayScene, type SbrOptions, withoutLists, withRopes } from '../rays/index.js'
import type { FaultOptions } from '../parallel/worker-pool.js'
import {
  type AspectDetail,
  type ClusterTiming,
  type Engines,
  edgeJobs,
  type FacetEngine,
  type Schedule,
  type SweepJob,
  withRunAhead,
} from '../pipeline/index.js'
import { mayHaveGpu, tryGpu } from './find-gpu.js'
import type { LoadedTarget } from './loaded-target.js'

/** Which engines a run needs. */
export interface EngineRequest {
  device: 'auto' | 'gpu' | 'cpu'
  /** Rays where absent; `gpueco` draws the target, `pixels` along a side of its image. */
  method?: 'sbr' | 'gpueco'
  pixels?: number
  sbr: SbrOptions
  diffraction: Truncation | 'none'
  maxWedgeAngleDeg: number
  /** Mechanisms of second order at edges; none where absent. */
  secondOrder?: readonly SecondOrder[]
  /** See `Engines.mechanisms`. */
  mechanisms: boolean | 'first'
  /** See `Engines.coarser`. */
  coarser?: readonly number[]
  /** See `Engines.orderChange`. */
  orderChange?: boolean
  schedule: Schedule
  /** Worker threads; all cores for SBR on the cpu, all but one or two for diffraction where absent. */
  workers?: number
  subGrid: number
  /** How rays find facets; never changes a byte. `auto` where absent; the cpu has a stack in the place of `lists`. */
  traversal?: Traversal
  /** Told of threads that fail and are tried again; on stderr where absent. */
  onFault?: (message: string) => void
}

export const TRAVERSALS = ['auto', 'lists', 'stack', 'ropes'] as const
/** How rays find facets. */
export type Traversal = (typeof TRAVERSALS)[number]

export interface OpenEngines extends Engines {
  /** What rays are cast in. */
  scene: RayScene
  /** The edges that diffract; null where diffraction is off. */
  edgeScene: EdgeScene | null
  /** Why the device, for the plan. */
  reason: string
  /** One line each on what the user should know of the device. */
  warnings: string[]
  /** Worker threads of SBR on the cpu. */
  sbrWorkers: number
  /** Where a cluster wants to know: told before the run how many aspects it is to compute, and of each that is finished. */
  progress?: (done: number, total: number) => void
  /** How a cluster shared out the aspects of these details. */
  report?: (details: AspectDetail[]) => ClusterTiming
  /** Ends threads and gives the device back; the engines may not be used then. */
  close: () => Promise<void>
}

/** Threads that fail are told of; ISAR_HANG_SECONDS sets after how long without a result they are taken to hang. */
export const faults = ({ onFault }: Pick<EngineRequest, 'onFault'>): FaultOptions => ({
  onFault: onFault ?? ((message) => void process.stderr.write(`warning: ${message}\n`)),
  silence: Number(process.env.ISAR_HANG_SECONDS) || undefined,
})

/**
 * The engines of a run. Device `auto` takes a hardware GPU where there is one, else the cpu; `gpu` also takes a
 * software adapter. A GPU that cannot serve or fails the arithmetic test is passed over with a warning by `auto`.
 * @param sweep  all of the one to come: edge diffraction begins with it while the GPU is opened
 * @throws InputError when a GPU is asked for and absent or refused
 */
export async function openEngines(
  loaded: LoadedTarget,
  request: EngineRequest,
  sweep?: SweepJob,
): Promise<OpenEngines> {
  const { target, scene } = loaded
  const cores = availableParallelism()
  const { workers, warnings: capped } = cappedWorkers(request.workers, cores)
  const wanted = request.diffraction !== 'none' && request.sbr.onlyBounce === undefined
  const edgeScene = wanted ? buildEdgeScene(target, request.maxWedgeAngleDeg, scene.origin) : null
  const drawnEdges = request.method === 'gpueco' && request.diffraction === 'eec'
  const options = { diffraction: request.diffraction as Truncation, secondOrder: request.secondOrder }
  const hasGpu = request.device !== 'cpu' && mayHaveGpu()
  const startEdges = (): EdgeEngine | null => {
    if (!edgeScene || edgeScene.count === 0 || drawnEdges) return null
    const settings = { workers: workers ?? edgeThreads(cores), ...faults(request) }
    const threads = createEdgeEngine(edgeScene, scene, settings)
    const isAhead = hasGpu && sweep && !sweep.looks && request.schedule === 'overlapped'
    return isAhead ? withRunAhead(threads, edgeJobs(sweep, options)) : threads
  }
  // Threads start while the GPU is opened; where there can be none, a refusal comes before threads.
  const begun = hasGpu ? startEdges() : undefined
  const { facets, reason, warnings, gpu } = await openFacets(
    loaded,
    request,
    workers ?? cores,
    drawnEdges ? edgeScene : null,
  ).catch(async (error: unknown) => {
    await begun?.close()
    throw error
  })
  const edges = begun === undefined ? startEdges() : begun
  return {
    scene,
    facets,
    options: request.sbr,
    edges: edges ? { engine: edges, options } : undefined,
    edgeScene,
    mechanisms: request.mechanisms,
    coarser: request.coarser,
    orderChange: request.orderChange,
    schedule: request.schedule,
    reason,
    warnings: [...capped, ...warnings],
    sbrWorkers: workers ?? cores,
    close: async () => {
      const ended = edges?.close()
      // The end of a device holds the calling thread: not before there is time for it.
      if (gpu) await ended
      await Promise.all([ended, facets.close()])
    },
  }
}

/** As many threads as there are cores, at most: more are slower, and by the hundred they end the process for want of memory. */
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

/** Threads for edges by default: one core is left to the calling thread, a second of many to the driver and to compilers (bench/LOG.md). */
export const edgeThreads = (cores: number): number => Math.max(1, cores < 8 ? cores - 1 : cores - 2)

async function openFacets(
  { scene, target }: LoadedTarget,
  request: EngineRequest,
  workers: number,
  drawnEdges: EdgeScene | null,
): Promise<{ facets: FacetEngine; reason: string; warnings: string[]; gpu: GpuContext | null }> {
  const { device, method, pixels = DEFAULT_PIXELS, subGrid, traversal } = request
  const gpu = device !== 'cpu' && mayHaveGpu() ? await tryGpu(device === 'auto') : null
  if (gpu && !(gpu instanceof GpuError)) {
    return {
      facets:
        method === 'gpueco'
          ? new GpuecoEngine(gpu, buildRasterScene(target, scene), drawnEdges, { size: pixels })
          : new GpuSbrEngine(gpu, scene, target.area, { subGrid, traversal }),
      reason: device === 'auto' ? 'a hardware GPU was found' : 'asked for',
      warnings: [],
      gpu,
    }
  }
  if (device === 'gpu')
    throw new InputError(
      gpu
        ? `--device gpu: ${gpu.message}; use --device cpu, or see isar devices`
        : '--device gpu: no usable GPU was found (a Vulkan driver and libvulkan.so.1 are needed); use --device cpu, or see isar devices',
    )
  const absent = gpu ? 'the GPU was refused' : 'no hardware GPU was found'
  return {
    facets:
      method === 'gpueco'
        ? createRasterEngine(buildRasterScene(target, scene), drawnEdges, workers, pixels, faults(request))
        : createCpuEngine(searchedBy(scene, traversal), target.area, workers, subGrid, faults(request)),
    reason: device === 'cpu' ? 'asked for' : absent,
    warnings: gpu ? [`${gpu.message}; SBR runs on the cpu`] : [],
    gpu: null,
  }
}

/** The scene, for rays on the processor to be searched as asked. */
const searchedBy = (scene: RayScene, traversal: EngineRequest['traversal']): RayScene =>
  traversal === 'ropes' ? withRopes(scene) : traversal === 'stack' ? withoutLists(scene) : scene
