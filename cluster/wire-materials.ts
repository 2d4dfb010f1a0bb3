import { z } from 'zod'
import type { Material, Medium } from '../scene/materials/index.js'

/** Materials of a mesh in the store, validated on arrival like all that comes through Redis: numbers alone, no files. */

const number = z.number()
const name = z.string().max(500)
const list = z.array(number).max(1_000_000)
const complex = z.tuple([number, number])
const relaxation = z.strictObject({ infinity: number, low: number, relaxationHz: number })
const fit = z.strictObject({ a: number, b: number, c: number, d: number, low: number, high: number })

const medium: z.ZodType<Medium> = z.union([
  z.strictObject({ name, eps: complex, mu: complex, conductivity: number }),
  z.strictObject({ name, frequencies: list, values: z.array(list).max(1_000_000) }),
  z.strictObject({ name, fits: z.array(fit).max(1000) }),
  z.strictObject({
    name,
    debye: z.strictObject({ eps: relaxation, mu: relaxation }),
    conductivity: number.optional(),
  }),
])
const impedance = z.strictObject({ impedance: complex })
const stack = z.array(z.union([z.strictObject({ medium, thickness: number }), impedance])).max(10_000)
const table = z.strictObject({ frequencies: list, angles: list, values: list })

const material: z.ZodType<Material> = z.union([
  z.strictObject({ name, kind: z.literal('conductor') }),
  z.strictObject({
    name,
    kind: z.literal('opaque'),
    stack,
    backing: z.union([z.literal('conductor'), impedance, medium]),
    facet: z.enum(['outer', 'metal']),
    sides: z.enum(['both', 'front']),
  }),
  z.strictObject({ name, kind: z.literal('sheet'), stack }),
  z.strictObject({ name, kind: z.enum(['opaque', 'sheet']), table, thickness: number }),
])

export const WireMaterials = z.array(material).min(1).max(256)
