export {
  type AspectReport,
  atStep,
  type ClusterTiming,
  CutOffPower,
  frequencyTotal,
  memoryRows,
  rowField,
  rowFields,
  rowLength,
  rowReport,
  type Rows,
  type SweepJob,
  type TimingReport,
  timingReport,
} from './rows.js'
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
export { eachInFlight, runSweep, stoppable } from './sweep.js'
export { type FullWavePlan, frequencyReports, keptUnits } from './full-wave-sweep.js'
export { refuseIfHeld } from '../../formats/atomic.js'
export { type Check, LOCK, makeFolder, openKept, PLAN, RowStore } from './row-store.js'
