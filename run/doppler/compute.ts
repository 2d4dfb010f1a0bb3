import { writeNpz } from '../../formats/index.js'
import { PURPOSE, Random } from '../../math/random.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import {
  type Aspect,
  type Band,
  boundingBox,
  facetCount,
  highestFrequency,
  InputError,
  type Mesh,
  type Vec3,
  wavelength,
} from '../../scene/index.js'
import { checkBands, facetMaterials } from '../../scene/materials/index.js'
import { checkMemory, estimateRun, type RunEstimate } from '../estimate.js'
import { checkGround } from '../ground.js'
import {
  ambiguities,
  aspectOf,
  type LoadedMotion,
  type MotionError,
  motionError,
  type MotionPlan,
  planMotion,
  pulseFields,
  targetMesh,
  timeOf,
  type Unit,
} from '../motion/index.js'
import { type Caller, type Hooks, type Job, type JobPlan, type RunSettings, runWholeJob } from '../job.js'
import { strip } from '../settings/settings.js'
import { expressionsOf, groundRecord, openRunEngines } from '../run.js'
import {
  memoryRows,
  rowField,
  rowLength,
  rowReport,
  type Rows,
  runSweep,
  type SweepJob,
} from '../sweep/index.js'
import { VERSION } from '../version.js'
import type { Tasks } from '../../parallel/thread.js'
import { availableParallelism } from 'node:os'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
import { WorkerPool } from '../../parallel/worker-pool.js'
import { curveForBands, prepareRecipe } from '../loaded-target.js'
import { cappedWorkers, faults, openEngines, type OpenEngines } from '../solver.js'

/** Facets of a moving target, its parts included. */
export const facetsOf = ({ body, parts }: LoadedMotion): number =>
  [body, ...parts].reduce((sum, mesh) => sum + facetCount(mesh), 0)

/**
 * target.npz of a moving target in its files' pose: `positions_m` [V x 3], `triangles` [T x 3], `facet_part` [T], 0 of the body and i + 1
 * of the part i of the motion file, and where the target is at times `pose_time_s` [K]: `pose` [K x 3 x 4], which takes a point (x, y, z, 1)
 * of the body to the world [m]. Parts turn about their axes before that.
 */
export function movingTargetNpz(loaded: LoadedMotion, timeS: Float64Array): Uint8Array {
  const { body, parts, motion, config } = loaded
  const meshes = [body, ...parts]
  const vertices = meshes.reduce((sum, { positions }) => sum + positions.length / 3, 0)
  const facets = facetsOf(loaded)
  const positions = new Float64Array(3 * vertices)
  const triangles = new Int32Array(3 * facets)
  const part = new Uint8Array(facets)
  let [vertex, facet] = [0, 0]
  for (const [i, mesh] of meshes.entries()) {
    positions.set(mesh.positions, 3 * vertex)
    mesh.triangles.forEach((v, t) => (triangles[3 * facet + t] = v + vertex))
    part.fill(i, facet, facet + facetCount(mesh))
    vertex += mesh.positions.length / 3
    facet += facetCount(mesh)
  }
  const pose = new Float64Array(12 * timeS.length)
  const centre = config.motion.centre_m
  timeS.forEach((t, k) => {
    const { rotation: r, shift } = motion.at(t)
    for (let c = 0; c < 3; c++) {
      const row = [r[3 * c], r[3 * c + 1], r[3 * c + 2]]
      const moved = row[0] * centre[0] + row[1] * centre[1] + row[2] * centre[2]
      pose.set([...row, centre[c] + shift[c] - moved], 12 * k + 4 * c)
    }
  })
  return writeNpz({
    positions_m: { data: positions, shape: [vertices, 3], dtype: '<f8' },
    triangles: { data: triangles, shape: [facets, 3], dtype: '<i4' },
    facet_part: { data: part, shape: [facets], dtype: '|u1' },
    pose_time_s: { data: timeS, shape: [timeS.length], dtype: '<f8' },
    pose: { data: pose, shape: [timeS.length, 3, 4], dtype: '<f8' },
  })
}

/** Fields of a moving target over slow time. */
export interface PulseHistory {
  /** Time of each pulse; of a stepped burst its first [s]. */
  timeS: Float64Array
  /** Uniform and ascending [Hz]. */
  freqHz: Float64Array
  /**
   * Amplitudes F [m] by channel: [frequency][pulse], interleaved re, im. E_s = F exp(-jkr)/r for a unit incident wave, time factor
   * exp(+j w t), phase referred to where the mesh's origin is at time 0: of an approaching target it grows with time.
   */
  f: Record<string, Float64Array>
}

/** What is known of a run before its first unit. */
export interface DopplerPlan extends JobPlan {
  plan: MotionPlan
  /** What solves it. */
  device: string
  estimate: Omit<UnitEstimate, 'warnings'>
}

/** A moving target as computed, for writers and images. */
export interface ComputedDoppler {
  name: string
  loaded: LoadedMotion
  history: PulseHistory
  /** Errors of the interpolation at some pulses; absent where every pulse was solved. */
  error?: MotionError
  meta: Record<string, unknown>
  timing: Record<string, unknown>
}

/**
 * Fields of a moving target: what `isar doppler` writes and `doppler` returns.
 * @param exact  a full solution at each pulse, without interpolation
 * @throws as `runJob`
 */
export const computeDoppler = (
  loaded: LoadedMotion,
  exact: boolean,
  settings: RunSettings,
  caller: Caller<Rows, number, DopplerPlan>,
): Promise<ComputedDoppler> => runWholeJob(() => openDoppler(loaded, exact, settings, caller), caller)

