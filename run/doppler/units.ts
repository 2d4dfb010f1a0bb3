import type { Tasks } from '../../parallel/thread.js'
import { availableParallelism } from 'node:os'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { type Unit, aspectOf } from '../motion/index.js'
import { WorkerPool } from '../../parallel/worker-pool.js'
import { memoryRows, type Rows, runSweep, type SweepJob } from '../sweep/index.js'
import {
  type Aspect,
  type Band,
  boundingBox,
  highestFrequency,
  type Mesh,
  type Vec3,
  wavelength,
} from '../../scene/index.js'
import type { Hooks, RunSettings } from '../job.js'
import { curveForBands, prepareRecipe } from '../loaded-target.js'
import { estimateRun, type RunEstimate } from '../estimate.js'
import { openRunEngines } from '../run.js'
import { cappedWorkers, faults, openEngines, type OpenEngines } from '../solver.js'

/** A mesh and the aspects that a thread solves it at. */
interface UnitTask {
  name: string
  mesh: Mesh
  centre: Vec3
  lattice: Unit['lattice']
  aspects: Aspect[]
  band: Band
  settings: RunSettings
}

/** Rows of a task's aspects, and what is odd about its mesh. */
interface UnitResult {
  rows: Float64Array[]
  warnings: string[]
}

/** Ray tubes, about, of meshes that a thread solves sooner than a device or several threads take one up. */
const SMALL = 2e6

export type UnitEstimate = Pick<RunEstimate, 'seconds' | 'memoryBytes' | 'warnings'>

/** Solves the units of a motion: small ones on a thread each, others with all threads and the device, one after the other. */
interface UnitSolver {
  device: { kind: 'cpu' | 'gpu'; text: string }
  /** Of all units, before any is solved. @throws InputError as `estimateRun` */
  estimate: () => Promise<UnitEstimate>
  /** Computes the rows missing from `kept`. @param total  rows of the run */
  run: (kept: Rows, total: number) => Promise<void>
  close: () => Promise<void>
}

/**
 * Opens what solves units. Small ones go to the device all the same where it is asked for by name.
 * @throws InputError for a mesh that is unusable, or a device that is missing
 */
export async function openUnits(
  units: Unit[],
  band: Band,
  settings: RunSettings,
  hooks: Hooks,
): Promise<UnitSolver> {
  const { workers, warnings } = cappedWorkers(settings.workers)
  const isSmall = (unit: Unit): boolean => settings.device !== 'gpu' && tubesOf(unit, band, settings) < SMALL
  const [small, large] = [units.filter(isSmall), units.filter((unit) => !isSmall(unit))]
  for (const line of warnings) hooks.warn(line)
  const threads = Math.min(workers ?? availableParallelism(), small.length)
  const pool = new WorkerPool({
    what: 'pulses',
    workers: threads,
    data: undefined,
    tasks: pulseTasks,
    ...faults({ onFault: (message) => hooks.warn(message) }),
  })
  const solve = (task: UnitTask): Promise<UnitResult> => pool.run(task, hooks.signal)
  const told = new Set<string>()
  const tell = (lines: string[]): void => {
    for (const line of lines) if (!told.has(line) && told.add(line)) hooks.warn(line)
  }
  let engines: OpenEngines | null = null
  let opened: Unit | null = null
  const open = async (unit: Unit): Promise<OpenEngines> => {
    if (engines && opened === unit) return engines
    await engines?.close()
    engines = null
    const target = prepared(taskOf(unit, unit.sights.map(aspectOf), band, settings), hooks)
    engines = await openRunEngines(target, settings, (message) => hooks.warn(message))
    opened = unit
    tell([...target.warnings, ...engines.warnings])
    return engines
  }
  const first = large.length > 0 ? (await open(large[0])).facets.describe() : null
  const onThreads = `cpu, double precision, ${pool.description}`
  const device = first
    ? {
        kind: first.device,
        text: small.length > 0 ? `${first.text}; small meshes: ${onThreads}` : first.text,
      }
    : { kind: 'cpu' as const, text: onThreads }
  return {
    device,
    estimate: async () => estimateUnits(small, large, engines, threads, band, settings),
    async run(kept, total) {
      const report = (): void => hooks.progress('solve', kept.rows.size, total)
      const solveSmall = async (unit: Unit): Promise<void> => {
        const missing = missingOf(unit, kept)
        if (missing.length === 0) return
        const aspects = missing.map((i) => aspectOf(unit.sights[i]))
        const { rows, warnings } = await solve(taskOf(unit, aspects, band, settings))
        hooks.check()
        missing.forEach((i, k) => kept.add(unit.first + i, rows[k]))
        tell(warnings)
        report()
      }
      // As many as there are threads at once: their meshes are made when they are due.
      const queue = small.values()
      await Promise.all(
        Array.from({ length: Math.max(1, 2 * threads) }, async () => {
          for (const unit of queue) await solveSmall(unit)
        }),
      )
      for (const unit of large) {
        if (missingOf(unit, kept).length === 0) continue
        const job: SweepJob = { aspects: unit.sights.map(aspectOf), bands: [band], phaseCentre: unit.centre }
        await runSweep(await open(unit), job, rowsFrom(unit, kept), report, hooks.signal)
      }
    },
    async close() {
      await Promise.all([engines?.close(), pool.close()])
    },
  }
}

