import type { Argument, Command, Option } from 'commander'
import { createProgram } from '../program.js'

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
export interface ArgumentText {
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
