import { z } from 'zod'
import type { Formula } from '../scene/formula.js'
import { InputError } from '../scene/index.js'
import {
  type FieldUnit,
  parseConstant,
  parseExpression,
  parseQuantity,
  type Variable,
  varies,
} from './expression.js'

type Input = { input?: unknown }

/** Beyond any material; products of a few stay within double precision. */
const MOST = 1e12
const beyond = { error: ({ input }: Input) => `${String(input)} is beyond ${MOST}` }
const number = () => z.number().min(-MOST, beyond).max(MOST, beyond)

const positiveNumber = () =>
  z
    .number()
    .max(1e15, { error: ({ input }: Input) => `${String(input)} is beyond 1e15` })
    .gt(0, { error: ({ input }: Input) => `${String(input)} is not above zero` })
const notNegativeNumber = () =>
  number().min(0, { error: ({ input }: Input) => `${String(input)} is negative; give 0 or more` })

const kindOf = (input: unknown): string =>
  input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input

/**
 * What a text says, with what is wrong in it as an issue of its own, not as one of a union. A check that puts the value in the text's
 * place: of a transform JSON Schemas would have no defaults.
 */
const said = <T>(read: (text: string) => T, type?: z.ZodType<T>): z.ZodType<T, string> =>
  z.string().check((context) => {
    const text = context.value
    const refuse = (message: string): void =>
      void context.issues.push({ code: 'custom', message, input: text, continue: true })
    try {
      const value = read(text)
      const wrong = type?.safeParse(value).error?.issues[0]
      if (wrong) refuse(wrong.message)
      else (context as { value: unknown }).value = value
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      refuse(error.message)
    }
  }) as unknown as z.ZodType<T, string>

/**
 * A number in the field's unit, or a text with a unit (`formats/expression.ts`) that is read as one: "2.5 in". The JSON Schema has both.
 * @param type  limits of the number
 */
export const quantity = (unit: FieldUnit, type: z.ZodNumber = z.number()) =>
  z.union([type, said((text) => parseQuantity(text, unit), type)], {
    error: ({ input }) =>
      `Invalid input: expected number${unit ? `, or text with a unit like "3 ${unit}"` : ''}, received ${kindOf(input)}`,
  })

/** One above zero. */
export const positiveQuantity = (unit: FieldUnit, text: string) =>
  quantity(unit, z.number().positive()).describe(text)

/** Three of them. */
export const point = (unit: FieldUnit, text: string) => {
  const one = quantity(unit)
  return z.tuple([one, one, one]).describe(text)
}

const positive = (text: string, unit: FieldUnit) => quantity(unit, positiveNumber()).describe(text)
const notNegative = (text: string, unit: FieldUnit) => quantity(unit, notNegativeNumber()).describe(text)

/** A function of f or t, or what does not vary: a number, or [re, im]. */
type Expression = { formula: Formula } | number | [re: number, im: number]

/** A text that is a constant, complex too, or a function of f [Hz] or t [s], in the field's unit. */
export const expression = (unit: FieldUnit, variable: Variable) =>
  said<Expression>((text) => {
    const formula = parseExpression(text, unit, variable)
    if (varies(formula)) return { formula }
    const [re, im] = parseConstant(text, unit)
    if (Math.hypot(re, im) > MOST) throw new InputError(`${text} is beyond ${MOST}`)
    return im === 0 ? re : [re, im]
  })

