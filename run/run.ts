import type { RunStore } from './results.js'
import { darkEdges, type EdgeScene } from '../cpu-diffraction/index.js'
import { materialsKey } from '../formats/index.js'
import type { FullWaveReport } from '../full-wave/index.js'
import { type Ground, withoutImage } from '../scene/ground/index.js'
import { boundingBox, highestFrequency, type Target } from '../scene/index.js'
import { type Material, writtenOf } from '../scene/materials/material.js'
import type { Written } from '../scene/materials/medium.js'
import { estimateRun, fullWaveAdvice, type RunEstimate, shadowAreas, TimeLeft } from './estimate.js'
import {
  type Caller,
  type Hooks,
  type Job,
  runJob,
  type RunPlan,
  type RunSettings,
  type TargetSettings,
} from './job.js'
import { checkGround } from './ground.js'
import type { LoadedTarget } from './loaded-target.js'
import { checkedAspects, ENERGY_LIMIT, type SelfCheck, selfCheck } from './self-check.js'
import { type EngineRequest, leftOut, type OpenEngines, openEngines } from './solver.js'
import {
  type AspectDetail,
  CutOffPower,
  drawsEdges,
  fieldNames,
  frequencyReports,
  frequencyTotal,
  isFullWave,
  keptUnits,
  rowField,
  rowFields,
  rowLength,
  rowReport,
  type Rows,
  runSweep,
  type SweepJob,
  timingReport,
  type TimingReport,
} from './sweep/index.js'
import { VERSION } from './version.js'

/** Where a run's results go, and who is told of its progress. */
export interface RunCaller extends Caller<Rows, number, RunPlan> {
  store: RunStore
}

export interface RunRequest extends RunCaller {
  command: string
  target: LoadedTarget
  job: SweepJob
  settings: TargetSettings
  /** Options as resolved: for `meta.json`, and for the key that a resumed run must match. */
  record: Record<string, unknown>
}

interface FinishedRun extends SolvedRun {
  /** Settles when threads have ended and the device is released. */
  closed: Promise<void>
}

/**
 * Runs a sweep: engines, estimate, the rows missing from the store, the self-check where requested, records.
 * The only sweep there is: of `isar render`, `isar rcs` and the library's calls (CONTRIBUTING.md, "A run, step by step").
 * @throws as `runJob`
 */
export async function run(request: RunRequest): Promise<FinishedRun> {
  const { result, closed } = await runJob(() => openRun(request), request)
  return { ...result, closed }
}

async function openRun(request: RunRequest): Promise<Job<Rows, number, RunPlan, SolvedRun>> {
  const { command, target, job, settings, record, store, hooks } = request
  // Loaded on demand: most targets conduct.
  if (target.target.facetMaterial)
    (await import('../scene/materials/index.js')).checkBands(target.target.materials, job.bands)
  const { ground } = target.target
  if (ground) checkGround(ground, job, settings)
  const engines = await openRunEngines(target, settings, (message) => hooks.warn(message))
  let estimate: RunEstimate
  try {
    const box = ground ? boundingBox(withoutImage(target.target)) : target.target.box
    estimate = estimateRun(engines.scene, box, job, engines, engines.sbrWorkers, store.copies)
  } catch (error) {
    await engines.close()
    throw error
  }
  const isSbr = !settings.cluster && settings.method === 'sbr'
  const known = { target, job, settings, engines, estimate }
  let solved: { details: Map<number, AspectDetail>; check?: SelfCheck; seconds: number }
  return {
    key: [
      command,
      VERSION,
      target.hash,
      engines.facets.describe().device,
      record,
      ...materialsKey(target.target),
    ],
    shape: rowLength(job, fieldNames(engines).length),
    warnings: [...target.warnings, ...engines.warnings, ...estimate.warnings],
    plan: ({ rows }) => ({
      ...known,
      rows,
      advice: isSbr ? fullWaveAdvice(target.target, job, engines, estimate, engines.sbrWorkers) : null,
      kept() {
        const { done, total, what } = keptUnits(engines, job, rows)
        return done > 0 ? `${done} of ${total} ${what}` : null
      },
    }),
    async solve(kept) {
      const start = performance.now()
      const time = sweepTime(request, engines, estimate, kept, start / 1000)
      const details = await runSweep(
        engines,
        job,
        kept,
        ({ done, total, finished, what }) => {
          engines.progress?.(done, total)
          const now = performance.now() / 1000
          if (finished.length > 0) {
            // Times of a cluster are summed over its workers.
            const report = settings.cluster ? undefined : rowReport(kept.rows.get(finished[0])!)
            time.add(finished, now, report)
          }
          const whole = time.corrected(now)
          if (whole !== undefined) hooks.to.onEstimate?.(whole, done)
          hooks.progress('solve', done, total, time.seconds(), what === 'aspects' ? undefined : what)
        },
        hooks.signal,
      )
      const check = settings.check ? await checked(engines, job, hooks) : undefined
      solved = { details, check, seconds: (performance.now() - start) / 1000 }
    },
    finish(kept, key) {
      const { details, check, seconds } = solved
      const result = solvedRun(command, { ...known, rows: kept.rows }, record, details, seconds, check)
      const cutOff = result.cutOff.warning(settings.sbr.maxBounces, hooks.nameOf('maxBounces'))
      if (cutOff) hooks.warn(cutOff)
      for (const line of result.warnings) hooks.warn(line)
      const cluster = engines.report && { cluster: engines.report() }
      return { ...result, meta: { ...result.meta, ...key }, timing: { ...result.timing, ...cluster } }
    },
    close: () => engines.close(),
  }
}

