import { enoughLooks, lookGroups, type SweepJob } from '../pipeline/index.js'
import { highestFrequency, type RayScene } from '../scene/index.js'
import type { ResolvedSettings, SolverSettings } from './settings.js'

/** What a preview takes where nothing else is asked for (docs/frequency-sum.md, "Looks"). */
export const FAST = {
  raysPerWavelength: 3,
  subdivisions: 1,
  frequencyTolerance: 1e-2,
} as const satisfies SolverSettings

/** The sweep of a preview: from `looks` aspects' rays (true: as many as are enough), at most one for each. */
export function fastJob(looks: number | true, job: SweepJob, scene: RayScene): SweepJob {
  const { aspects, bands } = job
  const highest = Math.max(...bands.map(highestFrequency))
  const count = Math.min(looks === true ? enoughLooks(aspects, scene, highest) : looks, aspects.length)
  return { ...job, looks: lookGroups([...aspects.keys()], count) }
}

/** The first setting that a preview cannot honour, and why; null where there is none. */
export function whyNotFast(settings: ResolvedSettings): [setting: keyof SolverSettings, why: string] | null {
  const { method, mechanisms, secondOrder } = settings
  if (method === 'gpueco') return ['method', 'a preview needs ray tubes']
  if (mechanisms) return ['mechanisms', 'a preview has no parts']
  if (secondOrder.length > 0) return ['secondOrder', 'a preview has edges of first order only']
  return null
}
