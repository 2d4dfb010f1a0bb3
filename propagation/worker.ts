import { Piscina } from 'piscina'
import type { PropagationSetup } from './setup.js'
import type { TaskResult } from './sums.js'
import { type PropagationTask, runTask } from './task.js'

// The pool hands its workerData to every thread.
const setup = Piscina.workerData as PropagationSetup

export default (task: PropagationTask): TaskResult => runTask(setup, task)
