import { expect, test } from 'vitest'
import { cross, direction, dot, isMonostatic, type Vec3 } from '../../scene/index.js'
import { random } from '../helpers/random.js'
import { rows } from './shapes.js'

const expectVec = (a: Vec3, b: number[], digits = 14): void =>
  a.forEach((x, i) => expect(x).toBeCloseTo(b[i], digits))

test('axes: +z, +x, +y and their polarisation bases are exact', () => {
  const cases: [number, number, number[], number[], number[]][] = [
    [0, 0, [0, 0, 1], [1, 0, 0], [0, 1, 0]],
    [90, 0, [1, 0, 0], [0, 0, -1], [0, 1, 0]],
    [90, 90, [0, 1, 0], [0, 0, -1], [-1, 0, 0]],
    [90, -90, [0, -1, 0], [0, 0, -1], [1, 0, 0]],
    [180, 0, [0, 0, -1], [-1, 0, 0], [0, 1, 0]],
    [270, 0, [-1, 0, 0], [0, 0, 1], [0, 1, 0]],
    [450, 360, [1, 0, 0], [0, 0, -1], [0, 1, 0]],
  ]
  for (const [theta, phi, r, v, h] of cases) {
    const d = direction(theta, phi)
    // x + 0 makes -0 a 0: exactly these numbers, no 6e-17.
    expect([d.r, d.thetaHat, d.phiHat].map((a) => a.map((x) => x + 0))).toEqual([r, v, h])
  }
})

test('r, theta-hat, phi-hat are orthonormal and right-handed at any angle, also past 180 degrees', () => {
  const next = random(1)
  for (let i = 0; i < 200; i++) {
    const { r, thetaHat, phiHat } = direction(720 * next() - 180, 720 * next() - 360)
    expectVec(cross(thetaHat, phiHat), r)
    for (const a of [r, thetaHat, phiHat]) expect(dot(a, a)).toBeCloseTo(1, 14)
    expect(dot(thetaHat, phiHat)).toBeCloseTo(0, 14)
  }
})

test('theta-hat is d r / d theta and phi-hat (d r / d phi) / sin theta', () => {
  const step = 1e-4
  const rad = (2 * step * Math.PI) / 180
  for (const [theta, phi] of rows('33 12, 111 -77, 214 40, 301 250')) {
    const d = direction(theta, phi)
    const along = (a: Vec3, b: Vec3, scale: number): number[] => a.map((x, i) => (x - b[i]) / (rad * scale))
    expectVec(d.thetaHat, along(direction(theta + step, phi).r, direction(theta - step, phi).r, 1), 8)
    const sin = Math.sin((theta * Math.PI) / 180)
    expectVec(d.phiHat, along(direction(theta, phi + step).r, direction(theta, phi - step).r, sin), 8)
  }
})

test('past 180 degrees the direction is that of (360 - theta, phi + 180), both polarisations turned round', () => {
  const a = direction(214, 40)
  const b = direction(146, 220)
  expectVec(a.r, b.r)
  expectVec(
    a.thetaHat,
    b.thetaHat.map((x) => -x),
  )
  expectVec(
    a.phiHat,
    b.phiHat.map((x) => -x),
  )
})

test('an aspect is monostatic when both directions have the same angles', () => {
  expect(isMonostatic({ tx: direction(80, 10), rx: direction(80, 10) })).toBe(true)
  expect(isMonostatic({ tx: direction(80, 10), rx: direction(80, 11) })).toBe(false)
})
