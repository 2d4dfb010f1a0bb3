export {
  motionError,
  type MotionError,
  type MotionPlan,
  planMotion,
  pulseFields,
  targetMesh,
  type Unit,
} from './plan.js'
export { type MotionDescription, motionJsonSchema } from './config.js'
export { ambiguities, motionLabels, rangeExtent } from './extent.js'
export { aspectOf, type LoadedMotion, loadMotion, targetSight, timeOf, translation } from './target.js'
