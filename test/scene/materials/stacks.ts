import type { Complex } from '../../../math/complex.js'
import { type Layer, type Material, type ShuntSheet, slab } from '../../../scene/materials/index.js'
import { random } from '../../helpers/random.js'

export const layer = (eps: Complex, thickness: number, mu: Complex = [1, 0]): Layer => ({
  medium: { name: 'layer', eps, mu, conductivity: 0 },
  thickness,
})

export const coating = (...stack: (Layer | ShuntSheet)[]): Material => ({
  name: 'coating',
  kind: 'opaque',
  stack,
  backing: 'conductor',
  facet: 'outer',
  sides: 'both',
})

export const halfSpace = (
  eps: Complex,
  mu: Complex = [1, 0],
  ...stack: (Layer | ShuntSheet)[]
): Material => ({
  name: 'body',
  kind: 'opaque',
  stack,
  backing: { name: 'body', eps, mu, conductivity: 0 },
  facet: 'outer',
  sides: 'both',
})

export const sheetOf = (...stack: (Layer | ShuntSheet)[]): Material => ({
  name: 'sheet',
  kind: 'sheet',
  stack,
})

/** Some passive material: layers of any loss, thickness and sign of eps, sheets between them, any backing. */
export function someMaterial(next: () => number): Material {
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
  if (kind < 0.5) return sheetOf(...stack)
  if (kind < 0.7) return coating(...stack)
  // A lossless body of eps or mu below zero alone is passive too, of both is not decided by its loss.
  if (kind < 0.9) return halfSpace([log(-2, 3), loss()], mu(), ...stack)
  const backing = { impedance: [log(-3, 5), (next() - 0.5) * log(-3, 5)] as Complex }
  return { name: 'impedance', kind: 'opaque', stack, backing, facet: 'outer', sides: 'both' }
}

/** Largest |R|^2 + |T|^2 of `count` materials, each in one polarisation and frequency. */
export function largestEnergy(count: number, seed: number): number {
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
