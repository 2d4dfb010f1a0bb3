import { Option } from 'commander'
import { z } from 'zod'
import { optionOf, SETTINGS, settingOf, type SolverSettings } from '../settings.js'
import { defaultOf, innerType, type Setting } from '../settings/types.js'
import { advanced, heading } from './help.js'
import { plainNumber } from '../../formats/frequency.js'
import { parsePoint } from './quantity.js'

/** Name of a setting in messages. */
export const optionName = (name: string): string => `--${optionOf(name)}`

/** The options of a command's settings, in their groups of the help. */
export const settingOptions = (command: string): Option[] =>
  SETTINGS.filter((name) => settingOf(name).commands?.includes(command) ?? true).map((name) => {
    const { group, basic } = settingOf(name)
    const option = settingOption(name).helpGroup(heading(group))
    return basic ? option : advanced(option)
  })

/** A setting's option, from its declaration. */
export function settingOption(name: keyof SolverSettings): Option {
  const setting = settingOf(name)
  const { help, unit, word } = setting
  const type = innerType(setting.type)
  const value = setting.value ?? (type instanceof z.ZodEnum ? '<which>' : '')
  const inValue = !unit || value.includes(unit) ? '' : ` [${unit}]`
  const standard = defaultOf(setting)
  // A word that is no value of the option is only shown in the help.
  const shown = word !== undefined && standard === undefined ? ` (default: ${word})` : ''
  const option = new Option(`${optionName(name)} ${value}`.trim(), help + inValue + shown)
  if (type instanceof z.ZodEnum) option.choices(type.options.map(String))
  if (setting.repeated) option.argParser((text, before?: string[]) => [...(before ?? []), text])
  if (value && standard !== undefined) option.default(word ?? String(standard))
  return option
}

/** Settings from commander's raw options. @throws InputError naming the option, for text that is no number */
export const readSettings = (raw: Record<string, unknown>): SolverSettings =>
  Object.fromEntries(SETTINGS.map((name) => [name, readSetting(name, raw)]))

function readSetting(name: keyof SolverSettings, raw: Record<string, unknown>): unknown {
  const setting = settingOf(name)
  const key = new Option(optionName(name)).attributeName()
  const given = setting.fromOption ? setting.fromOption(raw[key], raw) : raw[key]
  return typeof given === 'string' ? readText(given, setting, optionName(name)) : given
}

/** A text as a value of the setting's type; undefined, for the default, where it is the word for that. */
function readText(text: string, { type, word }: Setting, option: string): unknown {
  const inner = innerType(type)
  if (inner instanceof z.ZodNumber) return plainNumber(text, option)
  if (inner instanceof z.ZodTuple) return parsePoint(text, option)
  if (!(inner instanceof z.ZodArray)) return text
  const list = text.toLowerCase()
  return list === word ? undefined : list.split(',').map((item) => item.trim())
}
