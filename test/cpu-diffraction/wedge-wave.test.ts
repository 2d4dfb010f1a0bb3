import { describe, expect, it } from 'vitest'
import { fresnelW } from '../../math/fresnel.js'
import { WedgeWave } from '../oracle/wedge-wave.js'
import { electricField, magneticField } from '../oracle/wedge-field.js'

/** Exact total field of a wedge under a plane wave, E (`sign` -1) or H (+1) along the edge. */
const exact = (N: number, X: number, phi: number, phi0: number, sign: number): [number, number] =>
  (sign < 0 ? electricField : magneticField)(N, X, phi, phi0)

/** Geometrical waves and the edge's, the same two numbers. */
function uniform(N: number, X: number, phi: number, phi0: number, sign: number): [number, number] {
  const wave = new WedgeWave()
  const v = new Float64Array(4)
  const out: [number, number] = [0, 0]
  const add = (re: number, im: number, angle: number, factor: number): void => {
    out[0] += factor * (re * Math.cos(angle) - im * Math.sin(angle))
    out[1] += factor * (re * Math.sin(angle) + im * Math.cos(angle))
  }
  const beta = [phi - phi0, phi + phi0]
  for (const [i, b] of beta.entries()) {
    const factor = i === 0 ? 1 : sign
    wave.set(N, b)
    wave.at(Math.sqrt(2 * X), 1, v, 2 * i)
    add(v[2 * i], v[2 * i + 1], -X, factor)
    if (Math.abs(b) < Math.PI) add(1, 0, X * Math.cos(b), factor)
  }
  // The wave reflected by the other face.
  const other = 2 * N * Math.PI - phi - phi0
  if (other < Math.PI) add(1, 0, X * Math.cos(other), sign)
  return out
}

const worst = (N: number, X: number, directions: [number, number][]): number =>
  Math.max(
    ...directions.flatMap(([phi, phi0]) =>
      [-1, 1].map((sign) => {
        const [a, b] = [uniform(N, X, phi, phi0, sign), exact(N, X, phi, phi0, sign)]
        return Math.hypot(a[0] - b[0], a[1] - b[1])
      }),
    ),
  )

/** Directions over a wedge, some next to shadow boundaries. */
const directions = (N: number): [number, number][] =>
  [0.3, 0.9, 1.6, 2.4].flatMap((phi0) =>
    [0.2, 1.1, Math.PI - phi0 - 1e-3, Math.PI - phi0 + 1e-3, Math.PI + phi0 - 1e-3, Math.PI + phi0 + 0.1, 4.1]
      .filter((phi) => phi < N * Math.PI)
      .map((phi): [number, number] => [phi, phi0]),
  )

describe('diffracted wave of a wedge', () => {
  it('is exact for a half-plane: Bessel series, near and far, at shadow boundaries', () => {
    for (const X of [0.5, 3, 10]) expect(worst(2, X, directions(2))).toBeLessThan(1e-7)
  })

  it('is the uniform theory for wedges: within 0.03 at X = 10 and better farther off than near', () => {
    for (const N of [1.5, 1.75]) {
      expect(worst(N, 10, directions(N))).toBeLessThan(0.03)
      expect(worst(N, 10, directions(N))).toBeLessThan(worst(N, 1, directions(N)))
    }
  })

  it('jumps by the geometrical wave at a shadow boundary, and nowhere else', () => {
    const wave = new WedgeWave()
    const [below, above] = [new Float64Array(2), new Float64Array(2)]
    for (const N of [1.5, 1.75, 2]) {
      wave.set(N, Math.PI - 1e-10)
      wave.at(5, 1, below, 0)
      wave.set(N, Math.PI + 1e-10)
      wave.at(5, 1, above, 0)
      expect(above[0] - below[0]).toBeCloseTo(1, 6)
      expect(above[1] - below[1]).toBeCloseTo(0, 6)
      for (let beta = -Math.PI + 0.1; beta < Math.PI - 0.1; beta += 0.01) {
        wave.set(N, beta)
        wave.at(5, 1, below, 0)
        wave.set(N, beta + 1e-6)
        wave.at(5, 1, above, 0)
        expect(Math.hypot(above[0] - below[0], above[1] - below[1])).toBeLessThan(1e-4)
      }
    }
  })

  it('is its formula within 1e-10, near boundaries and far from them', () => {
    const wave = new WedgeWave()
    const [out, w] = [new Float64Array(2), new Float64Array(2)]
    for (let i = 0; i < 400; i++) {
      const N = 1.1 + 0.0022 * i
      const beta = -2.5 + ((i * 0.37) % 5)
      const x = 0.01 + 0.03 * i
      const sum = [0, 0]
      for (const sign of [1, -1]) {
        const n = Math.round((beta + sign * Math.PI) / (2 * Math.PI * N))
        const c = Math.abs(Math.cos(Math.PI * N * n - 0.5 * beta))
        fresnelW(x * c, w, 0)
        for (let p = 0; p < 2; p++)
          sum[p] -= (c * w[p]) / (2 * N * Math.tan((Math.PI + sign * beta) / (2 * N)))
      }
      wave.set(N, beta)
      wave.at(x, 1, out, 0)
      expect(Math.hypot(out[0] - sum[0], out[1] - sum[1])).toBeLessThan(1e-10)
    }
  })
})
