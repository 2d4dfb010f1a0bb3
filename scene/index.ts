export { describeReport, hasArea } from './audit.js'
export {
  type Band,
  C0,
  distinctFrequencies,
  frequency,
  highestFrequency,
  uniformBands,
  wavelength,
  wavenumber,
} from './band.js'
export {
  boundingBox,
  type Box,
  checkMesh,
  facetCount,
  groupsNamed,
  isGroup,
  joinedGroups,
  joinMeshes,
  leftOutRemarks,
  type Mesh,
  type PartTurn,
  rotatePart,
  rotation,
  roundingOf,
  scaleMesh,
  SINGLE_ROUNDING,
  singleRounding,
  splitGroup,
  transformed,
  type Unit,
  UNITS,
} from './mesh.js'
export type { CurveOptions } from './curved.js'
export { cross, direction, dot, isMonostatic, type Aspect, type Direction, type Vec3 } from './direction.js'
export { edgeTable } from './edges.js'
export { backscatter, type Backscatter, type SurfaceModel } from './ground/ground.js'
export { didYouMean, InputError, oneLine, printable } from './errors.js'
export { openFacets, prepareTarget, projectedArea, type Target } from './target.js'
