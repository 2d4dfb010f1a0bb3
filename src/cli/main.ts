#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { InputError } from '../../scene/index.js'
import { clusterCommand } from './cluster.js'
import { compareCommand } from './compare.js'
import { devicesCommand } from './devices.js'
import { rcsCommand } from './rcs.js'
import { renderCommand } from './render.js'
import { Interrupted, VERSION } from './run.js'
import { validateCommand } from './validate.js'
import { workerCommand } from './worker.js'
import { workersCommand } from './workers.js'

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
  renderCommand(program)
  rcsCommand(program)
  compareCommand(program)
  validateCommand(program)
  devicesCommand(program)
  workerCommand(program)
  workersCommand(program)
  clusterCommand(program)
  for (const name of LATER)
    program
      .command(name, { hidden: true })
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new InputError(`the command ${name} is not in this version; see isar --help for those that are`)
      })
  for (const command of program.commands) command.exitOverride()
  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { message, stack } = error as Error
    process.stderr.write(`isar: ${message.split('\n')[0]}\n`)
    if (error instanceof InputError) return 2
    if (error instanceof Interrupted) return 130
    if (process.env.ISAR_DEBUG) process.stderr.write(`${stack}\n`)
    return 1
  }
}

/** Commands of the contract that later versions bring. */
const LATER = ['dataset', 'propagate', 'view']

// Dawn's and Piscina's threads may outlive the work; all results are on disk by now.
process.exit(await main(process.argv))
