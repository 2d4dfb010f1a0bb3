export { describeGpu, GpuError, GpuMemoryError, isSoftwareAdapter, type GpuContext } from './device.js'
export { openTestedDevice } from './tested-device.js'
export { GpuecoEngine, type GpuecoOptions } from './gpueco/engine.js'
export { GpuSbrEngine } from './sbr/engine.js'
export { gpuField } from './sbr/results.js'
export { GpuPropagation, type GpuPropagationOptions } from './propagation/engine.js'
export { type GpuBackprojection, GpuBackprojector, type GpuBackprojectorOptions } from './imaging/engine.js'
export {
  type DenseBlock,
  type DenseFill,
  type DenseHooks,
  type DenseSolution,
  DenseSolver,
} from './dense/solver.js'
export { warmKernels } from './sbr/kernels.js'
