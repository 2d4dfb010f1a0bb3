export {
  assignMaterials,
  type Assignment,
  BUILT_IN,
  type BuiltIn,
  checkBands,
  facetMaterials,
  ITU_MEDIA,
  type MaterialLibrary,
  materialNamed,
  mediumNamed,
  NO_LIBRARY,
} from './library.js'
export {
  type Backing,
  type Layer,
  type Material,
  PERFECT_CONDUCTOR,
  type ShuntSheet,
  type Stack,
  thicknessOf,
  writtenOf,
} from './material.js'
export {
  type Impedance,
  type Medium,
  propertiesAt,
  rangesOf,
  type ReflectionTable,
  type Written,
} from './medium.js'
export { halfSpace, slab } from './slab.js'
