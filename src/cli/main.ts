#!/usr/bin/env -S node --v8-pool-size=0 --disable-wasm-trap-handler
import { endTargetThread, startTargetThread } from '../../run/target-thread.js'
import { exitOnSignal } from './console.js'
import { main, reportError } from './program.js'

/** Commands of one mesh, which a thread prepares. */
const MESH_COMMANDS = ['render', 'rcs', 'compare']

exitOnSignal()
// Failures that no command awaits, e.g. in loading the modules of a thread.
process.on('uncaughtException', (error) => process.exit(reportError(error)))
if (MESH_COMMANDS.includes(process.argv[2])) startTargetThread()
const code = await main(process.argv.slice(2))
await endTargetThread()
// Dawn's and Piscina's threads may outlive the work; all results are on disk by now.
process.exit(code)