/** The time of the aspects that are not kept from before. */
function sweepTime(
  { target, job }: RunRequest,
  { edges }: OpenEngines,
  { seconds, coldSeconds }: RunEstimate,
  { rows }: Rows,
  start: number,
): TimeLeft {
  const areas = shadowAreas(target.target.box, job.aspects)
  const weights = new Map([...areas.entries()].filter(([i]) => !rows.has(i)))
  const stated = coldSeconds + (seconds * weights.size) / job.aspects.length
  return new TimeLeft(weights, stated, edges?.engine.describe().threads ?? 1, start)
}

/** This machine's engines, or a cluster's, to which progress is reported. */
export async function openRunEngines(
  target: LoadedTarget,
  settings: EngineRequest & Pick<RunSettings, 'cluster'>,
  warn: (message: string) => void,
): Promise<OpenEngines> {
  if (!settings.cluster) return openEngines(target, { ...settings, onFault: warn })
  const { openClusterEngines } = await import('./cluster-engines.js')
  return openClusterEngines(target, settings, settings.cluster, VERSION, warn)
}

async function checked(engines: OpenEngines, job: SweepJob, hooks: Hooks): Promise<SelfCheck> {
  const top = Math.max(...job.bands.map(highestFrequency))
  const signal = hooks.signal ?? new AbortController().signal
  const { length } = checkedAspects(job.aspects)
  hooks.to.onNote?.(
    'check',
    `energy and reciprocity at ${length} aspect${length === 1 ? '' : 's'}: ${4 * length - 2} more solutions`,
  )
  const check = await selfCheck(engines, engines.scene, job.aspects, top, signal)
  hooks.to.onCheck?.(check)
  if (!(check.energy.error <= ENERGY_LIMIT))
    hooks.warn(
      `the ray density is too low: the ray tubes do not carry the power that the target intercepts; raise ${hooks.nameOf('raysPerWavelength')}`,
    )
  return check
}

/** A finished sweep, as the command line writes and the library returns it. */
interface SolvedRun {
  /** Fields of every aspect by name (`total`, and with mechanisms `b1` ... and `edge`), in order [m]. */
  fields: Record<string, Float64Array[]>
  timing: TimingReport
  /** The edges that diffract; null where diffraction is off. */
  edgeScene: EdgeScene | null
  /** What `meta.json` holds: version, mesh, device, options as resolved, counts, power cut off by the bounce limit. */
  meta: Record<string, unknown>
  /** Power cut off by the bounce limit; empty with a raster. */
  cutOff: CutOffPower
  /** One line each on contributions missing from the result. */
  warnings: string[]
}