/** Ray tubes of a unit's aspects, about: of a square as wide as its box's diagonal. */
function tubesOf(unit: Unit, band: Band, { sbr }: RunSettings): number {
  const { min, max } = boundingBox(unit.mesh())
  const side = Math.hypot(...min.map((x, c) => max[c] - x))
  return unit.sights.length * ((side * sbr.raysPerWavelength) / wavelength(highestFrequency(band))) ** 2
}

/**
 * Time and memory of units: of each name the first one's, which stands for the others, meshes of the same parts at other angles.
 * @param engines  of the large units
 * @param threads  each solves small units by itself
 * @throws InputError as `estimateRun`
 */
async function estimateUnits(
  small: Unit[],
  large: Unit[],
  engines: OpenEngines | null,
  threads: number,
  band: Band,
  settings: RunSettings,
): Promise<UnitEstimate> {
  const all = { seconds: 0, memoryBytes: 0, wavelengths: 0, warnings: [] as string[] }
  for (const units of [small, large]) {
    const own = units === large
    let opened = own ? engines : null
    let cold = 0
    for (const name of new Set(units.map((unit) => unit.name))) {
      const alike = units.filter((unit) => unit.name === name)
      const [unit] = alike
      const aspects = unit.sights.map(aspectOf)
      const target = prepared(taskOf(unit, aspects, band, settings))
      opened ??= await openEngines(target, { ...settings, device: 'cpu', workers: 0 })
      const edgeScene =
        opened.edgeScene && buildEdgeScene(target.target, settings.maxWedgeAngleDeg, target.scene.origin)
      const { box } = target.target
      const job: SweepJob = { aspects, bands: [band], phaseCentre: unit.centre }
      const one = estimateRun(
        target.scene,
        box,
        job,
        { ...opened, edgeScene },
        Math.max(1, opened.sbrWorkers),
      )
      const times = alike.reduce((sum, { sights }) => sum + sights.length, 0) / aspects.length
      all.seconds += (one.seconds * times) / (own ? 1 : threads)
      all.memoryBytes = Math.max(all.memoryBytes, one.memoryBytes * (own ? 1 : threads))
      cold = one.coldSeconds
      // A part may be small, and a target not.
      if (one.wavelengths > all.wavelengths)
        Object.assign(all, { wavelengths: one.wavelengths, warnings: one.warnings })
    }
    all.seconds += cold
    if (!own) await opened?.close()
  }
  return all
}

const taskOf = (unit: Unit, aspects: Aspect[], band: Band, settings: RunSettings): UnitTask => ({
  name: unit.name,
  mesh: unit.mesh(),
  centre: unit.centre,
  lattice: unit.lattice,
  aspects,
  band,
  settings,
})

const missingOf = ({ first, sights }: Unit, { rows }: Rows): number[] =>
  sights.flatMap((_, i) => (rows.has(first + i) ? [] : [i]))

/** A unit's rows among those of the run. */
function rowsFrom({ first, sights }: Unit, kept: Rows): Rows {
  const own = memoryRows()
  sights.forEach((_, i) => kept.rows.has(first + i) && own.add(i, kept.rows.get(first + i)!))
  return {
    rows: own.rows,
    add(row, values) {
      own.add(row, values)
      kept.add(first + row, values)
    },
  }
}

function prepared({ name, mesh, lattice, band, settings }: UnitTask, hooks?: Hooks) {
  const { smoothAngleDeg, cache } = settings
  const target = prepareRecipe(name, '', { mesh, smoothAngleDeg, lattice }, cache)
  return curveForBands(target, settings, [band], hooks?.to.onNote)
}

/** Solves a task on the calling thread, with the rows of any number of threads. */
async function solveUnit(task: UnitTask): Promise<UnitResult> {
  const { aspects, band, centre, settings } = task
  const target = prepared(task)
  const engines = await openEngines(target, { ...settings, device: 'cpu', workers: 0 })
  try {
    const job: SweepJob = { aspects, bands: [band], phaseCentre: centre }
    const store = memoryRows()
    await runSweep(engines, job, store, () => {})
    return { rows: aspects.map((_, i) => store.rows.get(i)!), warnings: target.warnings }
  } finally {
    await engines.close()
  }
}

/** `solveUnit` for threads. */
export const pulseTasks: Tasks<undefined, UnitTask, UnitResult> = () => solveUnit
