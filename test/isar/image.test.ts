import { describe, expect, it } from 'vitest'
import { formImage, WINDOWS, type PhaseHistory, windowSamples } from '../../isar/index.js'
import { C0, InputError } from '../../scene/index.js'
import { db, linspace, peak, place, pointAt, pointHistory, power, random } from './points.js'
import { rows } from '../scene/shapes.js'

const freq = linspace(9.25e9, 10.75e9, 48) // resolution 0.1 m, unambiguous 4.7 m
const THETA = 80
const aspects = (centre: number, aperture: number, n: number) =>
  linspace(centre - aperture / 2, centre + aperture / 2, n)
const rel = (a: number, b: number) => Math.abs(a / b - 1)

/** The image's definition summed term by term; polar selects the exact wavenumbers. */
function directSum(
  h: PhaseHistory,
  wf: Float64Array,
  wa: Float64Array,
  R: number,
  c: number,
  polar: boolean,
) {
  const na = h.phiDeg.length
  const centre = (h.phiDeg[0] + h.phiDeg[na - 1]) / 2
  const fc = (h.freqHz[0] + h.freqHz[h.freqHz.length - 1]) / 2
  const sinTheta = Math.sin((h.thetaDeg * Math.PI) / 180)
  let re = 0
  let im = 0
  let sum = 0
  for (let m = 0; m < h.freqHz.length; m++)
    for (let n = 0; n < na; n++) {
      const delta = ((h.phiDeg[n] - centre) * Math.PI) / 180
      const k2 = (4 * Math.PI * h.freqHz[m]) / C0
      const phase = polar
        ? k2 * (Math.cos(delta) * R - sinTheta * Math.sin(delta) * c)
        : k2 * R - ((4 * Math.PI * fc) / C0) * sinTheta * delta * c
      const w = wf[m] * wa[n]
      const i = 2 * (m * na + n)
      re += w * (h.f[i] * Math.cos(phase) - h.f[i + 1] * Math.sin(phase))
      im += w * (h.f[i] * Math.sin(phase) + h.f[i + 1] * Math.cos(phase))
      sum += w
    }
  return [(re * Math.sqrt(4 * Math.PI)) / sum, (im * Math.sqrt(4 * Math.PI)) / sum]
}

describe('formImage against the direct sum', () => {
  it.each([
    { polarFormat: false, tolerance: 1e-11, thetaDeg: 75, aperture: 8 },
    { polarFormat: true, tolerance: 1e-8, thetaDeg: 75, aperture: 8 },
    { polarFormat: true, tolerance: 1e-8, thetaDeg: 60, aperture: 120 },
    { polarFormat: false, tolerance: 1e-11, thetaDeg: 250, aperture: -8 }, // past 180, aspects descending
    { polarFormat: true, tolerance: 1e-8, thetaDeg: 250, aperture: -8 },
  ])('random amplitudes, %o', ({ polarFormat, tolerance, thetaDeg, aperture }) => {
    const next = random(7)
    const phiDeg = aspects(33, aperture, 14)
    const freqHz = linspace(9e9, 11e9, 17)
    const f = Float64Array.from({ length: 2 * 17 * 14 }, next)
    const history = { freqHz, thetaDeg, phiDeg, f }
    const image = formImage(history, {
      polarFormat,
      window: 'taylor',
      size: { rows: 21, cols: 18 },
      rangeM: [-0.3, 1.1],
      crossRangeM: [-2, -0.7],
    })
    expect([image.rows, image.cols, image.image.length]).toEqual([21, 18, 2 * 21 * 18])
    const wf = windowSamples('taylor', 17)
    const wa = windowSamples('taylor', 14)
    let worst = 0
    for (let i = 0; i < 21; i++)
      for (let l = 0; l < 18; l++) {
        const [re, im] = directSum(history, wf, wa, image.rangeM[i], image.crossRangeM[l], polarFormat)
        const at = 2 * (i * 18 + l)
        worst = Math.max(worst, Math.hypot(image.image[at] - re, image.image[at + 1] - im))
      }
    expect(worst).toBeLessThan(tolerance)
    expect(Math.max(...image.image.map(Math.abs))).toBeGreaterThan(0.1) // not a comparison of zeros
  })
})

