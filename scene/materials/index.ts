export { facetMaterials } from './facet-materials.js'
export { PERFECT_CONDUCTOR, thicknessOf, type Layer, type Material, type ShuntSheet } from './material.js'
export { type Medium } from './medium.js'
export { slab } from './slab.js'
