import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadMotion, type MotionDescription } from '../../run/motion/index.js'
import { computeDoppler, type ComputedDoppler } from '../../run/doppler/compute.js'
import { Hooks } from '../../run/job.js'
import { memoryStore } from '../../run/results.js'
import { resolveSettings, type SolverSettings } from '../../run/settings/settings.js'

/** A cube that sails, with a plate that turns above it. */
const description: MotionDescription = {
  mesh: resolve('samples/cube.stl'),
  radar: { freq_hz: 1e8, prf_hz: 180, pulses: 60, theta_deg: 70, phi_deg: 10 },
  motion: { velocity_m_s: [1, 2, 0] },
  parts: [{ mesh: resolve('samples/plate.stl'), pivot_m: [0, 0, 1.2], axis: [0, 1, 0], rate_rev_s: 3 }],
}

/** Solves on the calling thread. */
async function solve(given: SolverSettings, exact = false, motion = description): Promise<ComputedDoppler> {
  const settings = resolveSettings({ device: 'cpu', secondOrder: [], ...given })
  const caller = { store: memoryStore, hooks: new Hooks({}) }
  return computeDoppler(await loadMotion(motion, settings), exact, { ...settings, workers: 0 }, caller)
}

/** Rms of the differences over the rms of the first. */
function difference(a: ComputedDoppler, b: ComputedDoppler): number {
  let [wrong, power] = [0, 0]
  for (const [channel, f] of Object.entries(a.history.f))
    f.forEach((x, i) => {
      wrong += (x - b.history.f[channel][i]) ** 2
      power += x * x
    })
  return Math.sqrt(wrong / power)
}

describe('a target that moves', () => {
  it.each<[string, SolverSettings]>([
    ['of an absorber and a dielectric', { material: ['body=magnetic-absorber', 'part=fr4:40mm'] }],
    ['over a ground', { ground: 'sea-water', groundHeight: -0.8 }],
    ['over a mirror', { ground: 'pec', groundHeight: -0.8 }],
  ])('%s has the pulses of full solutions', async (_, settings) => {
    const fast = await solve(settings)
    const exact = await solve(settings, true)
    expect([fast.meta.counts, exact.error]).toEqual([expect.objectContaining({ solved: expect.toSatisfy((n: number) => n < 60) }), undefined]) // prettier-ignore
    const conducting = await solve({})
    expect(difference(exact, fast)).toBeLessThan(0.07)
    expect(difference(exact, conducting)).toBeGreaterThan(0.25)
  })

  it.each<[MotionDescription['motion'], string]>([
    [{ velocity_m_s: [0, 0, 1] }, 'rises, rolls or pitches'],
    [{ roll: { amplitude_deg: 2, period_s: 5 } }, 'rises, rolls or pitches'],
    [{ rates_deg_s: [0, 10, 0], centre_m: [0, 0, 1] }, 'rises, rolls or pitches'],
  ])('%j does not leave its ground', async (motion, message) => {
    await expect(solve({ ground: 'pec' }, false, { ...description, motion })).rejects.toThrow(message)
  })

  it('does not take its parts by themselves over a ground', async () => {
    const alone = { ...description, interaction: false }
    await expect(solve({ ground: 'pec', groundHeight: -1 }, false, alone)).rejects.toThrow(
      '"interaction": false',
    )
  })

  it.each<[Partial<MotionDescription>, string]>([
    [{ motion: { velocity_m_s: [1e12, 0, 0] } }, 'up to 1000000000000 m/s'],
    [{ motion: { rates_deg_s: [0, 0, 1e9] } }, 'check the units'],
    [{ parts: [{ ...description.parts![0], rate_rev_s: 1e9 }] }, 'check the units'],
  ])('%j is refused as too fast', async (change, message) => {
    await expect(solve({}, false, { ...description, ...change })).rejects.toThrow(message)
  })
})
