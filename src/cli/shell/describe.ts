import type { Argument, Command, Option } from 'commander'
import { z } from 'zod'
import { settingOf, SETTINGS, type SolverSettings } from '../../../run/settings/settings.js'
import { defaultOf, HELP_GROUPS, innerType, type Setting } from '../../../run/settings/types.js'
import { createProgram } from '../program.js'
import { optionName } from '../options.js'

/** An option as completion and the man page need it. */
export interface OptionText {
  long: string
  /** Name of its value; absent where it takes none. */
  value?: string
  /** The value may be left out. */
  optional: boolean
  choices: string[]
  text: string
  /** What stands where it is not given; absent where nothing does. */
  standard?: string
}

/** An argument as completion and the man page need it. */
interface ArgumentText {
  name: string
  required: boolean
  variadic: boolean
  choices: string[]
  text: string
}

/** A command with what can follow it. */
export interface CommandText {
  /** Words after `isar`: `render`, `dataset verify`; none for isar itself. */
  path: string
  summary: string
  arguments: ArgumentText[]
  options: OptionText[]
  commands: CommandText[]
}

/** The whole command line as text, from the definitions that parse it. */
export async function describeProgram(): Promise<CommandText> {
  return describeCommand(await createProgram(() => true), '')
}

function describeCommand(command: Command, path: string): CommandText {
  return {
    path,
    summary: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map(describeOption),
      { long: '--help', optional: false, choices: [], text: 'shows help' },
    ],
    commands: command.commands.map((sub) => describeCommand(sub, `${path} ${sub.name()}`.trim())),
  }
}

const describeArgument = (argument: Argument): ArgumentText => ({
  name: argument.name(),
  required: argument.required,
  variadic: argument.variadic,
  choices: argument.argChoices ?? [],
  text: argument.description,
})

function describeOption(option: Option): OptionText {
  const value = /[<[](.+)[>\]]$/.exec(option.flags)?.[1]
  const standard = option.defaultValue as unknown
  return {
    long: option.long!,
    ...(value === undefined ? {} : { value }),
    // Brackets within angle ones are part of the value.
    optional: option.optional && !option.required,
    choices: option.argChoices ?? [],
    text: option.description,
    ...(typeof standard === 'string' && value !== undefined ? { standard } : {}),
  }
}

/** A command and all below it. */
export const everyCommand = (command: CommandText): CommandText[] => [
  command,
  ...command.commands.flatMap(everyCommand),
]

/** Values that are names of files or folders, by what they are called. */
export const isPath = (value: string): boolean =>
  /^(path|dir|folder|file|mesh|results|history|scene|config|other|timing)$/.test(value)

/** The commands that take a word further, as patterns `PATH WORD` with the path that they lead to. */
export const steps = (root: CommandText): { from: string; word: string; to: string }[] =>
  everyCommand(root).flatMap(({ path, commands }) =>
    commands.map((sub) => ({ from: path, word: sub.path.split(' ').at(-1)!, to: sub.path })),
  )

/** docs/options.md: every setting of the solver, from its declaration. */
export function optionsTable(): string {
  const sections = HELP_GROUPS.flatMap((group) => {
    const names = SETTINGS.filter((name) => settingOf(name).group === group)
    return names.length === 0 ? [] : [`## ${group}\n\n${table([HEAD, ...names.map(row)])}`]
  })
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

const INTRODUCTION = `# Settings of the solver

Written by \`npm run docs\` from the declarations of the settings (\`run/settings/declarations.ts\`). Commands take them as options, library
calls by the names of the second column, and dataset configurations in \`solver\` by the option’s name without its dashes, where the last
column says so. What does not affect results is not part of the key that \`--resume\` checks. \`isar COMMAND --help-all\` lists the options of
a command with those that are no settings of the solver: sweep, output, run.`

const HEAD = ['option', 'in the library', 'values', 'default', 'what it is', 'affects results', 'dataset']

function row(name: keyof SolverSettings): string[] {
  const setting = settingOf(name)
  const { help, unit, word, affectsResults = true, dataset = true } = setting
  const standard = word ?? String(defaultOf(setting) ?? '')
  const yes = (is: boolean): string => (is ? 'yes' : 'no')
  return [
    code(optionName(name)),
    code(name),
    values(setting) + (unit ? ` [${unit}]` : ''),
    standard,
    help,
    yes(affectsResults),
    yes(dataset),
  ]
}

function values({ type }: Setting): string {
  const inner = innerType(type)
  if (inner instanceof z.ZodEnum) return inner.options.map((word) => code(String(word))).join(', ')
  if (inner instanceof z.ZodNumber)
    return `${inner.format === 'safeint' ? 'integer, ' : ''}${inner.minValue} to ${inner.maxValue}`
  if (inner instanceof z.ZodArray) return 'list'
  if (inner instanceof z.ZodTuple) return 'x, y, z'
  if (inner instanceof z.ZodBoolean) return 'switch'
  if (inner instanceof z.ZodCustom) return 'file'
  return type instanceof z.ZodOptional ? 'name' : 'folder or null'
}

const code = (text: string): string => `\`${text}\``

/** Rows with columns of equal width, as the formatter of the repository writes them. */
function table(rows: string[][]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column].length)))
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`
  const [head, ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
