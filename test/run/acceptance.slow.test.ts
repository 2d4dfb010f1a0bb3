import { describe, expect, it } from 'vitest'
import { spectrogram } from '../../isar/index.js'
import type { MotionDescription } from '../../run/motion/index.js'
import { droneWithGroups } from '../../samples/models/drone.js'
import { C0, type Mesh, splitGroup, type Vec3 } from '../../scene/index.js'
import { computeDoppler, type ComputedDoppler } from '../../run/doppler/compute.js'
import { imageOfPulses } from '../../src/doppler/image.js'
import { Hooks } from '../../run/job.js'
import { memoryStore } from '../../run/results.js'
import { resolveSettings, type SolverSettings } from '../../run/settings/settings.js'
import { readMesh } from '../../formats/index.js'
import { sphere } from '../scene/shapes.js'
import { loadedMotion } from './load.js'

type Description = Omit<MotionDescription, 'mesh'>

/** Solves on the calling thread. */
const solve = (
  description: Description,
  body: Mesh,
  parts: Mesh[] = [],
  settings: SolverSettings = {},
  exact = false,
): Promise<ComputedDoppler> => {
  const resolved = resolveSettings({ device: 'cpu', diffraction: 'none', secondOrder: [], channels: ['vv', 'hh'], ...settings }) // prettier-ignore
  const caller = { store: memoryStore, hooks: new Hooks({}) }
  return computeDoppler(loadedMotion(description, body, parts), exact, { ...resolved, workers: 0 }, caller)
}

/** A sheet in the plane x = 0, y from a to b, z from -h to h [m]. */
const sheet = (a: number, b: number, h: number): Mesh => ({
  positions: Float64Array.of(0, a, -h, 0, b, -h, 0, b, h, 0, a, h),
  triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
})
const nothing: Mesh = { positions: new Float64Array(0), triangles: new Uint32Array(0) }
const freq = 10e9
const lambda = C0 / freq
const radar = { freq_hz: freq, theta_deg: 90, phi_deg: 0 }

describe('a plate that turns', () => {
  it('has the Doppler ±(Omega L / lambda) cos psi of its edges, within a bin', async () => {
    const [length, prf, pulses] = [0.3, 2000, 32]
    const omega = prf / 80
    const { history } = await solve(
      {
        radar: { ...radar, prf_hz: prf, pulses: 110 },
        motion: { rates_deg_s: [0, 0, (omega * 180) / Math.PI] },
      },
      sheet(-length / 2, length / 2, 0.1),
    )
    const { power, dopplerHz, timeS } = spectrogram(
      { ...history, f: history.f.vv },
      { pulses, overlap: 0.99 },
    )
    for (const psi of [25, 40, 55].map((deg) => (deg * Math.PI) / 180)) {
      const column = timeS.findIndex((t) => t >= psi / omega)
      const spectrum = Float64Array.from(dopplerHz, (_, i) => power[i * timeS.length + column])
      const expected = ((omega * length) / lambda) * Math.cos(psi)
      for (const side of [-1, 1]) {
        let best = -1
        spectrum.forEach((p, i) => {
          if (side * dopplerHz[i] > 0 && !(p <= spectrum[best])) best = i
        })
        expect(Math.abs(dopplerHz[best] - side * expected)).toBeLessThan(prf / pulses)
      }
    }
  })
})

describe('a strip that turns about its end', () => {
  const [length, prf] = [0.5, 20_000]
  const omega = (0.5 * prf) / 128
  const rate = omega / (2 * Math.PI)
  const turn = Math.round(prf / rate)
  const part = {
    mesh: 'x',
    pivot_m: [0, 0, 0] as Vec3,
    axis: [0, 0, 1] as Vec3,
    rate_rev_s: rate,
    phase_deg: 137,
  }
  const settings = { raysPerWavelength: 24 }

  it('flashes when it is square to the line of sight, within one pulse, up to 2 Omega r / lambda, within a bin', async () => {
    const { history, error } = await solve(
      { radar: { ...radar, prf_hz: prf, pulses: turn }, parts: [part] },
      nothing,
      [sheet(0, length, 0.005)],
      settings,
    )
    expect(error!.total).toBeLessThan(0.01)
    const level = (p: number): number => Math.hypot(history.f.vv[2 * p], history.f.vv[2 * p + 1])
    // Along +y, and so square to the radar on +x, at the angles 0 and 180 degrees.
    for (const [angle, approaches] of [
      [360, -1],
      [180, 1],
    ]) {
      // prettier-ignore
      const expected = ((angle - part.phase_deg) / 360) * (prf / rate)
      let most = Math.round(expected) - 150
      for (let p = most; p < Math.round(expected) + 150; p++) if (level(p) > level(most)) most = p
      expect(Math.abs(most - expected)).toBeLessThanOrEqual(1)
      const pulses = 128
      const from = most - pulses / 2
      const cut = { freqHz: history.freqHz, timeS: history.timeS.slice(from, from + pulses), f: history.f.vv.slice(2 * from, 2 * (from + pulses)) } // prettier-ignore
      const { power, dopplerHz } = spectrogram(cut, { window: 'hann' })
      const highest = (2 * omega * length) / lambda
      const middle = power.filter((_, i) => Math.abs(approaches * dopplerHz[i] - highest / 2) < highest / 4)
      const plateau = middle.reduce((a, b) => a + b) / middle.length
      const over = dopplerHz.filter((_, i) => power[i] > plateau / 4)
      const edge = approaches > 0 ? over.at(-1)! : -over[0]
      expect(Math.abs(edge - highest)).toBeLessThan(prf / pulses)
    }
  })
})

