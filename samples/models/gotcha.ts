import { writeMat5 } from '../../formats/mat5.js'
import { differentialRange, type PulseGeometry, type PulseHistory } from '../../isar/index.js'
import { C0, type Vec3 } from '../../scene/index.js'

/** A point scatterer of amplitude re + j im [m]. */
export interface PointScatterer {
  at: Vec3
  re: number
  im?: number
}

/** A circular pass about the origin; its phases are referred to the origin. Infinite range: far field. */
export function circularPass({
  pulses,
  spanDeg,
  startDeg = -spanDeg / 2,
  elevationDeg,
  rangeM,
}: {
  pulses: number
  spanDeg: number
  startDeg?: number
  elevationDeg: number
  rangeM: number
}): PulseGeometry & { pulses: number } {
  const farField = rangeM === Infinity
  const scale = farField ? 1 : rangeM
  const el = (elevationDeg * Math.PI) / 180
  const antenna = new Float64Array(3 * pulses)
  for (let n = 0; n < pulses; n++) {
    const az = ((startDeg + (spanDeg * n) / Math.max(1, pulses - 1)) * Math.PI) / 180
    antenna.set([scale * Math.cos(el) * Math.cos(az), scale * Math.cos(el) * Math.sin(az), scale * Math.sin(el)], 3 * n) // prettier-ignore
  }
  return { pulses, antenna, referenceM: new Float64Array(pulses).fill(farField ? 0 : rangeM), farField }
}

/** Closed form of points: sum A exp(-j 4 pi f d / c) at every frequency and pulse. */
export function pointPulses(
  pass: PulseGeometry & { pulses: number },
  freqHz: Float64Array,
  points: PointScatterer[],
): PulseHistory {
  const { pulses } = pass
  const f = new Float64Array(2 * freqHz.length * pulses)
  for (const { at, re, im = 0 } of points)
    for (let n = 0; n < pulses; n++) {
      const d = differentialRange(pass, n, at)
      for (let m = 0; m < freqHz.length; m++) {
        const phase = ((-4 * Math.PI * freqHz[m]) / C0) * d
        const k = 2 * (m * pulses + n)
        f[k] += re * Math.cos(phase) - im * Math.sin(phase)
        f[k + 1] += re * Math.sin(phase) + im * Math.cos(phase)
      }
    }
  return { ...pass, freqHz, f }
}

/** A degree of a pass as the AFRL Gotcha set has it: sizes, band and geometry are of its kind. */
export interface GotchaDegree {
  /** First azimuth [degrees]; the file spans one degree less a pulse. */
  azimuthDeg: number
  elevationDeg?: number
  pulses?: number
  frequencies?: number
  /** Corrections by pulse that the file brings: without them range and phase are wrong by as much. */
  rangeError?: (pulse: number) => number
  phaseError?: (pulse: number) => number
}

/** Band of the set: 9.288 to 9.911 GHz about, 424 frequencies. */
const FIRST_HZ = 9.2881e9
const STEP_HZ = 1.4714e6
const RANGE_M = 10_159

/** A synthetic file of points in the layout of the Gotcha set (MATLAB 5; struct `data`, single-precision samples). */
export function gotchaFile(points: PointScatterer[], degree: GotchaDegree): Uint8Array {
  const { azimuthDeg, elevationDeg = 45.7, pulses = 117, frequencies = 424 } = degree
  const { rangeError = () => 0, phaseError = () => 0 } = degree
  const freqHz = Float64Array.from({ length: frequencies }, (_, m) => FIRST_HZ + m * STEP_HZ)
  const spanDeg = (pulses - 1) / pulses
  const pass = circularPass({ pulses, spanDeg, startDeg: azimuthDeg, elevationDeg, rangeM: RANGE_M })
  const { f, antenna } = pointPulses(pass, freqHz, points)
  const axis = (a: number) => ({ data: Float64Array.from({ length: pulses }, (_, n) => antenna[3 * n + a]), shape: [1, pulses] as [number, number] }) // prettier-ignore
  const row = (value: (n: number) => number) => ({ data: Float64Array.from({ length: pulses }, (_, n) => value(n)), shape: [1, pulses] as [number, number] }) // prettier-ignore
  const fp = new Float32Array(f.length)
  for (let i = 0; i < f.length; i += 2) {
    const error = -phaseError((i / 2) % pulses)
    fp[i] = f[i] * Math.cos(error) - f[i + 1] * Math.sin(error)
    fp[i + 1] = f[i] * Math.sin(error) + f[i + 1] * Math.cos(error)
  }
  return writeMat5({
    data: {
      fields: {
        fp: { data: fp, shape: [frequencies, pulses], complex: true },
        freq: { data: freqHz, shape: [frequencies, 1] },
        x: axis(0),
        y: axis(1),
        z: axis(2),
        r0: row((n) => RANGE_M - rangeError(n)),
        th: row((n) => azimuthDeg + (spanDeg * n) / (pulses - 1)),
        phi: row(() => elevationDeg),
        af: { fields: { r_correct: row(rangeError), ph_correct: row(phaseError) } },
      },
    },
  })
}

/** Outlines of parked cars as points of random phase, and four trihedrals at the corners of the place: what `--gotcha` writes a pass over. */
export function carPark(): PointScatterer[] {
  let state = 7
  const random = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const points: PointScatterer[] = []
  const point = (x: number, y: number, amplitude: number): void => {
    const phase = 2 * Math.PI * random()
    points.push({ at: [x, y, 0], re: amplitude * Math.cos(phase), im: amplitude * Math.sin(phase) })
  }
  for (const [x, y, turn] of [
    [-9, -5, 8],
    [-3, -5, -5],
    [3, -5, 2],
    [9, -5, 12],
    [-6, 5, 96],
    [1, 5, 88],
    [8, 5, 30],
  ]) {
    const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)]
    const [length, width] = [4.4, 1.8]
    const corners = [
      [1, 1],
      [1, -1],
      [-1, -1],
      [-1, 1],
    ].map(([a, b]) => [(a * length) / 2, (b * width) / 2])
    corners.forEach(([ax, ay], i) => {
      const [bx, by] = corners[(i + 1) % 4]
      const steps = Math.round(Math.hypot(bx - ax, by - ay) / 0.3)
      for (let k = 0; k < steps; k++) {
        const [px, py] = [ax + ((bx - ax) * k) / steps, ay + ((by - ay) * k) / steps]
        point(x + px * cos - py * sin, y + px * sin + py * cos, k === 0 ? 1 : 0.15 + 0.4 * random())
      }
    })
  }
  for (const [x, y] of [
    [-13, -10],
    [13, -10],
    [13, 10],
    [-13, 10],
  ])
    point(x, y, 3)
  return points
}
