import { diffracts } from '../../../cpu-diffraction/index.js'
import { estimateSystem } from '../../../full-wave/index.js'
import { planSweep, type SweepPlan } from '../../../isar/index.js'
import { short } from '../../../isar/levels.js'
import { planFullWave } from '../../../run/sweep/full-wave-sweep.js'
import type { SweepJob } from '../../../run/sweep/rows.js'
import type { EngineDescription } from '../../../rays/index.js'
import { boundingBox, direction, InputError, type Vec3, wavelength } from '../../../scene/index.js'
import { withoutImage } from '../../../scene/ground/index.js'
import { checkBands } from '../../../scene/materials/index.js'
import { COLD, estimateRun, fullWaveAdvice } from '../../../run/estimate.js'
import { checkGround } from '../../../run/ground.js'
import { coarseWarning, describeLobes, isCoarse, lobesOf } from '../../../run/lobes.js'
import type { RunSweep, SolveOptions } from './messages.js'
import {
  edgeOptions,
  fullWaveThreads,
  NO_GPU,
  type OpenedTarget,
  type PreparedTarget,
  rayOptions,
  refuseFullWave,
  threadsOf,
} from './engines.js'
import { totalmem } from './node.js'

/** What computes a run; a software GPU is far slower than another. */
type Kind = 'cpu' | 'gpu' | 'software'

export interface PlannedJob {
  job: SweepJob
  /** Of an image. */
  plan: SweepPlan | null
  freqHz: Float64Array
  phiDeg: Float64Array
}

/** What `computeRcs` (run/rcs.ts) and `openSweep` (run/sweep-job.ts) make of the same request. @throws InputError */
export function planOf(prepared: PreparedTarget, sweep: RunSweep, options: SolveOptions): PlannedJob {
  const planned = jobOf(prepared, sweep)
  check(prepared, planned.job, options)
  return planned
}

function jobOf({ target }: PreparedTarget, sweep: RunSweep): PlannedJob {
  const { thetaDeg } = sweep
  const aspect = (phi: number): SweepJob['aspects'][number] => {
    const d = direction(thetaDeg, phi)
    return { tx: d, rx: d }
  }
  const phaseCentre: Vec3 = [0, 0, 0]
  if (sweep.what === 'rcs') {
    const { freqHz, phiDeg } = sweep
    const job: SweepJob = { aspects: phiDeg.map(aspect), bands: [{ f0: freqHz, df: 0, n: 1 }], phaseCentre }
    return { job, plan: null, freqHz: Float64Array.of(freqHz), phiDeg: Float64Array.from(phiDeg) }
  }
  const { centreHz, resolutionM: rangeM, phiDeg } = sweep
  const plan = planSweep({
    points: target.positions,
    phaseCentre,
    thetaDeg,
    phiDeg,
    resolution: { rangeM, centreHz },
  })
  const { freqHz } = plan
  const bands = [{ f0: freqHz[0], df: freqHz[1] - freqHz[0], n: freqHz.length }]
  const job: SweepJob = { aspects: Array.from(plan.phiDeg, aspect), bands, phaseCentre }
  return { job, plan, freqHz, phiDeg: plan.phiDeg }
}

/** As `run` (run/run.ts) does. @throws InputError for frequencies and directions that materials and ground do not allow */
function check({ target }: PreparedTarget, job: SweepJob, options: SolveOptions): void {
  if (options.method === 'mom') return refuseFullWave(target)
  checkBands(target.materials, job.bands)
  if (!target.ground) return
  const { secondOrder } = edgeOptions(options)
  const settings = {
    method: 'sbr',
    check: false,
    secondOrder,
    sbr: rayOptions(options),
  }
  checkGround(target.ground, job, settings as Parameters<typeof checkGround>[2])
}

type Counted = Parameters<typeof estimateRun>[3]

/** The engines of a run as far as its estimate asks them: none is opened. */
function described({ scene, edgeScene }: PreparedTarget, options: SolveOptions, kind: Kind): Counted {
  const ofEdges = edgeOptions(options)
  const engine = { describe: () => ({ threads: threadsOf({ scene }, kind === 'cpu').edges }) }
  return {
    facets: {
      describe: () => ({
        device: kind === 'cpu' ? 'cpu' : 'gpu',
        isSoftware: kind === 'software',
        text: '',
        aspectsInFlight: 2,
      }),
    },
    options: rayOptions(options),
    ...(options.edges &&
      diffracts(edgeScene, ofEdges.secondOrder) && {
        edges: { engine, options: ofEdges },
      }),
    edgeScene,
  } as Counted
}

const gib = (n: number): string => `${short(n / 2 ** 30, 2)} GiB`

interface Outlook {
  seconds: number
  /** What a device takes to start [s]; threads of a page start in no time. */
  cold: number
  /** For the reader. */
  text: string
  warnings: string[]
  /** That another method suits the target better. */
  advice: () => string | null
}