async function openDoppler(
  loaded: LoadedMotion,
  exact: boolean,
  settings: RunSettings,
  { hooks, record }: Caller<Rows, number, DopplerPlan>,
): Promise<Job<Rows, number, DopplerPlan, ComputedDoppler>> {
  const { radar, noise, seed } = loaded.config
  if (exact && radar.waveform === 'stepped' && loaded.config.parts.length > 0)
    throw new InputError(
      `${hooks.nameOf('exact')} solves whole pulses, and the frequencies of a stepped burst have times of their own; take "waveform": "chirp"`,
    )
  for (const message of ambiguities(loaded)) hooks.warn(message)
  const plan = planMotion(loaded, exact)
  const { materials, facetMaterial } = facetMaterials(targetMesh(loaded, loaded.parts.map(() => 0))) // prettier-ignore
  const { freqHz } = radar
  const band: Band = { f0: freqHz[0], df: freqHz.length > 1 ? freqHz[1] - freqHz[0] : 0, n: freqHz.length }
  const job = { aspects: [], bands: [band], phaseCentre: [0, 0, 0] as Vec3 }
  if (facetMaterial) checkBands(materials, [band])
  if (loaded.ground) {
    const aspects = plan.units.flatMap(({ sights }) => sights.map(aspectOf))
    checkGround(loaded.ground, { ...job, aspects }, settings)
  }
  const length = rowLength(job, 1)
  const samples = radar.pulses * freqHz.length
  const held = 3 * 8 * length * plan.rows + 48 * samples * settings.channels.length
  checkMemory(held, 'take fewer pulses or frequencies')
  const resolved = strip({ ...settings, exact, ...record })
  const start = performance.now()
  const solver = await openUnits(plan.units, band, settings, hooks)
  const { device } = solver
  return {
    key: ['doppler', VERSION, loaded.hash, ...loaded.materialsKey, device.kind, resolved, { ...loaded.config, radar: { ...radar, freqHz: [...freqHz] } }], // prettier-ignore
    shape: length,
    warnings: [],
    async plan({ rows }) {
      const { warnings, ...estimate } = await solver.estimate()
      for (const line of warnings) hooks.warn(line.replace('--units', '"units" of the motion file:'))
      estimate.memoryBytes += held
      const kept = (): string | null => (rows.size > 0 ? `${rows.size} of ${plan.rows} aspects` : null)
      return { plan, device: device.text, estimate, kept }
    },
    solve: (kept) => solver.run(kept, plan.rows),
    finish({ rows }, key) {
      const field = (row: number): Float64Array => rowField(job, rows.get(row)!)
      const f = pulseFields(plan, field, settings.channels)
      const error = motionError(plan, field, f)
      if (noise) addNoise(f, noise, seed)
      const timeS = Float64Array.from({ length: radar.pulses }, (_, p) => timeOf(loaded, p, 0))
      const reports = [...rows.values()].map(rowReport)
      const total = (name: 'trace' | 'field' | 'reduction' | 'prepare' | 'evaluate'): number =>
        reports.reduce((sum, report) => sum + report[name], 0)
      return {
        name: loaded.name,
        loaded,
        history: { timeS, freqHz, f },
        error,
        meta: {
          command: 'doppler',
          version: VERSION,
          created: new Date().toISOString(),
          device: device.text,
          mesh: { name: loaded.name, sha256: loaded.hash, facets: facetsOf(loaded), ...(facetMaterial && { materials: materials.slice(1).map(({ name }) => name) }), ...expressionsOf(materials), ...(loaded.ground && { ground: groundRecord(loaded.ground) }) }, // prettier-ignore
          motion: { ...loaded.config, radar: { ...radar, freqHz: undefined, f0_hz: freqHz[0], f1_hz: freqHz[freqHz.length - 1], frequencies: freqHz.length } }, // prettier-ignore
          options: resolved,
          counts: { pulses: radar.pulses, frequencies: freqHz.length, solved: plan.rows, meshes: plan.units.length }, // prettier-ignore
          components: plan.components.map(({ name, time, angle, direct }) => ({
            name,
            ...(direct
              ? { pulses: radar.pulses }
              : { aspects: time.nodes.length, angles: angle.nodes.length }),
          })),
          ...(error && { error }),
          ...key,
        },
        timing: {
          total: (performance.now() - start) / 1000,
          device: device.text,
          steps: { tracing: total('trace'), electromagnetic: total('field'), reduction: total('reduction'), frequency_independent_diffraction: total('prepare'), frequency_dependent_diffraction: total('evaluate') }, // prettier-ignore
        },
      }
    },
    close: () => solver.close(),
  }
}

/**
 * Adds circular complex Gaussian noise to every sample, independent in each, of one variance for all channels: by the mean power of the
 * strongest, or as an RCS 4 pi |n|^2.
 */
function addNoise(
  f: Record<string, Float64Array>,
  { snr_db: snr, sigma_dbsm: sigma }: NonNullable<LoadedMotion['config']['noise']>,
  seed: number,
): void {
  const powers = Object.values(f).map((x) => (2 * x.reduce((sum, v) => sum + v * v, 0)) / x.length)
  const variance =
    snr !== undefined ? Math.max(...powers) / 10 ** (snr / 10) : 10 ** (sigma! / 10) / (4 * Math.PI)
  const deviation = Math.sqrt(variance / 2)
  for (const [channel, values] of Object.entries(f)) {
    const random = new Random(seed, PURPOSE.noise, CHANNELS.indexOf(channel as Channel))
    for (let i = 0; i < values.length; i++) values[i] += deviation * random.normal()
  }
}

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
