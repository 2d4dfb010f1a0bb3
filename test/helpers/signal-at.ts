import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface SignalAt {
  /** What the process has written to stderr when it is signalled. */
  message: RegExp
  /** SIGINT where absent. */
  signal?: NodeJS.Signals
  /** A file that has to be there by then. */
  file?: string
  /** Another process, which gets the signal. */
  pid?: number
}

/** Options of Node and environment with which a process signals itself, or another, at a message, on a machine of any speed and load. */
export const signalAt = ({ message, signal = 'SIGINT', file = '', pid }: SignalAt) => ({
  node: ['--import', pathToFileURL(resolve('test/helpers/signal-at.mjs')).href],
  env: {
    ISAR_TEST_WHEN: message.source,
    ISAR_TEST_SIGNAL: signal,
    ISAR_TEST_FILE: file,
    ISAR_TEST_PID: String(pid ?? ''),
  },
})
