import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Wedge, WedgeCache, FaceStrip } from '../../cpu-diffraction/index.js'
import { chi, deltaUntruncated, lengthClass } from '../../cpu-diffraction/currents/wedge.js'
import { InputError } from '../../scene/index.js'
import { fresnelW } from '../../math/fresnel.js'
import { WedgeWave } from '../oracle/wedge-wave.js'
import { electricField, magneticField } from '../oracle/wedge-field.js'

const read = (name: string) => JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8'))
const tables = read('functions') as { chi: number[][] }
const vectors = read('tw-ildc') as {
  chi: { N: number; x: number; chi: number }[]
  deltaUntruncated: { N: number; phi0: number; c: number; dS: number[]; dT: number[] }[]
}

describe('chi', () => {
  it('agrees with arbitrary-precision values', () => {
    for (const [N, x, value] of tables.chi)
      expect(Math.abs(chi(x, N) - value), `chi(${x}), N = ${N}`).toBeLessThan(5e-14 * Math.abs(value) + 1e-15)
    for (const { N, x, chi: value } of vectors.chi)
      expect(Math.abs(chi(x, N) - value), `chi(${x}), N = ${N}`).toBeLessThan(1e-14)
  })
})

describe('deltaUntruncated', () => {
  const out = new Float64Array(2)

  it('agrees with the validation set', () => {
    expect(vectors.deltaUntruncated.length).toBe(16)
    for (const { N, phi0, c, dS, dT } of vectors.deltaUntruncated) {
      deltaUntruncated(N, phi0, c, out, 0)
      expect(Math.abs(out[0] - dS[1])).toBeLessThan(1e-13)
      expect(Math.abs(out[1] - dT[0])).toBeLessThan(1e-13)
    }
  })

  it('is continuous where its branches meet', () => {
    const across = (N: number, phi: number[], c: number[]): void => {
      deltaUntruncated(N, phi[0], c[0], out, 0)
      const [s, t] = out
      deltaUntruncated(N, phi[1], c[1], out, 0)
      expect(Math.abs(out[0] - s), `dS at phi0 ${phi}, c ${c}`).toBeLessThan(1e-9)
      expect(Math.abs(out[1] - t), `dT at phi0 ${phi}, c ${c}`).toBeLessThan(1e-9)
    }
    const quarter = Math.cos(0.25)
    for (const N of [1.1, 1.5, 1.9]) {
      for (const phi0 of [0, 0.2, 1, 3, Math.PI, N * Math.PI]) across(N, [phi0, phi0], [1 - 1e-12, 1 + 1e-12])
      across(N, [0.3, 0.3], [quarter - 1e-11, quarter + 1e-11])
      for (const c of [0.98, 1, 1.02]) across(N, [0.5 - 1e-11, 0.5 + 1e-11], [c, c])
    }
  })
})

describe('Wedge', () => {
  it('refuses angles that are no convex wedge, in one line', () => {
    for (const N of [1, 0.7, 2.1, NaN]) expect(() => new Wedge(N)).toThrow(InputError)
    expect(() => new Wedge(1.5, 0.5)).toThrow(InputError)
  })

  it('has nodes on which 1 + s^2 and the half-plane kernel are consistent', () => {
    // For N = 1: cosh t = 1 + 2 s^2, s sinh t = 2 s^2 sqrt(1 + s^2).
    const wedge = new Wedge(1 + 1e-12)
    const { count, data } = wedge.nodes(3)
    for (let i = 0; i < count; i++) {
      const [s, cr, ci, sr, si, hr, hi] = data.subarray(9 * i, 9 * i + 7)
      const m = hr * hr + hi * hi
      expect(Math.abs(cr - 1) + Math.abs(ci + 2 * s)).toBeLessThan(1e-9 * (1 + s))
      // -2j s / (root conj): 1/(hr + j hi) = sqrt(1 + s^2)
      expect(Math.hypot(sr - (-2 * s * hi) / m, si + (2 * s * hr) / m)).toBeLessThan(1e-9 * (1 + s) ** 1.5)
    }
  })

  it('puts strip lengths into ascending classes without end', () => {
    const lengths = [0, 1e-5, 9e-5, 1e-3, 0.01, 0.05, 1, 1.99, 2, 7.99, 8, 31.9, 32, 1e4]
    expect(lengths.map(lengthClass)).toEqual([0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 6, 10])
  })

  it('is shared by edges of the same angle', () => {
    const cache = new WedgeCache(1.2)
    expect(cache.get(1.5)).toBe(cache.get(1.5))
    expect(cache.get(1.5)).not.toBe(cache.get(1.6))
    expect(cache.get(1.5).nodes(4)).toBe(cache.get(1.5).nodes(4))
  })
})

