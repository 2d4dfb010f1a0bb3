import { z } from 'zod'
import type { FieldUnit } from './expression.js'
import { layeredForms, layeredMedium } from './layered-schema.js'
import { notNegative, number, positive, quantity } from './schema-numbers.js'

/** A property of a medium: one value, or one for each of `frequency_hz`. */
const values = (text: string, unit: FieldUnit = '') =>
  z
    .union([quantity(unit, number()), z.array(quantity(unit, number())).min(1)])
    .optional()
    .describe(text)

const name = z.string().regex(/^[^=:/,\s][^=:/,]*$/, 'no equals sign, colon, slash or comma in names')
const active = z.boolean().default(false).describe('allow gain')

const debye = z
  .strictObject({
    eps_infinity: number().describe('relative permittivity far above the relaxation'),
    eps_static: number().describe('and far below it'),
    eps_relaxation_hz: positive('relaxation frequency [Hz]', 'Hz'),
    mu_infinity: number().default(1).describe('relative permeability alike'),
    mu_static: number().default(1),
    mu_relaxation_hz: positive('[Hz]', 'Hz').default(1e9),
  })
  .describe('relaxation: infinity + (static - infinity) / (1 + j f / relaxation)')

const mediumKeys = {
  frequency_hz: z
    .array(positive('[Hz]', 'Hz'))
    .min(1)
    .optional()
    .describe('ascending frequencies of the lists below, linear between them [Hz]'),
  eps_real: values('relative permittivity'),
  eps_imag: values('its imaginary part, negative with losses: exp(+jwt)'),
  loss_tangent: values('instead of eps_imag: -eps_imag / eps_real'),
  mu_real: values('relative permeability; default 1'),
  mu_imag: values('its imaginary part, negative with losses'),
  magnetic_loss_tangent: values('instead of mu_imag: -mu_imag / mu_real'),
  conductivity_s_per_m: values('conductivity besides eps_imag [S/m]', 'S/m'),
  debye: debye.optional(),
  active,
}

const mediumByKeys = z
  .strictObject({ description: z.string().optional(), ...mediumKeys })
  .describe('a medium')
const medium = z.union([mediumByKeys, layeredMedium])

/** A medium by its keys or the name of one. */
const named = z.union([z.string().describe('name of a medium'), z.strictObject(mediumKeys)])

const impedanceKeys = {
  resistance_ohm: quantity('ohm', number()).default(0).describe('real part [ohm]'),
  reactance_ohm: quantity('ohm', number()).default(0).describe('imaginary part [ohm]'),
  active,
}

const item = z.union([
  z.strictObject({ medium: named, thickness_m: notNegative('thickness [m]', 'm') }).describe('a layer'),
  z.strictObject({ ...mediumKeys, thickness_m: notNegative('thickness [m]', 'm') }).describe('a layer'),
  z.strictObject(impedanceKeys).describe('a sheet without thickness'),
])
const stack = z.array(item).describe('layers and sheets, from the outer face inwards')

const facet = z
  .enum(['outer', 'metal'])
  .default('outer')
  .describe('facets are the outer face of the coating, or the metal under it')
const sides = z
  .enum(['both', 'front'])
  .default('both')
  .describe('both sides of a facet are coated, or its front alone on bare metal')
const description = z.string().optional()

const material = z.union([
  ...layeredForms,
  z.strictObject({ description, coating: stack, facet, sides }).describe('a coating on metal'),
  z
    .strictObject({ description, half_space: named, coating: stack.default([]), facet })
    .describe('a solid body that absorbs what enters, with a coating'),
  z
    .strictObject({ description, sheet: stack })
    .describe('layers with air on both sides; facets are the middle plane'),
  z
    .strictObject({ description, surface_impedance: z.strictObject(impedanceKeys) })
    .describe('a surface impedance; nothing passes'),
  z
    .strictObject({
      description,
      table: z
        .string()
        .describe(
          'CSV file, relative to this one, with columns frequency_hz, theta_deg, r_s_real, r_s_imag, r_p_real, r_p_imag',
        ),
      transmits: z
        .boolean()
        .default(false)
        .describe('a sheet; the file has t_s_real, t_s_imag, t_p_real, t_p_imag too'),
      p_convention: z
        .enum(['H', 'E'])
        .describe('R_p as the ratio of H (metal +1) or of tangential E (metal -1)'),
      time_factor: z
        .enum(['exp(+jwt)', 'exp(-iwt)'])
        .default('exp(+jwt)')
        .describe('sign convention of the imaginary parts'),
      thickness_m: notNegative('distance of the faces that R and T refer to [m]', 'm').default(0),
    })
    .describe('reflection and transmission measured or computed elsewhere'),
])

/** A materials file: media, materials made of them, and which group of a mesh is made of what. */
export const materialsSchema = z.strictObject({
  $schema: z.string().optional().describe('this schema, for help while editing'),
  description,
  media: z.record(name, medium).default({}).describe('media by name'),
  materials: z.record(name, material).default({}).describe('materials by name'),
  groups: z
    .record(z.string(), z.string())
    .default({})
    .describe('material of groups of the mesh, by their names'),
  default: z.string().optional().describe('material of all other facets; a perfect conductor where absent'),
})

/** A materials file as written. */
export type MaterialsDescription = z.input<typeof materialsSchema>
export type MaterialsFile = z.infer<typeof materialsSchema>
export type MediumDescription = z.infer<typeof mediumByKeys>
export type ItemDescription = z.infer<typeof item>
export type MaterialDescription = z.infer<typeof material>

/** The schema as JSON Schema, for editors. */
export const materialsJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(materialsSchema, { io: 'input', reused: 'ref' }) as Record<string, unknown>
