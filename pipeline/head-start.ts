import { setMaxListeners } from 'node:events'
import type { EdgeEngine, EdgeJob, EdgeResult } from '../cpu-diffraction/index.js'

/**
 * The engine, with `jobs` begun: its threads have work while the calling thread still opens the GPU. `aspect` hands out what was begun
 * for a job of the same objects, and computes all others, with the same bytes either way. A run that is called off drops what
 * was begun.
 */
export function withHeadStart(engine: EdgeEngine, jobs: EdgeJob[]): EdgeEngine {
  const stop = new AbortController()
  // Every task listens.
  setMaxListeners(0, stop.signal)
  const begun = new Map(jobs.map((job) => [job.aspect, { job, result: engine.aspect(job, stop.signal) }]))
  // Nobody may ask for it.
  for (const { result } of begun.values()) result.catch(() => {})
  return {
    ...engine,
    async aspect(job, signal) {
      const found = begun.get(job.aspect)
      if (!found || found.job.band !== job.band || found.job.options !== job.options)
        return engine.aspect(job, signal)
      begun.delete(job.aspect)
      return unlessAborted(found.result, stop, signal)
    },
    async close() {
      stop.abort()
      await engine.close()
    },
  }
}

/** The result, or the signal's reason as soon as it fires; then `stop` fires too. */
async function unlessAborted(
  result: Promise<EdgeResult>,
  stop: AbortController,
  signal?: AbortSignal,
): Promise<EdgeResult> {
  if (!signal) return result
  let off = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    off = () => {
      stop.abort(signal.reason)
      reject(signal.reason as Error)
    }
  })
  if (signal.aborted) off()
  signal.addEventListener('abort', off, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', off)
  }
}
