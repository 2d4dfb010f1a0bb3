import { availableParallelism } from 'node:os'
import { GpuError } from '../../gpu/index.js'
import {
  createCpuPropagation,
  type PropagationEngine,
  type PropagationSetup,
} from '../../propagation/index.js'
import { type FaultOptions, InputError } from '../../scene/index.js'
import { mayHaveGpu } from '../find-gpu.js'
import { faults } from '../solver.js'

/**
 * The engine of the device asked for; `auto` takes a hardware GPU where there is one that serves.
 * @param onFault  told of threads that fail and are replaced; stderr where absent
 */
export async function openPropagation(
  setup: PropagationSetup,
  device: 'auto' | 'gpu' | 'cpu',
  workers: number | undefined,
  onFault?: (message: string) => void,
): Promise<{ engine: PropagationEngine; reason: string; warnings: string[] }> {
  const threads = workers ?? availableParallelism()
  const watch = faults({ onFault })
  const gpu =
    device !== 'cpu' && mayHaveGpu() ? await openGpu(setup, device === 'auto', threads, watch) : null
  if (gpu && !(gpu instanceof GpuError))
    return { engine: gpu, reason: device === 'auto' ? 'a hardware GPU was found' : 'asked for', warnings: [] }
  if (device === 'gpu')
    throw new InputError(
      gpu
        ? `--device gpu: ${gpu.message}; use --device cpu, or see isar devices`
        : '--device gpu: no usable GPU was found (a Vulkan driver and libvulkan.so.1 are needed); use --device cpu, or see isar devices',
    )
  return {
    engine: createCpuPropagation(setup, threads, watch),
    reason: device === 'cpu' ? 'asked for' : gpu ? 'the GPU was refused' : 'no hardware GPU was found',
    warnings: gpu ? [`${gpu.message}; rays run on the cpu`] : [],
  }
}

/** The GPU's engine, null where there is no GPU, or the error of one that cannot serve. */
async function openGpu(
  setup: PropagationSetup,
  hardwareOnly: boolean,
  threads: number,
  watch: FaultOptions,
): Promise<PropagationEngine | GpuError | null> {
  const [{ openNodeGpu }, { createGpuPropagation }] = await Promise.all([
    import('../node-gpu.js'),
    import('../../propagation/index.js'),
  ])
  try {
    const context = await openNodeGpu(hardwareOnly)
    return context && createGpuPropagation(context, setup, undefined, threads, watch)
  } catch (error) {
    if (error instanceof GpuError) return error
    throw error
  }
}
