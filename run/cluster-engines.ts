import { Dispatcher } from './cluster/dispatcher.js'
import {
  release,
  type RunSpec,
  type SbrAnswer,
  unitAngles,
  unpackDoubles,
  unpackIntegers,
} from './cluster/wire.js'
import {
  type AdjustOptions,
  type Assignment,
  assignmentOf,
  type Distribution,
  SharedAperture,
} from './cluster/partition.js'
import { type WorkerEngines } from './cluster/worker.js'
import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  type EdgeEngine,
  type EdgeThreads,
  fieldsOf,
  sumCount,
  WITHOUT_EDGES,
} from '../cpu-diffraction/index.js'
import type { ClusterTiming } from './sweep/index.js'
import { type Aspect, InputError, type Mesh, projectedArea } from '../scene/index.js'
import {
  type AspectResult,
  jobAperture,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  TILE,
} from '../rays/index.js'
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
import { cpuField } from '../cpu-sbr/index.js'
import { gpuField } from '../gpu/index.js'
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

interface ClusterTarget {
  scene: RayScene
  /** One side of all facets [m^2]. */
  area: number
}

/** Aspects in flight where apertures are divided: one is computed, one waits, and one is combined or transferred. */
const SHARED_IN_FLIGHT = 3
/** Aspects in flight per aspect that keeps the workers busy, so that no worker waits for the next. */
const AHEAD = 2
/** Minimum number in flight, for workers that join later. */
const LEAST_IN_FLIGHT = 32

/** Assignment of aspects to workers, in the order in which they start. */
class Assignments {
  private readonly ordinals = new Map<Aspect, number>()
  /** Aspects whose aperture was divided; seconds of all their parts, and of as many as the longest of each division. */
  readonly shared = { aspects: new Set<Aspect>(), busy: 0, longest: 0 }
  /** Aspects of the run; set before it starts. */
  total = 0

  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly distribution: Distribution,
  ) {}

  of(aspect: Aspect): Assignment {
    const ordinal = this.ordinals.get(aspect) ?? this.ordinals.size
    this.ordinals.set(aspect, ordinal)
    return assignmentOf(this.distribution, ordinal, this.total, this.dispatcher.workers.length)
  }
}

/**
 * SBR by a cluster's workers as one engine, with the same results to the byte as a single worker. An aspect is sent whole to a
 * worker, or its aperture's parts to all of them, and their exact sums are added here. `partSeconds` are the parts' times.
 */
function clusterSbr(
  dispatcher: Dispatcher,
  assignments: Assignments,
  { scene, area }: ClusterTarget,
  distribution: Distribution,
  adjust: AdjustOptions,
): SbrEngine {
  const { kind, workers } = dispatcher
  const fieldOf = kind === 'gpu' ? gpuField : cpuField
  const shared = distribution === 'aperture' || distribution === 'uniform'
  /** Partitions by options and band: a coarser density has other times. */
  const apertures = new Map<string, SharedAperture>()
  const apertureOf = (job: SbrJob): SharedAperture => {
    const key = JSON.stringify([job.options, job.band])
    const known = apertures.get(key) ?? new SharedAperture(distribution === 'uniform' ? null : adjust)
    apertures.set(key, known)
    return known
  }

  const whole = async (job: SbrJob, worker: string | null, signal?: AbortSignal): Promise<AspectResult> => {
    const { aspect, band, options } = job
    const answer = await dispatcher.send(
      { what: 'sbr', ...unitAngles(aspect), band, options },
      worker,
      signal,
    )
    const { field, statistics, times, partSeconds } = answer
    return { field: fieldFrom(field, job), statistics, times, partSeconds }
  }

  const parts = async (job: SbrJob, signal?: AbortSignal): Promise<AspectResult> => {
    const { aspect, band, options } = job
    const aperture = apertureOf(job)
    const shares = aperture.share(
      jobAperture(scene, job),
      dispatcher.workers.map(({ id }) => id),
    )
    const answers = await Promise.all(
      shares.tiles.map((tiles, w) =>
        tiles === null
          ? null
          : dispatcher.send(
              { what: 'sbr', ...unitAngles(aspect), band, options, tiles },
              shares.workers[w],
              signal,
            ),
      ),
    )
    const seconds = answers.map((answer) => (answer ? busySeconds(answer) : 0))
    aperture.learn(shares, seconds)
    assignments.shared.aspects.add(aspect)
    assignments.shared.busy += seconds.reduce((s, t) => s + t, 0)
    assignments.shared.longest += seconds.length * Math.max(...seconds)
    dispatcher.status.parts = [Math.min(...seconds), Math.max(...seconds)]
    const found = answers.filter((answer) => answer !== null)
    const totals = addTotals(found)
    const sum = (of: (answer: SbrAnswer) => number): number => found.reduce((s, answer) => s + of(answer), 0)
    return {
      field: fieldOf(scene, area, job, totals),
      statistics: {
        tubes: sum((a) => a.statistics.tubes),
        rays: sum((a) => a.statistics.rays ?? 0),
        leaves: sum((a) => a.statistics.leaves),
        contributions: sum((a) => a.statistics.contributions),
        lit: sum((a) => a.statistics.lit ?? 0),
        cutOff: sum((a) => a.statistics.cutOff ?? 0),
      },
      times: {
        trace: sum((a) => a.times.trace),
        field: sum((a) => a.times.field),
        reduction: sum((a) => a.times.reduction),
        total: Math.max(...found.map((a) => a.times.total)),
      },
      partSeconds: seconds,
    }
  }

  const inFlight = Math.max(LEAST_IN_FLIGHT, AHEAD * workers.reduce((sum, w) => sum + w.capacity, 0))
  return {
    describe: () => ({
      device: kind,
      text: describe(dispatcher),
      aspectsInFlight: shared ? SHARED_IN_FLIGHT : inFlight,
    }),
    field(job, signal) {
      const assignment = assignments.of(job.aspect)
      if (assignment === 'shared') return parts(job, signal)
      return whole(job, assignment.worker === null ? null : dispatcher.workers[assignment.worker].id, signal)
    },
    close: () => Promise.resolve(),
  }
}

