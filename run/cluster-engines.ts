import {
  clusterEdges,
  clusterSbr,
  Dispatcher,
  Assignments,
  release,
  type Distribution,
  type RunSpec,
  type WorkerEngines,
} from './cluster/index.js'
import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  type EdgeThreads,
  WITHOUT_EDGES,
} from '../cpu-diffraction/index.js'
import type { ClusterTiming } from './sweep/index.js'
import { InputError, type Mesh, projectedArea } from '../scene/index.js'
import { jobAperture, TILE, type SbrEngine } from '../rays/index.js'
import { type LoadedTarget, prepareRecipe, stepOfBand } from './loaded-target.js'
import type { ClusterRequest } from './job.js'
import {
  engineOfSteps,
  type EngineRequest,
  nothingConducts,
  openEngines,
  type OpenEngines,
  refuseWhatConducts,
  edgeOptions,
} from './solver.js'

/**
 * The engines of a run whose work is done by the workers of a cluster; the results have the bytes of a local run with the
 * workers' kind of device. @throws InputError where there is no server or no worker, and for what a cluster cannot do
 */
export async function openClusterEngines(
  loaded: LoadedTarget,
  request: EngineRequest,
  { url, distribute, adjust, unitSeconds }: ClusterRequest,
  version: string,
  onTrouble: (message: string) => void,
): Promise<OpenEngines> {
  refuse(request)
  refuseWhatConducts(loaded.target, request)
  const { scene, target, recipe, steps } = loaded
  const wanted = request.diffraction !== 'none' && request.sbr.onlyBounce === undefined
  const meshes = (steps ?? [loaded]).map((of) => ({
    scene: of.scene,
    area: of.target.area,
    edgeScene: wanted ? buildEdgeScene(of.target, request.maxWedgeAngleDeg, of.scene.origin) : null,
  }))
  const { edgeScene } = meshes[meshes.length - 1]
  const dispatcher = await Dispatcher.open(
    {
      redis: url,
      release: release(version),
      kind: request.device === 'auto' ? null : request.device,
      target: loaded.name,
      distribute,
      unitSeconds,
      onTrouble,
    },
    recipe,
    {
      subGrid: request.subGrid,
      ...(edgeScene && { maxWedgeAngleDeg: request.maxWedgeAngleDeg }),
    },
  )
  const assignments = new Assignments(dispatcher, distribute)
  const edges = edgeScene !== null && (steps !== undefined || diffracts(edgeScene, request.secondOrder))
  return {
    scene,
    facets: engineOfSteps(
      meshes.map((mesh) => clusterSbr(dispatcher, assignments, mesh, distribute, adjust)),
      steps,
    ),
    options: request.sbr,
    edgeScene,
    edges: edges
      ? {
          engine: engineOfSteps(
            meshes.map((mesh) => {
              const local = createEdgeEngine(mesh.edgeScene!, mesh.scene, { workers: 0 })
              return clusterEdges(dispatcher, assignments, local, distribute)
            }),
            steps,
          ),
          options: edgeOptions(request),
        }
      : undefined,
    schedule: 'overlapped',
    meshOfStep: steps !== undefined,
    mechanisms: request.mechanisms,
    coarser: request.coarser,
    orderChange: request.orderChange,
    bothWays: edges ? (r) => projectedArea(loaded.uncurved ?? target, r) : undefined,
    reason: `of ${url.replace(/\/\/[^@/]*@/, '//')}`,
    warnings: [],
    sbrWorkers: dispatcher.workers.reduce((sum, { threads }) => sum + threads, 0),
    progress: (done, total) => {
      assignments.total ||= total - done
      Object.assign(dispatcher.status, { done, total })
    },
    report: () => clusterTiming(assignments, loaded.name, distribute, dispatcher),
    close: () => dispatcher.close(),
  }
}

function clusterTiming(
  { shared }: Assignments,
  target: string,
  distribute: Distribution,
  { workers, status }: Dispatcher,
): ClusterTiming {
  return {
    target,
    workers: workers.map((w) => `${w.id}: ${w.description}`),
    distribute,
    shared_angles: shared.aspects.size,
    efficiency: shared.longest > 0 ? shared.busy / shared.longest : null,
    resent: status.resent,
  }
}

/** Refuses what a cluster cannot do. */
function refuse({ method, schedule }: EngineRequest): void {
  if (method && method !== 'sbr')
    throw new InputError(`--cluster: --method ${method} runs on one machine; leave --cluster out`)
  if (schedule && schedule !== 'overlapped')
    throw new InputError(
      `--cluster: the schedule ${schedule} runs on one machine only; use --schedule overlapped`,
    )
}

/** How a worker prepares a run's target and opens its engines: as a local run does. */
export function openWorkerTarget(
  device: 'gpu' | 'cpu',
  workers: number | undefined,
): (spec: RunSpec, mesh: Mesh) => Promise<WorkerEngines> {
  return async ({ mesh: hash, smoothAngleDeg, curved, maxWedgeAngleDeg, subGrid }, mesh) => {
    const loaded = prepareRecipe('target', hash, { mesh, smoothAngleDeg, curved })
    const { facets, edges, close } = await openEngines(loaded, {
      device,
      // Each unit of work brings its own options; only whether edges are wanted counts here.
      sbr: { raysPerWavelength: 10, maxBounces: 5, subdivisions: 2 },
      diffraction: maxWedgeAngleDeg === undefined ? 'none' : 'tw-ildc',
      maxWedgeAngleDeg: maxWedgeAngleDeg ?? 160,
      // Or a target without edges has none for units of waves that need none.
      secondOrder: nothingConducts(loaded.target) ? undefined : WITHOUT_EDGES,
      workers,
      subGrid,
    })
    const tubes: WorkerEngines['tubes'] = (job) => {
      const { steps = [loaded] } = loaded
      const { scene } = steps[loaded.steps ? stepOfBand(loaded.steps, job.band) : 0]
      const { tilesI, tilesJ } = jobAperture(scene, job)
      return tilesI * tilesJ * TILE * TILE
    }
    return { sbr: facets as SbrEngine, edges: edges?.engine as EdgeThreads | undefined, tubes, close }
  }
}
