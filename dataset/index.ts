export {
  type DatasetConfig,
  type Format,
  type TargetConfig,
  datasetSchema,
  parseDatasetConfig,
} from './config.js'
export { previewPlan, sheetChips, type SheetRow, sheetRows } from './contact-sheet.js'
export { finishDataset, recordsOf } from './finish.js'
export { claimDataset, type DatasetIdentity, readRecord, sha256 } from './record.js'
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
export { type Radar, radarNotes, resolveRadar } from './radar.js'
export { runDataset } from './run.js'
export { chipMotion, chipPlan, poseBand } from './spectrograms/chip.js'
export {
  checkSpectrogramConfig,
  chipDraw,
  chipPulses,
  isOfSpectrograms,
  planSpectrograms,
  type SpectrogramConfig,
  type SpectrogramPlan,
  spectrogramSchema,
} from './spectrograms/config.js'
export { finishSpectrograms, runSpectrograms } from './spectrograms/run.js'
export type { DatasetTiming } from './timing.js'
export { BATCH_BYTES, COARSER, radarBand, type Variant } from './trace.js'
export { verifyDataset } from './verify.js'
