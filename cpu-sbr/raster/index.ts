export { createRasterEngine } from './engine.js'
export { facetAmplitudes } from './facets.js'
export { eachSample, Raster, type Drawn } from './raster.js'
