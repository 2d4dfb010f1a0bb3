import { workerData } from 'node:worker_threads'
import type { PropagationSetup } from './setup.js'
import type { TaskResult } from './sums.js'
import { type PropagationTask, runTask } from './task.js'

// The pool hands its data to every thread.
const setup = workerData as PropagationSetup

export default (task: PropagationTask): TaskResult => runTask(setup, task)
