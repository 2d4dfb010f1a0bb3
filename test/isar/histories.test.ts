import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cvdomesFile } from '../../dataset/chip-formats.js'
import { encodeArrays, fieldAttributes, writeNpz } from '../../formats/index.js'
import { writeMat5 } from '../../formats/mat5.js'
import { apertureOf } from '../../isar/index.js'
import { circularPass, pointPulses, type PointScatterer } from '../../samples/models/gotcha.js'
import { calibrated } from '../../src/imaging/focus.js'
import { compareImages, meanProfile, otherCoverage, rangeShift, shifted } from '../../src/imaging/compare.js'
import { atResolution, formPulses } from '../../src/imaging/form.js'
import { readMeasurement } from '../../src/imaging/read-history.js'
import { onThreads } from '../../src/imaging/solve.js'
import { linspace } from './points.js'
import { scratchFolder } from '../helpers/scratch.js'

const folder = scratchFolder()
const file = (name: string, bytes: Uint8Array | string): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

const freqHz = linspace(9.5e9, 10.1e9, 24)
const pass = circularPass({ pulses: 31, spanDeg: 4, elevationDeg: 30, rangeM: Infinity })
const points: PointScatterer[] = [{ at: [1, 0.5, 0], re: 1 }, { at: [-0.8, -1.2, 0], re: 0.2, im: 0.5 }] // prettier-ignore
const history = pointPulses(pass, freqHz, points)
const phiDeg = linspace(-2, 2, 31)
const thetaDeg = new Float64Array(31).fill(60)
const shape = [24, 31]
const own = {
  f_vv: { data: history.f, shape, dtype: '<c16' as const },
  freq_hz: { data: freqHz, shape: [24], dtype: '<f8' as const },
  theta_deg: { data: thetaDeg, shape: [31], dtype: '<f8' as const },
  phi_deg: { data: phiDeg, shape: [31], dtype: '<f8' as const },
}
const conjugate = history.f.map((x, i) => (i % 2 ? -x : x))
/** [pulse][frequency] */
const turned = Float64Array.from({ length: conjugate.length }, (_, i) => {
  const [n, m] = [Math.floor((i >> 1) / 24), (i >> 1) % 24]
  return conjugate[2 * (m * 31 + n) + (i % 2)]
})
const rad = phiDeg.map((p) => (p * Math.PI) / 180)
const description = {
  data: { re: 'set.re', im: 'set.im' },
  order: 'pulse-frequency',
  channel: 'vv',
  frequency: 'set.GHz',
  frequencyUnit: 'GHz',
  sign: '+',
  geometry: { azimuth: 'set.az', elevation: Math.PI / 6, angleUnit: 'rad' },
}
const part = (k: number) => ({
  data: turned.filter((_, i) => i % 2 === k),
  shape: [31, 24] as [number, number],
})
const described = writeMat5({
  set: {
    fields: {
      re: part(0),
      im: part(1),
      GHz: { data: freqHz.map((f) => f / 1e9), shape: [24, 1] },
      az: { data: rad, shape: [1, 31] },
    },
  },
})

