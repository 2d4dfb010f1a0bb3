import { basename, dirname, extname, resolve } from 'node:path'
import { parseJson } from '../../formats/described-json.js'
import {
  FilesHash,
  type MaterialChoice,
  materialsKey,
  readMesh,
  readRegularFile,
  readTable,
  withSharedMaterials,
} from '../../formats/index.js'
import { chebyshevNodes } from '../../math/chebyshev.js'
import { evaluateFormula } from '../../scene/formula.js'
import type { Ground } from '../../scene/ground/index.js'
import {
  type Aspect,
  direction,
  dot,
  facetCount,
  InputError,
  type Mesh,
  rotation,
  scaleMesh,
  splitGroup,
  type Vec3,
} from '../../scene/index.js'
import { checkMotion, type MotionConfig, type MotionDescription } from './config.js'

/** A motion file with all that it names. */
export interface LoadedMotion {
  config: MotionConfig
  /** The motion file's name, or the mesh's, without folder and ending. */
  name: string
  motion: Motion
  /** Duration of the dwell, from the first sample to the last [s]. */
  duration: number
  /** Time of the first sample [s]; 0 where absent. */
  startS?: number
  /** What does not turn, as at time 0 [m]; without facets where everything turns. */
  body: Mesh
  /** Each part in its file's pose [m]. */
  parts: Mesh[]
  /** The ground under it. */
  ground?: Ground
  /** SHA-256 of all files named in it. */
  hash: string
  /** What identifies its materials and ground: nothing where it conducts, in free space. */
  materialsKey: string[]
}

/**
 * Reads a motion file, or takes what one holds, and the meshes and the table that it names.
 * @param choice  materials of its groups, and its ground; all conducts in free space where absent
 * @param folder  that files are relative to, for what is no file itself
 * @param radar   in place of the file's own
 * @throws InputError naming file and position
 */
export async function loadMotion(
  source: string | MotionDescription,
  choice: MaterialChoice = {},
  folder = '.',
  radar?: MotionDescription['radar'],
): Promise<LoadedMotion> {
  const seen = <T>(given: T): T => (radar ? { ...given, radar } : given)
  if (typeof source !== 'string')
    return openMotion(checkMotion(seen(source), 'motion'), choice, undefined, folder)
  const text = new TextDecoder().decode(await readRegularFile(source, 'a motion file (JSON)'))
  const config = checkMotion(seen(parseJson(text, source)), source)
  return openMotion(config, choice, stemOf(source), dirname(resolve(source)))
}

async function openMotion(
  config: MotionConfig,
  choice: MaterialChoice,
  name: string | undefined,
  folder: string,
): Promise<LoadedMotion> {
  const files = new FilesHash()
  const read = async (file: string): Promise<Mesh> =>
    scaleMesh(await readMesh(resolve(folder, file), files), config.units)
  const own = [await read(config.mesh)]
  for (const { mesh } of config.parts) if (mesh !== undefined) own.push(await read(mesh))
  const { meshes, ground } = await withSharedMaterials(own, choice)
  const { groupMaterials } = meshes[0]
  let [body] = meshes
  const ofFiles = meshes.slice(1).values()
  const parts = config.parts.map(({ group }): Mesh => {
    if (group === undefined) return ofFiles.next().value!
    const { part, remainder } = splitGroup(body, group)
    if (facetCount(part) === 0) throw new InputError(`${config.mesh}: two parts take the group "${group}"`)
    body = remainder
    return part
  })
  const { freqHz, pulses, prfHz, waveform } = config.radar
  const instants = waveform === 'stepped' ? pulses * freqHz.length : pulses
  const duration = (instants - 1) / prfHz
  const { table } = config.motion
  const poses =
    typeof table === 'string' ? await readPoses(resolve(folder, table), duration, files) : undefined
  const motion = motionOf(config, poses)
  // A function without a value at a pulse is refused before anything is solved.
  if (typeof table === 'object') for (let p = 0; p < pulses; p++) motion.at((p * instants) / pulses / prfHz)
  return {
    config,
    name: name ?? stemOf(config.mesh),
    motion,
    duration,
    body,
    parts,
    ...(ground && { ground }),
    hash: files.sha256,
    materialsKey: materialsKey({
      facetMaterial: groupMaterials && new Uint8Array(0),
      groupMaterials,
      ground,
    }),
  }
}

