#!/usr/bin/env -S node --v8-pool-size=0 --disable-wasm-trap-handler
import { CommanderError } from 'commander'
import { InputError, oneLine } from '../../scene/index.js'
import { exitOnSignal, Interrupted } from './console.js'
import { POLAR_FORMAT } from './quantity.js'
import { createProgram } from './program.js'
import { endTargetThread, startTargetThread } from '../../run/target-thread.js'

/** Commands of one mesh, which a thread prepares. */
const MESH_COMMANDS = ['render', 'rcs', 'compare']

/** Exit codes: 0 done, 1 the run failed, 2 bad usage or bad input, 130 interrupted. */
async function main(argv: string[]): Promise<number> {
  // Arguments with the name of a command only cost loading time.
  const program = await createProgram((name) => argv.includes(name))
  try {
    await program.parseAsync(withSwitches(argv))
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    return reportError(error as Error)
  }
}

/** Arguments in which an option that once was a switch does not take what follows it for its value. */
const withSwitches = (argv: string[]): string[] =>
  argv.map((word, i) =>
    word === '--polar-format' && !POLAR_FORMAT.includes(argv[i + 1] as 'on') ? `${word}=on` : word,
  )

/** Prints in one line why the command failed; returns its exit code. */
function reportError(error: Error): number {
  process.stderr.write(`isar: ${oneLine(fileLimit(error) ?? error.message.split('\n')[0])}\n`)
  if (error instanceof InputError) return 2
  if (error instanceof Interrupted) return 130
  if (process.env.ISAR_DEBUG) process.stderr.write(`${error.stack}\n`)
  return 1
}

/** Smallest limit of open files that suffices for every command; below it, a module that cannot be opened may be reported as missing. */
const ENOUGH_FILES = 1024

/** Message where modules or files do not open because of the limit of open files; null otherwise. */
function fileLimit(error: Error): string | null {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const limit = Number(userLimits?.open_files?.soft)
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const isFull = /EMFILE|ENFILE/.test(code + error.message)
  if (!isFull && !(/^ERR_MODULE_NOT_FOUND$/.test(code) && limit < ENOUGH_FILES)) return null
  return `too many open files: the limit is ${limit || 'too low'}; raise it with ulimit -n ${Math.max(4096, 4 * limit || 0)} and try again`
}

exitOnSignal()
// Failures that no command awaits, e.g. in loading the modules of a thread.
process.on('uncaughtException', (error) => process.exit(reportError(error)))
if (MESH_COMMANDS.includes(process.argv[2])) startTargetThread()
const code = await main(process.argv)
await endTargetThread()
// Dawn's and Piscina's threads may outlive the work; all results are on disk by now.
process.exit(code)
