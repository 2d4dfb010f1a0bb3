import { FilesHash, readTable } from '../../formats/index.js'
import { chebyshevNodes } from '../../math/chebyshev.js'
import { evaluateFormula } from '../../scene/formula.js'
import { InputError, rotation, type Vec3 } from '../../scene/index.js'
import type { MotionConfig } from './config.js'

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
export interface Motion {
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
export async function readPoses(path: string, duration: number, files: FilesHash): Promise<Float64Array[]> {
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
