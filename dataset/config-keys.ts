import { z } from 'zod'
import type { FieldUnit } from '../formats/expression.js'
import { quantity } from '../formats/schema-numbers.js'
import { CHANNELS } from '../rays/index.js'

/** A length, angle or frequency; above 0; 0 or more: a number in this unit or a text with one. */
export const measure = (unit: FieldUnit, text: string) => quantity(unit).describe(text)
export const positiveMeasure = (unit: FieldUnit, text: string) =>
  quantity(unit, z.number().positive()).describe(text)
export const sizeMeasure = (unit: FieldUnit, text: string) => quantity(unit, z.number().min(0)).describe(text)
/** Largest count; the plan limits the products of counts. */
const MOST = 1_000_000
export const count = (text: string) => z.number().int().min(1).max(MOST).describe(text)
export const frequency = (text: string) => z.union([z.number(), z.string()]).describe(text)

/** Names of classes, targets, datasets and parts. */
const plainName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)

export const angles = (what: string) =>
  z
    .union([
      z.array(quantity('deg')).min(1),
      z.strictObject({
        from: measure('deg', 'first angle [degrees]'),
        to: measure('deg', 'last angle, included unless it completes 360 degrees [degrees]'),
        step: positiveMeasure('deg', 'step [degrees]'),
      }),
      z.strictObject({
        from: measure('deg', 'lowest angle [degrees]'),
        to: measure('deg', 'highest angle [degrees]'),
        count: count('how many angles, uniformly distributed at random'),
      }),
    ])
    .describe(`${what}: a list, {"from", "to", "step"}, or {"from", "to", "count"} at random [degrees]`)

/** Parts in which a dataset is divided. */
export type Splits = Omit<z.infer<typeof splits>, 'parts'> & { parts: Record<string, number> }

/** The splits with their parts, which may be those of `assign`; none where neither says them. */
export const withParts = (given: z.infer<typeof splits>): Splits => ({
  ...given,
  parts: given.parts ?? Object.fromEntries(Object.keys(given.assign ?? {}).map((part) => [part, 1])),
})

/** What is wrong with splits whose parts are none. */
export const NO_PARTS = 'is missing; give names and shares, like {"train": 0.8, "test": 0.2}, or assign'

const splits = z
  .strictObject({
    by: z
      .enum(['azimuth', 'elevation', 'target', 'copy'])
      .describe('what is assigned to one part as a whole: blocks of azimuth, elevations, targets or copies'),
    parts: z
      .record(plainName, z.number().positive())
      .optional()
      .describe('names and shares, like {"train": 0.8, "test": 0.2}; those of assign where absent'),
    blockDeg: quantity('deg', z.number().positive().min(0.1))
      .describe('width of the blocks of azimuth [degrees]')
      .default(30),
    assign: z
      .record(plainName, z.array(z.union([z.string(), z.number()])))
      .optional()
      .describe('instead of random assignment: the elevations, target names or copies of each part'),
  })
  .describe('parts that share no aspect, elevation, target or copy')

/** Keys of a target that are the same in all datasets. */
export const TARGET_KEYS = {
  label: plainName.describe('class: letters, digits, dot, dash and underscore'),
  name: (text: string) => plainName.optional().describe(text),
  materials: z.string().optional().describe('materials file, relative to this file'),
}

/** Keys that are the same in all datasets. */
export const KEYS = {
  $schema: z.string().optional().describe('this schema, for help in editors'),
  name: plainName.describe('name of the dataset: letters, digits, dot, dash and underscore'),
  description: z.string().optional().describe('a sentence for the dataset card'),
  seed: z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('seed of all random numbers'),
  aspects: z
    .strictObject({
      azimuth: angles('azimuths of the radar, from the target’s +x towards +y'),
      elevation: angles('elevations of the radar above the xy plane'),
    })
    .describe('where the radar is'),
  channels: z.array(z.enum(CHANNELS)).min(1).default(['vv']).describe('transmit, receive'),
  splits: splits.optional(),
  solver: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .default({})
    .describe('options of the solver by their names on the command line, like {"rays-per-wavelength": 6}'),
}
