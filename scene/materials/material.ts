import type { Impedance, Medium, ReflectionTable, Written } from './medium.js'

/** A layer of a stack. */
export interface Layer {
  medium: Medium
  /** [m] */
  thickness: number
}

/** A sheet without thickness in a stack: tangential H jumps by E over this impedance [ohm]. */
export interface ShuntSheet {
  impedance: Impedance
}

/** Layers and sheets from the outer (front) face inwards. */
export type Stack = readonly (Layer | ShuntSheet)[]

/** What lies under an opaque stack: metal, a half-space, or a surface impedance [ohm]. */
export type Backing = 'conductor' | Medium | { impedance: Impedance }

/**
 * What a facet's surface is, ready to be evaluated by `slab`: plain data, for threads and files. The front of a facet is where its normal
 * points.
 */
export type Material = { name: string; written?: Written } & (
  | { kind: 'conductor' }
  | {
      /** Nothing passes: a coating on metal, a solid body that absorbs what enters, or a surface impedance. */
      kind: 'opaque'
      stack: Stack
      backing: Backing
      /** Whether facets are the stack's outer face or what it covers. */
      facet: 'outer' | 'metal'
      /** Whether both sides of a facet are alike, or its back is bare metal. */
      sides: 'both' | 'front'
    }
  | {
      /** Air on both sides; facets are the middle plane. */
      kind: 'sheet'
      stack: Stack
    }
  | {
      /** Coefficients measured or computed elsewhere, between faces that are `thickness` [m] apart. */
      kind: 'opaque' | 'sheet'
      table: ReflectionTable
      thickness: number
    }
)

/** Expressions that a material and its media were written as; undefined where there are none. */
export function writtenOf(material: Material): Written | undefined {
  const all: Record<string, string> = { ...material.written }
  if ('stack' in material)
    for (const item of material.stack) if ('medium' in item) Object.assign(all, item.medium.written)
  if ('backing' in material && typeof material.backing === 'object' && 'name' in material.backing)
    Object.assign(all, material.backing.written)
  return Object.keys(all).length > 0 ? all : undefined
}

/** The material of facets that nothing is said about. */
export const PERFECT_CONDUCTOR: Material = { name: 'conductor', kind: 'conductor' }

/** Total thickness D [m]: of all layers. */
export function thicknessOf(material: Material): number {
  if (material.kind === 'conductor') return 0
  if ('table' in material) return material.thickness
  const { stack } = material
  let sum = 0
  for (let i = 0; i < stack.length; i++) {
    const item = stack[i]
    if ('thickness' in item) sum += item.thickness
  }
  return sum
}
