import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'

/** A signal that fires with another one, or when `stop` is called. */
export function stoppable(other?: AbortSignal): { signal: AbortSignal; stop: (reason?: unknown) => void } {
  const own = new AbortController()
  const signal = other ? AbortSignal.any([other, own.signal]) : own.signal
  // Every task of every aspect listens.
  setMaxListeners(0, signal)
  return { signal, stop: (reason) => own.abort(reason) }
}

/**
 * Processes items, at most `limit` in flight. Rejects with the first failure when all started ones have settled; none is
 * started once the signal has fired.
 */
export async function eachInFlight<T>(
  items: Iterable<T>,
  limit: number,
  { signal, stop }: ReturnType<typeof stoppable>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const todo = items[Symbol.iterator]()
  // One start per iteration of the event loop: several would block it for their total time.
  let slot: Promise<void> = Promise.resolve()
  const lane = async (): Promise<void> => {
    for (let next = todo.next(); !next.done; next = todo.next()) {
      signal.throwIfAborted()
      slot = slot.then(() => setImmediate())
      await slot
      signal.throwIfAborted()
      await work(next.value)
    }
  }
  const lanes = Array.from({ length: limit }, lane)
  try {
    await Promise.all(lanes)
  } catch (error) {
    stop()
    await Promise.allSettled(lanes)
    throw error
  }
}
