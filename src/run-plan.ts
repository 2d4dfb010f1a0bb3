import type { SecondOrder } from '../cpu-diffraction/index.js'
import type { SweepJob } from '../pipeline/index.js'
import type { AdjustOptions, Distribution } from '../cluster/plan.js'
import type { RunEstimate } from './estimate.js'
import type { LoadedTarget } from './loaded-target.js'
import type { ResolvedSettings } from './settings.js'
import type { OpenEngines } from './solver.js'

/** A cluster that does the work of a run. Here, since the library's types lead here: none of Redis. */
export interface ClusterRequest {
  /** Of the Redis server. */
  url: string
  distribute: Distribution
  adjust: AdjustOptions
  /** Time limit of a worker for a part of an aspect [s]. */
  unitSeconds: number
}

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