/** Assembles the rows of a sweep; `seconds` is the time of the sweep. */
function solvedRun(
  command: string,
  { target, job, settings, engines, estimate, rows: stored }: Omit<RunPlan, 'advice' | 'kept'>,
  record: Record<string, unknown>,
  details: ReadonlyMap<number, AspectDetail>,
  seconds: number,
  check?: SelfCheck,
): SolvedRun {
  const rows = job.aspects.map((_, i) => stored.get(i)!)
  const sums = rows.map(rowReport)
  const total = (k: 'tubes' | 'leaves' | 'contributions' | 'segments'): number =>
    sums.reduce((a, s) => a + s[k], 0)
  const omitted = leftOut(settings, target.target)
  const cutOff = new CutOffPower()
  job.aspects.forEach((aspect, i) => cutOff.add(aspect, sums[i]))
  return {
    cutOff,
    fields: fieldsByName(engines, job, rows),
    edgeScene: engines.edgeScene,
    warnings: edgeWarnings(target, engines, job, total('segments')),
    timing: timingReport(engines, job.aspects, stored, details, seconds),
    meta: {
      command,
      version: VERSION,
      created: new Date().toISOString(),
      ...(job.groups && {
        approximate: `rays traced at ${job.groups.length} of ${job.aspects.length} aspects, the others extrapolated`,
      }),
      mesh: {
        name: target.name,
        sha256: target.hash,
        size_m: estimate.size,
        facets: target.scene.count,
        surfaces: target.target.surfaceCount,
        ...(target.target.facetMaterial && { materials: materialNames(target.target) }),
        ...expressionsOf(target.target.materials),
        ...(target.target.ground && { ground: groundRecord(target.target.ground) }),
        report: target.target.report,
      },
      device: engines.facets.describe().text,
      options: record,
      ...(omitted && { second_order_left_out: omitted }),
      ...(check && { check }),
      ...(isFullWave(engines.facets)
        ? { full_wave: frequencyReports(job, stored).map(fullWaveRecord) }
        : !('raster' in engines.facets) && { power_cut_off: cutOff.record }),
      counts: {
        aspects: job.aspects.length,
        ...(job.groups && { looks: job.groups.length }),
        frequencies: frequencyTotal(job),
        tubes: total('tubes'),
        leaves: total('leaves'),
        contributions: total('contributions'),
        edge_segments: total('segments'),
      },
    },
  }
}

/** Fields of all rows, the total first, then the bounces: up to the last of any row; rows without it hold zeros. */
function fieldsByName(
  engines: RunPlan['engines'],
  job: RunPlan['job'],
  rows: Float64Array[],
): SolvedRun['fields'] {
  const before = fieldNames(engines, 0).length
  const bounces = rows.reduce((most, row) => Math.max(most, rowFields(job, row) - before), 0)
  const none = new Float64Array(8 * frequencyTotal(job))
  const named = fieldNames(engines, bounces).map((name, i): [string, Float64Array[]] => [
    name,
    rows.map((row) => (i < rowFields(job, row) ? rowField(job, row, i) : none)),
  ])
  const [total, ...others] = named
  return Object.fromEntries([total, ...others.slice(before - 1), ...others.slice(0, before - 1)])
}

/** How a frequency was solved, as `meta.json` records it. */
const fullWaveRecord = ({
  frequencyHz,
  triangles,
  quality: { worst, median, longestEdge },
  powerError,
  seconds,
  ...rest
}: FullWaveReport): object => ({
  freq_hz: frequencyHz,
  triangles,
  triangle_quality: { worst, median },
  longest_edge_wavelengths: longestEdge,
  ...rest,
  power_error: powerError,
  seconds,
})

/** A ground as `meta.json` records it. */
export const groundRecord = ({ material, height, roughness }: Ground): object => ({
  material: material.name,
  height_m: height,
  roughness_m: roughness,
  ...expressionsOf([material]),
})

/** What values of materials files were written as, where they were expressions. */
export function expressionsOf(materials: readonly Material[]): { expressions?: Written } {
  const all = Object.assign({}, ...materials.map(writtenOf)) as Written
  return Object.keys(all).length > 0 ? { expressions: all } : {}
}

/** The name of each group's material. */
const materialNames = ({
  groupNames = [],
  groupMaterials = [],
}: Target): { group?: string; material: string }[] =>
  groupMaterials.map(({ name }, g) => ({ group: groupNames[g], material: name }))

/** Warns of rims and wedges that are left out for what they are made of, and where a target has some but none contributed at any aspect. */
function edgeWarnings(
  { target: { edges } }: RunPlan['target'],
  { edgeScene, facets }: RunPlan['engines'],
  job: RunPlan['job'],
  segments: number,
): string[] {
  if (!edgeScene) return []
  let sharp = 0
  edges.interiorAngle.forEach((angle) => {
    if (angle < edgeScene.maxWedgeAngleDeg) sharp++
  })
  const { materials } = edgeScene
  const dark = materials
    ? darkEdges(
        materials,
        job.bands.flatMap(({ f0, df, n }) => [f0, f0 + (n - 1) * df]),
      )
    : 0
  if (dark > 0)
    return [
      `${dark} edges are bends of sheets that waves pass through, or join them to something else: the result has no edge diffraction of theirs`,
    ]
  if (sharp === 0 || segments > 0 || drawsEdges(facets) || job.groups) return []
  return [
    `none of the ${sharp} rims and wedges of the mesh contributes at these aspects: hidden, unlit or seen end-on; the result has no edge diffraction`,
  ]
}
