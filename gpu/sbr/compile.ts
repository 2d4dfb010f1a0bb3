import { type RayScene, type SbrJob, SUM_TOLERANCE } from '../../scene/index.js'
import { compileKernel } from '../kernel.js'
import {
  aspectKernels,
  FREQUENCY_LANES,
  SBR_KERNELS,
  type SbrKernels,
  traversalConstants,
  withPlaces,
  withTraversal,
} from './kernels.js'
import type { Traversal } from './scene-buffers.js'

/** Frequencies from which interpolation between nodes is the faster sum (docs/frequency-sum.md). */
const NODES_FROM = 48
/** Digits of such sums, at the most: single precision has no more. */
const MAX_DIGITS = 7

/** Kernels of an engine, compiled when a job first asks for them. */
export type KernelCache = Map<string, Promise<SbrKernels>>

/** The kernels of a job. Rejects with GpuError where one does not compile. */
export function compiledKernels(
  device: GPUDevice,
  cache: KernelCache,
  scene: RayScene,
  traversal: Traversal,
  job: SbrJob,
): Promise<SbrKernels> {
  const lanes = Math.min(FREQUENCY_LANES, 2 ** Math.ceil(Math.log2(job.band.n)))
  const { frequencySum = 'auto', sumTolerance = SUM_TOLERANCE, adaptive = false } = job.options
  const fast = frequencySum === 'auto' ? job.band.n >= NODES_FROM : frequencySum === 'fast' && job.band.n > 1
  const constants = {
    ...traversalConstants(scene, traversal, job.options.maxBounces),
    FREQUENCY_LANES: lanes,
    SUM_DIGITS: fast ? Math.min(MAX_DIGITS, Math.ceil(-Math.log10(sumTolerance))) : 0,
  }
  const look = job.look !== undefined
  const key = [...Object.values(constants), adaptive, look].join()
  let kernels = cache.get(key)
  if (!kernels) {
    kernels = Promise.all(
      aspectKernels(adaptive, fast, look).map(async (name) => {
        const contract = withTraversal(SBR_KERNELS[name], traversal)
        return [name, await compileKernel(device, look ? withPlaces(contract) : contract, constants)]
      }),
    ).then((pairs) => Object.fromEntries(pairs) as SbrKernels)
    cache.set(key, kernels)
  }
  return kernels
}