describe('a phase history is the same', () => {
  const close = (a: Float64Array, b: Float64Array, within: number): boolean =>
    a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) <= within)
  const cases: [string, () => Promise<string[]>][] = [
    ['npz of isar', async () => [file('own.npz', writeNpz(own))]],
    ['HDF5 of isar', async () => [file('own.h5', await encodeArrays('hdf5', own, fieldAttributes()))]],
    ['MATLAB of isar', async () => [file('own.mat', await encodeArrays('mat', own, fieldAttributes()))]],
    [
      'HDF5 with a last axis of re and im',
      async () => [file('two.h5', await encodeArrays('hdf5', { ...own, f_vv: { data: history.f, shape: [24, 31, 2], dtype: '<f8' } }))], // prettier-ignore
    ],
    [
      'MATLAB file of isar',
      async () => [
        file('own.mat', writeMat5(Object.fromEntries(Object.entries(own).map(([name, { data, shape }]) => [name, { data, shape: (shape.length === 1 ? [1, shape[0]] : shape) as [number, number], complex: name === 'f_vv' }])))), // prettier-ignore
      ],
    ],
    [
      'CVDomes-like',
      async () => [file('domes.mat', cvdomesFile({ freqHz, azimuthDeg: phiDeg, elevationDeg: 30, f: { vv: history.f } }))], // prettier-ignore
    ],
    [
      'described',
      async () => [file('other.mat', described), file('other.json', JSON.stringify(description))],
    ],
    [
      'of one elevation, written once',
      async () => [file('level.npz', writeNpz({ ...own, theta_deg: { data: Float64Array.of(60), shape: [1, 1], dtype: '<f8' } }))], // prettier-ignore
    ],
    [
      'descending in frequency',
      async () => [
        file('down.npz', writeNpz({ ...own, freq_hz: { ...own.freq_hz, data: freqHz.toReversed() }, f_vv: { ...own.f_vv, data: reversedRows() } })), // prettier-ignore
      ],
    ],
  ]
  function reversedRows(): Float64Array {
    const out = new Float64Array(history.f.length)
    for (let m = 0; m < 24; m++) out.set(history.f.subarray(62 * m, 62 * (m + 1)), 62 * (23 - m))
    return out
  }

  it.each(cases)('%s', async (_, make) => {
    const [path, json] = await make()
    const { channels } = await readMeasurement([path], { description: json })
    expect(channels.map((c) => c.channel)).toEqual(['vv'])
    const [got] = channels
    expect(close(got.f, history.f, 1e-12)).toBe(true)
    expect(close(got.freqHz, freqHz, 1e-2)).toBe(true)
    expect(close(got.antenna, history.antenna, 1e-12)).toBe(true)
    expect(apertureOf(got).spanDeg).toBeCloseTo(4, 9)
  })

  const withDescription = (change: object): string =>
    file('z.json', JSON.stringify({ ...description, ...change }))
  const changed = (change: object): string => file('changed.npz', writeNpz({ ...own, ...change }))
  const unlike = (of: keyof typeof own, change: object): object => ({ [of]: { ...own[of], ...change } })
  const { phi_deg, ...blind } = own
  it.each<[RegExp, () => string | Promise<string>, (() => string)?]>([
    [/neither \.npz, HDF5 nor MATLAB/, () => file('x.npz', 'nothing')],
    [/cut\.h5: not a readable HDF5 file: it is damaged, or ends early$/, async () => file('cut.h5', (await encodeArrays('hdf5', own, fieldAttributes())).subarray(0, 2000))],
    [/pulses of isar doppler/, () => file('pulses.npz', writeNpz({ ...blind, time_s: phi_deg }))],
    [/unknown layout \(set\.re, set\.im.*--description/, () => file('plain.mat', described)],
    [/y\.json: frequency/, () => file('y.mat', described), () => file('y.json', '{"data": "set.re"}')],
    [/31 x 24 for 31 frequencies/, () => file('z.mat', described), () => withDescription({ frequency: 'set.az' })],
    [/no array "set\.f"; there are set\.re/, () => file('z.mat', described), () => withDescription({ frequency: 'set.f' })],
    [/beyond 90 degrees; check "angleUnit"/, () => file('z.mat', described), () => withDescription({ geometry: { ...description.geometry, elevation: 30 } })],
    [/of no radar; check their unit/, () => file('z.mat', described), () => withDescription({ frequencyUnit: 'kHz' })],
    [/d\.mat: data has no samples vv, hh, vh or hv; it has FGHz/, () => file('d.mat', writeMat5({ data: { fields: { FGHz: part(0), azim: part(0), elev: part(0) } } }))],
    [/"theta_deg" has 28 numbers for 31 pulses/, () => changed(unlike('theta_deg', { data: thetaDeg.slice(3), shape: [28] }))],
    [/"f_vv" is 31 x 24 for 24 frequencies; save it as frequency x pulse/, () => changed(unlike('f_vv', { shape: [31, 24] }))],
    [/no array "phi_deg"; there are f_vv, freq_hz/, () => file('b.npz', writeNpz(blind))],
    [/uniformly spaced; number 3/, () => changed(unlike('freq_hz', { data: freqHz.map((f, i) => (i === 3 ? f + 2e7 : f)) }))],
  ])('or is refused in one line that says what is wrong: %s', async (says, path, json) => {
    await expect(readMeasurement([await path()], { description: json?.() })).rejects.toThrow(says)
  }) // prettier-ignore

  it('or is refused where a second file has other frequencies', async () => {
    const other = changed(unlike('freq_hz', { data: freqHz.map((f) => f + 1e8) }))
    await expect(readMeasurement([file('a.npz', writeNpz(own)), other])).rejects.toThrow(
      /changed\.npz: its frequencies/,
    )
  })
})

