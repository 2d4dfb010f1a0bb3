import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { createCpuEngine } from '../cpu-sbr/engine.js'
import { readMesh } from '../formats/read-mesh.js'
import { describeReport } from '../scene/audit.js'
import { InputError } from '../scene/errors.js'
import { buildRayScene, type RayScene } from '../scene/ray-scene.js'
import type { SbrEngine } from '../scene/sbr.js'
import { prepareTarget, type Target } from '../scene/target.js'
import { scaleMesh, type Unit } from '../scene/units.js'

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

export interface EngineChoice {
  engine: SbrEngine
  /** Why this one, for the plan. */
  reason: string
}

/**
 * The engine for `--device`. `auto` takes a hardware GPU where there is one, else the cpu; `gpu` also takes a
 * software adapter. @throws InputError when a GPU is asked for and absent.
 */
export async function openEngine(
  { scene, target }: LoadedTarget,
  device: 'auto' | 'gpu' | 'cpu',
  workers: number,
  subGrid: number,
): Promise<EngineChoice> {
  if (device !== 'cpu' && mayHaveGpu()) {
    const { openNodeGpu } = await import('./node-gpu.js')
    const context = await openNodeGpu(device === 'auto')
    if (context) {
      const { GpuSbrEngine } = await import('../gpu/sbr/engine.js')
      return {
        engine: new GpuSbrEngine(context, scene, target.area, { subGrid }),
        reason: device === 'auto' ? 'a hardware GPU was found' : 'asked for',
      }
    }
  }
  if (device === 'gpu')
    throw new InputError(
      '--device gpu: no usable GPU was found (a Vulkan driver and libvulkan.so.1 are needed); use --device cpu, or see isar devices',
    )
  return {
    engine: createCpuEngine(scene, target.area, workers),
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
