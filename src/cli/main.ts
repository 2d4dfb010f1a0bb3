#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { InputError, oneLine } from '../../scene/index.js'
import { VERSION } from '../version.js'
import { COMMANDS } from './commands.js'
import { exitOnSignal, Interrupted } from './interrupt.js'

/** Exit codes: 0 done, 1 the run failed, 2 bad usage or bad input, 130 interrupted. */
async function main(argv: string[]): Promise<number> {
  const program = new Command('isar')
    .description(
      'Radar scattering of electrically large targets: RCS and ISAR images by shooting and bouncing rays',
    )
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'isar: ')) })
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary)
    // Words that are called like a command but are none cost time alone.
    if (argv.includes(name)) (await load())(command)
  }
  for (const command of program.commands) command.exitOverride()
  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { message, stack } = error as Error
    process.stderr.write(`isar: ${oneLine(message.split('\n')[0])}\n`)
    if (error instanceof InputError) return 2
    if (error instanceof Interrupted) return 130
    if (process.env.ISAR_DEBUG) process.stderr.write(`${stack}\n`)
    return 1
  }
}

exitOnSignal()
// Dawn's and Piscina's threads may outlive the work; all results are on disk by now.
process.exit(await main(process.argv))
