export { EdgeFace } from './currents/face.js'
export { edgeSumBytes, nodeCount } from './engine/delay-amplitudes.js'
export { EdgeField } from './currents/edge-field.js'
export { FaceStrip, MOMENTS, type Truncation } from './currents/strip.js'
export { Wedge, WedgeCache } from './currents/wedge.js'
export { buildEdgeScene, EDGE_SIZE, edgeEnds, type EdgeScene, someEdges } from './geometry/edge-scene.js'
export { darkEdges } from './currents/materials/edge-materials.js'
export {
  type BlockSum,
  createEdgeEngine,
  type EdgeEngine,
  type EdgeEngineOptions,
  type EdgeResult,
  type EdgeThreads,
  EVALUATE_BLOCKS,
  fieldsOf,
  type PreparedEdges,
  stringSegments,
} from './engine/engine.js'
export { MECHANISMS, SECOND_ORDER, type SecondOrder, UNIFORM, WITHOUT_EDGES } from './engine/mechanisms.js'
export { creepingFacets } from './mechanisms/creeping/creeping-waves.js'
export { SEGMENT_SIZE } from './light/segments.js'
export { type EdgeList, listEdges } from './engine/edge-parts.js'
export { diffracts } from './engine/evaluate.js'
export {
  BLOCK_SEGMENTS,
  blockCount,
  type EdgeJob,
  type EdgeOptions,
  type EdgeRange,
  edgeRanges,
  type EdgeTaskResult,
  type EvaluationSide,
  segmentCount,
  sumCount,
} from './engine/job.js'
