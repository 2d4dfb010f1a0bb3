import {
  buildEdgeScene,
  createEdgeEngine,
  diffracts,
  edgeEnds,
  type EdgeOptions,
  type EdgeScene,
  SECOND_ORDER,
} from '../../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../../cpu-sbr/index.js'
import { cpuBackend, createFullWaveEngine, gpuBackend } from '../../../full-wave/index.js'
import {
  describeGpu,
  type GpuContext,
  GpuSbrEngine,
  isSoftwareAdapter,
  openTestedDevice,
} from '../../../gpu/index.js'
import type { Engines } from '../../../run/sweep/engines.js'
import { buildRayScene, type RayScene, type SbrOptions } from '../../../rays/index.js'
import {
  describeReport,
  InputError,
  leftOutRemarks,
  type Mesh,
  prepareTarget,
  scaleMesh,
  type Target,
} from '../../../scene/index.js'
import { edgesOverGround, raysOverGround } from '../../../run/ground.js'
import { type Answer, DEFAULTS, type GpuFound, type MeshGiven, type SolveOptions } from './messages.js'
import { giveFiles, machine, totalmem } from './node.js'
import { FilesHash } from '../../../formats/files-hash.js'
import { readMesh } from '../../../formats/read-mesh.js'
import { withMaterials } from '../../../formats/target-materials.js'
import { overGround, withoutImage } from '../../../scene/ground/index.js'
import { BUILT_IN } from '../../../scene/materials/index.js'

/** Most threads of a pool. */
const MOST_THREADS = 16

export interface PreparedTarget {
  target: Target
  scene: RayScene
  edgeScene: EdgeScene
}

export interface PageEngines extends Engines {
  /** What computes, for the reader, and why where it is not what was asked for. */
  device: string
  /** Of the edges, or of full wave. */
  threads: number
  notes: string[]
  close(): Promise<unknown>
}