describe('calibration', () => {
  const phiDeg = aspects(20, 8, 40)
  const sizes = [undefined, { rows: 31, cols: 64 }, { rows: 100, cols: 37 }]

  it.each(WINDOWS)('%s: a point at the phase centre shows its RCS and phase at any size', (window) => {
    for (const size of sizes)
      for (const polarFormat of [false, true]) {
        const history = pointHistory([{ at: [0, 0, 0], re: 0.3, im: -0.4 }], freq, THETA, phiDeg)
        const top = peak(formImage(history, { window, size, polarFormat }))
        expect(Math.abs(top.rangeM) + Math.abs(top.crossM)).toBeLessThan(1e-12)
        expect(rel(top.sigma, 4 * Math.PI * 0.25)).toBeLessThan(1e-8)
        expect(rel(top.re, 0.3 * Math.sqrt(4 * Math.PI))).toBeLessThan(1e-8)
        expect(rel(top.im, -0.4 * Math.sqrt(4 * Math.PI))).toBeLessThan(1e-8)
      }
  })

  it.each(WINDOWS)('%s: polar format shows any point of its plane with its RCS and phase', (window) => {
    for (const [R, c] of rows<[number, number]>('1.5 -1, -2 1.25, 0.75 2')) {
      const history = pointHistory([{ at: pointAt(R, c, THETA, 20), re: 0.6, im: 0.8 }], freq, THETA, phiDeg)
      const options = { window, polarFormat: true, rangeM: [-2.5, 2.5], crossRangeM: [-2.5, 2.5] } as const
      const top = peak(
        formImage(history, {
          ...options,
          rangeM: [-2.5, 2.5],
          crossRangeM: [-2.5, 2.5],
          size: { rows: 200, cols: 200 },
        }),
      )
      expect(top.rangeM).toBeCloseTo(R, 9)
      expect(top.crossM).toBeCloseTo(c, 9)
      expect(rel(top.sigma, 4 * Math.PI)).toBeLessThan(1e-8)
      expect(Math.atan2(top.im, top.re)).toBeCloseTo(Math.atan2(0.8, 0.6), 6)
    }
  })

  it('small angle: within the focused radius a point on a pixel is within 0.1 dB', () => {
    const narrow = aspects(20, 2, 40)
    const fine = linspace(9.8e9, 10.2e9, 40)
    for (const [R, c] of rows<[number, number]>('1.5 -1, -1.25 1.5')) {
      const history = pointHistory([{ at: pointAt(R, c, THETA, 20), re: 1 }], fine, THETA, narrow)
      const options = { size: { rows: 40, cols: 40 } }
      const top = peak(formImage(history, { ...options, rangeM: [-5, 5], crossRangeM: [-5, 5] }))
      expect(top.rangeM).toBeCloseTo(R, 9)
      expect(top.crossM).toBeCloseTo(c, 9)
      expect(Math.abs(db(top.sigma / (4 * Math.PI)))).toBeLessThan(0.1)
    }
  })

  it.each([
    { window: 'hamming', loss: 0.25 },
    { window: 'none', loss: 0.46 },
  ] as const)('$window: between default pixels a point is seen at most $loss dB low', ({ window, loss }) => {
    const grid = formImage(pointHistory([{ at: [0, 0, 0], re: 1 }], freq, THETA, phiDeg), {
      window,
      polarFormat: true,
    })
    const at = pointAt(
      grid.rangeM[1] / 2 - grid.rangeM[0] / 2,
      grid.crossRangeM[1] / 2 - grid.crossRangeM[0] / 2,
      THETA,
      20,
    )
    const image = formImage(pointHistory([{ at, re: 1 }], freq, THETA, phiDeg), { window, polarFormat: true })
    const seen = db(peak(image).sigma / (4 * Math.PI))
    expect(seen).toBeGreaterThan(-loss)
    expect(seen).toBeLessThan(-0.6 * loss) // the worst place is really reached
  })
})