describe('a sphere that turns', () => {
  it('has no Doppler above that of its facets, 40 dB below the echo', async () => {
    const part = { mesh: 'x', pivot_m: [0, 0, 0] as Vec3, rate_rev_s: 10 }
    const { history } = await solve(
      { radar: { ...radar, freq_hz: 3e9, prf_hz: 4000, pulses: 400 }, parts: [part] },
      nothing,
      [{ ...sphere(48, 96), positions: sphere(48, 96).positions.map((x) => 0.2 * x) }],
    )
    const { power, dopplerHz } = spectrogram({ ...history, f: history.f.vv })
    const still = power.filter((_, i) => Math.abs(dopplerHz[i]) < 25).reduce((a, b) => Math.max(a, b))
    const moving = power.filter((_, i) => Math.abs(dopplerHz[i]) > 30).reduce((a, b) => Math.max(a, b))
    expect(10 * Math.log10(moving / still)).toBeLessThan(-40)
  })
})

describe('a drone with four rotors', () => {
  const rotors: [number, number, number][] = [[1, 1, 80], [1, -1, -84], [-1, 1, -80], [-1, -1, 84]] // prettier-ignore
  const whole = droneWithGroups()
  let body = whole
  const parts = rotors.map((_, i) => {
    const { part, remainder } = splitGroup(body, `rotor-${i + 1}`)
    body = remainder
    return part
  })
  const description: Description = {
    radar: { freq_hz: 3e9, prf_hz: 9000, pulses: 36, theta_deg: 100, phi_deg: 30 },
    motion: { velocity_m_s: [8, 0, 0] },
    parts: rotors.map(([x, y, rate_rev_s], i) => ({ group: `rotor-${i + 1}`, pivot_m: [0.124 * x, 0.124 * y, 0], rate_rev_s })), // prettier-ignore
  }

  it('has pulses within the stated error of full solutions', async () => {
    // Arms of half a wavelength: with the default's 10 rays the two ways scatter by .07 to .11.
    const settings = { diffraction: 'tw-ildc', raysPerWavelength: 24 } as const
    const fast = await solve(description, body, parts, settings)
    const exact = await solve(description, body, parts, settings, true)
    let [wrong, power] = [0, 0]
    for (const c of ['vv', 'hh'])
      exact.history.f[c].forEach((x, i) => {
        wrong += (x - fast.history.f[c][i]) ** 2
        power += x * x
      })
    expect(exact.error).toBeUndefined()
    expect(fast.error!.total).toBeLessThan(0.05)
    // Four pulses state the error of all.
    expect(Math.sqrt(wrong / power)).toBeLessThan(1.5 * fast.error!.total)
  })
})

describe('a ship that rolls', () => {
  it('is in focus like a turntable’s, to the width of its strongest point', async () => {
    const ship = await readMesh('samples/ship-0.9m.stl')
    const width = async (motion: MotionDescription['motion']): Promise<number> => {
      const computed = await solve(
        { radar: { band: [9.5e9, 10.5e9, 16], prf_hz: 30, pulses: 90, theta_deg: 70, phi_deg: 20 }, motion },
        ship,
        [],
        { raysPerWavelength: 16, maxBounces: 3, diffraction: 'tw-ildc' },
      )
      const { image, cols, crossRangeM } = imageOfPulses(computed, 'vv', { window: 'hamming', translation: 'removed' }) // prettier-ignore
      const level = (i: number): number => Math.hypot(image[2 * i], image[2 * i + 1])
      let peak = 0
      for (let i = 0; i < image.length / 2; i++) if (level(i) > level(peak)) peak = i
      const crossing = (step: number): number => {
        let i = peak
        while (level(i + step) > level(peak) * Math.SQRT1_2) i += step
        return i + (step * (level(i) - level(peak) * Math.SQRT1_2)) / (level(i) - level(i + step))
      }
      expect(peak % cols).toBeGreaterThan(5)
      return (crossing(1) - crossing(-1)) * (crossRangeM[1] - crossRangeM[0])
    }
    const table = await width({ rates_deg_s: [0, 0, 5 / 3] })
    // Over the same five degrees of yaw, not uniformly, while it rolls, pitches and sails.
    const rolling = await width({
      yaw: { amplitude_deg: 2.5, period_s: 178 / 30, phase_deg: -90 },
      roll: { amplitude_deg: 0.5, period_s: 2 },
      pitch: { amplitude_deg: 0.3, period_s: 1.4 },
      velocity_m_s: [2, 1, 0],
    })
    expect(Math.abs(rolling / table - 1)).toBeLessThan(0.1)
  })
})
