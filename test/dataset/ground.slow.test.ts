import { expect, test } from 'vitest'
import { type ChipTask, groundCells, litMask, makeChips, pixelAreaM2 } from '../../dataset/chip.js'
import type { DatasetConfig } from '../../dataset/config.js'
import { gammaCdf } from '../../math/random.js'
import { pixelAxes, looksOf } from '../../dataset/imager.js'
import { groundSigma0, planDataset, resolveRadar } from '../../dataset/plan.js'
import { chipConfig, chipTask, db, mean, powers } from '../helpers/chips.js'
import { testScene } from '../helpers/sbr.js'
import { cube } from '../scene/shapes.js'

const GAMMA = { model: 'gamma', gammaDb: -10, crossPolDb: 7 }

const configOf = (change: object = {}): DatasetConfig =>
  chipConfig({
    seed: 5,
    aspects: { azimuth: { from: 0, to: 90, step: 30 }, elevation: [30] },
    image: { size: [96, 96] },
    ground: { surface: GAMMA },
    ...change,
  })

/** A pose over a unit cube that stands on the ground at (0, 0) to (1, 1). */
function taskOf(change: object = {}, which = 0, centre: [number, number, number] = [0.5, 0.5, 0]): ChipTask {
  const config = configOf(change)
  const task = chipTask(
    config,
    which,
    ({ freqHz, angles }) => new Float64Array(2 * config.channels.length * freqHz.length * angles),
  )
  return { ...task, phaseCentre: centre, scene: testScene(cube()).scene }
}

/** The same with the cube far outside the image: clutter alone. */
const openGround = (change: object, which = 0): ChipTask => taskOf(change, which, [500, 500, 0])

test.each([15, 30, 45])(
  'a box at %s° of depression casts the shadow of geometry, to a pixel',
  (elevation) => {
    const task = taskOf({ aspects: { azimuth: [0], elevation: [elevation] }, image: { size: [128, 64], spacingM: 0.1 }, radar: { centreHz: 1e10, resolutionM: 0.1 } }) // prettier-ignore
    const { radar, pose, config } = task
    const { rangeM, crossRangeM } = pixelAxes(radar)
    const looks = looksOf(config, radar, pose)
    const plane = { ...looks, rangeM, crossRangeM, phaseCentre: task.phaseCentre, offsetM: pose.offsetM }
    const lit = litMask(groundCells(config, radar, looks, task.scene!, plane), radar)
    const cos = Math.cos((elevation * Math.PI) / 180)
    // The radar is at +x: the shadow reaches from the front of the box, x = 1, to 1 / tan(elevation) behind its back, x = 0.
    const [near, far] = [-0.5, 0.5 + 1 / Math.tan((elevation * Math.PI) / 180)].map((x) => x * cos)
    let checked = 0
    const wrong: number[][] = []
    rangeM.forEach((range, i) =>
      crossRangeM.forEach((cross, l) => {
        const value = lit[i * crossRangeM.length + l]
        // The aperture turns the shadow's sides by up to half of it, about the middle of the box.
        const turned = 0.5 * pose.apertureDeg * (Math.PI / 180) * (Math.abs(range / cos) + 1)
        const along = range > near + 0.1 && range < far - 0.1
        const inside = along && Math.abs(cross) < 0.4 - turned
        const outside = range < near - 0.1 || range > far + 0.1 || Math.abs(cross) > 0.6 + turned
        if ((inside && value !== 0) || (outside && value !== 255)) wrong.push([range, cross, value])
        if (inside) checked++
      }),
    )
    expect(wrong).toEqual([])
    expect(checked).toBeGreaterThan(40)
  },
)

test('the end of a long shadow has sides as soft as the aperture', () => {
  const task = taskOf({
    aspects: { azimuth: [0], elevation: [6] },
    image: { size: [160, 64], spacingM: 0.1 },
    radar: { band: [9.25e9, 10.75e9], apertureDeg: 8 },
  })
  const { lit } = makeChips({ ...task, config: { ...task.config, labels: ['lit'] } })
  const partly = lit!.filter((x) => x > 0 && x < 255).length
  expect(partly).toBeGreaterThan(100)
})

test('clutter has the mean that its backscatter coefficient and the resolution give, in every channel', () => {
  const change = { channels: ['vv', 'vh'], realisations: 4, ground: { surface: GAMMA, shape: 50 } }
  const sums = [0, 0]
  let expected = [0, 0]
  const n = 16
  for (let which = 0; which < n; which++) {
    const task = openGround({ ...change, seed: which }, which % 4)
    const { images } = makeChips(task)
    const chip = images.length / 8
    for (let k = 0; k < 8; k++)
      sums[k % 2] += mean(powers(images.subarray(k * chip, (k + 1) * chip))) / (4 * n)
    const { config, radar, pose } = task
    expected = (['vv', 'vh'] as const).map(
      (c) =>
        groundSigma0(config, radar, 30, c) * pixelAreaM2(config, radar, pose, looksOf(config, radar, pose)),
    )
  }
  // Some 4,000 independent cells an image, 64 images: 0.01 dB of standard deviation; the texture adds 0.04.
  expect(Math.abs(db(sums[0] / expected[0]))).toBeLessThan(0.1)
  expect(Math.abs(db(sums[1] / expected[1]))).toBeLessThan(0.1)
  // sigma0 = gamma sin 30°; the area of a pixel of 0.3 m resolution, wider by the window, on the ground longer by 1 / cos 30°.
  expect(db(expected[0])).toBeCloseTo(db(0.1 * 0.5 * 0.3 ** 2 * 1.19 ** 2 * 1.155), 0)
})

