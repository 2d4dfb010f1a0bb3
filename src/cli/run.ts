import { drawsEdges, frequencyTotal } from '../../run/sweep/index.js'
import type { Ground } from '../../scene/ground/index.js'
import { InputError } from '../../scene/index.js'
import { Hooks, type JobPlan, type RunPlan } from '../../run/job.js'
import { leftOut } from '../../run/solver.js'
import type { SelfCheck } from '../../run/self-check.js'
import { AlreadyComplete, memoryStore, type RunStore } from '../../run/results.js'
import { bytes, type Console, count, duration, Interrupted, interruption } from './console.js'
import { optionName } from './options.js'
import {
  coarseWarning,
  describeLobes,
  isCoarse,
  lobesOf,
  resolvingStep,
  type Sampling,
} from '../../run/lobes.js'

/** A function that prints notes. */
const noteReporter =
  (out: Console) =>
  (what: string, message: string): void =>
    out.say(`${what.padEnd(9)} ${message}`)

/** How a command reports its job. */
interface Reporting<Plan> {
  command: string
  /** Whether the plan is all that is wanted. */
  plan?: boolean
  out: Console
  /** Prints a plan. @returns what --plan --json prints */
  report: (plan: Plan) => Record<string, unknown>
  /** What the message of Ctrl-C says where nothing is kept. */
  otherwise?: string
}

/** What a job takes of its command. */
interface Reported<Plan> {
  hooks: Hooks
  onPlan: (plan: Plan) => void
}

/**
 * Runs a job with hooks that print its plan and progress; from the plan on Ctrl-C interrupts it, and failures say what is kept. The only
 * such reporter: of every command that computes.
 * @returns null where --resume finds the job finished, and with --plan
 * @throws what the job throws; Interrupted after Ctrl-C
 */
export async function reportJob<Plan extends JobPlan, T>(
  { command, plan: onlyPlan, out, report, otherwise }: Reporting<Plan>,
  job: (reported: Reported<Plan>) => Promise<T>,
): Promise<T | null> {
  let plan: Plan | undefined
  const { signal, listen, end } = interruption(() => 'interrupted')
  const hooks = new Hooks({
    signal,
    nameOf: optionName,
    onWarning: (message) => out.warn(message),
    onNote: noteReporter(out),
    onEstimate: (seconds, aspects) =>
      out.say(`estimate  now about ${duration(seconds)}, from ${aspects} aspects`),
    onProgress: ({ phase, done, total, secondsLeft, what = 'aspects' }) => {
      if (phase !== 'solve') return
      if (done >= 1) loadAhead()
      out.progress(done, total, what, secondsLeft)
    },
    onCheck: (check) => reportCheck(check, out),
  })
  const onPlan = (planned: Plan): void => {
    plan = planned
    const record = report(planned)
    if (onlyPlan) endPlan(command, record, out)
    const kept = planned.kept()
    if (kept) out.say(`resuming  ${kept} already computed`)
    listen()
  }
  try {
    return await job({ hooks, onPlan })
  } catch (error) {
    if (error instanceof Planned) return null
    if (error instanceof AlreadyComplete) {
      out.say(`complete  ${error.message}`)
      out.json({ command, out: error.path, complete: true })
      return null
    }
    const failure = error as Error
    const kept = plan?.kept()
    if (kept && !(error instanceof InputError) && !failure.message.includes('--resume'))
      failure.message = `${failure.message.split('\n')[0]}; ${kept} are kept; continue with --resume`
    else if (otherwise && error instanceof Interrupted) failure.message += `; ${otherwise}`
    throw error
  } finally {
    end()
  }
}

/** `reportJob` of a sweep. */
export const reportRun = <T>(
  command: string,
  onlyPlan: boolean,
  out: Console,
  job: (reported: Reported<RunPlan>) => Promise<T>,
): Promise<T | null> =>
  reportJob(
    {
      command,
      plan: onlyPlan,
      out,
      report(planned) {
        reportPlan(planned, out)
        const sampling = command === 'rcs' ? 'curve' : 'image'
        if (command === 'rcs' || onlyPlan) reportLobes(planned, sampling, onlyPlan, out)
        return onlyPlan ? planRecord(planned, sampling) : {}
      },
    },
    job,
  )

