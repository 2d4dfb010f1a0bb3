export { BUILT_IN, type BuiltIn } from './built-in.js'
export { checkBands } from './check-bands.js'
export { facetMaterials } from './facet-materials.js'
export {
  type Assignment,
  assignMaterials,
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
export { ITU_MEDIA } from './itu.js'
export { type Impedance, type Medium, propertiesAt, rangesOf, type Written } from './medium.js'
export { type ReflectionTable } from './reflection-table.js'
export { halfSpace, slab } from './slab.js'