/** Name of a file without folder and ending. */
const stemOf = (path: string): string => basename(path, extname(path))

/** How the radar sees a mesh, in that mesh's axes: direction to the radar, and the world's V and H there. */
export interface Sight {
  r: Vec3
  v: Vec3
  h: Vec3
}

/** Time of a sample [s]. @param index  of the frequency, which counts with stepped waveforms alone */
export function timeOf(
  { config: { radar }, startS = 0 }: LoadedMotion,
  pulse: number,
  index: number,
): number {
  const { waveform, prfHz, freqHz } = radar
  return startS + (waveform === 'stepped' ? pulse * freqHz.length + index : pulse) / prfHz
}

/** Sight of the whole target. */
export function targetSight({ config: { radar }, motion }: LoadedMotion, time: number): Sight {
  const { r, thetaHat, phiHat } = direction(radar.thetaDeg, radar.phiDeg)
  const { rotation: m } = motion.at(time)
  return { r: rotatedBack(m, r), v: rotatedBack(m, thetaHat), h: rotatedBack(m, phiHat) }
}

/** The aspect of a sight, whose polarisation basis is that of its direction (`turnBasis` gives the sight's own). */
export function aspectOf({ r }: Sight): Aspect {
  const deg = 180 / Math.PI
  const d = direction(Math.atan2(Math.hypot(r[0], r[1]), r[2]) * deg, Math.atan2(r[1], r[0]) * deg)
  return { tx: d, rx: d }
}

/** Path by which the position of the target's origin brings it towards the radar [m]: u . (centre + shift - rotation centre). */
export function translation({ config, motion }: LoadedMotion, time: number): number {
  const { thetaDeg, phiDeg } = config.radar
  const { rotation, shift } = motion.at(time)
  const centre = config.motion.centre_m
  const back = rotated(rotation, centre)
  const d = centre.map((x, c) => x + shift[c] - back[c]) as Vec3
  return dot(direction(thetaDeg, phiDeg).r, d)
}

/** Turns a row's field, in the basis of its aspect, to the basis of a sight; in place. */
export function turnBasis(field: Float64Array, sight: Sight): void {
  const { thetaHat, phiHat } = aspectOf(sight).tx
  const [c, s] = [dot(sight.v, thetaHat), dot(sight.v, phiHat)]
  const [cc, cs, ss] = [c * c, c * s, s * s]
  for (let i = 0; i < field.length; i += 8)
    for (let part = i; part < i + 2; part++) {
      const [vv, hh, vh, hv] = [field[part], field[part + 2], field[part + 4], field[part + 6]]
      field[part] = cc * vv + cs * (vh + hv) + ss * hh
      field[part + 2] = ss * vv - cs * (vh + hv) + cc * hh
      field[part + 4] = cs * (hh - vv) + cc * vh - ss * hv
      field[part + 6] = cs * (hh - vv) + cc * hv - ss * vh
    }
}

/** Columns of a table of poses. */
const COLUMNS = ['time_s', 'x_m', 'y_m', 'z_m', 'roll_deg', 'pitch_deg', 'yaw_deg']

/** Where the target is at an instant: a point x of its mesh is at centre + shift + rotation (x - centre). */
interface Pose {
  /** Row-major 3 x 3, from the target's axes to the world's. */
  rotation: number[]
  /** [m] */
  shift: Vec3
}

/** The pose of the whole target over time. */
interface Motion {
  at: (timeS: number) => Pose
  /** Time after which the attitude (not the position) repeats [s]; Infinity where it does not. */
  period: number
}

type Oscillation = MotionConfig['motion']['roll']

/** Product of row-major 3 x 3 matrices. */
const product = (a: number[], b: number[]): number[] =>
  Array.from({ length: 9 }, (_, i) => {
    const [r, c] = [3 * Math.floor(i / 3), i % 3]
    return a[r] * b[c] + a[r + 1] * b[c + 3] + a[r + 2] * b[c + 6]
  })

/** A matrix, or its transpose, times a vector. */
export const rotated = (m: number[], v: Vec3): Vec3 =>
  [0, 3, 6].map((r) => m[r] * v[0] + m[r + 1] * v[1] + m[r + 2] * v[2]) as Vec3
