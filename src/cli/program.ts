import { Command } from 'commander'
import { VERSION } from '../version.js'
import { COMMANDS } from './commands.js'

/**
 * The command line's commands, of which those that `wanted` names have their arguments, options and actions: loading them all
 * would make `isar --help` slow.
 */
export async function createProgram(wanted: (name: string) => boolean): Promise<Command> {
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
    if (wanted(name)) (await load())(command)
  }
  for (const command of program.commands) command.exitOverride()
  return program
}
