import type { Complex } from '../../math/complex.js'
import type { Layer, Material, ShuntSheet } from '../../scene/materials/index.js'
import { Z0 } from '../../scene/band.js'
import type { Mesh } from '../../scene/index.js'
import { join } from '../scene/shapes.js'

/** A layer of constant eps and mu, d in metres. */
export const layer = (eps: Complex, d: number, mu: Complex = [1, 0]): Layer => ({
  medium: { name: 'm', eps, mu, conductivity: 0 },
  thickness: d,
})

export const CONDUCTOR: Material = { name: 'conductor', kind: 'conductor' }

/** Free-standing layers and sheets. */
export const sheet = (...stack: (Layer | ShuntSheet)[]): Material => ({
  name: 'sheet',
  kind: 'sheet',
  stack,
})

/** Layers and sheets on a conductor. */
export const coating = (...stack: (Layer | ShuntSheet)[]): Material => ({
  name: 'coating',
  kind: 'opaque',
  stack,
  backing: 'conductor',
  facet: 'outer',
  sides: 'both',
})

/** A body, with layers and sheets on it. */
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

/** An opaque material of a surface impedance, over that of space. */
export const impedance = (re: number, im = 0): Material => ({
  name: 'impedance',
  kind: 'opaque',
  stack: [],
  backing: { impedance: [Z0 * re, Z0 * im] },
  facet: 'outer',
  sides: 'both',
})

/** Meshes side by side, each of one material. */
export function made(...parts: [Mesh, Material][]): Mesh {
  const facetGroup = parts.flatMap(([{ triangles }], group) =>
    Array.from({ length: triangles.length / 3 }, () => group),
  )
  return {
    ...join(...parts.map(([mesh]) => mesh)),
    facetGroup: Uint32Array.from(facetGroup),
    groupMaterials: parts.map(([, material]) => material),
  }
}
