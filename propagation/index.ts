export { antennaAxes, type Antenna, type Pattern, type PatternTable, type Polarisation } from './antenna.js'
export { buildPropagation, MAX_REFLECTIONS, type PropagationScene } from './build.js'
export { channelFigures, type ChannelFigures } from './channel.js'
export {
  createCpuPropagation,
  type PropagationEngine,
  type PropagationResult,
  type PropagationRun,
} from './cpu-engine.js'
export { createGpuPropagation } from './gpu-engine.js'
export { rayCount, subdivisionFor } from './geodesic.js'
export { boxMesh, joinMeshes, polygonMesh, SIDES } from './geometry.js'
export { imageTheory, type ImageLink, type ImageResult, type ImageRoom } from './image-theory.js'
export { MATERIAL_NAMES, namedMaterial, type Material } from './materials.js'
export type { PropagationPath } from './path-list.js'
export { newState, type PropagationState } from './total.js'
export { insideSolids } from './solids.js'
export {
  PATH_UNIT,
  RECEPTIONS,
  SUM,
  type Excitation,
  type PropagationSetup,
  type Reception,
} from './setup.js'
