import { Command } from 'commander'
import { didYouMean } from '../../scene/index.js'
import { versionAndCommit } from '../version.js'
import { COMMANDS } from './commands.js'
import { addHelpAll } from './help.js'

/**
 * The command line's commands, of which those that `wanted` names have their arguments, options and actions: loading them all
 * would make `isar --help` slow.
 */
export async function createProgram(wanted: (name: string) => boolean): Promise<Command> {
  const program = new Command('isar')
    .description(
      'Radar scattering of electrically large targets: RCS and ISAR images by shooting and bouncing rays',
    )
    .version(versionAndCommit())
    .exitOverride()
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary)
    if (wanted(name)) {
      ;(await load())(command)
      for (const c of [command, ...command.commands]) addHelpAll(c)
    }
  }
  for (const command of program.commands) command.exitOverride()
  reportErrors(program)
  return program
}

/** Where commands without options for frequencies have them. */
const FREQUENCIES: Record<string, string> = {
  propagate: 'the scene file has the frequencies: give "frequency" there',
  doppler: 'the motion file has the frequencies: give "radar" there',
  dataset: 'the configuration has the frequencies: give "radar" there',
}

/** Prints usage errors as one line, with the closest known name for an unknown one; also for all subcommands. */
function reportErrors(command: Command): void {
  command.showSuggestionAfterError(false).configureOutput({
    outputError: (text, write) => {
      const [, kind, name = ''] = /^error: unknown (option|command) '(.*)'/.exec(text) ?? []
      const options = [command, ...(command.parent ? [command.parent] : [])].flatMap((c) => c.options)
      const known =
        kind === 'option' ? options.flatMap((o) => o.long ?? []) : command.commands.map((c) => c.name())
      const place = ['--freq', '--band'].includes(name) && FREQUENCIES[command.name()]
      const hint = place ? `; ${place}` : kind ? didYouMean(name, known) : ''
      write(`${text.trimEnd().replace(/^error: /, 'isar: ')}${hint}\n`)
    },
  })
  for (const sub of command.commands) reportErrors(sub)
}
