import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Complex } from '../../../math/complex.js'
import { type Material, slab } from '../../../scene/materials/index.js'
import { coating, halfSpace, impedance, layer, sheet } from '../../helpers/materials.js'
import { random } from '../../helpers/random.js'

type FileItem = { kind: 'layer'; eps: Complex; mu: Complex; d_m: number } | { kind: 'sheet'; z_ohm: Complex }
type Coefficient = 'R_TE' | 'R_TM' | 'T_TE' | 'T_TM' | 'R_TE_back' | 'R_TM_back'
interface Case {
  name: string
  backing: 'pec' | 'air' | { eps: Complex; mu: Complex }
  items: FileItem[]
  freq_hz: number
  rows: ({ theta_deg: number } & Record<Coefficient, Complex>)[]
}

const C0 = 299_792_458
const at = (material: Material, freqHz: number, c: number, back = false): Float64Array => {
  const out = new Float64Array(8)
  slab(material, freqHz, c, out, back)
  return out
}
const cosine = (degrees: number): number => Math.cos((degrees * Math.PI) / 180)

/** Some passive material: layers of any loss, thickness and sign of eps, sheets between them, any backing. */
function someMaterial(next: () => number): Material {
  const log = (low: number, high: number): number => 10 ** (low + (high - low) * next())
  const loss = (): number => (next() < 0.4 ? 0 : -log(-6, 5))
  const eps = (): Complex => [(next() < 0.1 ? -1 : 1) * log(-2, 3), loss()]
  const mu = (): Complex => (next() < 0.6 ? [1, 0] : [log(-1, 1.5), loss()])
  const stack = Array.from({ length: 1 + Math.floor(5 * next()) }, () =>
    next() < 0.2
      ? { impedance: [log(-3, 6), (next() - 0.5) * log(-3, 6)] as Complex }
      : layer(eps(), log(-7, 0), mu()),
  )
  const kind = next()
  if (kind < 0.5) return sheet(...stack)
  if (kind < 0.7) return coating(...stack)
  // A lossless body of eps or mu below zero alone is passive too, of both is not decided by its loss.
  if (kind < 0.9) return halfSpace([log(-2, 3), loss()], mu(), ...stack)
  const backing = { impedance: [log(-3, 5), (next() - 0.5) * log(-3, 5)] as Complex }
  return { name: 'impedance', kind: 'opaque', stack, backing, facet: 'outer', sides: 'both' }
}

/** Largest |R|^2 + |T|^2 of `count` materials, each in one polarisation and frequency. */
function largestEnergy(count: number, seed: number): number {
  const next = random(seed)
  const out = new Float64Array(8)
  let largest = 0
  for (let i = 0; i < count; i++) {
    const material = someMaterial(next)
    const c = next() < 0.1 ? 0 : next() < 0.2 ? 10 ** (-8 * next()) : next()
    slab(material, 10 ** (8 + 3 * next()), c, out, next() < 0.3)
    for (const p of [0, 2]) {
      const energy = out[p] ** 2 + out[p + 1] ** 2 + out[4 + p] ** 2 + out[5 + p] ** 2
      // A number that is none counts as too large.
      if (!(energy <= largest)) largest = energy
    }
  }
  return largest
}

/** The material of a case of the file, and the factor that takes its coefficients back to the faces. */
function materialOf({ backing, items }: Case): Material {
  const stack = items.map((item) =>
    item.kind === 'layer' ? layer(item.eps, item.d_m, item.mu) : { impedance: item.z_ohm },
  )
  if (backing === 'air') return sheet(...stack)
  return backing === 'pec' ? coating(...stack) : halfSpace(backing.eps, backing.mu, ...stack)
}

describe('slab coefficients', () => {
  const { cases } = JSON.parse(readFileSync(new URL('data/slab-vectors.json', import.meta.url), 'utf8')) as {
    cases: Case[]
  }

  it('are those of chain matrices with 40 digits, for 95 stacks at 17 angles, to 1e-12', () => {
    let worst = 0
    let compared = 0
    for (const given of cases) {
      const material = materialOf(given)
      const thickness = given.items.reduce((sum, item) => sum + ('d_m' in item ? item.d_m : 0), 0)
      for (const row of given.rows) {
        const c = cosine(row.theta_deg)
        const angle = material.kind === 'sheet' ? (2 * Math.PI * given.freq_hz * c * thickness) / C0 : 0
        const compare = (out: Float64Array, names: Coefficient[]): void =>
          names.forEach((name, i) => {
            const [re, im] = row[name]
            const [x, y] = [Math.cos(angle), Math.sin(angle)]
            worst = Math.max(
              worst,
              Math.hypot(out[2 * i] - (re * x - im * y), out[2 * i + 1] - (re * y + im * x)),
            )
            compared++
          })
        compare(at(material, given.freq_hz, c), ['R_TE', 'R_TM', 'T_TE', 'T_TM'])
        if ('R_TE_back' in row)
          compare(at(material, given.freq_hz, c, true), ['R_TE_back', 'R_TM_back', 'T_TE', 'T_TM'])
      }
    }
    expect(compared).toBeGreaterThan(95 * 17 * 4)
    expect(worst).toBeLessThan(1e-12)
  })
})

