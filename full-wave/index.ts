/**
 * Full wave: a target in; its mesh for currents, the matrix of the method of moments, its factors and scattered fields out.
 * Runs in Node and in a browser. Conductors; time factor exp(+jωt); lengths [m], amplitudes F [m] about the mesh's origin.
 */
export {
  type AspectFields,
  createFullWaveEngine,
  type FrequencySolution,
  type FullWave,
  type FullWaveEngine,
  type FullWaveJob,
  type FullWaveReport,
  prepareFullWave,
} from './full-wave.js'
export { estimateSystem, estimateUnknowns, type FullWaveCost, fullWaveCost, type SystemSize } from './cost.js'
export {
  type CurrentMesh,
  type CurrentMeshOptions,
  meshForCurrents,
  meshQuality,
  type MeshQuality,
  triangleQualities,
} from './mesh-for-currents.js'
export type { Factors, MomentBackend, MomentSystem, Solution } from './backend.js'
export { fillRows } from './task.js'
export { rwgFunctions, type Functions } from './functions.js'
export { ELECTRIC, PairIntegrals } from './pair-integrals.js'
export { gpuBackend } from './gpu-backend.js'
export { cpuBackend } from './cpu-backend.js'
