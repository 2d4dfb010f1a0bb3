import { describe, expect, it } from 'vitest'
import { autofocus, AUTOFOCUS, rotationPlane, motionImage } from '../../isar/index.js'
import { attitude, rotatedBack } from '../../run/motion/target.js'
import { C0, direction, dot, type Vec3 } from '../../scene/index.js'
import { Random } from '../../math/random.js'

const n = 128

/** Twelve points of different levels in as many range cells, and noise 25 dB below the weakest sum. */
function profiles(phase: (i: number) => number, seed = 1): Float64Array {
  const random = new Random(seed, 1)
  const rows = 24
  const g = new Float64Array(2 * rows * n)
  for (let r = 0; r < rows; r++) {
    const points = Array.from({ length: 3 }, () => [60 * (random.uniform() - 0.5), 0.2 + random.uniform() ** 3, 6 * random.uniform()]) // prettier-ignore
    for (let i = 0; i < n; i++) {
      let [re, im] = [0.05 * random.normal(), 0.05 * random.normal()]
      for (const [x, level, start] of points) {
        const a = (2 * Math.PI * x * i) / n + start + phase(i)
        re += level * Math.cos(a)
        im += level * Math.sin(a)
      }
      g[2 * (r * n + i)] = re
      g[2 * (r * n + i) + 1] = im
    }
  }
  return g
}

/** Rms difference of two phases without mean and slope [rad]. */
function difference(a: Float64Array, b: Float64Array): number {
  const d = a.map((x, i) => x - b[i])
  for (let i = 1; i < n; i++) d[i] -= 2 * Math.PI * Math.round((d[i] - d[i - 1]) / (2 * Math.PI))
  const mean = d.reduce((s, x) => s + x, 0) / n
  const slope = d.reduce((s, x, i) => s + x * (i - (n - 1) / 2), 0) / ((n * (n * n - 1)) / 12)
  return Math.sqrt(d.reduce((s, x, i) => s + (x - mean - slope * (i - (n - 1) / 2)) ** 2, 0) / n)
}

const quadratic = (end: number) => (i: number) => end * ((2 * i) / (n - 1) - 1) ** 2
const random = new Random(5, 2)
const white = Float64Array.from({ length: n }, () => 0.9 * random.normal())
const steps = Float64Array.from({ length: n }, () => 0.35 * random.normal())
const walk = steps.map((_, i) => steps.subarray(0, i + 1).reduce((a, b) => a + b, 0))

describe.each(AUTOFOCUS)('autofocus by %s', (method) => {
  const smooth: [string, (i: number) => number][] = [
    ['none', () => 0],
    ['a quadratic phase of 6 rad at the ends', quadratic(6)],
    ['a quadratic phase of -25 rad', quadratic(-25)],
  ]
  const rough: typeof smooth = [
    ['a random walk', (i) => walk[i]],
    ['white phases of 0.9 rad', (i) => white[i]],
  ]
  // Map drift finds smooth phases alone.
  it.each(method === 'map-drift' ? smooth : [...smooth, ...rough])('finds %s', (_, error) => {
    const { phaseRad, entropy } = autofocus({ profiles: profiles(error) }, n, method)
    const known = Float64Array.from({ length: n }, (_, i) => error(i))
    expect(difference(phaseRad, known)).toBeLessThan(0.15)
    expect(entropy[1]).toBeLessThanOrEqual(entropy[0] + 0.01)
  })

  it('refuses profiles that do not fit or hold nothing', () => {
    expect(() => autofocus({ profiles: new Float64Array(7) }, n, method)).toThrow('do not fit')
    expect(() => autofocus({ profiles: new Float64Array(2 * n) }, n, method)).toThrow('hold nothing')
  })
})

