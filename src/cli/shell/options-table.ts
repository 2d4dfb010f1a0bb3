import { z } from 'zod'
import { SETTINGS, settingOf, type SolverSettings } from '../../settings.js'
import { defaultOf, HELP_GROUPS, innerType, type Setting } from '../../settings/types.js'
import { optionName } from '../setting-options.js'

/** docs/options.md: every setting of the solver, from its declaration. */
export function optionsTable(): string {
  const sections = HELP_GROUPS.flatMap((group) => {
    const names = SETTINGS.filter((name) => settingOf(name).group === group)
    return names.length === 0 ? [] : [`## ${group}\n\n${table([HEAD, ...names.map(row)])}`]
  })
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

const INTRODUCTION = `# Settings of the solver

Written by \`npm run docs\` from the declarations of the settings (\`src/settings/declarations.ts\`). Commands take them as options, library
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