/** The texts among given values that were read as numbers and functions, by their places; undefined where there are none. */
export function expressionsIn(given: unknown, read: unknown): Record<string, string> | undefined {
  const found: [string, string][] = []
  const walk = (one: unknown, made: unknown, at: string): void => {
    if (typeof one === 'string' && typeof made !== 'string' && made !== undefined) found.push([at, one])
    if (typeof one !== 'object' || one === null || typeof made !== 'object' || made === null) return
    for (const [key, value] of Object.entries(one))
      if (Object.hasOwn(made, key))
        walk(value, (made as Record<string, unknown>)[key], at ? `${at}.${key}` : key)
  }
  walk(given, read, '')
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

const freq_hz = z.array(positive('[Hz]', 'Hz')).min(1).describe('ascending, linear between them [Hz]')

const varying = z.strictObject({
  freq_hz,
  re: z.array(number()).describe('real parts'),
  im: z.array(number()).optional().describe('imaginary parts; default 0'),
})
const complex = (text: string, unit: FieldUnit = '') =>
  z
    .union([number(), z.tuple([number(), number()]), varying, expression(unit, 'f')], {
      error:
        'give a number, [re, im], or {"freq_hz": [...], "re": [...], "im": [...]}, or text like "5 - 1.5i"',
    })
    .describe(text)
const real = (text: string, unit: FieldUnit = '') =>
  z
    .union(
      [
        notNegativeNumber(),
        z.strictObject({ freq_hz, re: z.array(notNegativeNumber()) }),
        expression(unit, 'f'),
      ],
      { error: 'give a number of 0 or more, a text, or {"freq_hz": [...], "re": [...]}' },
    )
    .optional()
    .describe(text)

const sheet_impedance_ohm = complex('a sheet without thickness that waves pass through [ohm]', 'ohm')
const description = z.string().optional()

const mediumValues = {
  eps_r: complex('relative permittivity, im <= 0 with losses: exp(+jwt); default 1').optional(),
  mu_r: complex('relative permeability alike; default 1').optional(),
  tan_delta: real('loss tangent: eps is eps_r (1 - j tan_delta)'),
  sigma_s_per_m: real('conductivity besides [S/m]', 'S/m'),
}

/** A medium by values that are a number, [re, im], lists or a function of f. */
const layeredMedium = z
  .strictObject({ description, ...mediumValues })
  .describe('a medium by values that may be functions of f')

const layer = z
  .strictObject({
    thickness_m: notNegative('thickness [m]', 'm'),
    ...mediumValues,
    medium: z.string().optional().describe('name of a medium, instead of the others'),
  })
  .describe('a layer')

/** Materials whose values are a number, [re, im], lists over `freq_hz` or a function of f. */
const layeredForms = [
  z
    .strictObject({
      description,
      layers: z
        .array(z.union([layer, z.strictObject({ sheet_impedance_ohm }).describe('a sheet')]))
        .describe('from the outer face inwards'),
      backing: z.enum(['pec', 'none']).default('none').describe('metal, or air on both sides'),
    })
    .describe(
      'a coating whose facets are its outer face (pec), or a sheet whose facets are its middle plane',
    ),
  z
    .strictObject({ description, surface_impedance_ohm: complex('[ohm]', 'ohm') })
    .describe('a surface impedance; nothing passes'),
  z.strictObject({ description, sheet_impedance_ohm }).describe('a sheet without thickness'),
  z
    .strictObject({
      description,
      table: z
        .string()
        .describe(
          'CSV file, relative to this one: freq_hz,theta_deg,rs_re,rs_im,rp_re,rp_im and, of a sheet, ts_re,ts_im,tp_re,tp_im; R_p as the ratio of H (metal +1), exp(+jwt)',
        ),
      thickness_m: notNegative('distance of the faces that R and T refer to [m]', 'm').default(0),
    })
    .describe('reflection and transmission measured or computed elsewhere'),
] as const

export type ComplexGiven = z.infer<typeof sheet_impedance_ohm>
export type LayerGiven = z.infer<typeof layer>
export type LayeredMediumGiven = z.infer<typeof layeredMedium>
export type LayeredGiven = z.infer<
  (typeof layeredForms)[0] | (typeof layeredForms)[1] | (typeof layeredForms)[2]
>

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
export type MediumDescription = z.infer<typeof mediumByKeys>
export type ItemDescription = z.infer<typeof item>
export type MaterialDescription = z.infer<typeof material>

/** The schema as JSON Schema, for editors. */
export const materialsJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(materialsSchema, { io: 'input', reused: 'ref' }) as Record<string, unknown>
