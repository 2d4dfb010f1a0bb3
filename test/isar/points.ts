import { C0 } from '../../scene/index.js'
import type { IsarImage, PhaseHistory } from '../../isar/index.js'

/** A point scatterer of complex amplitude re + j im [m] at (x, y, z) [m]. */
export interface Point {
  at: [number, number, number]
  re: number
  im?: number
}

/** Uniform values from a to b, n of them. */
export const linspace = (a: number, b: number, n: number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => a + ((b - a) * i) / (n - 1))

export const unitR = (thetaDeg: number, phiDeg: number): [number, number, number] => {
  const t = (thetaDeg * Math.PI) / 180
  const p = (phiDeg * Math.PI) / 180
  return [Math.sin(t) * Math.cos(p), Math.sin(t) * Math.sin(p), Math.cos(t)]
}

/** Place in the image by the definition of its axes: range -r . r-hat, cross-range r . phi-hat. */
export function place([x, y, z]: Point['at'], thetaDeg: number, phiDeg: number): [number, number] {
  const r = unitR(thetaDeg, phiDeg)
  const p = (phiDeg * Math.PI) / 180
  return [-(x * r[0] + y * r[1] + z * r[2]), -x * Math.sin(p) + y * Math.cos(p)]
}

/** Point of the plane z = 0 that has this place in the image. */
export function pointAt(rangeM: number, crossM: number, thetaDeg: number, phiDeg: number): Point['at'] {
  const radial = -rangeM / Math.sin((thetaDeg * Math.PI) / 180)
  const p = (phiDeg * Math.PI) / 180
  return [radial * Math.cos(p) - crossM * Math.sin(p), radial * Math.sin(p) + crossM * Math.cos(p), 0]
}

/** Closed form: F = sum A exp(+2jk r-hat . r) at every frequency and aspect. */
export function pointHistory(
  points: Point[],
  freqHz: Float64Array,
  thetaDeg: number,
  phiDeg: Float64Array,
): PhaseHistory {
  const f = new Float64Array(2 * freqHz.length * phiDeg.length)
  for (let m = 0; m < freqHz.length; m++)
    for (let n = 0; n < phiDeg.length; n++)
      for (const { at, re, im = 0 } of points) {
        const r = unitR(thetaDeg, phiDeg[n])
        const phase = ((4 * Math.PI * freqHz[m]) / C0) * (r[0] * at[0] + r[1] * at[1] + r[2] * at[2])
        const i = 2 * (m * phiDeg.length + n)
        f[i] += re * Math.cos(phase) - im * Math.sin(phase)
        f[i + 1] += re * Math.sin(phase) + im * Math.cos(phase)
      }
  return { freqHz, thetaDeg, phiDeg, f }
}

/** Brightest pixel: its row, column, place [m] and complex value. */
export function peak(image: IsarImage) {
  let best = 0
  for (let i = 1; i < image.rows * image.cols; i++) if (power(image, i) > power(image, best)) best = i
  const row = Math.floor(best / image.cols)
  const col = best % image.cols
  return {
    row,
    col,
    rangeM: image.rangeM[row],
    crossM: image.crossRangeM[col],
    re: image.image[2 * best],
    im: image.image[2 * best + 1],
    sigma: power(image, best),
  }
}

export const power = (image: IsarImage, pixel: number): number =>
  image.image[2 * pixel] ** 2 + image.image[2 * pixel + 1] ** 2

export const db = (ratio: number): number => 10 * Math.log10(ratio)

/** Repeatable pseudo-random numbers in [-1, 1). */
export function random(seed: number): () => number {
  let s = seed >>> 0
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0
    return s / 2 ** 31 - 1
  }
}