describe('a measurement', () => {
  const measurement = async (f: Float64Array) => {
    const read = await readMeasurement([file('m.npz', writeNpz({ ...own, f_vv: { ...own.f_vv, data: f } }))])
    return read
  }

  it('is calibrated by a reference of known RCS at a known place', async () => {
    // The radar's own response: gain, delay and ripple.
    const response = Array.from(freqHz, (_, m) => [3 * Math.cos(0.4 * m) + 0.2, 3 * Math.sin(0.4 * m)])
    const through = (f: Float64Array): Float64Array =>
      f.map((x, i) => {
        const [re, im] = response[Math.floor((i >> 1) / 31)]
        return i % 2 ? f[i - 1] * im + x * re : x * re - f[i + 1] * im
      })
    const sphere = pointPulses(pass, freqHz, [{ at: [0.3, 0.1, 0], re: Math.sqrt(0.5 / (4 * Math.PI)) }])
    const measured = await measurement(through(sphere.f))
    const { channels } = calibrated(await measurement(through(history.f)), { measured, known: 10 * Math.log10(0.5), at: [0.3, 0.1, 0] }) // prettier-ignore
    channels[0].f.forEach((x, i) => expect(x).toBeCloseTo(history.f[i], 9))
  })

  it('is compared with a simulation that is shifted and scaled: both are found', async () => {
    const [measured] = (await measurement(history.f)).channels
    const simulated = shifted({ ...measured, f: history.f.map((x) => 0.5 * x) }, -0.137)
    const profiles = [measured, simulated].map((h) => meanProfile(h, 'taylor', 3))
    const { shiftM, correlation } = rangeShift(profiles[0], profiles[1])
    expect(shiftM).toBeCloseTo(0.137, 2)
    expect(correlation).toBeGreaterThan(0.999)
    const form = { algorithm: 'backprojection', plane: 'ground', window: 'taylor', acrossM: [-2, 2], alongM: [-2, 2], pixelM: 0.1 } as const // prettier-ignore
    const options = { ...form, acrossM: [-2, 2] as [number, number], alongM: [-2, 2] as [number, number] }
    const device = onThreads(0)
    const [a, b] = await Promise.all([measured, shifted(simulated, shiftM)].map((h) => formPulses(h, options, device))) // prettier-ignore
    const compared = compareImages(a, b)
    expect(compared.gainDb).toBeCloseTo(20 * Math.log10(2), 1)
    expect(compared.correlation).toBeGreaterThan(0.999)
    expect(compared.rmsDb).toBeLessThan(0.5)
  })

  it('has the resolution asked for, from the middle of band and aperture', async () => {
    const [whole] = (await measurement(history.f)).channels
    const coarse = atResolution(whole, [0.5, 0.6])
    expect(coarse.freqHz.length).toBe(Math.round(299792458 / 2 / 0.5 / (freqHz[1] - freqHz[0])))
    const { spanDeg, centre } = apertureOf(coarse)
    expect(centre.phiDeg).toBeCloseTo(0, 6)
    // lambda / (4 sin(span / 2) sin(theta)), to a pulse at either end.
    const wanted = (2 * Math.asin(299792458 / 9.8e9 / (4 * 0.6 * Math.sin(Math.PI / 3))) * 180) / Math.PI
    expect(Math.abs(spanDeg - wanted)).toBeLessThan(0.27)
    expect(() => atResolution(whole, [0.1, 1])).toThrow(/finer than the 0\.239 m of the data/)
  })
})

it('a simulation of another band or other aspects is reported, about the same ones are not', () => {
  const measured = { ...history, channel: 'vv' }
  const seenAt = (startDeg: number, elevationDeg = 30): typeof measured =>
    ({ ...measured, ...circularPass({ pulses: 31, spanDeg: 4, startDeg, elevationDeg, rangeM: Infinity }) }) // prettier-ignore
  expect(otherCoverage(measured, measured)).toBeUndefined()
  expect(otherCoverage(measured, seenAt(-1.7, 31))).toBeUndefined()
  expect(otherCoverage(seenAt(178), seenAt(-182))).toBeUndefined()
  expect(otherCoverage(measured, seenAt(1))).toBe('azimuths of 1 to 5°, not -2 to 2°')
  expect(otherCoverage(measured, seenAt(-2, 20))).toBe('an elevation of 20.0°, not 30.0°')
  const other = { ...measured, freqHz: freqHz.map((f) => f - 6e9) }
  expect(otherCoverage(measured, other)).toBe('3.5 to 4.1 GHz, not 9.5 to 10.1 GHz')
})
