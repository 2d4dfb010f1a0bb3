import { createEdgeEngine, diffracts, type EdgeScene } from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import { cpuBackend, createFullWaveEngine, gpuBackend } from '../../full-wave/index.js'
import {
  describeGpu,
  type GpuContext,
  GpuSbrEngine,
  isSoftwareAdapter,
  openTestedDevice,
} from '../../gpu/index.js'
import type { Engines } from '../../pipeline/engines.js'
import type { RayScene, SbrOptions } from '../../rays/index.js'
import { InputError, type Target } from '../../scene/index.js'
import { edgesOverGround, raysOverGround } from '../../src/ground-engines.js'
import { DEFAULTS } from './defaults.js'
import type { GpuFound, SolveOptions } from './messages.js'

/** Most threads of a pool: without shared memory each holds a copy of the target. */
const MOST_THREADS = 16

export interface PreparedTarget {
  target: Target
  scene: RayScene
  edgeScene: EdgeScene
}

export interface PageEngines extends Engines {
  /** What computes, for the reader, and why where it is not what was asked for. */
  device: string
  /** Of the CPU. */
  threads: number
  notes: string[]
  close(): Promise<unknown>
}

const requestAdapter = async (): Promise<GPUAdapter | null> =>
  (await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' })) ?? null

export async function findGpu(): Promise<GpuFound | null> {
  const info = (await requestAdapter())?.info
  if (!info) return null
  const name = [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(' ')
  return { name: name || 'GPU', isSoftware: isSoftwareAdapter(info) }
}

/** The GPU as asked for: `auto` takes a hardware one where it works. */
async function openGpu(device: SolveOptions['device'], notes: string[]): Promise<GpuContext | null> {
  if (device === 'cpu') return null
  const adapter = await requestAdapter()
  if (device === 'gpu') {
    if (!adapter) throw new InputError('this browser gives no GPU to the page (WebGPU); choose the CPU')
    return openTestedDevice(adapter)
  }
  if (!adapter || isSoftwareAdapter(adapter.info)) return null
  return openTestedDevice(adapter).catch((error: Error) => {
    notes.push(`${error.message}; the CPU computes`)
    return null
  })
}

export const rayOptions = ({
  raysPerWavelength,
  maxBounces,
}: Pick<SolveOptions, 'raysPerWavelength' | 'maxBounces'>): SbrOptions => {
  const { subdivisions, formulation, sumTolerance } = DEFAULTS
  return { raysPerWavelength, maxBounces, subdivisions, formulation, sumTolerance }
}

/**
 * The engines of `openEngines` (src/solver.ts), with the browser's GPU and threads.
 * @throws InputError where a GPU is asked for in vain
 */
export async function openPageEngines(
  { target, scene, edgeScene }: PreparedTarget,
  { device, method, raysPerWavelength, maxBounces, edges, secondOrder }: SolveOptions,
): Promise<PageEngines> {
  const { ground } = target
  const notes: string[] = []
  const gpu = await openGpu(device, notes)
  const cores = Math.min(MOST_THREADS, navigator.hardwareConcurrency || 2)
  const options = rayOptions({ raysPerWavelength, maxBounces })
  if (method === 'mom') return openFullWave(target, gpu, { cores, notes, options, size: scene.size })
  const { diffraction, subGrid } = DEFAULTS
  const rays = gpu
    ? new GpuSbrEngine(gpu, scene, target.area, { subGrid })
    : createCpuEngine(scene, target.area, cores, subGrid)
  const facets = ground ? raysOverGround(rays, ground) : rays
  const workers = Math.max(1, cores < 8 ? cores - 1 : cores - 2)
  const engine = !(edges && diffracts(edgeScene, secondOrder))
    ? null
    : ground
      ? edgesOverGround(edgeScene, scene, ground, { workers })
      : createEdgeEngine(edgeScene, scene, { workers })
  return {
    size: scene.size,
    facets,
    options,
    edges: engine ? { engine, options: { diffraction, secondOrder } } : undefined,
    mechanisms: false,
    schedule: 'overlapped',
    device: facets.describe().text,
    threads: cores,
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

/** Without shared memory threads cannot work on one matrix: the solver's own thread does. */
function openFullWave(
  target: Target,
  gpu: GpuContext | null,
  { cores, ...given }: { cores: number } & Pick<PageEngines, 'notes' | 'options' | 'size'>,
): PageEngines {
  const workers = typeof SharedArrayBuffer === 'undefined' ? 0 : cores
  if (workers === 0)
    given.notes.push('full wave has one thread of the CPU: this page is not isolated from other origins')
  const backend = gpu ? gpuBackend(gpu, workers) : cpuBackend(workers)
  const cpu = { device: 'cpu', text: `cpu, ${backend.description}` } as const
  const facets = createFullWaveEngine(target, backend, gpu ? describeGpu(gpu, 1) : cpu)
  return {
    ...given,
    facets,
    mechanisms: false,
    schedule: 'overlapped',
    device: facets.describe().text,
    threads: Math.max(1, workers),
    close: async () => {
      await facets.close()
      gpu?.device.destroy()
    },
  }
}
