import { expect, it } from 'vitest'
import { readNpz } from '../../formats/index.js'
import { targetSight, translation } from '../../run/motion/index.js'
import { dot, type Mesh, type Vec3 } from '../../scene/index.js'
import { facetsOf, movingTargetNpz } from '../../run/doppler/compute.js'
import { loadedMotion } from './load.js'

const facet = (at: number): Mesh => ({
  positions: Float64Array.of(at, 0, 0, at, 1, 0, at, 0, 1),
  triangles: Uint32Array.of(0, 1, 2),
})

it('poses of a moving target put its points at the ranges that its pulses are computed for', () => {
  const loaded = loadedMotion(
    {
      radar: { freq_hz: 3e9, prf_hz: 100, pulses: 100, theta_deg: 70, phi_deg: 20 },
      motion: {
        velocity_m_s: [3, -2, 1],
        rates_deg_s: [10, 20, 30],
        roll: { amplitude_deg: 10, period_s: 2, phase_deg: 40 },
        centre_m: [1, 2, 3],
      },
      parts: [{ mesh: 'x.stl', pivot_m: [0, 0, 0], rate_rev_s: 1 }],
    },
    facet(0),
    [facet(5)],
  )
  const times = Float64Array.of(0, 0.3, 0.9)
  const kept = readNpz(movingTargetNpz(loaded, times))
  expect(facetsOf(loaded)).toBe(2)
  expect([...kept.facet_part.data]).toEqual([0, 1])
  expect([...kept.triangles.data]).toEqual([0, 1, 2, 3, 4, 5])
  expect(kept.positions_m.data[9]).toBe(5)
  const { data: pose, shape } = kept.pose
  expect(shape).toEqual([3, 3, 4])
  const radar = targetSight({ ...loaded, motion: { ...loaded.motion, at: () => ({ rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1], shift: [0, 0, 0] }) } }, 0).r // prettier-ignore
  const x: Vec3 = [0.7, -1.1, 2.3]
  times.forEach((t, k) => {
    const row = (c: number): number => {
      const at = 12 * k + 4 * c
      return pose[at] * x[0] + pose[at + 1] * x[1] + pose[at + 2] * x[2] + pose[at + 3]
    }
    const expected = dot(targetSight(loaded, t).r, x) + translation(loaded, t)
    expect(dot(radar, [row(0), row(1), row(2)])).toBeCloseTo(expected, 12)
  })
})
