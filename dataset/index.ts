export {
  type DatasetConfig,
  type Format,
  type TargetConfig,
  datasetSchema,
  parseDatasetConfig,
} from './config.js'
export { previewPlan, sheetChips, type SheetRow, sheetRows } from './contact-sheet.js'
export { finishDataset, recordsOf } from './finish.js'
export type { DatasetIdentity } from './record.js'
export { type MaterialFactors, materialFactors, materialShapes, withFactors } from './material-state.js'
export { boxDiameter, middle, perturbed, scaled, yawed } from './mesh-state.js'
export { type DatasetPlan, type Pose, planSteps, type Shard } from './plan.js'
export { type Radar, radarNotes, resolveRadar } from './radar.js'
export { claimDataset, readRecord, sha256 } from './record.js'
export { runDataset } from './run.js'
export { chipMotion, chipPlan, poseBand } from './spectrograms/chip.js'
export {
  checkSpectrogramConfig,
  chipPulses,
  isOfSpectrograms,
  type SpectrogramConfig,
  spectrogramSchema,
} from './spectrograms/config.js'
export { finishSpectrograms } from './spectrograms/finish.js'
export { chipDraw, planSpectrograms, type SpectrogramPlan } from './spectrograms/plan.js'
export { runSpectrograms } from './spectrograms/run.js'
export type { DatasetTiming } from './timing.js'
export { BATCH_BYTES, COARSER, radarBand, type Variant } from './trace.js'
export { verifyDataset } from './verify.js'
