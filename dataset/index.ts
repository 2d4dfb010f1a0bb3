export {
  type DatasetConfig,
  type Format,
  type TargetConfig,
  datasetSchema,
  parseDatasetConfig,
} from './config.js'
export {
  previewPlan,
  sheetChips,
  type SheetRow,
  sheetRows,
  type DatasetIdentity,
  readRecord,
  sha256,
} from './record.js'
export {
  boxDiameter,
  type MaterialFactors,
  materialFactors,
  materialShapes,
  middle,
  perturbed,
  scaled,
  withFactors,
  yawed,
} from './material-state.js'
export { type DatasetPlan, type Pose, planSteps, type Shard } from './plan.js'
export { type Radar } from './radar.js'
export { runDataset } from './run.js'
export {
  checkSpectrogramConfig,
  isOfSpectrograms,
  type SpectrogramConfig,
  type SpectrogramPlan,
  spectrogramSchema,
} from './spectrograms/config.js'
export { runSpectrograms } from './spectrograms/run.js'
export type { DatasetTiming } from './timing.js'
export { BATCH_BYTES, COARSER, radarBand, type Variant } from './trace.js'
export { verifyDataset } from './verify.js'
