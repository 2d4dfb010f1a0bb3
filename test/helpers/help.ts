import { CommanderError } from 'commander'
import { createProgram } from '../../src/cli/program.js'

/** What the parser prints of a command line, in this process and 80 columns wide, and its code where it ends the command. */
export async function parsed(args: readonly string[]): Promise<{ code: string; text: string }> {
  const program = await createProgram((name) => name === args[0])
  let text = ''
  const write = (part: string): void => void (text += part)
  for (const command of [program, ...program.commands])
    command.configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => 80 }).exitOverride()
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { code: error.code, text }
  }
  return { code: '', text }
}
