export { EdgeFace } from './face.js'
export { edgeSumBytes, nodeCount } from './delay-amplitudes.js'
export { EdgeField } from './edge-field.js'
export { FaceStrip, MOMENTS, type Truncation } from './strip.js'
export { Wedge, WedgeCache } from './wedge.js'
export { buildEdgeScene, EDGE_SIZE, type EdgeScene } from './edge-scene.js'
export { darkEdges } from './materials/edge-materials.js'
export { createEdgeEngine, EVALUATE_BLOCKS, fieldsOf, stringSegments } from './engine.js'
export { BLOCK_SEGMENTS, blockCount } from './evaluate.js'
export { MECHANISMS, SECOND_ORDER, type SecondOrder, UNIFORM, WITHOUT_EDGES } from './mechanisms.js'
export { SEGMENT_SIZE } from './segments.js'
export { edgeEnds, someEdges } from './some-edges.js'
export { diffracts } from './higher-order.js'
export type {
  BlockSum,
  EdgeEngine,
  EdgeEngineOptions,
  EdgeResult,
  EdgeThreads,
  PreparedEdges,
} from './engine.js'
export {
  type EdgeJob,
  type EdgeOptions,
  type EdgeRange,
  edgeRanges,
  type EdgeTaskResult,
  type EvaluationSide,
  segmentCount,
  sumCount,
} from './job.js'
export { type EdgeList, listEdges } from './edge-list.js'
