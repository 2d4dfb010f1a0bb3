import { Piscina } from 'piscina'
import { type DiffractionResult, type DiffractionTask, runDiffractionTask } from './diffraction.js'
import type { PropagationSetup } from './setup.js'
import { type PropagationTask, type PropagationTaskResult, runPropagationTask } from './task.js'

// The pool hands its workerData to every thread.
const setup = Piscina.workerData as PropagationSetup

export default (task: PropagationTask): PropagationTaskResult => runPropagationTask(setup, task)

export const diffract = (task: DiffractionTask): DiffractionResult => runDiffractionTask(setup, task)
