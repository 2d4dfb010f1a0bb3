import { expect, test } from 'vitest'
import { complexError } from '../../reproduction/prism.js'
import { add, type Complex, divide, multiply, scale, subtract } from '../../math/complex.js'
import { phasor } from './complex.js'
import { hankelOf } from './hankel.js'
import { coatedCylinder, regularPolygon } from './layered-mom.js'
import { impedanceCylinder } from './material-mom.js'

const K = 2 * Math.PI

/** J and H^(2) of orders 0 to n - 1: J by Miller's recurrence down, H upwards. */
function bessel(z: Complex, n: number): { J: Complex[]; H: Complex[] } {
  const out = new Float64Array(4)
  hankelOf(z[0], z[1], out)
  const H: Complex[] = [
    [out[0], out[1]],
    [out[2], out[3]],
  ]
  const next = (m: number, a: Complex, b: Complex): Complex => subtract(divide(scale(2 * m, a), z), b)
  for (let m = 1; m < n; m++) H.push(next(m, H[m], H[m - 1]))
  const J: Complex[] = Array.from({ length: n + 40 }, () => [0, 0])
  J[n + 38] = [1e-60, 0]
  for (let m = n + 38; m > 0; m--) J[m - 1] = next(m, J[m], J[m + 1])
  let sum = J[0]
  for (let m = 2; m < n + 38; m += 2) sum = add(sum, scale(2, J[m]))
  return { J: J.map((x) => divide(x, sum)), H }
}

/** P of a coated circular cylinder by its series, under a wave from 0. */
function series(
  radius: number,
  thickness: number,
  eps: Complex,
  mu: Complex,
  isE: boolean,
  phis: number[],
): Complex[] {
  const square = multiply(eps, mu)
  const size = Math.sqrt(Math.hypot(...square))
  const n = scale(size, phasor(Math.atan2(square[1], square[0]) / 2))
  const [a, b, c] = [
    bessel(scale(K * radius, n), 40),
    bessel(scale(K * (radius + thickness), n), 40),
    bessel([K * (radius + thickness), 0], 40),
  ]
  const slope = (f: Complex[], m: number): Complex =>
    scale(0.5, subtract(m === 0 ? scale(-1, f[1]) : f[m - 1], f[m + 1]))
  const by = divide(n, isE ? mu : eps)
  const out = phis.map((): Complex => [0, 0])
  for (let m = 0; m < 30; m++) {
    const of = (f: Complex[]): Complex => (isE ? f[m] : slope(f, m))
    const back = divide(of(a.J), of(a.H))
    const u = subtract(b.J[m], multiply(back, b.H[m]))
    const q = multiply(by, subtract(slope(b.J, m), multiply(back, slope(b.H, m))))
    const match = (f: Complex[]): Complex => subtract(multiply(slope(f, m), u), multiply(f[m], q))
    const A = divide(match(c.J), match(c.H))
    phis.forEach((phi, i) => {
      out[i] = add(out[i], scale((m === 0 ? -1 : -2) * (-1) ** m * Math.cos(m * phi), A))
    })
  }
  return out
}

test.each([
  { name: 'of low loss', eps: [4, -0.08], mu: [1, 0], thickness: 0.06, most: 0.015 },
  { name: 'lossy', eps: [6, -1.2], mu: [1, 0], thickness: 0.06, most: 0.003 },
  { name: 'magnetic', eps: [12, -0.6], mu: [2.2, -1.6], thickness: 0.05, most: 0.003 },
] as { name: string; eps: Complex; mu: Complex; thickness: number; most: number }[])(
  'a layer $name on a circular cylinder against its series',
  ({ eps, mu, thickness, most }) => {
    const phis = [0, 0.5, 1, 2, 3]
    const errors = [60, 120].map((sides) => {
      // A polygon of the circle's area.
      const f = Math.sqrt(Math.PI / (sides * Math.tan(Math.PI / sides)))
      const { E, H } = coatedCylinder(
        { sides, inner: 0.8 * f, thickness: thickness * f, eps, mu },
        10,
        [0],
        [phis],
      )
      return [E, H].map((P, i) =>
        complexError(P[0].flat(), series(0.8, thickness, eps, mu, i === 0, phis).flat()),
      )
    })
    errors[1].forEach((error, i) => {
      expect(error).toBeLessThan(most)
      // As the square of the sides.
      expect(error).toBeLessThan(0.4 * errors[0][i])
    })
  },
)

test('a layer of air on a square is the bare square, and one that waves do not cross an impedance', () => {
  const phis = Array.from({ length: 8 }, (_, i) => 0.02 + 0.21 * i)
  const to = phis.map((phi) => [phi])
  // Far from the squares' resonances, where these integral equations fail.
  const polygon = { sides: 4, inner: 0.93, thickness: 0.06, mu: [1, 0] as Complex }
  const air = coatedCylinder({ ...polygon, eps: [1, 0] }, 20, phis, to)
  const opaque = coatedCylinder({ ...polygon, eps: [3, -40] }, 60, phis, to)
  const bare = (outline: number, s: Complex): number[] =>
    impedanceCylinder(regularPolygon(4, outline), Array(4).fill(s), 20, phis).flat()
  expect(complexError(air.E.flat(2), bare(0.93, [1e5, 0]))).toBeLessThan(0.001)
  expect(complexError(air.H.flat(2), bare(0.93, [0, 0]))).toBeLessThan(0.008)
  // As good as that impedance at the corners, whose depth is a fortieth of a wavelength. sqrt(eps):
  const n = scale(Math.sqrt(Math.hypot(3, 40)), phasor(Math.atan2(-40, 3) / 2))
  expect(complexError(opaque.E.flat(2), bare(0.99, n))).toBeLessThan(0.05)
  expect(complexError(opaque.H.flat(2), bare(0.99, divide([1, 0], n)))).toBeLessThan(0.05)
})
