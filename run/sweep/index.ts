export { CutOffPower } from './cut-off.js'
export { aspectGroups, fieldNames, referenceAspectCount, SCHEDULES, solveAspect } from './aspect-solver.js'
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
  weightsOfWays,
} from './engines.js'
export { eachInFlight, stoppable } from './run-ahead.js'
export { type FullWavePlan, frequencyReports, keptUnits } from './full-wave-sweep.js'
export { refuseIfHeld } from '../../formats/atomic.js'
export { type Check, LOCK, makeFolder, openKept, PLAN, RowStore } from './row-store.js'
export { runSweep, symmetrise } from './sweep.js'
export {
  type AspectReport,
  atStep,
  frequencyTotal,
  memoryRows,
  rowField,
  rowFields,
  rowLength,
  rowReport,
  type Rows,
  type SweepJob,
} from './rows.js'
export { timingReport, type ClusterTiming, type TimingReport } from './timing.js'