test('the pixel area is the integral of the squared point-spread function of the image', () => {
  const task = openGround({ image: { size: [256, 256], spacingM: 0.1 } })
  const { radar, pose, config } = task
  const { f } = pointAtCentre(task)
  const points = makeChips({ ...task, config: { ...config, ground: undefined }, fields: { total: f } }).images
  const integral = powers(points).reduce((a, b) => a + b, 0) * 0.1 * 0.1
  const onGround = integral / Math.cos((30 * Math.PI) / 180)
  expect(onGround / pixelAreaM2(config, radar, pose, looksOf(config, radar, pose))).toBeCloseTo(1, 2)
})

/** Samples of a point of 1 m^2 at the phase centre. */
function pointAtCentre({ radar }: ChipTask): { f: Float64Array } {
  const f = new Float64Array(2 * radar.freqHz.length * radar.angles)
  for (let i = 0; i < f.length; i += 2) f[i] = 1 / Math.sqrt(4 * Math.PI)
  return { f }
}

test('the power of clutter is K-distributed (Kolmogorov and Smirnov)', () => {
  const shape = 2
  const samples: number[] = []
  for (let which = 0; which < 40; which++) {
    const task = openGround({ seed: 100 + which, ground: { surface: GAMMA, shape, correlationM: 0.5 } })
    const { config, radar, pose } = task
    const level =
      groundSigma0(config, radar, 30, 'vv') * pixelAreaM2(config, radar, pose, looksOf(config, radar, pose))
    const power = powers(makeChips(task).images)
    // Pixels far enough apart to be independent.
    for (let i = 0; i < 96; i += 12) for (let l = 0; l < 96; l += 12) samples.push(power[96 * i + l] / level)
  }
  samples.sort((a, b) => a - b)
  const cdf = kDistribution(shape)
  let distance = 0
  samples.forEach((x, i) => {
    distance = Math.max(distance, Math.abs(cdf(x) - (i + 0.5) / samples.length))
  })
  // 1 % level: 1.63 / sqrt(n).
  expect(samples.length).toBe(2560)
  expect(distance).toBeLessThan(1.63 / Math.sqrt(samples.length))
  // An exponential distribution (no texture) is told apart.
  let wrong = 0
  samples.forEach(
    (x, i) => (wrong = Math.max(wrong, Math.abs(1 - Math.exp(-x) - (i + 0.5) / samples.length))),
  )
  expect(wrong).toBeGreaterThan(1.63 / Math.sqrt(samples.length))
})

/** P(power < x) at unit mean: exponential speckle averaged over the quantiles of a gamma-distributed texture. */
function kDistribution(shape: number): (x: number) => number {
  const quantiles = Array.from({ length: 400 }, (_, i) => {
    let [a, b] = [0, 30 * shape]
    for (let k = 0; k < 50; k++) {
      const middle = (a + b) / 2
      if (gammaCdf(shape, middle) < (i + 0.5) / 400) a = middle
      else b = middle
    }
    return a / shape
  })
  return (x) => mean(quantiles.map((texture) => 1 - Math.exp(-x / texture)))
}

test('speckle is as correlated from pixel to pixel as the point-spread function', () => {
  const task = openGround({
    ground: { surface: GAMMA, shape: 1000 },
    image: { size: [256, 256], spacingM: 0.15 },
  })
  const { images } = makeChips(task)
  const { f } = pointAtCentre(task)
  const psf = makeChips({
    ...task,
    config: { ...task.config, ground: undefined },
    fields: { total: f },
  }).images
  const lag = (x: Float32Array, by: number): number => {
    let [together, alone] = [0, 0]
    for (let i = 0; i + 2 * by < x.length; i += 2) {
      together += x[i] * x[i + 2 * by] + x[i + 1] * x[i + 1 + 2 * by]
      alone += x[i] ** 2 + x[i + 1] ** 2
    }
    return together / alone
  }
  for (const by of [1, 2, 256, 512]) expect(Math.abs(lag(images, by) - lag(psf, by))).toBeLessThan(0.05)
})

test('thermal noise by its equivalent backscatter coefficient', () => {
  const task = openGround({ ground: undefined, nuisance: { noiseSigma0Db: -20 }, realisations: 4 })
  const level =
    pixelAreaM2(task.config, task.radar, task.pose, looksOf(task.config, task.radar, task.pose)) / 100
  expect(Math.abs(db(mean(powers(makeChips(task).images)) / level))).toBeLessThan(0.3)
})

test('clutter is dark in the shadow and the clean image has none', () => {
  const change = { labels: ['lit', 'clean'], aspects: { azimuth: [0], elevation: [20] } }
  const { images, lit, clean } = makeChips(taskOf(change))
  const power = powers(images)
  const [dark, bright] = [0, 255].map((value) => mean(power.filter((_, i) => lit![i] === value)))
  expect(lit!.filter((x) => x === 0).length).toBeGreaterThan(20)
  // Neighbouring cells reach into a shadow this small.
  expect(db(dark / bright)).toBeLessThan(-5)
  expect(clean!.every((x) => x === 0)).toBe(true)
})

test.each([
  [{ aspects: { azimuth: [0], elevation: [-5] } }, /look at the ground from below/],
  [{ ground: { surface: { model: 'sea', seaState: 3 } }, aspects: { azimuth: [0], elevation: [70] } }, /grazing angle of 70° is outside/], // prettier-ignore
  [{ nuisance: { clutter: { levelDbsm: -20 } } }, /nuisance.clutter: belongs to targets without a ground/],
  [{ ground: undefined, labels: ['lit'] }, /lit is where the ground is lit; give ground/],
])('%j is refused', (change, message) => {
  expect(() => {
    const config = configOf(change)
    planDataset(config, resolveRadar(config, { centreHz: 1e10 }, 6))
  }).toThrow(message)
})
