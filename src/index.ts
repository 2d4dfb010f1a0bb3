/** Library entry of isar: everything the command line is made of. */
export { InputError } from '../scene/errors.js'
export type { Mesh } from '../scene/mesh.js'
export { direction, type Aspect, type Direction, type Vec3 } from '../scene/direction.js'
export type { Band } from '../scene/band.js'
export { prepareTarget, type Target } from '../scene/target.js'
export { buildRayScene, type RayScene } from '../scene/ray-scene.js'
export {
  CHANNELS,
  type AspectField,
  type AspectResult,
  type Channel,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
} from '../scene/sbr.js'
export { readMesh } from '../formats/read-mesh.js'
export { readNpz, writeNpz, type NpyArray } from '../formats/npz.js'
export {
  buildEdgeScene,
  createEdgeEngine,
  type EdgeEngine,
  type EdgeOptions,
} from '../cpu-diffraction/index.js'
export { createCpuEngine } from '../cpu-sbr/engine.js'
export { GpuSbrEngine } from '../gpu/sbr/engine.js'
export { GpuError, type GpuContext } from '../gpu/device.js'
export { openNodeGpu } from './node-gpu.js'
export { loadTarget, openEngines, type LoadedTarget } from './solver.js'
export { solveAspect, type Engines } from '../pipeline/aspect-solver.js'
export { RowStore } from '../pipeline/row-store.js'
export { SCHEDULES, type Schedule } from '../pipeline/schedule.js'
export { rowField, runSweep, type SweepJob } from '../pipeline/sweep.js'
export * from '../isar/index.js'
