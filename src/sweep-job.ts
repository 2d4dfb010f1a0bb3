import { planSweep, type SweepPlan, type SweepRequest } from '../isar/index.js'
import type { SweepJob } from '../pipeline/index.js'
import { direction } from '../scene/index.js'
import type { Hooks } from './hooks.js'
import { curveForBands, type LoadedTarget } from './loaded-target.js'
import { fastJob } from './fast.js'
import { type MeshSource, openMesh } from './mesh-source.js'
import type { RunSettings, TargetSettings } from './run-plan.js'
import { withSecondOrder } from './second-order.js'

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
