import { z } from 'zod'
import { type FieldUnit } from './expression.js'
import { expression, notNegative, notNegativeNumber, number, positive } from './schema-numbers.js'

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
export const layeredMedium = z
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
export const layeredForms = [
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
