import { z } from 'zod'
import { type Formula, isFormula } from '../scene/formula.js'
import type { Material, Medium } from '../scene/materials/index.js'

/** Materials of a mesh in the store, validated on arrival like all that comes through Redis: numbers alone, no files. */

const number = z.number()
const name = z.string().max(500)
const written = z.record(z.string(), z.string()).optional()
const list = z.array(number).max(1_000_000)
const complex = z.tuple([number, number])
const relaxation = z.strictObject({ infinity: number, low: number, relaxationHz: number })
const fit = z.strictObject({ a: number, b: number, c: number, d: number, low: number, high: number })

const formula = z.custom<Formula>(isFormula, 'no formula')

const medium: z.ZodType<Medium> = z.union([
  z.strictObject({ name, written, eps: complex, mu: complex, conductivity: number }),
  z.strictObject({ name, written, frequencies: list, values: z.array(list).max(1_000_000) }),
  z.strictObject({
    name,
    written,
    functions: z.strictObject({ eps: formula, mu: formula, conductivity: formula }),
    active: z.boolean().optional(),
  }),
  z.strictObject({ name, written, fits: z.array(fit).max(1000) }),
  z.strictObject({
    name,
    written,
    debye: z.strictObject({ eps: relaxation, mu: relaxation }),
    conductivity: number.optional(),
  }),
])
const impedance = z.strictObject({
  impedance: z.union([
    complex,
    z.strictObject({ name, frequencies: list, values: z.array(complex).max(1_000_000) }),
    z.strictObject({ name, formula }),
  ]),
})
const stack = z.array(z.union([z.strictObject({ medium, thickness: number }), impedance])).max(10_000)
const table = z.strictObject({ frequencies: list, angles: list, values: list })

const material: z.ZodType<Material> = z.union([
  z.strictObject({ name, written, kind: z.literal('conductor') }),
  z.strictObject({
    name,
    written,
    kind: z.literal('opaque'),
    stack,
    backing: z.union([z.literal('conductor'), impedance, medium]),
    facet: z.enum(['outer', 'metal']),
    sides: z.enum(['both', 'front']),
  }),
  z.strictObject({ name, written, kind: z.literal('sheet'), stack }),
  z.strictObject({ name, written, kind: z.enum(['opaque', 'sheet']), table, thickness: number }),
])

export const WireMaterials = z.array(material).min(1).max(256)
