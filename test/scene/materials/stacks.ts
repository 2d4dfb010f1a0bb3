import type { Complex } from '../../../scene/complex.js'
import type { Layer, Material, ShuntSheet } from '../../../scene/materials/index.js'

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