export const rotatedBack = (m: number[], v: Vec3): Vec3 =>
  [0, 1, 2].map((c) => m[c] * v[0] + m[c + 3] * v[1] + m[c + 6] * v[2]) as Vec3

/** Rotation by roll about x, then pitch about y, then yaw about z [degrees], right-handed. */
export const attitude = (rollDeg: number, pitchDeg: number, yawDeg: number): number[] =>
  product(rotation([0, 0, 1], yawDeg), product(rotation([0, 1, 0], pitchDeg), rotation([1, 0, 0], rollDeg)))

/**
 * The motion of a file: translation d(t) = v t + a t^2 / 2, rotation exp(omega t) attitude(roll, pitch, yaw); or both of functions of
 * time, or of a table, through whose rows natural cubic splines run, so that Doppler is continuous.
 * @param duration  of the dwell [s], which a table must cover
 * @param table     of the file, read by `readPoses`
 */
export function motionOf({ motion }: MotionConfig, table?: Float64Array[]): Motion {
  if (table) return tableMotion(table)
  if (typeof motion.table === 'object') return functionMotion(motion.table)
  const { velocity_m_s: v, acceleration_m_s2: a, rates_deg_s: rates, roll, pitch, yaw } = motion
  const rate = Math.hypot(...rates)
  const axis = rates.map((x) => x / (rate || 1)) as Vec3
  const swings = [roll, pitch, yaw].filter((o) => o !== undefined && o.amplitude_deg > 0)
  const periods = new Set(swings.map((o) => o!.period_s))
  return {
    period:
      swings.length === 0
        ? rate > 0
          ? 360 / rate
          : Infinity
        : rate === 0 && periods.size === 1
          ? [...periods][0]
          : Infinity,
    at: (t) => {
      const own = attitude(angleOf(roll, t), angleOf(pitch, t), angleOf(yaw, t))
      return {
        rotation: rate > 0 ? product(rotation(axis, rate * t), own) : own,
        shift: v.map((x, c) => x * t + (a[c] * t * t) / 2) as Vec3,
      }
    },
  }
}

const angleOf = (o: Oscillation, t: number): number =>
  o ? o.amplitude_deg * Math.sin((2 * Math.PI * t) / o.period_s + (o.phase_deg * Math.PI) / 180) : 0

/** Reads a table of poses that covers the times from 0 to `duration` [s]. @throws InputError */
async function readPoses(path: string, duration: number, files: FilesHash): Promise<Float64Array[]> {
  const { columns, rows } = await readTable(path, COLUMNS, files)
  const [time] = columns
  if (rows < 2) throw new InputError(`${path} has one row; a motion needs two at least`)
  for (let i = 1; i < rows; i++)
    if (!(time[i] > time[i - 1]))
      throw new InputError(`${path}, row ${i + 1}: time_s ${time[i]} does not ascend; sort the rows`)
  if (time[0] > 0 || time[rows - 1] < duration)
    throw new InputError(
      `${path} covers ${time[0]} to ${time[rows - 1]} s, but the pulses run from 0 to ${duration} s; extend the table or take fewer pulses`,
    )
  return columns
}

type Functions = Extract<MotionConfig['motion']['table'], object>

/** Poses by functions of time. Their `at` throws InputError where one is no finite real number. */
function functionMotion(functions: Functions): Motion {
  const valueAt = (column: string, t: number): number => {
    const given = functions[column as keyof Functions]
    if (typeof given === 'number') return given
    const [x, im] = 'formula' in given ? evaluateFormula(given.formula, t) : given
    if (im !== 0 || !Number.isFinite(x))
      throw new InputError(
        `motion.table.${column} is ${im === 0 ? x : 'complex'} at t = ${Number(t.toPrecision(6))} s; give a real function, finite from the first pulse to the last`,
      )
    return x
  }
  return {
    period: Infinity,
    at: (t) => {
      const [x, y, z, roll, pitch, yaw] = COLUMNS.slice(1).map((column) => valueAt(column, t))
      return { rotation: attitude(roll, pitch, yaw), shift: [x, y, z] }
    },
  }
}

function tableMotion([time, ...columns]: Float64Array[]): Motion {
  const splines = columns.map((values) => naturalSpline(time, values))
  return {
    period: Infinity,
    at: (t) => {
      const [x, y, z, roll, pitch, yaw] = splines.map((spline) => spline(t))
      return { rotation: attitude(roll, pitch, yaw), shift: [x, y, z] }
    },
  }
}

