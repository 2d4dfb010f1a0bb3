import { checkMotion } from '../../run/motion/config.js'
import type { MotionDescription } from '../../run/motion/index.js'
import { type LoadedMotion, motionOf } from '../../run/motion/target.js'
import type { Mesh } from '../../scene/index.js'

/** A motion of meshes in memory instead of files. */
export function loadedMotion(
  description: Omit<MotionDescription, 'mesh'>,
  body: Mesh,
  parts: Mesh[] = [],
): LoadedMotion {
  const config = checkMotion({ mesh: 'x.stl', ...description }, 'test')
  const { pulses, prfHz, freqHz, waveform } = config.radar
  const duration = ((waveform === 'stepped' ? pulses * freqHz.length : pulses) - 1) / prfHz
  return { config, name: 'x', motion: motionOf(config), duration, body, parts, hash: '', materialsKey: [] }
}
