export {
  TILE,
  fitAperture,
  subGrids,
  tubeCount,
  wholeAperture,
  type Aperture,
  type TileRange,
} from './aperture.js'
export { describeReport } from './audit.js'
export {
  distinctFrequencies,
  frequency,
  highestFrequency,
  uniformBands,
  wavelength,
  wavenumber,
  type Band,
} from './band.js'
export { chebyshevNodes, lagrange } from './chebyshev.js'
export { checkMesh } from './check.js'
export { C0 } from './constants.js'
export type { CurveOptions } from './curved.js'
export { DelaySum } from './delay-sum.js'
export { delayRows, delayTables, type DelayTables, spreadWidth } from './delay-tables.js'
export { cross, direction, dot, isMonostatic, type Aspect, type Direction, type Vec3 } from './direction.js'
export { edgeTable } from './edges.js'
export { InputError, oneLine, printable } from './errors.js'
export { didYouMean } from './near-name.js'
export { addExactly, exactGrid, roundTo, withinGrid } from './exact-sum.js'
export { gordonCoefficients, gordonSum, sinc } from './gordon.js'
export { boundingBox, facetCount, SINGLE_ROUNDING, singleRounding, type Box, type Mesh } from './mesh.js'
export { openFacets } from './open-facets.js'
export {
  DEFAULT_PIXELS,
  PIECE_SAMPLES,
  RASTER_GRAZING,
  buildRasterScene,
  edgeSamples,
  rasterAxes,
  rasterBound,
  rasterImage,
  type RasterEdges,
  type RasterImage,
  type RasterScene,
} from './raster.js'
export { buildBvh, type Bvh } from './bvh.js'
export { insideFacet, RayCaster } from './ray-caster.js'
export {
  DOUBLE_OFFSET,
  DOUBLE_TOLERANCE,
  GRAZING_COSINE,
  buildFacetScene,
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
export {
  CHANNELS,
  HASH_START,
  MAX_BOUNCES,
  MAX_SUBDIVISIONS,
  noStatistics,
  SUM_TOLERANCE,
  fieldBound,
  finishField,
  finishFields,
  hashStep,
  jobAperture,
  jobTiles,
  symmetrise,
  tubeSide,
  type AspectField,
  type AspectResult,
  type Channel,
  type Formulation,
  type FrequencySum,
  type Look,
  type PathBatch,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
  type SbrRun,
  type SbrStatistics,
} from './sbr.js'
export { shared } from './shared-memory.js'
export { prepareTarget, type Target } from './target.js'
export { UNITS, scaleMesh, type Unit } from './units.js'