describe('place and orientation', () => {
  it('a point nearer the radar has smaller range, one on the phi-hat side larger cross-range', () => {
    // radar on +x: +x is nearer, +y is on the phi-hat side
    const image = (at: [number, number, number]) =>
      peak(formImage(pointHistory([{ at, re: 1 }], freq, 90, aspects(0, 8, 30))))
    expect(image([0.5, 0, 0]).rangeM).toBeCloseTo(-0.5, 1)
    expect(image([-0.5, 0, 0]).rangeM).toBeCloseTo(0.5, 1)
    expect(image([0, 0.5, 0]).crossM).toBeCloseTo(0.5, 1)
    expect(image([0, -0.5, 0]).crossM).toBeCloseTo(-0.5, 1)
  })

  it.each(rows<[number, number]>('80 0, 70 130, 110 -60, 250 45'))(
    'points stand within half a cell of their place at theta %d phi %d',
    (theta, phi) => {
      for (const at of rows<[number, number, number]>('0.4 0.3 0.2, -0.6 0.2 -0.4, 0.1 -0.5 0.5'))
        for (const polarFormat of [false, true])
          for (const phiDeg of [aspects(phi, 8.7, 36), aspects(phi, -8.7, 36)]) {
            const top = peak(formImage(pointHistory([{ at, re: 1 }], freq, theta, phiDeg), { polarFormat }))
            const [R, c] = place(at, theta, phi)
            expect(Math.abs(top.rangeM - R)).toBeLessThan(0.05)
            expect(Math.abs(top.crossM - c)).toBeLessThan(0.05)
          }
    },
  )

  it('axes ascend, hold zero, and span one unambiguous extent by default', () => {
    const image = formImage(pointHistory([{ at: [0, 0, 0], re: 1 }], freq, 90, aspects(0, 8, 30)))
    expect(image.rangeM).toContain(0)
    expect(image.crossRangeM).toContain(0)
    const step = image.rangeM[1] - image.rangeM[0]
    expect(step).toBeGreaterThan(0)
    expect(image.rows * step).toBeCloseTo(C0 / (2 * (freq[1] - freq[0])), 9)
    expect(step).toBeLessThanOrEqual((image.rangeResolutionM / 4) * (1 + 1e-6))
    expect(image.rows).toBe(4 * 47)
    const lambda = C0 / 10e9
    const dphi = ((8 / 29) * Math.PI) / 180
    expect(image.cols * (image.crossRangeM[1] - image.crossRangeM[0])).toBeCloseTo(lambda / (2 * dphi), 9)
    expect(image.crossRangeResolutionM).toBeCloseTo(lambda / (2 * ((8 * Math.PI) / 180)), 12)
    expect(image.rangeResolutionM).toBeCloseTo(C0 / 3e9, 12)
  })
})

describe('notes', () => {
  it('say when the size asked for is too coarse, and which is not', () => {
    const history = pointHistory([{ at: [0, 0, 0], re: 1 }], freq, 90, aspects(0, 8, 30))
    expect(formImage(history).notes).toEqual([])
    const { notes } = formImage(history, { size: { rows: 40, cols: 200 } })
    expect(notes).toHaveLength(1)
    const enough = Number(/pixels of 0.12 m in range .*use at least (\d+)/.exec(notes[0])![1])
    expect(formImage(history, { size: { rows: enough, cols: 200 } }).notes).toEqual([])
    expect(formImage(history, { size: { rows: enough - 1, cols: 200 } }).notes).toHaveLength(1)
  })
})

describe('resolution', () => {
  const phiDeg = aspects(0, 8.6, 40)
  const cell = 0.1
  /** Dip [dB] midway between two points along one axis, below the lower of the levels at both. */
  function dip(separation: number, along: 'range' | 'cross') {
    const h = separation / 2
    const at = (s: number): [number, number, number] => (along === 'range' ? [s, 0, 0] : [0, s, 0])
    const quadrature = [
      { at: at(-h), re: 1 },
      { at: at(h), re: 0, im: 1 },
    ]
    // removes the carrier between the two, so that they add in quadrature
    if (along === 'range') {
      const twoK = (4 * Math.PI * 10e9) / C0
      for (const p of quadrature) {
        const turn = -twoK * p.at[0]
        const { re, im = 0 } = p
        p.re = re * Math.cos(turn) - im * Math.sin(turn)
        p.im = re * Math.sin(turn) + im * Math.cos(turn)
      }
    }
    const image = formImage(pointHistory(quadrature, freq, 90, phiDeg), {
      rangeM: along === 'range' ? [-3 * h, 3 * h] : [-0.5, 0.5],
      crossRangeM: along === 'range' ? [-0.5, 0.5] : [-3 * h, 3 * h],
      size: { rows: 60, cols: 60 },
    })
    const line = (s: number): number => {
      const i = along === 'range' ? nearest(image.rangeM, s) : nearest(image.rangeM, 0)
      const l = along === 'range' ? nearest(image.crossRangeM, 0) : nearest(image.crossRangeM, s)
      return db(power(image, i * image.cols + l))
    }
    return Math.min(line(-h), line(h)) - line(0)
  }
  const nearest = (axis: Float64Array, x: number): number =>
    axis.reduce((best, v, i) => (Math.abs(v - x) < Math.abs(axis[best] - x) ? i : best), 0)

  it.each(['range', 'cross'] as const)(
    'two points two cells apart in %s are separate, half a cell apart are one',
    (along) => {
      expect(dip(2 * cell, along)).toBeGreaterThan(3)
      expect(dip(0.5 * cell, along)).toBeLessThan(0)
    },
  )
})

