import { planSweep, type SweepPlan, type SweepRequest } from '../isar/index.js'
import type { RayScene } from '../rays/index.js'
import { middleWavelength } from '../scene/band.js'
import { C0, direction, InputError } from '../scene/index.js'
import type { Hooks, RunSettings, TargetSettings } from './job.js'
import { curveForBands, type LoadedTarget } from './loaded-target.js'
import { type MeshSource, openMesh } from './mesh-source.js'
import { withSecondOrder } from './solver.js'
import type { SolverSettings } from './settings/settings.js'
import { aspectGroups, referenceAspectCount, type SweepJob } from './sweep/index.js'

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
  const highest = C0 / Math.min(...bands.map(middleWavelength))
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

/** A requested ISAR sweep; the remaining parameters follow from the target's size. */
export type Sweep = Omit<SweepRequest, 'points' | 'phaseCentre'>

export interface OpenedSweep {
  target: LoadedTarget
  plan: SweepPlan
  job: SweepJob
  settings: TargetSettings
}

/** Of an image, about, before its plan is made. */
const IMAGE_FREQUENCIES = 128

/**
 * The target of an ISAR sweep, prepared for its frequencies, and the sweep of that target.
 * @param references  number of reference aspects, for a preview; true: the default number
 * @throws InputError for the mesh or the sweep, the signal's reason
 */
export async function openSweep(
  mesh: MeshSource,
  sweep: Sweep,
  settings: RunSettings,
  hooks: Hooks,
  references?: number | true,
): Promise<OpenedSweep> {
  hooks.progress('target', 0, 1)
  const given = await openMesh(mesh, settings, IMAGE_FREQUENCIES, references !== undefined)
  hooks.check()
  const { phaseCentre } = settings
  const plan = planSweep({ points: given.target.positions, phaseCentre, ...sweep })
  const { freqHz } = plan
  const whole: SweepJob = {
    aspects: Array.from(plan.phiDeg, (phi) => {
      const d = direction(plan.thetaDeg, phi)
      return { tx: d, rx: d }
    }),
    bands: [{ f0: freqHz[0], df: freqHz[1] - freqHz[0], n: freqHz.length }],
    phaseCentre,
  }
  const job = references === undefined ? whole : fastJob(references, whole, given.scene)
  const target = curveForBands(given, settings, job.bands, hooks.to.onNote)
  hooks.progress('target', 1, 1)
  return { target, plan, job, settings: withSecondOrder(settings, target.target) }
}

/** A plan as recorded in results. */
export function describePlan(plan: SweepPlan): Record<string, unknown> {
  const { freqHz, phiDeg, notes, ...rest } = plan
  void notes
  return {
    ...rest,
    frequencies: freqHz.length,
    f0: freqHz[0],
    f1: freqHz[freqHz.length - 1],
    aspects: phiDeg.length,
    phi0: phiDeg[0],
    phi1: phiDeg[phiDeg.length - 1],
  }
}
