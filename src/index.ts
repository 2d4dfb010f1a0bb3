/** Library entry of isar: everything the command line is made of. */
export {
  buildRayScene,
  CHANNELS,
  direction,
  InputError,
  prepareTarget,
  type Aspect,
  type AspectField,
  type AspectResult,
  type Band,
  type Channel,
  type Direction,
  type Mesh,
  type RayScene,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
  type Target,
  type Vec3,
} from '../scene/index.js'
export { readMesh, readNpz, writeNpz, type NpyArray } from '../formats/index.js'
export {
  buildEdgeScene,
  createEdgeEngine,
  type EdgeEngine,
  type EdgeOptions,
} from '../cpu-diffraction/index.js'
export { createCpuEngine } from '../cpu-sbr/index.js'
export { GpuError, GpuSbrEngine, type GpuContext } from '../gpu/index.js'
export {
  antennaAxes,
  boxMesh,
  buildPropagation,
  createCpuPropagation,
  createGpuPropagation,
  imageTheory,
  joinMeshes,
  polygonMesh,
  type PropagationEngine,
  type PropagationPath,
  type PropagationResult,
  type PropagationScene,
} from '../propagation/index.js'
export { openNodeGpu } from './node-gpu.js'
export { loadTarget, openEngines, type LoadedTarget } from './solver.js'
export {
  rowField,
  RowStore,
  runSweep,
  SCHEDULES,
  solveAspect,
  type Engines,
  type Schedule,
  type SweepJob,
} from '../pipeline/index.js'
export * from '../isar/index.js'
