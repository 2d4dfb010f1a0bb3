import { Piscina } from 'piscina'
import type { DiffractionResult } from './diffraction.js'
import { type PropagationWork, runWork } from './pool.js'
import type { PropagationSetup } from './setup.js'
import type { PropagationTaskResult } from './task.js'

// The pool hands its workerData to every thread.
const setup = Piscina.workerData as PropagationSetup

export default (task: PropagationWork): PropagationTaskResult | DiffractionResult => runWork(setup, task)
