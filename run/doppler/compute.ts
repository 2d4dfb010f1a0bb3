import { writeNpz } from '../../formats/index.js'
import { PURPOSE, Random } from '../../math/random.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import { type Band, facetCount, InputError, type Vec3 } from '../../scene/index.js'
import { checkBands, facetMaterials } from '../../scene/materials/index.js'
import { checkMemory } from '../estimate.js'
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
} from '../motion/index.js'
import { type Caller, type Job, type JobPlan, type RunSettings, runWholeJob } from '../job.js'
import { strip } from '../settings/settings.js'
import { expressionsOf, groundRecord } from '../run.js'
import { rowField, rowLength, rowReport, type Rows } from '../sweep/index.js'
import { VERSION } from '../version.js'
import { openUnits, type UnitEstimate } from './units.js'

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