function reportPlan(plan: RunPlan, out: Console): void {
  const { target, job, settings, engines, estimate } = plan
  const { name, scene, bvh } = target
  const { facets, edges } = engines
  const sizes = estimate.size.map((x) => Number(x.toPrecision(4)))
  out.say(
    `target    ${name}: ${sizes.join(' x ')} m, ${Number(estimate.wavelengths.toPrecision(3))} wavelengths across, ${scene.count} facets`,
  )
  if (target.target.ground) out.say(`ground    ${describeGround(target.target.ground)}`)
  const aspects = job.aspects.length
  const frequencies = frequencyTotal(job)
  out.say(
    `plan      ${aspects} aspect${aspects === 1 ? '' : 's'} x ${frequencies} frequenc${frequencies === 1 ? 'y' : 'ies'}, ${workOf(plan)}`,
  )
  if (job.groups)
    out.say(
      `fast      approximate: rays traced at ${job.groups.length} of ${aspects} aspects, the others extrapolated`,
    )
  if (bvh) out.say(`bvh       ${bvh.file ? `read from ${bvh.file}` : 'built'} in ${duration(bvh.seconds)}`)
  out.say(`device    ${facets.describe().text} (${engines.reason})`)
  const seconds = estimate.seconds + estimate.coldSeconds
  out.say(`estimate  about ${duration(seconds)}, ${bytes(estimate.memoryBytes)} of memory`)
  if (settings.diffraction !== 'none')
    out.say(
      edges || drawsEdges(facets)
        ? `edges     ${settings.diffraction}, interior wedge angles below ${settings.maxWedgeAngleDeg} degrees`
        : `edges     none has an interior wedge angle below ${settings.maxWedgeAngleDeg} degrees`,
    )
  const omitted = settings.diffraction === 'none' ? undefined : leftOut(settings, target.target)
  if (omitted)
    out.say(
      omitted.materials
        ? `order     second order at conductors alone: facets of ${omitted.materials.join(', ')} have no part in it`
        : `order     without ${omitted.mechanisms.join(', ')}: ${omitted.why}`,
    )
  if (plan.advice) out.say(`full wave ${plan.advice}`)
}

/** What one aspect, with full wave one frequency, takes. */
function workOf({ engines: { facets }, estimate, settings: { sbr } }: RunPlan): string {
  if (estimate.fullWave) {
    const { unknowns, most } = estimate.fullWave
    const range = unknowns === most ? count(most) : `${count(unknowns)} to ${count(most)}`
    return `about ${range} unknowns, one factorisation a frequency`
  }
  if ('raster' in facets) return `drawn on ${facets.raster.size} x ${facets.raster.size} pixels`
  const bounces = sbr.maxBounces === 1 ? '1 bounce' : `up to ${sbr.maxBounces} bounces`
  return `${count(estimate.tubesPerAspect)} ray tubes per aspect, ${bounces}`
}

function describeGround({ material, height, roughness }: Ground): string {
  const rough = roughness > 0 ? `, rms height ${roughness} m` : ''
  return `${material.name} at z = ${height} m${rough}; facets are counted with their mirror image`
}

/** Loads the modules that draw pictures while the engines work. Who needs them reports a failure. */
function loadAhead(): void {
  void import('../../views/figures/node.js').catch(() => {})
}

function reportCheck({ energy, reciprocity, power }: SelfCheck, out: Console): void {
  // Less is rounding, of either sign.
  const percent = (x: number): string => `${Math.abs(x) < 1e-12 ? 0 : Number((100 * x).toPrecision(2))} %`
  const at = (theta: number, phi: number): string => `theta ${theta}, phi ${phi}`
  const { theta_deg, phi_deg, rx_theta_deg, rx_phi_deg } = reciprocity
  out.say(
    `check     energy within ${percent(energy.error)} (forward amplitude against the shadow's area, ${at(energy.theta_deg, energy.phi_deg)})`,
  )
  out.say(
    `check     reciprocity within ${percent(reciprocity.error)} of the largest amplitude (${at(theta_deg, phi_deg)} to ${at(rx_theta_deg, rx_phi_deg)}, and back)`,
  )
  if (!power) return
  const { leaves, absorbed, ended, cut_off, least_absorbed } = power
  out.say(
    `check     power: ${percent(leaves)} leaves, ${percent(absorbed)} is absorbed, ${percent(ended)} was too weak to follow, ${percent(cut_off)} cut off; ${least_absorbed < -1e-9 ? `materials amplify by up to ${percent(-least_absorbed)}` : 'no facet amplifies'}`,
  )
}

/** Thrown once a plan is reported where nothing else was asked for. */
class Planned extends Error {
  override readonly name = 'Planned'
}

/** The store of a run of which the plan alone is wanted: nothing is written, and results that exist are no matter. */
export const planStore = (store: RunStore): RunStore => ({ ...memoryStore, copies: store.copies })

/** Prints a plan as JSON where that is wanted, and ends the run. */
function endPlan(command: string, plan: Record<string, unknown>, out: Console): never {
  out.json({ command, plan: true, ...plan })
  throw new Planned('planned')
}

/** Warns of steps that hide lobes; with --plan states all lobes. */
function reportLobes({ target, job }: RunPlan, sampling: Sampling, whole: boolean, out: Console): void {
  const lobes = lobesOf(target.target.positions, job)
  if (whole && lobes.length > 0) out.say(`lobes     ${describeLobes(lobes, sampling)}`)
  for (const axis of lobes) if (isCoarse(axis, sampling)) out.warn(coarseWarning(axis, sampling))
}

/** What --plan --json prints of a run. */
function planRecord(
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