describe('polar format', () => {
  it('focuses a point at the edge over a wide aperture where the small-angle image smears', () => {
    const phiDeg = aspects(0, 30, 150)
    const history = pointHistory([{ at: pointAt(-1.5, 1.5, THETA, 0), re: 1 }], freq, THETA, phiDeg)
    const window = { rangeM: [-2, 2] as [number, number], crossRangeM: [-2, 2] as [number, number] }
    const plain = peak(formImage(history, window))
    const polar = formImage(history, { ...window, polarFormat: true })
    const top = peak(polar)
    expect(db(plain.sigma / (4 * Math.PI))).toBeLessThan(-6)
    expect(db(top.sigma / (4 * Math.PI))).toBeGreaterThan(-0.25)
    expect(Math.hypot(top.rangeM + 1.5, top.crossM - 1.5)).toBeLessThan(0.025)
    // -3 dB width in cross-range as of the window over the whole aperture: 1.3 lambda / (4 sin theta sin(15 deg))
    let width = 0
    for (let l = 0; l < polar.cols; l++)
      if (power(polar, top.row * polar.cols + l) > top.sigma / 2)
        width += polar.crossRangeM[1] - polar.crossRangeM[0]
    const cell = C0 / 10e9 / (4 * Math.sin((THETA * Math.PI) / 180) * Math.sin(Math.PI / 12))
    expect(width / cell).toBeGreaterThan(0.9)
    expect(width / cell).toBeLessThan(1.6)
  })
})

describe('bad input', () => {
  const good = pointHistory([{ at: [0, 0, 0], re: 1 }], linspace(9e9, 10e9, 5), 90, aspects(0, 4, 4))
  it.each<[string, Partial<PhaseHistory>, RegExp]>([
    ['one frequency', { freqHz: Float64Array.of(1e9), f: new Float64Array(8) }, /1 frequencies/],
    ['one aspect', { phiDeg: Float64Array.of(0), f: new Float64Array(10) }, /1 aspects/],
    ['wrong number of samples', { f: new Float64Array(6) }, /3 samples for 5 frequencies x 4 aspects/],
    [
      'uneven frequencies',
      { freqHz: Float64Array.of(9e9, 9.3e9, 9.5e9, 9.75e9, 10e9) },
      /number 1 is 9300000000/,
    ],
    ['descending frequencies', { freqHz: linspace(10e9, 9e9, 5) }, /ascending/],
    ['equal aspects', { phiDeg: new Float64Array(4) }, /not uniformly spaced/],
    ['theta on the axis', { thetaDeg: 180 }, /no cross-range/],
    ['theta NaN', { thetaDeg: NaN }, /no cross-range/],
    ['a sample that is NaN', { f: good.f.map((v, i) => (i === 9 ? NaN : v)) }, /sample 4 is NaN/],
  ])('%s', (_, change, message) => {
    expect(() => formImage({ ...good, ...change })).toThrow(message)
    expect(() => formImage({ ...good, ...change })).toThrow(InputError)
  })

  it('bad options', () => {
    expect(() => formImage(good, { rangeM: [1, 1] })).toThrow(/range window 1:1 m is empty/)
    expect(() => formImage(good, { size: { rows: 1, cols: 8 } })).toThrow(/1 pixels along range/)
    expect(() => formImage(good, { size: { rows: 2.5, cols: 8 } })).toThrow(/2.5 pixels/)
    expect(() => formImage(good, { size: { rows: 1e5, cols: 1e5 } })).toThrow(/too many/)
  })
})
