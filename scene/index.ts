export { TILE, fitAperture, subGrids, tubeCount, type Aperture, type TileRange } from './aperture.js'
export { describeReport } from './audit.js'
export { frequency, highestFrequency, uniformBands, wavelength, wavenumber, type Band } from './band.js'
export { checkMesh } from './check.js'
export { C0 } from './constants.js'
export { direction, dot, isMonostatic, type Aspect, type Direction, type Vec3 } from './direction.js'
export { edgeTable } from './edges.js'
export { InputError } from './errors.js'
export { addExactly, exactGrid, withinGrid } from './exact-sum.js'
export { facetCount, type Box, type Mesh } from './mesh.js'
export { RayCaster } from './ray-caster.js'
export { DOUBLE_OFFSET, GRAZING_COSINE, buildRayScene, facetPlanes, type RayScene } from './ray-scene.js'
export {
  CHANNELS,
  HASH_START,
  MAX_BOUNCES,
  MAX_SUBDIVISIONS,
  fieldBound,
  finishField,
  hashStep,
  tubeSide,
  type AspectField,
  type AspectResult,
  type Channel,
  type Formulation,
  type PathBatch,
  type SbrEngine,
  type SbrJob,
  type SbrOptions,
  type SbrRun,
  type SbrStatistics,
} from './sbr.js'
export { prepareTarget, type Target } from './target.js'
export { UNITS, scaleMesh, type Unit } from './units.js'
