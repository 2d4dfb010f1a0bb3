import { referenceAspectCount, aspectGroups, type SweepJob } from '../pipeline/index.js'
import { C0, InputError } from '../scene/index.js'
import { middleWavelength } from '../scene/frequency-steps.js'
import { type RayScene } from '../rays/index.js'
import type { RunSettings } from './run-plan.js'
import type { SolverSettings } from './settings.js'

/** Settings of a preview where no others are given (docs/numerics.md, "Aspect extrapolation"). */
export const FAST = {
  raysPerWavelength: 3,
  subdivisions: 1,
  frequencyTolerance: 1e-2,
  secondOrder: [],
} as const satisfies SolverSettings

/** The sweep of a preview, extrapolated from `references` reference aspects (true: the default number), at most one per aspect. */
export function fastJob(references: number | true, job: SweepJob, scene: RayScene): SweepJob {
  const { aspects, bands } = job
  // That of its step: frequencies of one step have the same reference aspects.
  const highest = C0 / Math.min(...bands.map((band) => middleWavelength(band, scene.size)))
  const count = Math.min(
    references === true ? referenceAspectCount(aspects, scene, highest) : references,
    aspects.length,
  )
  return { ...job, groups: aspectGroups([...aspects.keys()], count) }
}

/** @throws InputError naming a setting that a preview cannot honour */
export function refuseFast(settings: RunSettings, nameOf: (setting: string) => string): void {
  const { method, mechanisms, secondOrder, cluster } = settings
  const refuse = (setting: keyof SolverSettings | 'cluster', why: string): never => {
    throw new InputError(`${nameOf('fast')}: ${why}; leave ${nameOf(setting)} out`)
  }
  if (method !== 'sbr') refuse('method', 'a preview needs ray tubes')
  if (mechanisms) refuse('mechanisms', 'a preview has no separate mechanisms')
  if (secondOrder?.length !== 0) refuse('secondOrder', 'a preview has edges of first order only')
  if (cluster) refuse('cluster', 'a preview is computed on this machine')
}
