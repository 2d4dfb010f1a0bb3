export { CutOffPower } from './cut-off.js'
export {
  bouncesApart,
  coarserName,
  fieldNames,
  ORDER_CHANGE,
  solveAspect,
  type AspectReport,
} from './aspect-solver.js'
export type { AspectDetail, Engines, Span } from './engines.js'
export { edgeJobs, withRunAhead } from './run-ahead.js'
export { enoughLooks, lookGroups } from './looks.js'
export { refuseIfHeld } from './lock.js'
export { LOCK, RowStore, makeFolder } from './row-store.js'
export { SCHEDULES, type Schedule } from './schedule.js'
export { SharedEdges } from './shared-edges.js'
export {
  frequencyTotal,
  memoryRows,
  rowField,
  rowLength,
  rowReport,
  runSweep,
  symmetrise,
  type Rows,
  type SweepJob,
} from './sweep.js'
export { timingReport, type ClusterTiming, type TimingReport } from './timing.js'
