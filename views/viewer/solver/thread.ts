import { edgeTasks } from '../../../cpu-diffraction/engine/task.js'
import { sbrTasks } from '../../../cpu-sbr/task.js'
import { momentTasks } from '../../../full-wave/task.js'
import type { Tasks } from '../../../parallel/thread.js'
import { InputError } from '../../../scene/index.js'
import type { ThreadAnswer, ThreadRequest } from './worker-pool.js'

// A thread of a pool: of the tasks that Node's threads run (src/thread.ts), those of the engines in the page.
const TASKS: Record<string, Tasks<never, never, unknown>> = {
  SBR: sbrTasks,
  'edge diffraction': edgeTasks,
  'full wave': momentTasks,
}

let run: (task: never) => unknown

const answer = (message: ThreadAnswer): void => self.postMessage(message, { transfer: [] })

self.addEventListener('message', async ({ data }: MessageEvent<ThreadRequest>) => {
  if ('what' in data) {
    run = TASKS[data.what](data.data as never)
    return
  }
  const { id, task } = data
  try {
    answer({ id, result: await run(task as never) })
  } catch (error) {
    answer({ id, message: (error as Error).message, isInput: error instanceof InputError })
  }
})
