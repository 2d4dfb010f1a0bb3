export {
  TILE,
  fitAperture,
  subGrids,
  tubeCount,
  wholeAperture,
  type Aperture,
  type TileRange,
} from './aperture.js'
export { gordonCoefficients, gordonSum, sinc } from './gordon.js'
export { buildBvh, type Bvh } from './bvh.js'
export { LitParts } from './lit-parts.js'
export { facetDistance, insideFacet, RayCaster } from './ray-caster.js'
export {
  DOUBLE_OFFSET,
  DOUBLE_TOLERANCE,
  GRAZING_COSINE,
  buildRayScene,
  enlargedCorners,
  facetGradients,
  facetPlanes,
  moveTo,
  takePoints,
  withoutLists,
  withRopes,
  type FacetScene,
  type RayScene,
} from './ray-scene.js'
export type { SceneMaterials } from './scene-materials.js'
export {
  noStatistics,
  type AspectField,
  type AspectResult,
  type AspectStatistics,
  type EngineDescription,
  type FieldEngine,
} from './field-engine.js'
export {
  CHANNELS,
  COMPARED_BOUNCES,
  HASH_START,
  MAX_BOUNCES,
  MAX_SUBDIVISIONS,
  SUM_TOLERANCE,
  comparedBounces,
  fieldBound,
  finishField,
  finishFields,
  hashStep,
  normalKey,
  jobAperture,
  jobTiles,
  symmetrise,
  optionsOfStep,
  tubeSide,
  type Channel,
  type Formulation,
  type FrequencySum,
  type Extrapolation,
  type RayPath,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
  type SbrRun,
  type SteppedSbrEngine,
} from './sbr.js'
