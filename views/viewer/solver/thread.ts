import type { EdgeScenes, EdgeTask } from '../../../cpu-diffraction/engine/job.js'
import { EdgeTaskRunner } from '../../../cpu-diffraction/engine/task.js'
import { runSbrTask, type SbrTask } from '../../../cpu-sbr/task.js'
import { type MomentTask, MomentTaskRunner } from '../../../full-wave/task.js'
import type { RayScene } from '../../../rays/index.js'
import { InputError } from '../../../scene/index.js'
import type { ThreadAnswer, ThreadRequest } from './worker-pool.js'

// A thread of a pool: the task functions that Node's threads run.

function runnerOf(what: string, data: unknown): (task: never) => unknown {
  if (what === 'SBR') return (task: SbrTask) => runSbrTask(data as RayScene, task)
  if (what === 'full wave') {
    const solver = new MomentTaskRunner()
    return (task: MomentTask) => solver.run(task)
  }
  const runner = new EdgeTaskRunner(data as EdgeScenes)
  return (task: EdgeTask) => runner.run(task)
}

let run: (task: never) => unknown

const answer = (message: ThreadAnswer): void => self.postMessage(message, { transfer: [] })

self.addEventListener('message', ({ data }: MessageEvent<ThreadRequest>) => {
  if ('what' in data) {
    run = runnerOf(data.what, data.data)
    return
  }
  const { id, task } = data
  try {
    answer({ id, result: run(task as never) })
  } catch (error) {
    answer({ id, message: (error as Error).message, isInput: error instanceof InputError })
  }
})