describe('a stack', () => {
  const f = 10e9
  const k0 = (2 * Math.PI * f) / C0
  const cosines = [1, 0.83, 0.5, 0.1, 1e-3]
  const modulus = (out: Float64Array, p: number): number => Math.hypot(out[p], out[p + 1])
  const glass = layer([6.3, -0.05], 0.004)
  const ram = layer([12, -0.6], 0.0015, [2.2, -1.6])
  const CONDUCTOR = [-1, 0, 1, 0, 0, 0, 0, 0]
  const NOTHING = [0, 0, 0, 0, 1, 0, 1, 0]
  const far = (out: Float64Array, wanted: ArrayLike<number>): number =>
    Math.max(...out.map((x, i) => Math.abs(x - wanted[i])))

  it('reflects and transmits no more than comes in, for 100,000 passive ones', () => {
    expect(largestEnergy(100_000, 7)).toBeLessThanOrEqual(1 + 1e-12)
  })

  it('tends to metal with eps and with a sheet of no impedance, to nothing with a sheet of infinite impedance', () => {
    for (const c of [1, 0.5, 0.1]) {
      expect(far(at(halfSpace([1, -1e14]), f, c), CONDUCTOR)).toBeLessThan(1e-5)
      expect(far(at(sheet({ impedance: [1e-9, 0] }), f, c), CONDUCTOR)).toBeLessThan(1e-9)
      expect(far(at(sheet({ impedance: [1e12, 0] }), f, c), NOTHING)).toBeLessThan(1e-8)
    }
  })

  it('is not changed by layers of no thickness or of air, but for the path in air', () => {
    const none = layer([9, -3], 0)
    const air = layer([1, 0], 0.003)
    for (const c of cosines) {
      expect(far(at(sheet(none, glass, none), f, c), at(sheet(glass), f, c))).toBeLessThan(1e-15)
      expect(far(at(sheet(air), f, c), NOTHING)).toBeLessThan(1e-15)
      // Air on both sides of a sheet moves neither its middle plane nor its R and T there.
      expect(far(at(sheet(air, glass, air), f, c), at(sheet(glass), f, c))).toBeLessThan(1e-14)
      // A coating of air is the metal under it.
      const metal: Material = { ...coating(air), kind: 'opaque', facet: 'metal' } as Material
      expect(far(at(metal, f, c), CONDUCTOR)).toBeLessThan(1e-14)
    }
  })

  it('transmits alike from both sides, and is reversed from its back', () => {
    const two = sheet(glass, ram)
    for (const c of cosines) {
      const [front, back] = [at(two, f, c), at(two, f, c, true)]
      expect(far(back.subarray(4), front.subarray(4))).toBeLessThan(1e-14)
      expect([...back]).toEqual([...at(sheet(ram, glass), f, c)])
    }
  })

  it('on metal is alike from both sides, or bare at the back', () => {
    const both = coating(ram)
    expect([...at(both, f, 0.5, true)]).toEqual([...at(both, f, 0.5)])
    const front = { ...both, sides: 'front' } as Material
    expect([...at(front, f, 0.5)]).toEqual([...at(both, f, 0.5)])
    expect([...at(front, f, 0.5, true)]).toEqual(CONDUCTOR)
  })

  it('reflects all beyond the critical angle, and passes through that angle without a jump', () => {
    const plasma = sheet(layer([0.5, 0], 0.3))
    expect(modulus(at(plasma, f, 0.3), 0)).toBeCloseTo(1, 13)
    expect(modulus(at(plasma, f, 0.3), 2)).toBeCloseTo(1, 13)
    expect(modulus(at(halfSpace([0.5, 0]), f, 0.3), 0)).toBeCloseTo(1, 14)
    const critical = Math.SQRT1_2
    const thin = sheet(layer([0.5, 0], 0.01))
    const exact = at(thin, f, critical)
    // At q = 0 the field in the layer is linear: R_s = -j x / (2 + j x) at its front, x = c k0 d.
    const x = critical * k0 * 0.01
    expect(modulus(exact, 0)).toBeCloseTo(x / Math.hypot(2, x), 12)
    for (const step of [-1e-9, 1e-9]) expect(far(at(thin, f, critical + step), exact)).toBeLessThan(1e-6)
  })

  it('at grazing reflects as R_s = R_p = -1 whatever it is made of, if it has a thickness', () => {
    for (const material of [sheet(glass), coating(ram), halfSpace([3, -0.6])])
      for (const c of [0, 1e-12])
        expect(far(at(material, f, c), [-1, 0, -1, 0, 0, 0, 0, 0])).toBeLessThan(1e-9)
    expect([...at({ name: 'metal', kind: 'conductor' }, f, 0)]).toEqual(CONDUCTOR)
    expect(far(at(sheet({ impedance: [200, 0] }), f, 0), [-1, 0, 0, 0, 0, 0, 1, 0])).toBeLessThan(1e-15)
  })

  it('of great loss and thickness is the half-space of its first layer', () => {
    const thick = layer([20, -15], 30)
    for (const c of cosines) {
      const out = at(coating(thick), f, c)
      expect(far(out, at(halfSpace([20, -15]), f, c))).toBeLessThan(1e-14)
    }
  })

  it('over a surface impedance has the closed form of both polarisations', () => {
    const z = [0.1, 0.06]
    const surface = impedance(z[0], z[1])
    const ratio = (ar: number, ai: number, br: number, bi: number): number[] => {
      const size = br * br + bi * bi
      return [(ar * br + ai * bi) / size, (ai * br - ar * bi) / size]
    }
    for (const c of cosines) {
      const s = ratio(c * z[0] - 1, c * z[1], c * z[0] + 1, c * z[1])
      const p = ratio(c - z[0], -z[1], c + z[0], z[1])
      expect(far(at(surface, f, c), [...s, ...p, 0, 0, 0, 0])).toBeLessThan(1e-15)
    }
  })
})
