import { describe, expect, it } from 'vitest'
import {
  ambiguities,
  motionError,
  type MotionDescription,
  planMotion,
  pulseFields,
} from '../../run/motion/index.js'
import { checkMotion } from '../../run/motion/config.js'
import { loadedMotion as load } from './load.js'
import { dopplerExtent, foldOf } from '../../run/motion/extent.js'
import {
  aspectOf,
  attitude,
  type LoadedMotion,
  naturalSpline,
  periodicAxis,
  rotated,
  spanAxis,
  targetSight,
  timeOf,
} from '../../run/motion/target.js'
import { prepareRecipe } from '../../run/loaded-target.js'
import { C0, dot, type Mesh, rotatePart, type Vec3 } from '../../scene/index.js'

const radar = { freq_hz: 3e9, prf_hz: 1000, pulses: 400, theta_deg: 70, phi_deg: 20 }

/** A flat sliver about a point: extents alone count here. */
const sliver = ([x, y, z]: Vec3): Mesh => ({
  positions: Float64Array.of(x, y, z, x + 1e-4, y, z, x, y + 1e-4, z),
  triangles: Uint32Array.of(0, 1, 2),
})

/** Short dipoles: position [m], moment; their fields simply add, F = (e_tx . p)(e_rx . p) exp(2jk r . x). */
type Dipole = [Vec3, Vec3]

function field(
  dipoles: Dipole[],
  v: Vec3,
  h: Vec3,
  r: Vec3,
  centre: Vec3,
  freqHz: Float64Array,
): Float64Array {
  const out = new Float64Array(8 * freqHz.length)
  freqHz.forEach((f, m) => {
    for (const [x, p] of dipoles) {
      const angle = ((4 * Math.PI * f) / C0) * dot(r, x.map((q, c) => q - centre[c]) as Vec3)
      const [pv, ph] = [dot(p, v), dot(p, h)]
      ;[pv * pv, ph * ph, pv * ph, ph * pv].forEach((a, c) => {
        out[8 * m + 2 * c] += a * Math.cos(angle)
        out[8 * m + 2 * c + 1] += a * Math.sin(angle)
      })
    }
  })
  return out
}

const centroid = ({ positions: p }: Mesh): Vec3 => [p[0], p[1], p[2]]

/** Rows of a plan for targets of one dipole each: at the first vertex of a mesh's facets, with a moment that turns with it. */
function rowsOf(loaded: LoadedMotion, exact = false) {
  const plan = planMotion(loaded, exact)
  const { freqHz } = loaded.config.radar
  const rows = new Map<number, Float64Array>()
  for (const unit of plan.units) {
    const mesh = unit.mesh()
    const dipoles = Array.from({ length: mesh.triangles.length / 3 }, (_, t): Dipole => {
      const at = (i: number): Vec3 => Array.from(mesh.positions.subarray(3 * mesh.triangles[3 * t + i], 3 * mesh.triangles[3 * t + i] + 3)) as Vec3 // prettier-ignore
      const [a, b] = [at(0), at(1)]
      // Along the sliver's first side, and so turned with it.
      return [a, b.map((x, c) => 1e4 * (x - a[c])) as Vec3]
    })
    unit.sights.forEach((sight, i) => {
      const { r, thetaHat, phiHat } = aspectOf(sight).tx
      rows.set(unit.first + i, field(dipoles, thetaHat, phiHat, r, unit.centre, freqHz))
    })
  }
  return { plan, take: (row: number) => rows.get(row)! }
}

const channels = ['vv', 'hh', 'vh', 'hv'] as const

/** Largest difference of the interpolated pulses from the fields of full solutions at every pulse. */
function largestError(loaded: LoadedMotion): { error: number; solved: number; stated: number } {
  const fast = rowsOf(loaded)
  const exact = rowsOf(loaded, true)
  const f = pulseFields(fast.plan, fast.take, channels)
  const reference = pulseFields(exact.plan, exact.take, channels)
  let error = 0
  for (const c of channels) f[c].forEach((x, i) => (error = Math.max(error, Math.abs(x - reference[c][i]))))
  return { error, solved: fast.plan.rows, stated: motionError(fast.plan, fast.take, f)!.total }
}

