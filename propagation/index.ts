export { createCpuPropagation, type PropagationEngine, type PropagationResult } from './cpu-engine.js'
export { createGpuPropagation } from './gpu-engine.js'
export { type PropagationSetup, type Reception, RECEPTIONS, SUM } from './setup.js'
export { imageTheory } from './fields/image-theory.js'
export { rayCount, subdivisionFor } from './paths/geodesic.js'
export type { PropagationPath } from './paths/path-list.js'
export {
  convergence,
  convergenceCsv,
  type ConvergenceStep,
  propagationMeta,
  resultWarnings,
  shellWarnings,
} from './results/account.js'
export { KeptState } from './results/kept-state.js'
export { pathsCsv, propagationArrays, propagationCsv, PropagationTable } from './results/table.js'
export { antennaAxes } from './scene/antenna.js'
export {
  boxMesh,
  buildPropagation,
  joinMeshes,
  MAX_REFLECTIONS,
  polygonMesh,
  type PropagationScene,
} from './scene/build.js'
export { type LoadedScene, loadScene, openScene, type ReceiverSet, type SceneLimits, sceneNpz, withLimits } from './scene/load-scene.js' // prettier-ignore
export { checkScene, type SceneDescription, type SceneFile } from './scene/scene-file.js'
