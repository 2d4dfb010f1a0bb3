import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Wedge, WedgeCache } from '../../cpu-diffraction/index.js'
import { chi, deltaUntruncated, lengthClass } from '../../cpu-diffraction/currents/wedge.js'
import { InputError } from '../../scene/index.js'

const read = (name: string) => JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8'))
const exact = read('functions') as { chi: number[][] }
const vectors = read('tw-ildc') as {
  chi: { N: number; x: number; chi: number }[]
  deltaUntruncated: { N: number; phi0: number; c: number; dS: number[]; dT: number[] }[]
}

describe('chi', () => {
  it('agrees with arbitrary-precision values', () => {
    for (const [N, x, value] of exact.chi)
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
