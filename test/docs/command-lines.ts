import { Command, CommanderError } from 'commander'
import { Console } from '../../src/cli/console.js'
import { COMMANDS } from '../../src/cli/program.js'
import { solverOptions } from '../../src/cli/options.js'
import { parseBand, parseRange } from '../../src/cli/quantity.js'
import { parseFrequencies } from '../../formats/expression.js'
import type { Markdown } from './markdown.js'

/** A call of isar as a document writes it. */
export interface CommandLine {
  text: string
  /** Its words after `isar`. */
  words: string[]
  /** Stands for many calls: MESH, `…`, `a|b`, `[--json]`. Only the names of its options can be checked. */
  pattern: boolean
  /** From the text, where arguments may be left out: `isar dataset verify`. */
  mention: boolean
}

/** Words of a line of the shell up to a comment, pipe or the next command; quotes taken off. */
function shellWords(line: string): string[] {
  const words: string[] = []
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (/^(#|&&$|\|$|>|;$)/.test(word)) break
    words.push(word.replace(/["']/g, ''))
  }
  return words
}

const CALL = /(?:^|&& |\$ |; )(?:npx )?isar ([a-z-].*)$/
const PATTERN = /…|\||[[\]]|\bf0:f1\b|\b[A-Z]{2,}\b/

/** Calls of isar in blocks of code and in `code` of the prose. */
export function commandLines({ prose, code }: Markdown): CommandLine[] {
  // Behind three spaces stands what a line is for.
  const blocks = code.map((line) => line.trim().replace(/ {3,}.*$/, ''))
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span]) =>
    span.replace(/\s+/g, ' ').replace(/\\\|/g, '|'),
  )
  return [...blocks.flatMap((l) => readCall(l, false)), ...spans.flatMap((l) => readCall(l, true))]
}

function readCall(line: string, mention: boolean): CommandLine[] {
  const call = CALL.exec(line)?.[1]
  if (call === undefined) return []
  const pattern = PATTERN.test(call)
  return [
    {
      text: `isar ${call}`,
      words: shellWords(pattern ? call.replace(/[[\]]/g, '') : call),
      pattern,
      mention,
    },
  ]
}

/** The command that the first words name, and how many they are. @throws Error where there is none */
async function findCommand(words: string[]): Promise<{ program: Command; command: Command; used: number }> {
  const program = new Command('isar')
  const entry = Object.hasOwn(COMMANDS, words[0]) ? COMMANDS[words[0]] : undefined
  if (!entry) throw new Error(`there is no command "${words[0]}"`)
  let command = program.command(words[0])
  ;(await entry.load())(command, new Console())
  let used = 1
  for (;;) {
    const next = command.commands.find((c) => c.name() === words[used])
    if (!next) return { program, command, used }
    command = next
    used++
  }
}

/**
 * Parses a call without running it: command, options, numbers of arguments, and the values of the options that commander or
 * the solver's own checks know. @throws Error saying what is wrong
 */
export async function dryParse({ words, pattern, mention }: CommandLine): Promise<void> {
  if (['--help', '--version'].includes(words[0])) return
  const { program, command, used } = await findCommand(words)
  const known = (word: string): boolean =>
    ['--help', ...[command, command.parent!].flatMap((c) => c.options.map((o) => o.long))].includes(word)
  const unknown = words.slice(used).find((word) => word.startsWith('--') && !known(word.split('=')[0]))
  if (unknown !== undefined) throw new Error(`isar ${command.name()} has no option ${unknown}`)
  if (pattern || words.includes('--help')) return
  for (let c: Command | null = command; c; c = c.parent) silence(c)
  let parsed: Record<string, unknown> | null = null
  command.action(() => {
    parsed = command.opts()
  })
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (!mention || !error.code.startsWith('commander.missing'))
      throw new Error(error.message, { cause: error })
  }
  if (parsed) checkValues(command, parsed)
}

const silence = (command: Command): void => {
  command.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} })
}

/** Values that commands check themselves. */
function checkValues(command: Command, raw: Record<string, unknown>): void {
  if (command.options.some((o) => o.long === '--rays-per-wavelength')) solverOptions(raw)
  if (typeof raw.band === 'string') parseBand(raw.band)
  if (typeof raw.freq === 'string') parseFrequencies(raw.freq.split(','), '--freq')
  for (const key of ['theta', 'phi', 'rxTheta', 'rxPhi'])
    if (typeof raw[key] === 'string') parseRange(raw[key], `--${key}`)
}
