import { availableParallelism } from 'node:os'
import { type GpuContext, GpuError } from '../gpu/index.js'
import {
  createCpuPropagation,
  createGpuPropagation,
  type PropagationEngine,
  type PropagationSetup,
} from '../propagation/index.js'
import { mayHaveGpu, refuseGpu, withGpu } from './find-gpu.js'
import { cappedWorkers, faults } from './solver.js'

/**
 * The engine of the device asked for; `auto` takes a hardware GPU where there is one that serves.
 * @param onFault  told of threads that fail and are replaced; stderr where absent
 */
export async function openPropagation(
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
