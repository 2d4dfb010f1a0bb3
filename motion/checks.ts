import { boundingBox, C0, facetCount, InputError, type Vec3 } from '../scene/index.js'
import { reach, sampleTimes, topSpeed } from './extent.js'
import { rotated } from './poses.js'
import type { LoadedMotion } from './target.js'

/** Fastest point of a target whose pulses are solved at rest [m/s]: Doppler is then right to 0.1 %. */
const MOST_SPEED = C0 / 1000

/** @throws InputError for points so fast that a slip of units is likely, and pulses cannot be solved at rest */
export function checkSpeed(loaded: LoadedMotion): void {
  const speed = highestSpeed(loaded)
  if (speed < MOST_SPEED) return
  throw new InputError(
    `motion: points of the target move at up to ${Number(speed.toPrecision(3))} m/s, and pulses are solved as if at rest, which needs less than ${Math.round(MOST_SPEED)} m/s; check the units of velocities, rates and lengths`,
  )
}

/** An upper bound of the speeds of all points [m/s]. */
function highestSpeed(loaded: LoadedMotion): number {
  const { config, body, parts, motion, duration } = loaded
  const { velocity_m_s: v, acceleration_m_s2: a, rates_deg_s: rates, centre_m: centre, ...others } = config.motion // prettier-ignore
  const { roll, pitch, yaw } = others
  const reaches = parts.map((mesh, i) => reach(mesh, config.parts[i]))
  const distance = (at: Vec3): number => Math.hypot(...at.map((x, c) => x - centre[c]))
  const box = facetCount(body) > 0 ? boundingBox(body) : null
  const far = box ? Math.hypot(...centre.map((x, c) => Math.max(box.max[c] - x, x - box.min[c]))) : 0
  const radius = config.parts.reduce((most, { pivot }, i) => Math.max(most, distance(pivot) + reaches[i].radius), far) // prettier-ignore
  const swings = [roll, pitch, yaw].reduce((sum, o) => sum + (o ? (2 * Math.PI * o.amplitude_deg) / o.period_s : 0), 0) // prettier-ignore
  const turning = ((Math.hypot(...rates) + swings) * Math.PI) / 180
  const own = config.parts.reduce((most, part, i) => Math.max(most, topSpeed(part, reaches[i].across)), 0) // prettier-ignore
  const formula = Math.hypot(...v) + Math.hypot(...a) * duration + turning * radius
  let table = 0
  const times = sampleTimes(loaded)
  for (let i = 1; i < times.length; i++) {
    const [from, to] = [motion.at(times[i - 1]), motion.at(times[i])]
    const moved = Math.hypot(...to.shift.map((x, c) => x - from.shift[c]))
    const turned = Math.hypot(...to.rotation.map((x, c) => x - from.rotation[c])) * radius
    table = Math.max(table, (moved + turned) / (times[i] - times[i - 1]))
  }
  return (config.motion.table === undefined ? formula : table) + own
}

/** Change of height or tilt that leaves a target level. */
const LEVEL = 1e-9

/**
 * Checks that a target's ground stays where it is in the target's axes: it moves along the plane and yaws alone.
 * @throws InputError
 */
export function checkLevel(loaded: LoadedMotion): void {
  const { ground, config, motion, parts } = loaded
  if (!ground) return
  if (parts.length > 0 && !config.interaction)
    throw new InputError(
      '--ground: with "interaction": false each part is solved by itself, turned with its ground; leave one of them out',
    )
  const { centre_m: centre } = config.motion
  for (const t of sampleTimes(loaded)) {
    const { rotation, shift } = motion.at(t)
    const heave = shift[2] + centre[2] - rotated(rotation, centre)[2]
    if (Math.abs(heave) > LEVEL || Math.abs(rotation[8] - 1) > LEVEL)
      throw new InputError(
        '--ground: the target rises, rolls or pitches, and the ground does not; over a ground it moves along x and y and yaws alone',
      )
  }
}
