import { z } from 'zod'
import { datasetSchema, spectrogramSchema } from './index.js'
import { didYouMean, InputError } from '../scene/index.js'
import { optionOf, SETTINGS, settingOf } from '../run/settings/settings.js'
import { defaultOf, innerType, type Setting } from '../run/settings/types.js'

/** A value as a configuration has it: a number may also be written as text, and what is no scalar is, as on the command line. */
function configuredType(setting: Setting): z.ZodType {
  const { value, word, help, unit } = setting
  const type = innerType(setting.type)
  const standard = word === undefined ? defaultOf(setting) : undefined
  const about = [help, unit && ` [${unit}]`, word && ` (default: ${word})`].filter(Boolean).join('')
  const meta = { description: about, ...(standard !== undefined && { default: standard }) }
  if (type instanceof z.ZodEnum || type instanceof z.ZodBoolean) return type.optional().meta(meta)
  if (!(type instanceof z.ZodNumber)) return z.string().optional().meta(meta)
  const flag = value?.startsWith('[') ? [z.literal(true)] : []
  return z
    .union([type, z.string(), ...flag], {
      error: ({ input }) => type.safeParse(input).error?.issues[0].message,
    })
    .optional()
    .meta(meta)
}

const allowed = () => SETTINGS.filter((name) => settingOf(name).dataset !== false)

/** The `solver` of a dataset's configuration: settings by the names of their options. */
const solverSchema = () =>
  z
    .strictObject(
      Object.fromEntries(allowed().map((name) => [optionOf(name), configuredType(settingOf(name))])),
    )
    .default({})
    .describe('settings of the solver by their names on the command line, like {"rays-per-wavelength": 6}')

/** The schema of dataset configurations as JSON Schema, for editors. */
export const datasetJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(datasetSchema.extend({ solver: solverSchema() }), { io: 'input' }) as Record<string, unknown>

/** The same of spectrograms. */
export const spectrogramDatasetSchema = (): Record<string, unknown> =>
  z.toJSONSchema(spectrogramSchema.extend({ solver: solverSchema() }), { io: 'input' }) as Record<
    string,
    unknown
  >

/** @throws InputError for what is no setting that a configuration's `solver` may hold, or not of its type and range */
export function checkDatasetSolver(solver: Record<string, unknown>): void {
  const [issue] = solverSchema().safeParse(solver).error?.issues ?? []
  if (!issue) return
  if (issue.code !== 'unrecognized_keys')
    throw new InputError(`solver: ${issue.path.join('.')}: ${issue.message}`)
  const [name] = issue.keys
  const names = allowed().map(optionOf)
  throw new InputError(
    `solver: "${name}" is not an option of the solver${didYouMean(name, names)}; known are ${names.join(', ')}`,
  )
}