describe('a motion file', () => {
  const wrong = (description: object): string => {
    try {
      checkMotion({ mesh: 'a.stl', radar, ...description }, 'a.json')
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  const part = { group: 'a', pivot_m: [0, 0, 0], rate_rev_s: 1 }

  it.each([
    [{ radar: { prf_hz: 1, pulses: 2 } }, 'a.json: radar: give either freq_hz or band'],
    [{ radar: { ...radar, freq_hz: 3 } }, 'a.json: radar.freq_hz: 3 has no unit'],
    [{ radar: { ...radar, pulses: 0 } }, 'a.json: radar.pulses'],
    [{ radar: { ...radar, freq_hz: undefined, band: ['2 GHz', '1 GHz', 8] } }, 'does not ascend'],
    [{ radar: { ...radar, waveform: 'stepped' } }, 'a.json: radar.waveform: stepped needs a band'],
    [{ parts: [{ ...part, mesh: 'b.stl' }] }, 'a.json: parts.0: give either group or mesh'],
    [{ parts: [{ ...part, axis: [0, 0, 0] }] }, 'a.json: parts.0.axis: has no direction'],
    [{ parts: [{ ...part, rate_rpm: 60 }] }, 'a.json: parts.0: give either rate_rev_s or rate_rpm'],
    [{ motion: { table: 'a.csv', velocity_m_s: [1, 0, 0] } }, 'a.json: motion.table: is instead of'],
    [{ motion: { velocity: [1, 0, 0] } }, 'a.json: motion: '],
    [{ noise: {} }, 'a.json: noise: give either'],
  ])('%j is refused with one line', (description, message) => {
    const text = wrong(description)
    expect(text).toContain(message)
    expect(text).not.toContain('\n')
  })

  it('takes rotations per minute', () => {
    const { parts } = checkMotion({ mesh: 'a.stl', radar, parts: [{ ...part, rate_rev_s: undefined, rate_rpm: 90 }] }, 'a') // prettier-ignore
    expect(parts[0].rate).toBe(1.5)
  })
})

describe('poses', () => {
  it('roll lifts port, pitch lowers the bow, yaw turns the bow to port, in this order', () => {
    const close = (v: number[]) => v.map((x) => expect.closeTo(x, 12) as number)
    expect(rotated(attitude(90, 0, 0), [0, 1, 0])).toEqual(close([0, 0, 1]))
    expect(rotated(attitude(0, 90, 0), [1, 0, 0])).toEqual(close([0, 0, -1]))
    expect(rotated(attitude(0, 0, 90), [1, 0, 0])).toEqual(close([0, 1, 0]))
    expect(rotated(attitude(90, 90, 0), [0, 1, 0])).toEqual(close([1, 0, 0]))
  })

  it('a natural spline passes its points, has no second derivative at its ends, and follows a sine', () => {
    const x = Float64Array.from({ length: 41 }, (_, i) => (i * Math.PI) / 40)
    const spline = naturalSpline(x, x.map(Math.sin))
    for (let t = 0; t <= Math.PI; t += 0.013) expect(spline(t)).toBeCloseTo(Math.sin(t), 6)
    expect(spline(x[7])).toBeCloseTo(Math.sin(x[7]), 14)
  })
})

describe('what pulses and frequencies cannot tell apart', () => {
  const band = { band: [9e9, 10e9, 11] as [number, number, number], prf_hz: 1000, pulses: 101, theta_deg: 90, phi_deg: 0 } // prettier-ignore
  const at = (x: Vec3): Mesh => sliver(x)

  it('Doppler between those of the fastest points: 2v/lambda, and 2 Omega r/lambda of a part', () => {
    const forward = load({ radar: band, motion: { velocity_m_s: [3, 0, 0] } }, at([0, 0, 0]))
    for (const hz of dopplerExtent(forward)) expect(hz / ((2 * 3 * 10e9) / C0)).toBeCloseTo(1, 6)
    const turning = [{ group: 'a', pivot_m: [0, 0, 0], axis: [0, 0, 1], rate_rev_s: -5 }]
    const [least, most] = dopplerExtent(
      load({ radar: band, parts: turning as never }, at([0, 0, 0]), [at([0.5, 0, 0])]),
    )
    const fastest = (2 * 2 * Math.PI * 5 * 0.5 * 10e9) / C0
    expect([least / fastest, most / fastest]).toEqual([expect.closeTo(-1, 3), expect.closeTo(1, 3)])
  })

  it.each([
    [{ pulses: 400 }, [3, 0, 0], []],
    [{ prf_hz: 399, pulses: 100 }, [3, 0, 0], [/between 200 and 200 Hz and folds over at ±200 Hz/]],
    [{ prf_hz: 4000, pulses: 20, waveform: 'stepped' }, [-3, 0, 0], [/−200 Hz and folds over at ±182 Hz/]],
    [
      { prf_hz: 5000, pulses: 267 },
      [30, 0, 0],
      [/moves through, 1.6 m of range, which folds over after 1.5 m/],
    ],
  ] as const)('says so: %j at %j m/s', (given, velocity_m_s, messages) => {
    const said = ambiguities(
      load({ radar: { ...band, ...given }, motion: { velocity_m_s: [...velocity_m_s] } }, at([0, 0, 0])),
    )
    expect(said).toEqual(messages.map((m) => expect.stringMatching(m) as string))
  })
})

describe('interpolation between nodes', () => {
  it.each([3, 25, 200])('is exact over a turn for phases of %i rad', (z) => {
    const { nodes, weights } = periodicAxis(2 * Math.PI, z)
    const values = nodes.map((a) => Math.cos(z * Math.cos(a - 0.3)))
    for (let a = 0.01; a < 6; a += 0.37) {
      const w = weights(a)
      const sum = values.reduce((s, v, i) => s + v * w[i], 0)
      expect(sum).toBeCloseTo(Math.cos(z * Math.cos(a - 0.3)), 6)
    }
  })

  it.each([0.01, 5, 150])('and over a span for phases of %d rad either way', (z) => {
    const { nodes, weights } = spanAxis(1, 3, z)
    const values = nodes.map((t) => Math.sin(z * (t - 2) + 1))
    for (let t = 1; t <= 3; t += 0.0371) {
      const w = weights(t)
      expect(values.reduce((s, v, i) => s + v * w[i], 0)).toBeCloseTo(Math.sin(z * (t - 2) + 1), 6)
    }
  })
})

describe('pulses of dipoles follow from few solutions', () => {
  const body = sliver([0.4, 0.1, -0.2])

  it('of a target that moves towards the radar: positive Doppler 2v/lambda', () => {
    const loaded = load(
      { radar: { ...radar, theta_deg: 90, phi_deg: 0 }, motion: { velocity_m_s: [7, 0, 0] } },
      body,
    )
    const { plan, take } = rowsOf(loaded)
    expect(plan.components[0].time.nodes.length).toBe(1)
    const { hh } = pulseFields(plan, take, ['hh', 'vv'])
    expect(hh.every((x) => Math.abs(x) < 1e-9)).toBe(true)
    const turned = load(
      { radar: { ...radar, theta_deg: 90, phi_deg: 90 }, motion: { velocity_m_s: [0, 7, 0] } },
      body,
    )
    const other = rowsOf(turned)
    const f = pulseFields(other.plan, other.take, ['hh']).hh
    const phase = (p: number): number => Math.atan2(f[2 * p + 1], f[2 * p])
    const step = ((4 * Math.PI * 3e9) / C0) * 7e-3
    expect(Math.sin(phase(31) - phase(30))).toBeCloseTo(Math.sin(step), 9)
    expect(step).toBeLessThan(Math.PI)
  })

  it.each([
    ['rotation at a constant rate', { rates_deg_s: [10, 20, 40] }],
    ['several turns', { rates_deg_s: [0, 0, 2400] }],
    ['rolling, pitching and yawing', { roll: { amplitude_deg: 8, period_s: 0.7 }, pitch: { amplitude_deg: 3, period_s: 0.5, phase_deg: 40 }, yaw: { amplitude_deg: 2, period_s: 1.1 }, centre_m: [0.1, 0, 0.2], velocity_m_s: [3, -1, 0] }], // prettier-ignore
  ] as const)('%s', (_, motion) => {
    const { error, solved } = largestError(load({ radar, motion: motion as never }, body))
    expect(error).toBeLessThan(1e-5)
    expect(solved).toBeLessThan(220)
  })

  it('attitudes that repeat with the samples of the motion do move', () => {
    const shaken = load(
      { radar: { ...radar, prf_hz: 2000, pulses: 20_001 }, motion: { table: { yaw_deg: '2 sin(2 pi 200 t)' } } as never },
      body,
    ) // prettier-ignore
    const [component] = planMotion(shaken, false).components
    expect(component.time.nodes.length).toBeGreaterThan(2 * 200 * 10)
    // 2/lambda times omega times the amplitude times d(u . x)/d(yaw) of the sliver.
    const arm = Math.sin((70 * Math.PI) / 180) * (0.4 * Math.sin(Math.PI / 9) - 0.1 * Math.cos(Math.PI / 9))
    const wanted = ((2 * 3e9) / C0) * 400 * Math.PI * (Math.PI / 90) * arm
    for (const f of dopplerExtent(shaken)) {
      expect(Math.abs(f)).toBeGreaterThan(0.95 * wanted)
      expect(Math.abs(f)).toBeLessThan(1.1 * wanted)
    }
  })

  it('many small swings', () => {
    const table = { yaw_deg: '0.3 sin(2 pi 40 t)', pitch_deg: '0.2 sin(2 pi 31 t)' }
    const shaken = load({ radar: { ...radar, prf_hz: 2000, pulses: 2001 }, motion: { table } as never }, body)
    const { error, solved } = largestError(shaken)
    expect(error).toBeLessThan(1e-5)
    expect(solved).toBeLessThan(2001)
  })

  const parts = [
    { group: 'a', pivot_m: [0.5, 0, 0], axis: [0, 0, 1], rate_rev_s: 13 },
    { group: 'b', pivot_m: [-0.5, 0, 0], axis: [0, 1, 1], rate_rev_s: -17, phase_deg: 50 },
  ] as MotionDescription['parts']
  const blades = [sliver([0.8, 0, 0]), sliver([-0.5, 0.1, 0.2])]

  it.each([false, true])('with parts that turn on a target that moves, interaction %s', (interaction) => {
    const motion = { rates_deg_s: [0, 0, 20], velocity_m_s: [1, 2, 3], centre_m: [0.2, 0, 0] } as const
    const { error, stated } = largestError(
      load({ radar: { ...radar, pulses: 3000 }, motion: motion as never, parts, interaction }, body, blades),
    )
    expect(error).toBeLessThan(1e-5)
    expect(stated).toBeLessThan(1e-5)
  })

  it('all meshes that the body is in have one lattice of ray tubes, as large as any of them', () => {
    const { units } = planMotion(load({ radar: { ...radar, pulses: 3000 }, parts }, body, blades), false)
    expect(units.length).toBeGreaterThan(20)
    const scenes = units.map(({ mesh, lattice }) => prepareRecipe('x', '', { mesh: mesh(), smoothAngleDeg: 20, lattice }).scene) // prettier-ignore
    expect(new Set(scenes.map(({ origin, size }) => `${origin.join()} ${size}`)).size).toBe(1)
    for (const { points, size } of scenes)
      for (let i = 0; i < points.length; i += 3)
        expect(Math.hypot(...points.slice(i, i + 3))).toBeLessThanOrEqual(size / 2 + 1e-9)
  })

  it('of a stepped burst each frequency has a time of its own', () => {
    const stepped = { ...radar, freq_hz: undefined, band: [3e9, 3.2e9, 5] as [number, number, number], waveform: 'stepped' as const, pulses: 30 } // prettier-ignore
    const loaded = load(
      { radar: stepped, motion: { rates_deg_s: [0, 0, 300], velocity_m_s: [0, 9, 0] } },
      body,
    )
    const { plan, take } = rowsOf(loaded)
    const { hh } = pulseFields(plan, take, ['hh'])
    for (const [p, m] of [
      [0, 0],
      [7, 3],
      [29, 4],
    ]) {
      // prettier-ignore
      const t = timeOf(loaded, p, m)
      expect(t).toBeCloseTo((5 * p + m) / 1000, 12)
      const { r, v, h } = targetSight(loaded, t)
      const along = (9 * t * 4 * Math.PI * loaded.config.radar.freqHz[m] * Math.sin((70 * Math.PI) / 180) * Math.sin((20 * Math.PI) / 180)) / C0 // prettier-ignore
      const own = field([[centroid(body), [1, 0, 0]]], v, h, r, [0, 0, 0], loaded.config.radar.freqHz)
      const [re, im] = [own[8 * m + 2], own[8 * m + 3]]
      expect(hh[2 * (m * 30 + p)]).toBeCloseTo(re * Math.cos(along) - im * Math.sin(along), 5)
      expect(hh[2 * (m * 30 + p) + 1]).toBeCloseTo(im * Math.cos(along) + re * Math.sin(along), 5)
    }
  })
})

describe('parts that repeat', () => {
  const part = { name: 'a', pivot: [1, 0, 0] as Vec3, axis: [0, 0, 1] as Vec3, rate: 1, phaseDeg: 0 }
  const blade = sliver([1.3, 0.1, 0])
  const rotor = (n: number): Mesh => {
    const all = Array.from({ length: n }, (_, i) => rotatePart(blade, { ...part, angleDeg: (360 * i) / n }))
    return {
      positions: Float64Array.from(all.flatMap((m) => [...m.positions])),
      triangles: Uint32Array.from(all.flatMap((m, i) => [...m.triangles].map((v) => v + 3 * i))),
    }
  }
  it.each([1, 2, 3, 5])('a rotor of %i blades looks the same after that part of a turn', (n) => {
    expect(foldOf(rotor(n), part, 1e-6)).toBe(n)
  })
})
