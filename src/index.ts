/**
 * Library entry of isar: calls that do what the command line does, and the parts that both are made of.
 * @module
 */

declare global {
  // Types that the parts below mention, for programs without @types/node, the DOM's and @webgpu/types; where one is installed they are its own.
  interface AbortSignal {}
  interface URL {}
  interface GPUAdapter {}
  interface GPUAdapterInfo {}
  interface GPUBindGroup {}
  interface GPUBindGroupLayout {}
  interface GPUBuffer {}
  interface GPUCommandEncoder {}
  interface GPUComputePassDescriptor {}
  interface GPUComputePipeline {}
  interface GPUDevice {}
  interface GPURenderPipeline {}
  interface GPUTextureView {}
}

// The calls: each opens threads and devices of its own and releases them before its promise settles.
export { findCentres, type FindCentresOptions, type FoundCentres } from './library/centres.js'
export { compare, type CompareOptions, type Comparison as ResultComparison } from './compare-results.js'
export { dataset, type DatasetOptions, type DatasetResult } from './library/dataset.js'
export { doppler, type DopplerOptions, type DopplerResult, saveDoppler } from './doppler/output.js'
export type { ComputedDoppler, PulseHistory } from '../run/doppler/compute.js'
export type { LoadedMotion, MotionDescription, MotionError } from '../run/motion/index.js'
export type { CallOptions, Progress } from '../run/job.js'
export { type LoadedTarget, loadTarget } from '../run/loaded-target.js'
export type { MeshArrays, MeshSource } from '../run/mesh-source.js'
export { image, type ImageOptions, type ImageResult } from './imaging/image-job.js'
export { validate, type ValidateOptions, type ValidateResult } from './library/validate.js'
export { propagate, type PropagateOptions, type PropagateResult, savePropagation } from './propagate.js'
export { rcs, type Angles, type RcsOptions, type RcsResult, saveRcs } from './library/rcs.js'
export {
  type BandRange,
  type ByChannel,
  type ChannelsOf,
  renderImage,
  type RenderOptions,
  type RenderResult,
  saveRender,
  type SaveRenderOptions,
} from './render.js'
export type { SaveOptions } from '../run/results.js'
export type { FieldHistory, ImageSettings } from '../run/formed-images.js'
export type { RcsTable } from '../formats/rcs-table.js'
export type { ResolvedSettings, SolverSettings } from '../run/settings/settings.js'
export {
  antennaAxes,
  boxMesh,
  buildPropagation,
  type ConvergenceStep,
  createCpuPropagation,
  createGpuPropagation,
  imageTheory,
  joinMeshes,
  type LoadedScene,
  polygonMesh,
  type PropagationEngine,
  type PropagationPath,
  type PropagationResult,
  type PropagationScene,
  type PropagationTable,
  type ReceiverSet,
  type SceneDescription,
  type SceneFile,
  type SceneLimits,
} from '../propagation/index.js'
export { VERSION } from '../run/version.js'

// The parts.
export {
  buildRayScene,
  CHANNELS,
  type AspectField,
  type AspectResult,
  type Channel,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
} from '../rays/index.js'
export {
  direction,
  InputError,
  prepareTarget,
  type Aspect,
  type Band,
  type Direction,
  type Mesh,
  type Target,
  type Unit,
  type Vec3,
} from '../scene/index.js'
export {
  type ArrayFormat,
  type MaterialChoice,
  type MaterialsDescription,
  type NpyArray,
  readMesh,
  readNpz,
  writeNpz,
} from '../formats/index.js'
export {
  buildEdgeScene,
  createEdgeEngine,
  type EdgeEngine,
  type EdgeOptions,
  type SecondOrder,
} from '../cpu-diffraction/index.js'
export { createCpuEngine } from '../cpu-sbr/index.js'
export { GpuError, GpuSbrEngine, type GpuContext } from '../gpu/index.js'
export { openNodeGpu } from '../run/node-gpu.js'
export { openEngines, type EngineRequest, type OpenEngines, type Traversal } from '../run/solver.js'
export {
  memoryRows,
  rowField,
  RowStore,
  runSweep,
  SCHEDULES,
  solveAspect,
  type Engines,
  type Rows,
  type Schedule,
  type SweepJob,
  type TimingReport,
} from '../run/sweep/index.js'
export * from '../isar/index.js'
