import { drawsEdges, frequencyTotal, keptUnits } from '../../run/sweep/index.js'
import type { Ground } from '../../scene/ground/index.js'
import { InputError } from '../../scene/index.js'
import { Hooks, type RunPlan } from '../../run/hooks.js'
import { leftOut } from '../../run/solver.js'
import type { SelfCheck } from '../../run/self-check.js'
import { AlreadyComplete } from '../../run/results.js'
import { bytes, type Console, count, duration, interruption, reportComplete } from './console.js'
import { optionName } from './options.js'
import { endPlan, Planned, planRecord, reportLobes } from './plan.js'

/** A function that prints notes. */
export const noteReporter =
  (out: Console) =>
  (what: string, message: string): void =>
    out.say(`${what.padEnd(9)} ${message}`)

/**
 * Runs a job with hooks that print its plan and progress; from the plan on Ctrl-C interrupts it, and failures say what is kept.
 * @returns null where --resume finds the run finished, and with --plan
 * @throws what the job throws; Interrupted after Ctrl-C
 */
export async function reportRun<T>(
  command: string,
  options: { json: boolean; plan: boolean },
  out: Console,
  job: (hooks: Hooks) => Promise<T>,
): Promise<T | null> {
  const { signal, listen, end } = interruption(() => 'interrupted')
  let plan: RunPlan | undefined
  const hooks = new Hooks({
    signal,
    nameOf: optionName,
    onWarning: (message) => out.warn(message),
    onNote: noteReporter(out),
    onPlan: (planned) => {
      plan = planned
      reportPlan(planned, out)
      const sampling = command === 'rcs' ? 'curve' : 'image'
      if (command === 'rcs' || options.plan) reportLobes(planned, sampling, options.plan, out)
      if (options.plan) endPlan(command, options.json, planRecord(planned, sampling))
      listen()
    },
    onEstimate: (seconds, aspects) =>
      out.say(`estimate  now about ${duration(seconds)}, from ${aspects} aspects`),
    onProgress: ({ phase, done, total, secondsLeft, what = 'aspects' }) => {
      if (phase !== 'solve') return
      if (done >= 1) loadAhead()
      out.progress(done, total, what, secondsLeft)
    },
    onCheck: (check) => reportCheck(check, out),
  })
  try {
    return await job(hooks)
  } catch (error) {
    if (error instanceof Planned) return null
    if (error instanceof AlreadyComplete) {
      reportComplete(command, error.file, options, out)
      return null
    }
    const failure = error as Error
    const kept = plan && keptUnits(plan.engines, plan.job, plan.rows)
    if (kept && kept.done > 0 && !(error instanceof InputError) && !failure.message.includes('--resume'))
      failure.message = `${failure.message.split('\n')[0]}; ${kept.done} of ${kept.total} ${kept.what} are kept; continue with --resume`
    throw error
  } finally {
    end()
  }
}

function reportPlan(plan: RunPlan, out: Console): void {
  const { target, job, settings, engines, estimate, rows } = plan
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
  const kept = keptUnits(engines, job, rows)
  if (plan.advice) out.say(`full wave ${plan.advice}`)
  if (kept.done > 0) out.say(`resuming  ${kept.done} of ${kept.total} ${kept.what} already computed`)
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