/** Natural cubic spline through the points (second derivative 0 at both ends). */
export function naturalSpline(x: Float64Array, y: Float64Array): (at: number) => number {
  const n = x.length
  const second = new Float64Array(n)
  const upper = new Float64Array(n)
  // Thomas algorithm for the tridiagonal system of second derivatives.
  for (let i = 1; i < n - 1; i++) {
    const [h0, h1] = [x[i] - x[i - 1], x[i + 1] - x[i]]
    const slope = (6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0)) / (h0 + h1)
    const mu = h0 / (h0 + h1)
    const pivot = 2 - mu * upper[i - 1]
    upper[i] = (1 - mu) / pivot
    second[i] = (slope - mu * second[i - 1]) / pivot
  }
  for (let i = n - 2; i > 0; i--) second[i] -= upper[i] * second[i + 1]
  return (at) => {
    let [low, high] = [0, n - 1]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (x[middle] > at) high = middle
      else low = middle
    }
    const h = x[high] - x[low]
    const [a, b] = [(x[high] - at) / h, (at - x[low]) / h]
    return a * y[low] + b * y[high] + (((a ** 3 - a) * second[low] + (b ** 3 - b) * second[high]) * h * h) / 6
  }
}

/** Points of one variable at which fields are solved, and how values between them follow. */
export interface NodeAxis {
  nodes: Float64Array
  /** Weights of the nodes for the value at `x`: value = sum weights[i] value(nodes[i]). */
  weights: (x: number) => Float64Array
}

/** Samples taken more than a band-limited function needs, and harmonics beyond the highest: Bessel functions J_n(z) vanish past z + O(z^(1/3)). */
const SAFETY = 1.1
export const beyond = (harmonics: number): number => 6 + 4 * Math.cbrt(harmonics)
/** Phase that moves by less over the whole range is constant [rad]. */
const STILL = 1e-4

/**
 * Axis of a periodic function whose phase changes by at most `harmonics` rad per rad of a turn: uniform nodes over a period, an odd
 * number, between which the trigonometric interpolation runs (exact for |harmonic| <= (n - 1) / 2).
 * @param fold  periods of a turn
 */
export function periodicAxis(period: number, harmonics: number, fold = 1): NodeAxis {
  const n = harmonics < STILL ? 1 : 2 * Math.ceil((SAFETY * harmonics + beyond(harmonics)) / fold) + 1
  const nodes = Float64Array.from({ length: n }, (_, i) => (i * period) / n)
  return {
    nodes,
    weights: (x) => {
      const out = new Float64Array(n)
      for (let i = 0; i < n; i++) {
        // Dirichlet kernel sin(n a) / (n sin a), whose sign alternates with the period for no odd n.
        const a = (Math.PI * (x - nodes[i])) / period
        const s = Math.sin(a)
        if (Math.abs(s) < 1e-14) return out.fill(0).fill(1, i, i + 1)
        out[i] = Math.sin(n * a) / (n * s)
      }
      return out
    },
  }
}

/**
 * Axis of a function on [from, to] whose phase moves by at most `rate` rad per unit: Chebyshev nodes, barycentric interpolation
 * (J.-P. Berrut, L. N. Trefethen, SIAM Review 46, 2004, eq. 5.4). exp(jcx) on [-1, 1] needs somewhat more than c of them.
 */
export function spanAxis(from: number, to: number, rate: number): NodeAxis {
  const c = (rate * (to - from)) / 2
  if (!(c > STILL)) return { nodes: Float64Array.of((from + to) / 2), weights: () => Float64Array.of(1) }
  const n = Math.ceil(SAFETY * c + beyond(c))
  const nodes = chebyshevNodes(from, to, n)
  const own = nodes.map((_, i) => (i % 2 === 0 ? 1 : -1) * Math.sin((Math.PI * (2 * i + 1)) / (2 * n)))
  return {
    nodes,
    weights: (x) => {
      const out = new Float64Array(n)
      let sum = 0
      for (let i = 0; i < n; i++) {
        if (x === nodes[i]) return out.fill(0).fill(1, i, i + 1)
        sum += out[i] = own[i] / (x - nodes[i])
      }
      for (let i = 0; i < n; i++) out[i] /= sum
      return out
    },
  }
}