describe('an image of known motion', () => {
  const freqHz = Float64Array.from({ length: 64 }, (_, m) => 9.5e9 + (m * 1e9) / 63)
  const points: Vec3[] = [[0.9, 0.4, 0], [-1.1, 0.2, 0], [0.1, -0.7, 0]] // prettier-ignore
  const radar = direction(90, 0)

  /** Directions in the target's axes of a yaw over time, and the fields of the points. */
  const history = (yaw: (x: number) => number, roll: (x: number) => number = () => 0, count = 240) => {
    const directions = new Float64Array(3 * count)
    const f = new Float64Array(2 * freqHz.length * count)
    for (let p = 0; p < count; p++) {
      const x = p / (count - 1)
      const u = rotatedBack(attitude(roll(x), 0, yaw(x)), radar.r)
      directions.set(u, 3 * p)
      freqHz.forEach((hz, m) => {
        const at = 2 * (m * count + p)
        for (const q of points) {
          const angle = ((4 * Math.PI * hz) / C0) * dot(u, q)
          f[at] += Math.cos(angle) / Math.sqrt(4 * Math.PI)
          f[at + 1] += Math.sin(angle) / Math.sqrt(4 * Math.PI)
        }
      })
    }
    return { freqHz, directions, f }
  }

  /** Level and cross-range width at -3 dB of the point nearest to (range, cross-range) of its plane [m]. */
  function pointOf(data: ReturnType<typeof history>, point: Vec3): { level: number; width: number } {
    const { plane, ...made } = motionImage(data, {
      window: 'none',
      rangeM: [-1.6, 1.6],
      crossRangeM: [-1.6, 1.6],
    })
    const [r, c] = [-dot(point, plane.range), dot(point, plane.crossRange)]
    const near = (axis: Float64Array, x: number): number =>
      axis.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(axis[best] - x) ? i : best), 0)
    const row = near(made.rangeM, r)
    const levels = made.crossRangeM.map((_, i) => Math.hypot(...made.image.subarray(2 * (row * made.cols + i), 2 * (row * made.cols + i) + 2))) // prettier-ignore
    const peak = near(made.crossRangeM, c)
    const half = levels[peak] * Math.SQRT1_2
    const crossing = (step: number): number => {
      let i = peak
      while (levels[i + step] > half) i += step
      return i + (step * (levels[i] - half)) / (levels[i] - levels[i + step])
    }
    const pixel = made.crossRangeM[1] - made.crossRangeM[0]
    return { level: 20 * Math.log10(levels[peak]), width: (crossing(1) - crossing(-1)) * pixel }
  }

  it('that is not uniform is as sharp as that of a turntable over the same angles', () => {
    const table = history((x) => 6 * (x - 0.5))
    const swing = history((x) => 3 * Math.sin(Math.PI * (x - 0.5)))
    for (const point of points) {
      const [a, b] = [pointOf(table, point), pointOf(swing, point)]
      expect(Math.abs(b.width / a.width - 1)).toBeLessThan(0.1)
      expect(Math.abs(b.level)).toBeLessThan(0.6)
    }
  })

  it('that leaves the plane keeps points of the plane in focus', () => {
    const tilted = history(
      (x) => 3 * Math.sin(Math.PI * (x - 0.5)),
      (x) => 4 * Math.cos(7 * x),
    )
    const table = history((x) => 6 * (x - 0.5))
    expect(motionImage(tilted).plane.offPlaneRad).toBeGreaterThan(1e-3)
    for (const point of points)
      expect(Math.abs(pointOf(tilted, point).width / pointOf(table, point).width - 1)).toBeLessThan(0.1)
  })

  it('has cross-range along phi-hat of a turntable, in metres', () => {
    const { plane } = motionImage(history((x) => 6 * (x - 0.5)))
    expect(plane.crossRange).toEqual([0, 1, 0].map((x) => expect.closeTo(x, 6)))
    expect(plane.range).toEqual([1, 0, 0].map((x) => expect.closeTo(x, 6)))
    expect(rotationPlane(Float64Array.of(1, 0, 0, Math.cos(0.1), 0, Math.sin(0.1))).crossRange[2]).toBeGreaterThan(0.9) // prettier-ignore
  })

  it('refuses a target that does not turn', () => {
    expect(() => motionImage(history(() => 1))).toThrow('one aspect alone')
  })
})
