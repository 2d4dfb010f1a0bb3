import { expect, test } from 'vitest'
import { boundingBox, facetCount } from '../../scene/index.js'
import { cube, plate } from '../../samples/models/canonical.js'
import { chordStations, curve, naca, solve, stations } from '../../samples/models/jet.js'
import { fitBox, mirrorY, orientOutward, splitToCount, Surface } from '../../samples/models/surface.js'

test('a curve goes through its knots, never overshoots and is constant beyond its ends', () => {
  const f = curve({ 0: 0, 0.5: 1, 1: 1, 2: 0.2, 3: 0 })
  for (const [s, v] of [
    [-1, 0],
    [0.5, 1],
    [1, 1],
    [2, 0.2],
    [9, 0],
  ])
    expect(f(s)).toBeCloseTo(v, 14)
  for (let s = 0; s < 3; s += 0.01) {
    expect(f(s)).toBeGreaterThanOrEqual(0)
    expect(f(s)).toBeLessThanOrEqual(1 + 1e-12)
    if (s > 0.5 && s < 1) expect(f(s)).toBeCloseTo(1, 14)
  }
})

test('a curve through collinear knots is the straight line', () => {
  const f = curve({ 0: 1, 1: 3, 2: 5, 4: 9 })
  for (let s = 0; s <= 4; s += 0.1) expect(f(s)).toBeCloseTo(1 + 2 * s, 12)
})

test('solve finds where a rising and a falling function take a value, and the nearer end otherwise', () => {
  expect(solve((s) => s * s, 2, 0, 2)).toBeCloseTo(Math.SQRT2, 12)
  expect(solve((s) => -s * s, -2, 0, 2)).toBeCloseTo(Math.SQRT2, 12)
  expect(solve((s) => s, 7, 0, 2)).toBe(2)
  expect(solve((s) => s, -7, 0, 2)).toBe(0)
})

test('stations meet every breakpoint exactly, in numeric order of the keys', () => {
  expect(stations({ 0: 0, 0.5: 2, 1: 1, 3: 2 })).toEqual([0, 0.25, 0.5, 1, 2, 3])
})

test('chord stations grow as squares near the leading edge and meet both ends', () => {
  const at = chordStations([1, 3], 0.08, 4, 2)
  expect(at.length).toBe(7)
  for (const [k, s] of [1, 1.01, 1.04, 1.09, 1.16, 2.08, 3].entries()) expect(at[k]).toBeCloseTo(s, 12)
  expect([at[0], at[6]]).toEqual([1, 3])
})

test('the NACA section has the published ordinates, nose radius and a sharp trailing edge', () => {
  // NACA 0012 [percent of the chord] (Abbott and von Doenhoff, appendix III); the sharp trailing edge differs aft.
  for (const [f, ordinate] of [
    [0.0125, 1.894],
    [0.05, 3.555],
    [0.1, 4.683],
    [0.3, 6.002],
    [0.5, 5.294],
  ])
    expect(6 * naca(f)).toBeCloseTo(ordinate, 1)
  // Radius of the nose: 1.1019 of the squared thickness ratio, times the chord.
  expect((0.06 * naca(1e-9)) ** 2 / 2e-9).toBeCloseTo(1.1019 * 0.12 ** 2, 5)
  expect(naca(0)).toBe(0)
  expect(Math.abs(naca(1))).toBeLessThan(1e-12)
})

test('splitting reaches the count and keeps area and box', () => {
  for (const count of [13, 14, 40]) {
    const sheet = splitToCount(plate(1), count)
    expect(facetCount(sheet)).toBe(count)
    expect(boundingBox(sheet)).toEqual(boundingBox(plate(1)))
    let area = 0
    for (let t = 0; t < count; t++) {
      const [a, b, c] = sheet.triangles.subarray(3 * t, 3 * t + 3)
      const p = sheet.positions
      const [ux, uy, vx, vy] = [
        p[3 * b] - p[3 * a],
        p[3 * b + 1] - p[3 * a + 1],
        p[3 * c] - p[3 * a],
        p[3 * c + 1] - p[3 * a + 1],
      ]
      expect(ux * vy - uy * vx).toBeGreaterThan(0)
      area += (ux * vy - uy * vx) / 2
    }
    expect(area).toBeCloseTo(1, 12)
  }
})

test('splitting says when a count cannot be reached', () => {
  expect(() => splitToCount(cube(1), 13)).toThrow(/1 more/)
  expect(() => splitToCount(cube(1), 10)).toThrow(/12 facets already, 10 asked for/)
})

test('orientOutward turns a cube whose facets face anyhow', () => {
  const shuffled = cube(1)
  for (const t of [0, 3, 4, 7, 8, 9, 11])
    shuffled.triangles.set(
      [0, 2, 1].map((k) => shuffled.triangles[3 * t + k]),
      3 * t,
    )
  const { positions: p, triangles } = orientOutward(shuffled)
  for (let t = 0; t < 12; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => p.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3))
    const volume =
      a[0] * (b[1] * c[2] - b[2] * c[1]) +
      a[1] * (b[2] * c[0] - b[0] * c[2]) +
      a[2] * (b[0] * c[1] - b[1] * c[0])
    expect(volume).toBeGreaterThan(0)
  }
})

test('mirrorY joins the halves along y = 0, and fitBox stretches to the box', () => {
  const surface = new Surface()
  surface.quad([0, 0, 0], [2, 0, 0], [2, 1, 0.5], [0, 1, 0.5])
  const whole = mirrorY(surface.mesh())
  expect([facetCount(whole), whole.positions.length / 3]).toEqual([4, 6])
  const box = boundingBox(fitBox(whole, [1, 4, 3]))
  expect([box.min, box.max]).toEqual([
    [-0.5, -2, -1.5],
    [0.5, 2, 1.5],
  ])
})