/** `cluster of 4: gpu, NVIDIA H200`. */
function describe({ workers }: Dispatcher): string {
  const kinds = [...new Set(workers.map((w) => w.description))]
  return `cluster of ${workers.length}: ${kinds.join('; ')}`
}

/** Device time of a part, or its total time where the device does not measure it. */
const busySeconds = ({ times: { trace, field, reduction, total } }: SbrAnswer): number =>
  trace + field + reduction || total

function fieldFrom(packed: string | undefined, { band }: Pick<SbrJob, 'band'>, sums = 1): Float64Array {
  const field = unpackDoubles(packed ?? '')
  if (field.length !== 8 * band.n * sums || !field.every(Number.isFinite))
    throw new Error(`a worker answered with ${field.length} numbers, or with non-finite ones`)
  return field
}

/** Sums modulo 2^64, as on the device. */
function addTotals(answers: SbrAnswer[]): BigInt64Array {
  const [first, ...others] = answers.map(({ totals }) => unpackIntegers(totals ?? ''))
  for (const other of others) {
    if (other.length !== first.length) throw new Error('workers answered with sums of different lengths')
    for (let i = 0; i < first.length; i++) first[i] += other[i]
  }
  return first
}

/**
 * Edge diffraction on the CPUs of the free workers: an aspect's edges as one unit where as many aspects are in flight as
 * there are workers, else in enough shares to keep all of them busy.
 * @param local  without threads: it only combines the shares
 */
function clusterEdges(
  dispatcher: Dispatcher,
  assignments: Assignments,
  local: EdgeThreads,
  distribution: Distribution,
): EdgeEngine {
  return {
    describe: () => ({ threads: 1 }),
    segments: (job) => local.segments(job),
    close: () => local.close(),
    async field(job, signal) {
      const { aspect, band, options } = job
      const start = performance.now()
      const workers = dispatcher.workers.length
      const together = distribution === 'auto' ? assignments.total % workers : SHARED_IN_FLIGHT
      const of = assignments.of(aspect) === 'shared' ? Math.ceil(workers / Math.max(1, together)) : 1
      const answers = await Promise.all(
        Array.from({ length: of }, (_, k) =>
          dispatcher.send(
            { what: 'edges', ...unitAngles(aspect), band, options, share: [k, of] },
            null,
            signal,
          ),
        ),
      )
      const sums = answers.map((answer) => ({
        sum: fieldFrom(answer.field, job, sumCount(options)),
        seconds: 0,
      }))
      const sum = (key: 'prepare' | 'evaluate'): number => answers.reduce((s, { times }) => s + times[key], 0)
      return {
        ...fieldsOf(job, local.finish({ job }, sums)),
        consideredSegments: answers[0].considered,
        visibleSegments: answers[0].visible,
        times: {
          prepare: sum('prepare'),
          evaluate: sum('evaluate'),
          total: (performance.now() - start) / 1000,
        },
      }
    },
  }
}
