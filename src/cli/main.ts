#!/usr/bin/env -S node --v8-pool-size=0 --disable-wasm-trap-handler
import { CommanderError } from 'commander'
import { InputError, oneLine } from '../../scene/index.js'
import { exitOnSignal, Interrupted } from './interrupt.js'
import { createProgram } from './program.js'
import { endTargetThread, startTargetThread } from '../target-thread.js'

/** Commands of one mesh, which a thread prepares. */
const MESH_COMMANDS = ['render', 'rcs', 'compare']

/** Exit codes: 0 done, 1 the run failed, 2 bad usage or bad input, 130 interrupted. */
async function main(argv: string[]): Promise<number> {
  // Words that are called like a command but are none cost time alone.
  const program = await createProgram((name) => argv.includes(name))
  try {
    await program.parseAsync(argv)
    return Number(process.exitCode ?? 0)
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
if (MESH_COMMANDS.includes(process.argv[2])) startTargetThread()
const code = await main(process.argv)
await endTargetThread()
// Dawn's and Piscina's threads may outlive the work; all results are on disk by now.
process.exit(code)
