import type { Mesh } from './mesh.js'

/** Metres in one length unit of a mesh file. */
export const UNITS = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048 } as const

/** A length unit of a mesh file. */
export type Unit = keyof typeof UNITS

/** The mesh in metres, from one in `unit`. Shares facets and groups with the input; the positions are new. */
export const scaleMesh = (mesh: Mesh, unit: Unit): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => x * UNITS[unit]),
  ...(mesh.rounding !== undefined && { rounding: mesh.rounding * UNITS[unit] }),
})
