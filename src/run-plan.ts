import type { SecondOrder } from '../cpu-diffraction/index.js'
import type { SweepJob } from '../pipeline/index.js'
import type { ClusterRequest } from './cluster.js'
import type { RunEstimate } from './estimate.js'
import type { LoadedTarget } from './loaded-target.js'
import type { ResolvedSettings } from './settings.js'
import type { OpenEngines } from './solver.js'

export interface RunSettings extends ResolvedSettings {
  /** See `Engines.coarser`. */
  coarser?: readonly number[]
  /** See `Engines.orderChange`. */
  orderChange?: boolean
  /** The cluster that does the work; absent for local runs. */
  cluster?: ClusterRequest
}

/** Settings of a run of a target that is known (`withSecondOrder`). */
export type TargetSettings = RunSettings & { secondOrder: SecondOrder[] }

/** What is known of a run before its first aspect. */
export interface RunPlan {
  target: LoadedTarget
  job: SweepJob
  settings: TargetSettings
  engines: OpenEngines
  estimate: RunEstimate
  /** That another method suits the target better; null where nothing is to be said. */
  advice: string | null
  /** Rows computed so far; grows during the run. */
  rows: ReadonlyMap<number, Float64Array>
}
