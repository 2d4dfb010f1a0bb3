import { expect, test } from 'vitest'
import { direction, type Vec3 } from '../../scene/index.js'
import { norm } from '../helpers/sbr.js'
import { edgeReference, type EdgePiece } from './edge.js'
import {
  besselJ,
  electricField,
  LARGEST_X,
  magneticField,
  magneticSlope,
  electricSlope,
} from './wedge-field.js'

test('Bessel functions of half a degree are sines, those of whole ones obey their recurrence', () => {
  for (const x of [0.01, 0.7, 3, LARGEST_X]) {
    const half = Math.sqrt(2 / (Math.PI * x))
    expect(besselJ(0.5, x)).toBeCloseTo(half * Math.sin(x), 10)
    for (const nu of [1, 1.3, 2.7])
      expect(besselJ(nu - 1, x) + besselJ(nu + 1, x)).toBeCloseTo(((2 * nu) / x) * besselJ(nu, x), 10)
  }
  expect(() => besselJ(1, 2 * LARGEST_X)).toThrow(RangeError)
})

test('a wedge opened to a plane has the incident and the mirrored wave', () => {
  for (const [X, phi, phi0] of [
    [0.3, 1.1, 0.7],
    [4, 2.8, 1.9],
    [9, 0.2, 2.5],
  ]) {
    const [direct, mirrored] = [phi - phi0, phi + phi0].map((angle) => X * Math.cos(angle))
    for (const [field, sign] of [
      [electricField, -1],
      [magneticField, 1],
    ] as const) {
      const [re, im] = field(1, X, phi, phi0)
      expect(re).toBeCloseTo(Math.cos(direct) + sign * Math.cos(mirrored), 10)
      expect(im).toBeCloseTo(Math.sin(direct) + sign * Math.sin(mirrored), 10)
    }
  }
})

test('slopes on the face are those of the fields', () => {
  const step = 1e-5
  for (const N of [1.3, 2])
    for (const X of [0.2, 5]) {
      const above = electricField(N, X, step, 0.8)
      const [before, after] = [magneticField(N, X - step, 0, 0.8), magneticField(N, X + step, 0, 0.8)]
      for (const part of [0, 1]) {
        expect(electricSlope(N, X, 0.8)[part]).toBeCloseTo(above[part] / (X * step), 6)
        expect(magneticSlope(N, X, 0.8)[part]).toBeCloseTo((after[part] - before[part]) / (2 * step), 6)
      }
    }
})

test('the current of a wedge opened to a plane is that of physical optics: nothing is left', () => {
  const piece: EdgePiece = {
    N: 1,
    x: [1, 0, 0],
    y: [0, 1, 0],
    z: [0, 0, 1],
    middle: [0.1, 0.2, 0.3],
    length: 0.02,
    stripLength: () => 0.03,
  }
  const aspect = { tx: direction(70, 50), rx: direction(40, 110) }
  const k = 200
  expect(norm(edgeReference({ ...piece, N: 1.5 }, aspect, k))).toBeGreaterThan(1e-4)
  expect(norm(edgeReference(piece, aspect, k))).toBeLessThan(1e-11)
})

test('straight back from a sheet in whose plane the wave comes, F = -length / 2 pi, f = -1 of Ufimtsev', () => {
  // E along the edge, the sheet behind it: no physical optics. The far ends of strips average out over half a wavelength.
  const edgeLength = 0.1
  const ends = 8
  const front = direction(90, 180)
  const total = [0, 0]
  for (let i = 0; i < ends; i++)
    for (const side of [1, -1]) {
      const [y, z]: Vec3[] = [[0, side, 0], [0, 0, side]] // prettier-ignore
      const stripLength = (): number => 8 + (Math.PI * i) / ends
      const piece = {
        N: 2,
        x: [1, 0, 0] as Vec3,
        y,
        z,
        middle: [0, 0, 0] as Vec3,
        length: edgeLength,
        stripLength,
      }
      const field = edgeReference(piece, { tx: front, rx: front }, 1)
      for (const part of [0, 1]) total[part] += field[part] / ends
    }
  const [re, im] = total.map((v) => (v * 2 * Math.PI) / edgeLength)
  expect(Math.hypot(re + 1, im)).toBeLessThan(0.01)
})
