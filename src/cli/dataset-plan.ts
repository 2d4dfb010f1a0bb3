import type { DatasetConfig, DatasetPlan, Radar } from '../../dataset/index.js'
import { aspectsPerTarget, bytesOf } from '../../dataset/estimate.js'
import { bytes, type Console, count, duration } from './console.js'
import type { OpenedVariant, TargetEstimate } from './dataset-variant.js'
import type { SolverOptions } from './options.js'

/** Prints the plan of a dataset of images, and returns it as --plan --json prints it. */
export function describePlan(
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  options: SolverOptions,
  { engines, loaded }: OpenedVariant,
  estimates: (TargetEstimate | undefined)[],
  memoryBytes: number,
  out: Console,
): Record<string, unknown> {
  const aspects = aspectsPerTarget(config, radar, plan)
  const total = aspects.reduce((a, b) => a + b, 0)
  const variants = new Set(plan.poses.map(({ target, state, copy }) => `${target} ${state} ${copy}`)).size
  let [seconds, wavelengths, cold] = [0, 0, 0]
  estimates.forEach((estimate, t) => {
    if (!estimate) return
    for (const line of estimate.warnings) out.warn(line)
    seconds += aspects[t] * estimate.perAspect
    wavelengths = Math.max(wavelengths, estimate.wavelengths)
    cold = estimate.coldSeconds
  })
  const images = plan.poses.length * plan.realisations
  out.say(`targets   ${config.targets.length} of ${plan.classes.length} class${plan.classes.length === 1 ? '' : 'es'}, up to ${Number(wavelengths.toPrecision(3))} wavelengths`) // prettier-ignore
  out.say(
    config.product === 'history'
      ? `plan      ${plan.poses.length} sweep${plan.poses.length === 1 ? '' : 's'} of ${radar.angles} aspects x ${radar.freqHz.length} frequencies`
      : `plan      ${images} images in ${plan.shards.length} shard${plan.shards.length === 1 ? '' : 's'}${plan.dropped ? `, ${plan.dropped * plan.realisations} more left out at the borders of splits` : ''}: ${count(total)} aspects (${config.trace}) x ${radar.freqHz.length} frequencies, ${radar.angles} aspects an image`,
  )
  const { ground } = loaded.target
  if (ground)
    out.say(
      `ground    waves by ${ground.material.name}, rms height ${Number(ground.roughness.toPrecision(3))} m`,
    )
  out.say(`device    ${engines.facets.describe().text} (${engines.reason})`)
  out.say(`estimate  about ${duration(seconds + variants * cold)}, ${bytes(memoryBytes)} of memory, ${bytes(bytesOf(config, radar, plan))} on disk`) // prettier-ignore
  if (options.diffraction !== 'none') out.say(`edges     ${options.diffraction}`)
  return {
    targets: config.targets.length,
    classes: plan.classes.length,
    wavelengths,
    images,
    shards: plan.shards.length,
    aspects: total,
    frequencies: radar.freqHz.length,
    memory_bytes: memoryBytes,
    disk_bytes: bytesOf(config, radar, plan),
    seconds: seconds + variants * cold,
    device: engines.facets.describe().text,
  }
}
