import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname } from 'node:path'
import { buildEdgeScene, createEdgeEngine, type Truncation } from '../cpu-diffraction/index.js'
import { createCpuEngine } from '../cpu-sbr/index.js'
import { readMesh } from '../formats/index.js'
import {
  buildRayScene,
  describeReport,
  InputError,
  prepareTarget,
  type RayScene,
  type SbrEngine,
  type SbrOptions,
  scaleMesh,
  type Target,
  type Unit,
} from '../scene/index.js'
import type { Engines, Schedule } from '../pipeline/index.js'

export interface LoadedTarget {
  /** File name without folder and ending. */
  name: string
  target: Target
  scene: RayScene
  /** SHA-256 of the file. */
  hash: string
  /** One line each on what is odd about the mesh. */
  warnings: string[]
}

/** Reads a mesh and makes it ready. @throws InputError for anything wrong with the file. */
export async function loadTarget(path: string, units: Unit, smoothAngleDeg: number): Promise<LoadedTarget> {
  const mesh = scaleMesh(await readMesh(path), units)
  const target = prepareTarget(mesh, { smoothAngleDeg })
  return {
    name: basename(path, extname(path)),
    target,
    scene: buildRayScene(target),
    hash: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
    warnings: describeReport(target.report),
  }
}

export interface EngineRequest {
  device: 'auto' | 'gpu' | 'cpu'
  sbr: SbrOptions
  diffraction: Truncation | 'none'
  maxWedgeAngleDeg: number
  mechanisms: boolean
  schedule: Schedule
  /** Worker threads; all cores for SBR on the cpu, all but one for diffraction where absent. */
  workers?: number
  subGrid: number
}

export interface OpenEngines extends Engines {
  /** Why the device, for the plan. */
  reason: string
  /** Worker threads of SBR on the cpu. */
  sbrWorkers: number
  close: () => Promise<void>
}

/**
 * The engines of a run. Device `auto` takes a hardware GPU where there is one, else the cpu; `gpu` also takes a
 * software adapter. @throws InputError when a GPU is asked for and absent.
 */
export async function openEngines(loaded: LoadedTarget, request: EngineRequest): Promise<OpenEngines> {
  const { scene, target } = loaded
  const cores = availableParallelism()
  const { sbr, reason } = await openSbr(loaded, request, request.workers ?? cores)
  const wanted = request.diffraction !== 'none' && request.sbr.onlyBounce === undefined
  const edgeScene = wanted ? buildEdgeScene(target, request.maxWedgeAngleDeg, scene.origin) : null
  const edges =
    edgeScene && edgeScene.count > 0
      ? {
          engine: createEdgeEngine(edgeScene, scene, {
            workers: request.workers ?? Math.max(1, cores - 1),
            onFault: (message) => process.stderr.write(`warning: ${message}\n`),
          }),
          options: { diffraction: request.diffraction as Truncation },
        }
      : undefined
  return {
    sbr,
    options: request.sbr,
    edges,
    mechanisms: request.mechanisms,
    schedule: request.schedule,
    reason,
    sbrWorkers: request.workers ?? cores,
    close: async () => {
      await Promise.all([sbr.close(), edges?.engine.close()])
    },
  }
}

async function openSbr(
  { scene, target }: LoadedTarget,
  { device, subGrid }: EngineRequest,
  workers: number,
): Promise<{ sbr: SbrEngine; reason: string }> {
  if (device !== 'cpu' && mayHaveGpu()) {
    const { openNodeGpu } = await import('./node-gpu.js')
    const context = await openNodeGpu(device === 'auto')
    if (context) {
      const { GpuSbrEngine } = await import('../gpu/sbr/engine.js')
      return {
        sbr: new GpuSbrEngine(context, scene, target.area, { subGrid }),
        reason: device === 'auto' ? 'a hardware GPU was found' : 'asked for',
      }
    }
  }
  if (device === 'gpu')
    throw new InputError(
      '--device gpu: no usable GPU was found (a Vulkan driver and libvulkan.so.1 are needed); use --device cpu, or see isar devices',
    )
  return {
    sbr: createCpuEngine(scene, target.area, workers, subGrid),
    reason: device === 'cpu' ? 'asked for' : 'no hardware GPU was found',
  }
}

/** Whether it is worth loading the GPU library: a device file, or a driver named in the environment. */
export function mayHaveGpu(): boolean {
  if (process.platform !== 'linux') return true
  if (process.env.VK_ICD_FILENAMES || process.env.VK_DRIVER_FILES) return true
  if (existsSync('/dev/nvidiactl') || existsSync('/dev/nvidia0') || existsSync('/dev/dxg')) return true
  return existsSync('/dev/dri') && readdirSync('/dev/dri').some((f) => f.startsWith('render'))
}
