import { z } from 'zod'
import { parseFrequencies, type FieldUnit } from '../../formats/expression.js'
import { checkJson } from '../../formats/described-json.js'
import {
  expression,
  expressionsIn,
  point,
  positiveQuantity,
  quantity,
} from '../../formats/materials-schema.js'
import { InputError, UNITS, type Unit, type Vec3 } from '../../scene/index.js'

const number = (text: string) => z.number().describe(text)
const angle = (text: string) => quantity('deg').describe(text)
const frequency = z.union([z.number(), z.string()])

/** Most pulses, and most samples (pulses times frequencies) of a file. */
const MOST_PULSES = 1_000_000
const MOST_SAMPLES = 2 ** 26

/** A coordinate or an angle of a pose. */
const column = (unit: FieldUnit) => z.union([z.number(), expression(unit, 't')]).default(0)

const oscillation = (about: string) =>
  z
    .strictObject({
      amplitude_deg: quantity('deg', z.number().min(0).max(90)).describe('amplitude [degrees]'),
      period_s: positiveQuantity('s', 'period [s]'),
      phase_deg: angle('phase at time 0 [degrees]').default(0),
    })
    .optional()
    .describe(`${about}: amplitude sin(2 pi t / period + phase)`)

const motion = z
  .strictObject({
    velocity_m_s: point('m/s', 'constant velocity x, y, z [m/s]').default([0, 0, 0]),
    acceleration_m_s2: point('m/s^2', 'constant acceleration [m/s^2]').default([0, 0, 0]),
    rates_deg_s: point('deg/s', 'constant angular velocity about x, y, z [degrees/s]').default([0, 0, 0]),
    roll: oscillation('rotation about the target’s x'),
    pitch: oscillation('rotation about its y, after roll'),
    yaw: oscillation('rotation about its z, after pitch'),
    table: z
      .union([
        z.string(),
        z
          .strictObject({
            x_m: column('m'),
            y_m: column('m'),
            z_m: column('m'),
            roll_deg: column('deg'),
            pitch_deg: column('deg'),
            yaw_deg: column('deg'),
          })
          .describe('functions of t, like "20 m/s * t"; 0 where absent'),
      ])
      .optional()
      .describe(
        'instead of all these: CSV file of poses, columns time_s,x_m,y_m,z_m,roll_deg,pitch_deg,yaw_deg, relative to this file, or these columns as functions of t',
      ),
    centre_m: point(
      'm',
      'point of the target that rotations leave where it is; the mesh’s origin by default',
    ).default([0, 0, 0]),
  })
  .prefault({})
  .describe('motion of the whole target, from its pose in the mesh file at time 0')

const part = z
  .strictObject({
    group: z.string().optional().describe('group (object) of the target’s mesh that turns'),
    mesh: z.string().optional().describe('or a mesh file of its own, relative to this file'),
    pivot_m: point('m', 'point of the axis [m]'),
    axis: point('', 'direction of the axis; positive rates by the right-hand rule').default([0, 0, 1]),
    rate_rev_s: quantity('rev/s').describe('rotations per second [Hz]').optional(),
    rate_rpm: quantity('rpm').describe('or rotations per minute').optional(),
    phase_deg: angle('angle at time 0 from the mesh file’s pose [degrees]').default(0),
    swing_deg: quantity('deg', z.number().positive().max(180))
      .optional()
      .describe(
        'amplitude of a part that swings instead of turning, like a wing: angle swing sin(2 pi rate t + phase) [degrees]',
      ),
  })
  .describe('a part that turns at a constant rate, or swings')

const radar = z
  .strictObject({
    freq_hz: frequency.optional().describe('one frequency [Hz, or a text like "10 GHz"]'),
    band: z
      .tuple([frequency, frequency, z.number().int().min(2).max(65536)])
      .optional()
      .describe('or lowest and highest frequency, and how many'),
    waveform: z
      .enum(['chirp', 'stepped'])
      .default('chirp')
      .describe(
        'chirp: each pulse covers the band (pulse compression); stepped: one frequency a pulse, ascending, a burst for each row of pulses',
      ),
    prf_hz: positiveQuantity('Hz', 'pulses per second'),
    pulses: z.number().int().min(1).max(MOST_PULSES).describe('number of pulses, or of bursts with stepped'),
    theta_deg: angle('direction of the radar from +z [degrees]').default(90),
    phi_deg: angle('direction of the radar from +x towards +y [degrees]').default(0),
  })
  .describe('radar, far away in a fixed direction')

const schema = z.strictObject({
  $schema: z.string().optional().describe('this schema, for help in editors'),
  mesh: z.string().describe('mesh file of the target, relative to this file'),
  units: z
    .enum(Object.keys(UNITS) as [Unit, ...Unit[]])
    .default('m')
    .describe('unit of the mesh files'),
  radar,
  motion,
  parts: z.array(part).max(64).default([]).describe('parts that turn'),
  interaction: z
    .boolean()
    .default(true)
    .describe(
      'solve turning parts together with the target, with shadows and multiple reflections between them; false: each by itself',
    ),
  noise: z
    .strictObject({
      snr_db: number('mean power of the samples of the strongest channel over that of noise [dB]').optional(),
      sigma_dbsm: number('or noise as the RCS of a target as strong, in each sample [dBsm]').optional(),
    })
    .optional()
    .describe('complex white noise in every sample'),
  seed: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).describe('seed of the noise'),
})

