/**
 * Full wave: a target in; its mesh for currents, the matrix of the method of moments, its factors and scattered fields out.
 * Runs in Node and in a browser. Conductors; time factor exp(+jωt); lengths [m], amplitudes F [m] about the mesh's origin.
 */
export {
  type AspectFields,
  createFullWaveEngine,
  estimateSystem,
  estimateUnknowns,
  type FrequencySolution,
  type FullWave,
  fullWaveCost,
  type FullWaveCost,
  type FullWaveEngine,
  type FullWaveJob,
  type FullWaveReport,
  prepareFullWave,
  type SystemSize,
} from './full-wave.js'
export {
  type CurrentMesh,
  type CurrentMeshOptions,
  meshForCurrents,
  meshQuality,
  type MeshQuality,
  triangleQualities,
} from './mesh-for-currents.js'
export { cpuBackend, type Factors, type MomentBackend, type MomentSystem, type Solution } from './backend.js'
export { fillRows } from './task.js'
export { rwgFunctions, type Functions } from './functions.js'
export { ELECTRIC, PairIntegrals } from './pair-integrals.js'
export { gpuBackend } from './gpu-backend.js'
