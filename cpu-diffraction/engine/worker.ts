import { setImmediate } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import type { EdgeScenes, EdgeTask, EdgeTaskResult } from './job.js'
import { EdgeTaskRunner } from './task.js'

// The pool hands its data to every thread.
const runner = new EdgeTaskRunner(workerData as EdgeScenes)

export default async (task: EdgeTask): Promise<EdgeTaskResult> => {
  // A turn of the event loop each: of two tasks queued the first one's result is being sent before the second begins.
  await setImmediate()
  return runner.run(task)
}
