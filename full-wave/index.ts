/**
 * Full wave: a target in; its mesh for currents, the matrix of the method of moments, its factors and scattered fields out.
 * Runs in Node and in a browser. Conductors; time factor exp(+jωt); lengths [m], amplitudes F [m] about the mesh's origin.
 */
export { createFullWaveEngine } from './engine.js'
export type { FrequencySolution, FullWaveEngine, FullWaveJob, FullWaveReport } from './engine.js'
export { type FullWaveCost, fullWaveCost } from './cost.js'
export type { CurrentMesh } from './current-mesh.js'
export type { Factors, MomentBackend, MomentSystem, Solution } from './backend.js'
export { fillRows } from './fill.js'
export { rwgFunctions, type Functions } from './functions.js'
export { ELECTRIC, PairIntegrals } from './pair-integrals.js'
export { gpuBackend } from './gpu-backend.js'
export { cpuBackend } from './cpu-backend.js'
export { type AspectFields, type FullWave, prepareFullWave } from './full-wave.js'
export { meshForCurrents, type CurrentMeshOptions } from './mesh-for-currents.js'
export { meshQuality, triangleQualities, type MeshQuality } from './mesh-quality.js'
export { estimateSystem, estimateUnknowns, type SystemSize } from './estimate-unknowns.js'
