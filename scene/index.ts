export { describeReport, hasArea } from './audit.js'
export {
  distinctFrequencies,
  frequency,
  highestFrequency,
  uniformBands,
  wavelength,
  wavenumber,
  type Band,
} from './band.js'
export { checkMesh } from './check.js'
export { C0 } from './constants.js'
export type { CurveOptions } from './curved.js'
export { cross, direction, dot, isMonostatic, type Aspect, type Direction, type Vec3 } from './direction.js'
export { edgeTable } from './edges.js'
export { backscatter, type Backscatter, type SurfaceModel } from './ground/backscatter.js'
export { groupsNamed, isGroup } from './groups.js'
export { InputError, oneLine, printable } from './errors.js'
export { didYouMean } from './near-name.js'
export {
  boundingBox,
  facetCount,
  leftOutRemarks,
  SINGLE_ROUNDING,
  singleRounding,
  type Box,
  type Mesh,
} from './mesh.js'
export { openFacets } from './open-facets.js'
export {
  joinedGroups,
  joinMeshes,
  type PartTurn,
  rotatePart,
  rotation,
  roundingOf,
  splitGroup,
  transformed,
} from './parts.js'
export { prepareTarget, type Target } from './target.js'
export { UNITS, scaleMesh, type Unit } from './units.js'
