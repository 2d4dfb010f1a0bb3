import { type Command, Option } from 'commander'
import {
  enoughLooks,
  lookGroups,
  memoryRows,
  rowField,
  runSweep,
  type SweepJob,
} from '../../pipeline/index.js'
import { highestFrequency, InputError, type RayScene } from '../../scene/index.js'
import { openEngines, type LoadedTarget } from '../solver.js'
import type { Console } from './console.js'
import type { SolverOptions } from './options.js'
import { parseCount } from './quantity.js'
import { interruptible } from './interrupt.js'

/** What a preview takes where nothing else is asked for (docs/frequency-sum.md, "Looks"). */
export const FAST_SOLVER = { 'rays-per-wavelength': '5', subdivide: '1', 'frequency-tolerance': '1e-4' }

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
  if (options.method !== 'sbr' && options.method !== 'po')
    refuse(`--method ${options.method}`, 'a preview needs ray tubes')
  if (options.sbr.adaptive) refuse('--adaptive', 'large tubes do not stay what they are as the radar turns')
  if (options.mechanisms) refuse('--mechanisms', 'a preview has no parts')
  if (options.gpuEdges !== 0) refuse('--gpu-edges', 'a preview computes its edges on the cpu')
  if (options.secondOrder.length > 0) refuse('--second-order', 'a preview has edges of first order only')
  if (options.cluster) refuse('--cluster', 'a preview is computed here')
  const looks = raw.fast === true ? undefined : parseCount(String(raw.fast), '--fast', 1, 1000)
  return { looks, compareFull }
}

/** The command line's raw options, with a preview's own where it gives none. */
export function fastRaw(command: Command): Record<string, unknown> {
  const raw: Record<string, unknown> = { ...command.opts() }
  for (const option of command.options) {
    const key = option.attributeName()
    const value = FAST_SOLVER[option.long?.slice(2) as keyof typeof FAST_SOLVER]
    if (value !== undefined && command.getOptionValueSource(key) !== 'cli') raw[key] = value
  }
  return raw
}

/** The sweep of a preview. */
export function fastJob({ looks }: FastRequest, job: SweepJob, scene: RayScene): SweepJob {
  const { aspects, bands } = job
  const highest = Math.max(...bands.map(highestFrequency))
  const count = Math.min(looks ?? enoughLooks(aspects, scene, highest), aspects.length)
  return { ...job, looks: lookGroups([...aspects.keys()], count) }
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
