import { endTargetThread } from '../target-thread.js'

/** Raised by Ctrl-C: what is finished is kept. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Runs `work` until Ctrl-C, which rejects with Interrupted of this message. */
export async function interruptible<T>(
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupt = new AbortController()
  const onSignal = (): void => interrupt.abort(new Interrupted(message))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    return await work(interrupt.signal)
  } catch (error) {
    // A pool's tasks fail with an error of their own.
    throw interrupt.signal.aborted ? interrupt.signal.reason : error
  } finally {
    process.removeListener('SIGINT', onSignal)
    process.removeListener('SIGTERM', onSignal)
  }
}

/**
 * Ends the process with 130 on a signal that no command listens for: before its work, after it while results are written, or
 * when the first signal has not ended it yet. Files on the way are removed as it ends.
 */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return
      process.stderr.write('isar: interrupted; where results are under way --resume goes on with them\n')
      void endTargetThread().then(() => process.exit(130))
    })
}
