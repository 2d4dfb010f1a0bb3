import { type RayScene, type SbrJob, type SbrOptions, SUM_TOLERANCE } from '../../rays/index.js'
import { compileKernel, type KernelContract, kernelSource } from '../kernel.js'
import {
  aspectKernels,
  FREQUENCY_LANES,
  type KernelName,
  SBR_KERNELS,
  type SbrKernels,
  sbrConstants,
  withHitSums,
  withSheets,
  withTraversal,
} from './kernels.js'
import { tailWords } from './layouts.js'
import { MATERIAL_COSINES, type Traversal } from './scene-buffers.js'

/** Frequencies from which interpolation between nodes is the faster sum (docs/numerics.md). */
const NODES_FROM = 48
/** Digits of such sums, at the most: single precision has no more. */
const MAX_DIGITS = 7

/** Kernels of an engine, compiled when a job first asks for them. */
export type KernelCache = Map<string, Promise<SbrKernels>>

/**
 * The kernels of a job. Rejects with GpuError where one does not compile.
 *
 * @param pathWords  of a target with sheets: words of a path at the most
 */
export function compiledKernels(
  device: GPUDevice,
  cache: KernelCache,
  scene: RayScene,
  traversal: Traversal,
  job: SbrJob,
  pathWords = 0,
): Promise<SbrKernels> {
  const extrapolates = job.extrapolation !== undefined
  const { constants: usual, fast } = specialised(scene, traversal, job.options, job.band.n)
  const constants = pathWords ? { ...usual, MAX_WORDS: pathWords, TAIL_WORDS: tailWords(pathWords) } : usual
  const hasMaterials = scene.materials !== undefined
  const key = [...Object.values(constants), extrapolates].join()
  let kernels = cache.get(key)
  if (!kernels) {
    kernels = Promise.all(
      aspectKernels(fast, extrapolates, hasMaterials).map(async (name) => [
        name,
        await compileKernel(device, contractOf(name, traversal, extrapolates, pathWords > 0), constants),
      ]),
    ).then((pairs) => Object.fromEntries(pairs) as SbrKernels)
    cache.set(key, kernels)
  }
  return kernels
}

/**
 * Compiles what the jobs to come will ask for and does not depend on the scene, one kernel in a round of the event loop. Failures
 * are reported to whoever asks for the kernel.
 *
 * @param n             frequencies of the band
 * @param hasMaterials  whether the target will have some; sheets among them take kernels of their own
 */
export async function warmKernels(
  device: GPUDevice,
  options: SbrOptions,
  n: number,
  extrapolates: boolean,
  hasMaterials = false,
): Promise<void> {
  const { constants, fast } = specialised({ depth: 0 }, 'lists', options, n)
  for (const name of aspectKernels(fast, extrapolates, hasMaterials)) {
    const contract = contractOf(name, 'lists', extrapolates)
    if (kernelSource(contract, constants).includes('const STACK_SIZE')) continue
    compileKernel(device, contract, constants).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve))
  }
}

function contractOf(
  name: KernelName,
  traversal: Traversal,
  extrapolates: boolean,
  sheets = false,
): KernelContract {
  const contract = extrapolates ? withHitSums(SBR_KERNELS[name]) : SBR_KERNELS[name]
  return withTraversal(sheets ? withSheets(contract) : contract, traversal)
}

/** What kernels are compiled for. */
function specialised(
  scene: Pick<RayScene, 'depth' | 'materials'>,
  traversal: Traversal,
  options: SbrOptions,
  n: number,
): { constants: Record<string, number>; fast: boolean } {
  const { frequencySum, sumTolerance = SUM_TOLERANCE, maxBounces } = options
  const fast = frequencySum === undefined ? n >= NODES_FROM : frequencySum === 'fast' && n > 1
  const constants = {
    ...sbrConstants(scene, traversal, maxBounces),
    // Of the table of coefficients, where a ground's begin; 0: no ground.
    GROUND_SIDE: scene.materials?.ground ? 2 * scene.materials.list.length : 0,
    MATERIAL_COSINES,
    FREQUENCY_LANES: Math.min(FREQUENCY_LANES, 2 ** Math.ceil(Math.log2(n))),
    SUM_DIGITS: fast ? Math.min(MAX_DIGITS, Math.ceil(-Math.log10(sumTolerance))) : 0,
  }
  return { constants, fast }
}
