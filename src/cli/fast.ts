import { Option } from 'commander'
import { memoryRows, rowField, runSweep, type SweepJob } from '../../pipeline/index.js'
import { InputError } from '../../scene/index.js'
import { FAST, whyNotFast } from '../looks.js'
import type { LoadedTarget } from '../loaded-target.js'
import { openEngines } from '../solver.js'
import type { Console } from './console.js'
import { optionName, type SolverOptions } from './options.js'
import { parseCount } from './quantity.js'
import { interruptible } from './interrupt.js'

/** A preview's own values, by the names of the options. */
export const FAST_SOLVER = {
  'rays-per-wavelength': String(FAST.raysPerWavelength),
  subdivide: String(FAST.subdivisions),
  'frequency-tolerance': String(FAST.frequencyTolerance),
}

/** A preview by looks (docs/frequency-sum.md). */
export interface FastRequest {
  /** Aspects whose rays are traced; as many as are enough where absent. */
  looks?: number
  /** Also compute the full image and tell how alike they are. */
  compareFull: boolean
}

export const fastOptions = (): Option[] => [
  new Option('--fast [looks]', 'approximate image from the rays of a few aspects, or of so many'),
  new Option('--compare-full', 'with --fast: compute the full image too and print the correlation'),
]

/** @throws InputError for options that a preview cannot honour */
export function fastRequest(raw: Record<string, unknown>, options: SolverOptions): FastRequest | null {
  const compareFull = raw.compareFull === true
  if (raw.fast === undefined) {
    if (compareFull) throw new InputError('--compare-full: there is no fast image to compare; add --fast')
    return null
  }
  const refuse = (option: string, why: string): never => {
    throw new InputError(`--fast: ${why}; leave ${option} out`)
  }
  const problem = whyNotFast(options)
  if (problem) refuse(optionName(problem[0]), problem[1])
  if (options.cluster) refuse('--cluster', 'a preview is computed here')
  const looks = raw.fast === true ? undefined : parseCount(String(raw.fast), '--fast', 1, 1000)
  return { looks, compareFull }
}

/** The fields of the whole sweep, nothing kept. @throws Interrupted after Ctrl-C */
export async function fullFields(
  loaded: LoadedTarget,
  options: SolverOptions,
  job: SweepJob,
  out: Console,
): Promise<Float64Array[]> {
  const engines = await openEngines(loaded, options)
  try {
    const store = memoryRows()
    await interruptible('interrupted; the preview was not compared', (signal) =>
      runSweep(engines, job, store, ({ done, total }) => out.progress(done, total, 'aspects'), signal),
    )
    return job.aspects.map((_, i) => rowField(job, store.rows.get(i)!))
  } finally {
    await engines.close()
  }
}
