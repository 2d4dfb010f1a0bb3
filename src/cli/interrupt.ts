import { endTargetThread } from '../target-thread.js'

/** Raised by Ctrl-C: finished parts are kept. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** How long work may go on after Ctrl-C where it looks at no signal, a solution of very many frequencies above all [ms]. */
const PATIENCE_MS = 5000
/** When a run that goes on after Ctrl-C says so [ms]. */
const ANSWER_MS = 500

/** A signal that Ctrl-C fires with Interrupted of the message then, between `listen` and `end`. */
export function interruption(message: () => string): {
  signal: AbortSignal
  listen: () => void
  end: () => void
} {
  const interrupt = new AbortController()
  let answer: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  const onSignal = (): void => {
    interrupt.abort(new Interrupted(message()))
    answer = setTimeout(() => process.stderr.write('stopping  waits for its threads\n'), ANSWER_MS)
    answer.unref()
    // What is finished is kept already.
    timer = setTimeout(() => {
      process.stderr.write(
        `isar: ${message()}; threads did not end in time; continue a started run with --resume\n`,
      )
      process.exit(130)
    }, PATIENCE_MS)
    timer.unref()
  }
  return {
    signal: interrupt.signal,
    listen() {
      process.once('SIGINT', onSignal)
      process.once('SIGTERM', onSignal)
    },
    end() {
      clearTimeout(answer)
      clearTimeout(timer)
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
    },
  }
}

/** Runs `work` until Ctrl-C, which rejects with Interrupted of this message. */
export async function interruptible<T>(
  message: () => string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, listen, end } = interruption(message)
  listen()
  try {
    return await work(signal)
  } catch (error) {
    // A pool's tasks fail with an error of their own.
    throw signal.aborted ? signal.reason : error
  } finally {
    end()
  }
}

/**
 * Ends the process with 130 on a signal that no command listens for: before its work, while results are written, or
 * when the first signal has not ended it yet. Temporary files are removed.
 */
export function exitOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) > 1) return
      process.stderr.write('isar: interrupted; continue a started run with --resume\n')
      void endTargetThread().then(() => process.exit(130))
    })
}