/** Rows of a table of the isar validation set. */
const rowsOf = (name: string): number[][] =>
  readFileSync(new URL(`data/${name}.csv`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map(Number))

const strip = new FaceStrip('eec')
const moments = new Float64Array(12)

/** A wedge and directions across its edge [degrees]: angles from each face, and the sum over both of their untruncated fringe strips, of E and of H along the edge. */
function fringe(interior: number, phiDeg: number, phi0Deg: number) {
  const wedge = new Wedge((360 - interior) / 180)
  const [phi, phi0] = [phiDeg, phi0Deg].map((x) => (x * Math.PI) / 180)
  // Each face counts its angles from itself.
  const faces = [
    [phi, phi0],
    [wedge.N * Math.PI - phi, wedge.N * Math.PI - phi0],
  ]
  let [f, g] = [0, 0]
  for (const [p, p0] of faces) {
    strip.set(wedge, 1, 0, p0, Math.abs(Math.sin(p / 2)), p0 < Math.PI)
    strip.moments(Infinity, Infinity, moments)
    // S is imaginary, T real: f1 = sum of T, g1 = j sum of S sin(phi).
    f += moments[2]
    g -= moments[1] * Math.sin(p)
  }
  return { phi, phi0, faces, f, g }
}

// Fringe coefficients f1 (E along the edge) and g1 (H along the edge) of Ufimtsev's theory, every 17th of the set's rows (total less
// physical optics of the exact wedge): u_d = f1 exp(-j(k rho + pi/4))/sqrt(2 pi k rho).
it('untruncated strips at normal incidence are Ufimtsev’s coefficients, for half-planes and wedges', () => {
  const rows = rowsOf('ufimtsev')
  expect(rows.length).toBeGreaterThan(600)
  let worst = 0
  for (const [interior, phiDeg, phi0Deg, f1, g1] of rows) {
    const { f, g } = fringe(interior, phiDeg, phi0Deg)
    worst = Math.max(worst, Math.hypot(f - f1, g - g1) / (1 + Math.hypot(f1, g1)))
  }
  // The file has nine digits.
  expect(worst).toBeLessThan(1e-8)
})

/**
 * Diffraction coefficients are the first term of a series in 1/x, x = k rho (1 + cos) of the angle to the nearest shadow
 * or reflection boundary (UTD: F(x) = 1 + j/2x ...; several boundaries add up). Rows nearer to one than this x are left out.
 */
const TRANSITION = 5

// Fields diffracted by wedges in the plane across the edge (the exact series less geometrical optics) at k rho = 10 pi and
// 40 pi, every 7th of the set's rows: E along the edge (soft) and H along it (hard).
it('fringe strips and physical optics together radiate the wedge’s diffracted field', () => {
  const worst = new Map<number, number>()
  const counted = new Map<number, number>()
  for (const [interior, phiDeg, phi0Deg, kRho, ...field] of rowsOf('wedge-field')) {
    const sum = fringe(interior, phiDeg, phi0Deg)
    const { phi, phi0, faces } = sum
    const boundaries = [phi - phi0, ...faces.map(([p, p0]) => p + p0)]
    const x = kRho * (1 + Math.min(...boundaries.map(Math.cos)))
    if (x < TRANSITION) continue
    let { f, g } = sum
    for (const [p, p0] of faces)
      // Physical optics of a lit face (Ufimtsev): f0 = sin p0 / (cos p + cos p0), g0 = -sin p / (cos p + cos p0).
      if (p0 < Math.PI) {
        f += Math.sin(p0) / (Math.cos(p) + Math.cos(p0))
        g -= Math.sin(p) / (Math.cos(p) + Math.cos(p0))
      }
    // u_d = f exp(-j (k rho + pi/4)) / sqrt(2 pi k rho), less terms of order 1/k rho
    const size = 1 / Math.sqrt(2 * Math.PI * kRho)
    const [re, im] = [Math.cos(kRho + Math.PI / 4) * size, -Math.sin(kRho + Math.PI / 4) * size]
    for (const [u, at] of [
      [f, 0],
      [g, 2],
    ]) {
      const error = Math.hypot(u * re - field[at], u * im - field[at + 1]) / (size * (1 + Math.abs(u)))
      worst.set(kRho, Math.max(worst.get(kRho) ?? 0, error * x))
      counted.set(kRho, (counted.get(kRho) ?? 0) + 1)
    }
  }
  expect(worst.size).toBe(2)
  for (const k of worst.keys()) {
    expect(counted.get(k)).toBeGreaterThan(900)
    expect(worst.get(k)).toBeLessThan(1)
  }
})

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