/** A motion file as it is written. */
export type MotionDescription = z.input<typeof schema>

type Parsed = z.infer<typeof schema>

/** A part that turns: file or group, axis of length 1, rate [rotations/s], angle at time 0 [degrees]. */
export interface PartMotion {
  name: string
  group?: string
  mesh?: string
  pivot: Vec3
  axis: Vec3
  rate: number
  phaseDeg: number
  /** Amplitude of a part that swings instead of turning [degrees]. */
  swingDeg?: number
}

/** A motion file with its defaults, in SI units. */
export interface MotionConfig extends Omit<Parsed, 'radar' | 'parts' | '$schema'> {
  /** What the file has as text with units or functions, by place; absent where all are plain numbers. */
  expressions?: Record<string, string>
  radar: {
    /** Uniform and ascending [Hz]. */
    freqHz: Float64Array
    waveform: 'chirp' | 'stepped'
    prfHz: number
    pulses: number
    thetaDeg: number
    phiDeg: number
  }
  parts: PartMotion[]
}

/** The schema as JSON Schema, for editors. */
export const motionJsonSchema = (): Record<string, unknown> =>
  z.toJSONSchema(schema, { io: 'input' }) as Record<string, unknown>

/** Checks a motion description and fills in its defaults. @throws InputError naming the position */
export function checkMotion(value: unknown, name: string): MotionConfig {
  const data = checkJson(schema, value, name)
  const refuse = (where: string, what: string): never => {
    throw new InputError(`${name}: ${where}: ${what}`)
  }
  const { radar, parts, $schema: _, ...rest } = data
  const freqHz = frequenciesOf(radar, name, refuse)
  if (radar.pulses * freqHz.length > MOST_SAMPLES)
    refuse(
      'radar.pulses',
      `${radar.pulses} pulses of ${freqHz.length} frequencies are more than ${MOST_SAMPLES} samples; take fewer`,
    )
  if (radar.waveform === 'stepped' && freqHz.length === 1)
    refuse('radar.waveform', 'stepped needs a band; give radar.band')
  if (rest.noise && (rest.noise.snr_db === undefined) === (rest.noise.sigma_dbsm === undefined))
    refuse('noise', 'give either snr_db or sigma_dbsm')
  const expressions = expressionsIn(value, data)
  const { table, centre_m: _centre, ...formula } = rest.motion
  const moves = Object.values(formula).some((x) =>
    Array.isArray(x) ? x.some((v) => v !== 0) : x !== undefined,
  )
  if (table !== undefined && moves)
    refuse('motion.table', 'is instead of velocities, rates and oscillations; give one or the other')
  return {
    ...rest,
    ...(expressions && { expressions }),
    radar: {
      freqHz,
      waveform: radar.waveform,
      prfHz: radar.prf_hz,
      pulses: radar.pulses,
      thetaDeg: radar.theta_deg,
      phiDeg: radar.phi_deg,
    },
    parts: parts.map(({ group, mesh, pivot_m, axis, rate_rev_s, rate_rpm, phase_deg, swing_deg }, i) => {
      const where = `parts.${i}`
      if ((group === undefined) === (mesh === undefined)) refuse(where, 'give either group or mesh')
      if ((rate_rev_s === undefined) === (rate_rpm === undefined))
        refuse(where, 'give either rate_rev_s or rate_rpm')
      const length = Math.hypot(...axis)
      if (length === 0) refuse(`${where}.axis`, 'has no direction; give one like [0, 0, 1]')
      return {
        name: group ?? `part ${i + 1}`,
        ...(group !== undefined && { group }),
        ...(mesh !== undefined && { mesh }),
        pivot: pivot_m,
        axis: axis.map((x) => x / length) as Vec3,
        rate: rate_rev_s ?? rate_rpm! / 60,
        phaseDeg: phase_deg,
        ...(swing_deg !== undefined && { swingDeg: swing_deg }),
      }
    }),
  }
}

function frequenciesOf(
  { freq_hz, band }: Parsed['radar'],
  name: string,
  refuse: (where: string, what: string) => never,
): Float64Array {
  if ((freq_hz === undefined) === (band === undefined)) refuse('radar', 'give either freq_hz or band')
  if (freq_hz !== undefined)
    return Float64Array.from(parseFrequencies([String(freq_hz)], `${name}: radar.freq_hz`))
  const [f0, f1] = parseFrequencies(band!.slice(0, 2).map(String), `${name}: radar.band`)
  const n = band![2]
  if (!(f1 > f0))
    refuse('radar.band', `${f0} Hz to ${f1} Hz does not ascend; write the lower frequency first`)
  return Float64Array.from({ length: n }, (_, i) => f0 + (i * (f1 - f0)) / (n - 1))
}