const requestAdapter = async (): Promise<GPUAdapter | null> =>
  (await machine().gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? null

export async function findGpu(): Promise<GpuFound | null> {
  const info = (await requestAdapter())?.info
  if (!info) return null
  const name = [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(' ')
  return { name: name || 'GPU', isSoftware: isSoftwareAdapter(info) }
}

export const NO_GPU = 'this browser gives no GPU to the page (WebGPU); choose the CPU'

/** The GPU as asked for: `auto` takes a hardware one where it works. */
async function openGpu(device: SolveOptions['device'], notes: string[]): Promise<GpuContext | null> {
  if (device === 'cpu') return null
  const adapter = await requestAdapter()
  if (device === 'gpu') {
    if (!adapter) throw new InputError(NO_GPU)
    return openTestedDevice(adapter)
  }
  if (!adapter || isSoftwareAdapter(adapter.info)) return null
  return openTestedDevice(adapter).catch((error: Error) => {
    notes.push(`${error.message}; the CPU computes`)
    return null
  })
}

/** Bytes of arrays, wherever in a scene. */
const bytesOf = (of: unknown): number =>
  ArrayBuffer.isView(of)
    ? of.byteLength
    : of && typeof of === 'object'
      ? Object.values(of).reduce((sum: number, part) => sum + bytesOf(part), 0)
      : 0

/**
 * Threads of rays and of edges. Without shared memory each holds a copy of the target: no more of them than half of the page's memory has room
 * for, one of each for a large target. A GPU leaves cores to what drives it; without one edges may be most of the work.
 */
export function threadsOf(
  { scene }: Pick<PreparedTarget, 'scene'>,
  isCpu: boolean,
): {
  rays: number
  edges: number
  isOne: boolean
} {
  const cores = Math.min(MOST_THREADS, machine().hardwareConcurrency || 2)
  const copies = isShared() ? Infinity : totalmem() / 2 / bytesOf(scene)
  const rays = Math.max(1, Math.min(cores, Math.floor(copies / 2)))
  const edges = isCpu ? rays : Math.max(1, rays < 8 ? rays - 1 : rays - 2)
  return { rays, edges, isOne: rays === 1 && cores > 1 }
}

/** Whether threads share memory: in a page that is isolated from other origins. */
const isShared = (): boolean => typeof SharedArrayBuffer !== 'undefined'

export const rayOptions = ({
  raysPerWavelength,
  maxBounces,
}: Pick<SolveOptions, 'raysPerWavelength' | 'maxBounces'>): SbrOptions => {
  const { subdivisions, sumTolerance } = DEFAULTS
  return { raysPerWavelength, maxBounces, subdivisions, sumTolerance }
}

export const edgeOptions = ({ secondOrder }: Pick<SolveOptions, 'secondOrder'>): EdgeOptions => ({
  diffraction: DEFAULTS.diffraction,
  secondOrder: secondOrder ? SECOND_ORDER : [],
})

/**
 * The engines of `openEngines` (run/solver.ts), with the browser's GPU and threads.
 * @throws InputError where a GPU is asked for in vain
 */
export async function openPageEngines(
  prepared: PreparedTarget,
  { device, method, raysPerWavelength, maxBounces, edges, secondOrder }: SolveOptions,
): Promise<PageEngines> {
  const { target, scene, edgeScene } = prepared
  const { ground } = target
  const notes: string[] = []
  const gpu = await openGpu(device, notes)
  const threads = threadsOf(prepared, gpu === null)
  if (threads.isOne) notes.push('this page is not isolated from other origins: one thread, since each would hold a copy of the target') // prettier-ignore
  const options = rayOptions({ raysPerWavelength, maxBounces })
  if (method === 'mom') return openFullWave(target, gpu, { notes, options })
  const { subGrid } = DEFAULTS
  const ofEdges = edgeOptions({ secondOrder })
  const rays = gpu
    ? new GpuSbrEngine(gpu, scene, target.area, { subGrid })
    : createCpuEngine(scene, target.area, threads.rays, subGrid)
  const facets = ground ? raysOverGround(rays, ground) : rays
  const workers = threads.edges
  const engine = !(edges && diffracts(edgeScene, ofEdges.secondOrder))
    ? null
    : ground
      ? edgesOverGround(edgeScene, scene, ground, { workers })
      : createEdgeEngine(edgeScene, scene, { workers })
  return {
    facets,
    options,
    edges: engine ? { engine, options: ofEdges } : undefined,
    schedule: 'overlapped',
    device: facets.describe().text,
    threads: threads.edges,
    notes,
    close: () => Promise.all([engine?.close(), facets.close()]),
  }
}

/** @throws InputError for a target that is no perfect conductor in free space */
export function refuseFullWave({ facetMaterial, materials, ground }: Target): void {
  if (!facetMaterial && !ground) return
  const what = facetMaterial ? `the target has facets of "${materials[1].name}"` : 'there is a ground'
  throw new InputError(`${what}, but full wave computes perfect conductors in free space; choose rays`)
}

/** Threads of full wave beside the solver's own. */
export const fullWaveThreads = (): number =>
  isShared() ? Math.min(MOST_THREADS, machine().hardwareConcurrency || 2) : 0

/** Without shared memory threads cannot work on one matrix: the solver's own thread does. */
function openFullWave(
  target: Target,
  gpu: GpuContext | null,
  given: Pick<PageEngines, 'notes' | 'options'>,
): PageEngines {
  const workers = fullWaveThreads()
  if (workers === 0)
    given.notes.push('full wave has one thread of the CPU: this page is not isolated from other origins')
  const backend = gpu ? gpuBackend(gpu, workers) : cpuBackend(workers)
  const cpu = { device: 'cpu', text: `cpu, ${backend.description}` } as const
  const facets = createFullWaveEngine(target, backend, gpu ? describeGpu(gpu, 1) : cpu)
  return {
    ...given,
    schedule: 'overlapped',
    facets,
    device: facets.describe().text,
    threads: Math.max(1, workers),
    close: async () => {
      await facets.close()
      gpu?.device.destroy()
    },
  }
}

export interface OpenedTarget extends PreparedTarget {
  /** Names of the mesh's groups, and of the materials that may be given to them. */
  groups: string[]
  materialNames: string[]
  mediumNames: string[]
  /** Remarks on the mesh's file and repairs. */
  warnings: string[]
  /** Of the mesh itself [m]. */
  radiusM: number
  gpu: GpuFound | null
}

/** The target as `loadTarget` and `prepareRecipe` (run/loaded-target.ts) prepare it. @throws InputError */
export async function openTarget(given: MeshGiven): Promise<OpenedTarget> {
  const [{ mesh, materials, media }, gpu] = await Promise.all([meshOf(given), findGpu().catch(() => null)])
  const own = prepareTarget(mesh, { smoothAngleDeg: DEFAULTS.smoothAngleDeg })
  const target = mesh.ground ? overGround(own, DEFAULTS.smoothAngleDeg) : own
  const scene = buildRayScene(target)
  const angle = 'mesh' in given ? given.maxWedgeAngleDeg : DEFAULTS.maxWedgeAngleDeg
  return {
    target,
    scene,
    edgeScene: buildEdgeScene(target, angle, scene.origin),
    groups: (mesh.facetGroup && mesh.groupNames) ?? [],
    materialNames: ['conductor', ...materials],
    mediumNames: [...media, ...BUILT_IN.map(({ medium }) => medium.name)],
    warnings: [...leftOutRemarks(mesh), ...describeReport(target.report)],
    radiusM: own.diagonal / 2,
    gpu,
  }
}

interface Names {
  materials: string[]
  media: string[]
}

async function meshOf(given: MeshGiven): Promise<{ mesh: Mesh } & Names> {
  if ('mesh' in given) return { mesh: given.mesh, materials: [], media: [] }
  const { name, files, units, made } = given
  giveFiles(files)
  const mesh = scaleMesh(await readMesh(name), units)
  return { mesh: await withMaterials(mesh, made), ...(await namesIn(made.materials)) }
}

/** Names of a materials file. */
async function namesIn(file: string | undefined): Promise<Names> {
  if (file === undefined) return { materials: [], media: [] }
  // Loaded on demand: its schema is large.
  const { readMaterials } = await import('../../../formats/materials-file.js')
  const { materials, media } = await readMaterials(file, new FilesHash())
  return { materials: [...materials.keys()], media: [...media.keys()] }
}

/** What the page is told of a target: without the mirror image that a ground adds. */
export function answerOf(
  id: number,
  { target, edgeScene, groups, materialNames, mediumNames, warnings, radiusM, gpu }: OpenedTarget,
): Answer {
  const { ground, materials } = target
  const { positions, triangles, facetMaterial } = withoutImage(target)
  const { edgesM } = edgeEnds(edgeScene, ground?.height)
  return {
    id,
    kind: 'target',
    target: {
      positions: positions.slice(),
      triangles: triangles.slice(),
      edges: edgesM,
      groundM: ground?.height,
      ...(facetMaterial && { facetMaterial: Uint8Array.from(facetMaterial) }),
    },
    facets: triangles.length / 3,
    radiusM,
    groups,
    materials,
    materialNames,
    mediumNames,
    warnings,
    gpu,
  }
}
