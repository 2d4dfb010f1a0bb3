export {
  createCpuPropagation,
  createGpuPropagation,
  type PropagationEngine,
  type PropagationResult,
} from './engines.js'
export { antennaAxes, type PropagationSetup, type Reception, RECEPTIONS, SUM } from './setup.js'
export { imageTheory } from './fields/path-fields.js'
export { rayCount, subdivisionFor } from './paths/geodesic.js'
export type { PropagationPath } from './paths/path-walker.js'
export {
  convergence,
  convergenceCsv,
  type ConvergenceStep,
  pathsCsv,
  propagationArrays,
  propagationCsv,
  propagationMeta,
  PropagationTable,
  resultWarnings,
  shellWarnings,
} from './results/table.js'
export { KeptState } from './results/kept-state.js'
export {
  boxMesh,
  buildPropagation,
  joinMeshes,
  MAX_REFLECTIONS,
  polygonMesh,
  type PropagationScene,
} from './scene/build.js'
export {
  checkScene,
  type LoadedScene,
  loadScene,
  openScene,
  type ReceiverSet,
  type SceneDescription,
  type SceneFile,
  type SceneLimits,
  sceneNpz,
  withLimits,
} from './scene/load-scene.js'