/** What full wave takes. @throws InputError where the page has not the memory; a GPU tells by itself */
function fullWaveOutlook({ target }: PreparedTarget, job: SweepJob, kind: Kind): Outlook {
  const sizeAt = estimateSystem(target)
  const threads = Math.max(1, fullWaveThreads())
  const { unknowns, most, bytes, seconds, fits } = planFullWave((f) => sizeAt(wavelength(f)), job, kind, threads) // prettier-ignore
  if (kind === 'cpu' && bytes > totalmem())
    throw new InputError(
      `full wave has about ${most} unknowns here and needs ${gib(bytes)}, of which this page has ${gib(totalmem())}; about ${short(fits(totalmem()) / 1e9, 2)} GHz would fit, and rays need none of it`,
    )
  const range = unknowns === most ? String(most) : `${unknowns} to ${most}`
  return {
    seconds,
    cold: 0,
    text: `about ${range} unknowns, ${short(bytes / 1e6, 2)} MB`,
    warnings: [],
    advice: () => null,
  }
}

/** What rays and edges take. @throws InputError where the target is too large in wavelengths, or the page has not the memory */
function raysOutlook(prepared: PreparedTarget, job: SweepJob, options: SolveOptions, kind: Kind): Outlook {
  const { target, scene } = prepared
  const box = target.ground ? boundingBox(withoutImage(target)) : target.box
  const engines = described(prepared, options, kind)
  const workers = threadsOf(prepared, kind === 'cpu').rays
  const estimate = inPage(() => estimateRun(scene, box, job, engines, workers))
  const { seconds, tubesPerAspect, warnings } = estimate
  return {
    seconds,
    cold: kind === 'cpu' ? 0 : COLD[kind],
    text: `${tubesPerAspect.toLocaleString('en')} rays an aspect`,
    warnings,
    advice: () => fullWaveAdvice(target, job, engines, estimate, workers),
  }
}

/** Options of the command line as the form names them. */
const ofPage = (text: string): string =>
  text
    .replace(' with --units mm (or cm, in, ft)', ' under Units')
    .replace('(--units m, cm, mm, in or ft)', '(Units)')
    .replace('--method mom', 'full wave')
    .replace(', or fewer --workers', '')

function inPage<T>(compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    throw error instanceof InputError ? new InputError(ofPage(error.message)) : error
  }
}

/**
 * What computes a run. `auto` takes the CPU, or a hardware GPU where that is done sooner, its start included.
 * @param started  a GPU is open already for such runs
 * @throws InputError where a GPU is asked for in vain
 */
export function deviceOf(
  prepared: OpenedTarget,
  job: SweepJob,
  options: SolveOptions,
  started: boolean,
): 'cpu' | 'gpu' {
  const { gpu } = prepared
  if (options.device === 'gpu' && !gpu) throw new InputError(NO_GPU)
  if (options.device !== 'auto') return options.device
  if (!gpu || gpu.isSoftware) return 'cpu'
  // Live asks for every direction: an estimate takes longer than one.
  if (started) return 'gpu'
  try {
    const { seconds, cold } = outlookOf(prepared, job, options, 'gpu')
    return outlookOf(prepared, job, options, 'cpu').seconds < seconds + cold ? 'cpu' : 'gpu'
  } catch {
    // What the CPU has not the memory for.
    return 'gpu'
  }
}

/** What a run takes on a device. @throws InputError for what does not fit */
const outlookOf = (prepared: PreparedTarget, job: SweepJob, options: SolveOptions, kind: Kind): Outlook =>
  options.method === 'mom' ? fullWaveOutlook(prepared, job, kind) : raysOutlook(prepared, job, options, kind)

/** What a run by full wave takes on its engine, for the reader. @throws InputError where the page has not the memory */
export function fullWaveText(
  prepared: PreparedTarget,
  job: SweepJob,
  { device, isSoftware }: EngineDescription,
): string {
  const { text, seconds } = fullWaveOutlook(
    prepared,
    job,
    device === 'gpu' && isSoftware ? 'software' : device,
  )
  return `${text}, ${secondsText(seconds)}`
}

/** What a run would take on the device that is chosen, for the reader. */
export function planText(
  prepared: OpenedTarget,
  { job, plan }: PlannedJob,
  options: SolveOptions,
): { text: string; warnings: string[] } {
  const { gpu } = prepared
  const isCpu = options.device === 'cpu' || !gpu
  const outlook = outlookOf(prepared, job, options, isCpu ? 'cpu' : gpu.isSoftware ? 'software' : 'gpu')
  const advice = outlook.advice()
  const sampling = plan ? 'image' : 'curve'
  const lobes = lobesOf(prepared.target.positions, job)
  const aspects = job.aspects.length
  const frequencies = job.bands.reduce((sum, { n }) => sum + n, 0)
  return {
    text: [
      ...(lobes.length > 0 ? [`lobes ${describeLobes(lobes, sampling)}`] : []),
      `${aspects} aspect${aspects === 1 ? '' : 's'}${frequencies === 1 ? '' : `, ${frequencies} frequencies`}`,
      outlook.text,
      `about ${secondsText(outlook.seconds + outlook.cold)} on the ${isCpu ? 'CPU' : `GPU: ${gpu.name}`}`,
    ].join(' · '),
    warnings: [
      ...lobes.filter((axis) => isCoarse(axis, sampling)).map((axis) => coarseWarning(axis, sampling)),
      ...[...outlook.warnings, ...(advice ? [advice] : [])].map(ofPage),
    ],
  }
}

/** A time for the reader. */
export const secondsText = (s: number): string =>
  s < 90
    ? `${Math.max(1, Math.round(s))} s`
    : s < 5400
      ? `${Math.round(s / 60)} min`
      : `${short(s / 3600, 2)} h`
