export { CutOffPower } from './cut-off.js'
export { fieldNames, solveAspect } from './aspect-solver.js'
export {
  type AheadEdges,
  type AspectDetail,
  drawsEdges,
  type Engines,
  type FacetEngine,
  facetField,
  isFullWave,
  type Schedule,
  type Span,
  waysOf,
} from './engines.js'
export { eachInFlight, stoppable } from './in-flight.js'
export { referenceAspectCount, aspectGroups } from './aspect-extrapolation.js'
export { type FullWavePlan, frequencyReports, keptUnits } from './full-wave-sweep.js'
export { refuseIfHeld } from './lock.js'
export { type Check, LOCK, makeFolder, openKept, PLAN, RowStore } from './row-store.js'
export { SCHEDULES } from './schedules.js'
export { runSweep, symmetrise } from './sweep.js'
export { atStep, type SweepJob } from './sweep-job.js'
export { timingReport, type ClusterTiming, type TimingReport } from './timing.js'
export {
  type AspectReport,
  frequencyTotal,
  memoryRows,
  rowField,
  rowFields,
  rowLength,
  rowReport,
  type Rows,
} from './rows.js'
