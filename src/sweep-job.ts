import type { SweepPlan } from '../isar/index.js'
import type { SweepJob } from '../pipeline/index.js'
import { direction, type Vec3 } from '../scene/index.js'

/** The monostatic sweep of a plan. */
export function sweepJob(plan: SweepPlan, phaseCentre: Vec3): SweepJob {
  const { freqHz } = plan
  return {
    aspects: Array.from(plan.phiDeg, (phi) => {
      const d = direction(plan.thetaDeg, phi)
      return { tx: d, rx: d }
    }),
    bands: [{ f0: freqHz[0], df: freqHz[1] - freqHz[0], n: freqHz.length }],
    phaseCentre,
  }
}

/** A plan as results record it. */
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
