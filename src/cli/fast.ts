import { availableParallelism } from 'node:os'
import { Option } from 'commander'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { createCpuEngine } from '../../cpu-sbr/index.js'
import {
  frequencyTotal,
  lookAtSweep,
  memoryRows,
  rowField,
  runSweep,
  type SweepJob,
} from '../../pipeline/index.js'
import { InputError } from '../../scene/index.js'
import { estimateRun } from '../estimate.js'
import { claimPlace, type ResultPlace } from '../results.js'
import { openEngines, type LoadedTarget } from '../solver.js'
import type { Console } from './console.js'
import type { SolverOptions } from './options.js'
import { parseCount } from './quantity.js'
import { VERSION } from '../version.js'
import { interruptible } from './interrupt.js'
import { describeTarget, type FinishedRun } from './run.js'

/** A preview by one look or a few (docs/frequency-sum.md). */
export interface FastRequest {
  /** Aspects whose rays are traced. */
  looks: number
  /** Also compute the full image and tell how alike they are. */
  compareFull: boolean
}

export const fastOptions = (): Option[] => [
  new Option(
    '--fast [looks]',
    'approximate image from the rays of one aspect, or of so many; SBR on the cpu',
  ),
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
  if (options.device === 'gpu') refuse('--device gpu', 'a preview is computed on the cpu')
  if (options.method !== 'sbr' && options.method !== 'po')
    refuse(`--method ${options.method}`, 'a preview needs ray tubes')
  if (options.sbr.adaptive) refuse('--adaptive', 'large tubes do not stay what they are as the radar turns')
  if (options.mechanisms) refuse('--mechanisms', 'a preview has no parts')
  if (options.sbr.frequencySum === 'direct')
    refuse('--frequency-sum direct', 'a preview sums all frequencies at once')
  if (options.gpuEdges !== 0) refuse('--gpu-edges', 'a preview is computed on the cpu')
  if (options.secondOrder.length > 0) refuse('--second-order', 'a preview has edges of first order only')
  if (options.cluster) refuse('--cluster', 'a preview is computed here')
  if (options.resume) refuse('--resume', 'a preview is not kept in parts')
  if (raw.polarFormat === true) refuse('--polar-format', 'a preview is in focus everywhere')
  const looks = raw.fast === true ? 1 : parseCount(String(raw.fast), '--fast', 1, 1000)
  return { looks, compareFull }
}

/** A finished preview; `full`: the fields of the whole sweep, where asked for. */
export interface FastRun extends FinishedRun {
  full?: Float64Array[]
}

const INTERRUPTED = 'interrupted; nothing of a preview is kept'

/** The preview in place of `runForCommand`. */
export async function runFast(
  loaded: LoadedTarget,
  options: SolverOptions,
  { looks, compareFull }: FastRequest,
  job: SweepJob,
  place: ResultPlace,
  results: string[],
  resolved: Record<string, unknown>,
  out: Console,
): Promise<FastRun> {
  const { scene, target } = loaded
  const workers = options.workers ?? availableParallelism()
  const sbr = createCpuEngine(scene, target.area, workers)
  const { diffraction, schedule } = options
  const edgeScene = buildEdgeScene(target, options.maxWedgeAngleDeg, scene.origin)
  const edges =
    diffraction === 'none' || edgeScene.count === 0
      ? null
      : { scene: edgeScene, rays: scene, truncation: diffraction }
  const engines = { sbr, options: options.sbr, mechanisms: false, schedule }
  try {
    const estimate = estimateRun(scene, target.box, job, engines, workers)
    claimPlace(place, results, options)
    for (const line of [...loaded.warnings, ...estimate.warnings]) out.warn(line)
    out.say(describeTarget(loaded, estimate))
    out.say(
      `fast      approximate: ${job.aspects.length} aspects from the rays of ${looks === 1 ? 'the middle one' : looks}`,
    )
    const start = performance.now()
    const seen = await interruptible(INTERRUPTED, (signal) =>
      lookAtSweep(sbr, options.sbr, edges, job, looks, signal),
    )
    const total = (performance.now() - start) / 1000
    out.say(`fast      ${total.toFixed(2)} s`)
    return {
      fields: { total: seen.fields },
      full: compareFull
        ? await interruptible(INTERRUPTED, (signal) => fullFields(loaded, options, job, out, signal))
        : undefined,
      timing: {
        device: sbr.description,
        schedule: 'one look',
        steps: {
          ray_tube_tracing: seen.sbrSeconds,
          electromagnetic_computing: 0,
          reduction: 0,
          frequency_independent_diffraction: seen.edgeSeconds,
          frequency_dependent_diffraction: 0,
        },
        total,
        gpu_busy: seen.sbrSeconds,
        cpu_busy: seen.edgeSeconds,
        wait: Math.max(0, total - Math.max(seen.sbrSeconds, seen.edgeSeconds)),
        per_angle: [],
      },
      meta: {
        command: 'render',
        version: VERSION,
        created: new Date().toISOString(),
        approximate: `one look: fields of all aspects from the rays of ${looks}`,
        mesh: {
          name: loaded.name,
          sha256: loaded.hash,
          size_m: estimate.size,
          facets: scene.count,
          surfaces: target.surfaceCount,
          report: target.report,
        },
        device: sbr.description,
        options: resolved,
        counts: {
          aspects: job.aspects.length,
          looks: seen.aspects.length,
          frequencies: frequencyTotal(job),
          contributions: seen.contributions,
        },
      },
      discard: () => {},
    }
  } finally {
    await sbr.close()
  }
}

/** The total of the full sweep, nothing kept. */
async function fullFields(
  loaded: LoadedTarget,
  options: SolverOptions,
  job: SweepJob,
  out: Console,
  signal: AbortSignal,
): Promise<Float64Array[]> {
  const engines = await openEngines(loaded, options)
  try {
    const store = memoryRows()
    await runSweep(engines, job, store, ({ done, total }) => out.progress(done, total, 'aspects'), signal)
    return job.aspects.map((_, i) => rowField(job, store.rows.get(i)!))
  } finally {
    await engines.close()
  }
}
