import { describe, expect, it } from 'vitest'
import { complexPermittivity, namedMaterial } from '../../propagation/scene/build.js'
import { antennaAxes, antennaVector, type Pattern } from '../../propagation/setup.js'
import { fresnel, reflectField } from '../../propagation/fields/path-fields.js'
import type { Vec3 } from '../../scene/index.js'
import { rows } from '../scene/shapes.js'

describe('materials', () => {
  it('has concrete, ground and glass of ITU-R P.2040-3', () => {
    expect(namedMaterial('concrete', 1e9)).toEqual({ epsilonR: 5.24, sigma: 0.0462 })
    const ground = namedMaterial('wet-ground', 4e9) as { epsilonR: number; sigma: number }
    expect(ground.epsilonR).toBeCloseTo(30 * 4 ** -0.4, 12)
    expect(ground.sigma).toBeCloseTo(0.15 * 4 ** 1.3, 12)
    expect(namedMaterial('glass', 300e9)).toMatchObject({ epsilonR: 5.79 })
    expect(namedMaterial('pec', 1e9)).toBe('pec')
  })

  it('refuses names and frequencies that the recommendation has not', () => {
    expect(() => namedMaterial('cheese', 1e9)).toThrow(
      /"cheese" is unknown; use one of pec, vacuum, concrete/,
    )
    expect(() => namedMaterial('glass', 150e9)).toThrow(/0.1 to 100 GHz and 220 to 450 GHz, not for 150 GHz/)
  })

  it('loses with exp(+jwt): a negative imaginary part', () => {
    // sigma / (omega epsilon_0) = 17.98 sigma / f[GHz]
    const [re, im] = complexPermittivity({ epsilonR: 4.5, sigma: 0.09 }, 5e9)!
    expect(re).toBe(4.5)
    expect(im).toBeCloseTo((-17.975 * 0.09) / 5, 3)
  })
})

describe('Fresnel coefficients', () => {
  const at = (eta: [number, number] | null, degrees: number): number[] => {
    const { rTe, rTm } = fresnel(eta, Math.cos((degrees * Math.PI) / 180))
    return [...rTe, ...rTm]
  }

  it('at normal incidence, at the Brewster angle, at grazing, of a conductor', () => {
    const [sr, , pr] = at([4, 0], 0)
    expect(sr).toBeCloseTo(-1 / 3, 12)
    expect(pr).toBeCloseTo(1 / 3, 12)
    expect(Math.hypot(...at([4, 0], (Math.atan(2) * 180) / Math.PI).slice(2))).toBeLessThan(1e-12)
    expect(at([5, -0.3], 90 - 1e-9)[0]).toBeCloseTo(-1, 8)
    expect(at([5, -0.3], 90 - 1e-9)[2]).toBeCloseTo(-1, 8)
    expect(at(null, 50)).toEqual([-1, 0, 1, 0])
    // A very good conductor is nearly a perfect one.
    const metal = at(complexPermittivity({ epsilonR: 1, sigma: 1e7 }, 1e9), 50)
    expect(metal[0]).toBeCloseTo(-1, 3)
    expect(metal[2]).toBeCloseTo(1, 3)
  })

  it('never reflects more than comes in', () => {
    for (let degrees = 0; degrees < 90; degrees++)
      for (const eps of rows<[number, number]>('1.5 0, 4 -2, 80 -300')) {
        const [a, b, c, d] = at(eps, degrees)
        expect(Math.hypot(a, b)).toBeLessThanOrEqual(1)
        expect(Math.hypot(c, d)).toBeLessThanOrEqual(1)
      }
  })

  it('turns a field at a conductor so that nothing is left along the surface', () => {
    const d: Vec3 = [0.48, -0.6, -0.64]
    const n: Vec3 = [0, 0, 1]
    // Across d: any complex field.
    const a = [0.6, 0.48, 0].map((x) => x / Math.hypot(0.6, 0.48))
    const b = [d[1] * a[2] - d[2] * a[1], d[2] * a[0] - d[0] * a[2], d[0] * a[1] - d[1] * a[0]]
    const field = new Float64Array(6)
    for (let k = 0; k < 3; k++) {
      field[k] = 0.3 * a[k] - 1.1 * b[k]
      field[3 + k] = 0.8 * a[k] + 0.2 * b[k]
    }
    const given = field.slice()
    reflectField(field, d, n, null)
    for (const k of [0, 1, 3, 4]) expect(field[k] + given[k]).toBeCloseTo(0, 12)
    for (const k of [2, 5]) expect(field[k]).toBeCloseTo(given[k], 12)
    // Normal incidence, where s is free to choose.
    const straight = Float64Array.from([0.3, -0.4, 0, 0.1, 0.2, 0])
    reflectField(straight, [0, 0, -1], [0, 0, 1], [4, 0])
    expect(straight[0]).toBeCloseTo(-0.1, 12)
    expect(straight[4]).toBeCloseTo(-0.2 / 3, 12)
  })
})

describe('antennas', () => {
  const mean = (pattern: Pattern): number => {
    const antenna = { pattern, ...antennaAxes([0.3, -0.2, 0.8]) }
    const out = new Float64Array(6)
    let sum = 0
    const count = 20000
    for (let i = 0; i < count; i++) {
      const z = (2 * i + 1) / count - 1
      const phi = i * 2.399963229728653
      const s = Math.sqrt(1 - z * z)
      antennaVector(antenna, 'v', s * Math.cos(phi), s * Math.sin(phi), z, out)
      sum += out.reduce((a, x) => a + x * x, 0)
    }
    return sum / count
  }

  it('radiate as much as they are fed: the mean gain over all directions is 1', () => {
    expect(mean({ kind: 'isotropic' })).toBeCloseTo(1, 6)
    expect(mean({ kind: 'dipole' })).toBeCloseTo(1, 5)
    expect(mean({ kind: 'short-dipole' })).toBeCloseTo(1, 5)
  })

  it('follow their table', () => {
    const values = new Float64Array(4 * 37 * 73)
    for (let i = 0; i < 37; i++)
      for (let j = 0; j < 73; j++)
        values.set(
          [Math.sqrt(1.5) * Math.sin((i * Math.PI) / 36), 0, 0.5 * Math.cos((j * Math.PI) / 36), 0],
          4 * (73 * i + j),
        )
    const antenna = {
      pattern: { kind: 'table' as const, table: { thetas: 37, phis: 73, values } },
      ...antennaAxes([0, 0, 1]),
    }
    const out = new Float64Array(6)
    // Along x: theta = 90, phi = 0; theta-hat = -z, phi-hat = y.
    antennaVector(antenna, 'v', 1, 0, 0, out)
    expect(out[2]).toBeCloseTo(-Math.sqrt(1.5), 12)
    expect(out[1]).toBeCloseTo(0.5, 12)
    // Along y: phi = 90 degrees.
    antennaVector(antenna, 'v', 0, 1, 0, out)
    expect(Math.hypot(out[0], out[1])).toBeLessThan(1e-12)
  })
})
