export { type DatasetConfig, type Format, type TargetConfig, parseDatasetConfig } from './config.js'
export {
  type DatasetIdentity,
  previewPlan,
  readRecord,
  sheetChips,
  type SheetRow,
  sheetRows,
  verifyDataset,
} from './record.js'
export { type MaterialFactors } from './material-state.js'
export { type DatasetPlan, type Pose, type Radar, type Shard } from './plan.js'
export { runDataset } from './run.js'
export {
  checkSpectrogramConfig,
  isOfSpectrograms,
  type SpectrogramConfig,
  type SpectrogramPlan,
} from './spectrograms/config.js'
export { runSpectrograms } from './spectrograms/run.js'
export { type DatasetTiming, type Variant } from './trace.js'
