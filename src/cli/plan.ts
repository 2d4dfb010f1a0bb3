import { Option } from 'commander'
import { frequencyTotal } from '../../run/sweep/index.js'
import {
  coarseWarning,
  describeLobes,
  isCoarse,
  lobesOf,
  resolvingStep,
  type Sampling,
} from '../../run/lobes.js'
import { memoryStore } from '../../run/results.js'
import type { RunStore } from '../../run/run.js'
import type { RunPlan } from '../../run/job.js'
import type { Console } from './console.js'

/** Thrown once a plan is reported where nothing else was asked for. */
export class Planned extends Error {
  override readonly name = 'Planned'
}

export const planOption = (): Option => new Option('--plan', 'print what the run would take, and end')

/** The store of a run of which the plan alone is wanted: nothing is written, and results that exist are no matter. */
export const planStore = (store: RunStore): RunStore => ({ ...memoryStore, copies: store.copies })

/** Prints a plan as JSON where that is wanted, and ends the run. */
export function endPlan(command: string, plan: Record<string, unknown>, out: Console): never {
  out.json({ command, plan: true, ...plan })
  throw new Planned('planned')
}

/** Warns of steps that hide lobes; with --plan states all lobes. */
export function reportLobes(
  { target, job }: RunPlan,
  sampling: Sampling,
  whole: boolean,
  out: Console,
): void {
  const lobes = lobesOf(target.target.positions, job)
  if (whole && lobes.length > 0) out.say(`lobes     ${describeLobes(lobes, sampling)}`)
  for (const axis of lobes) if (isCoarse(axis, sampling)) out.warn(coarseWarning(axis, sampling))
}

/** What --plan --json prints of a run. */
export function planRecord(
  { target, job, engines, estimate }: RunPlan,
  sampling: Sampling,
): Record<string, unknown> {
  const { size, wavelengths, tubesPerAspect, fullWave, memoryBytes, seconds, coldSeconds, warnings } =
    estimate
  return {
    target: { name: target.name, size_m: size, wavelengths, facets: target.scene.count },
    aspects: job.aspects.length,
    frequencies: frequencyTotal(job),
    lobes: lobesOf(target.target.positions, job).map((axis) => ({
      axis: axis.name,
      width: axis.lobe,
      unit: axis.name === 'frequency' ? 'Hz' : 'deg',
      resolving_step: resolvingStep(axis, sampling),
      step: axis.step,
      hides_lobes: isCoarse(axis, sampling),
    })),
    ...(fullWave ? { unknowns: [fullWave.unknowns, fullWave.most] } : { rays_per_aspect: tubesPerAspect }),
    memory_bytes: memoryBytes,
    seconds: seconds + coldSeconds,
    device: engines.facets.describe().text,
    warnings,
  }
}
