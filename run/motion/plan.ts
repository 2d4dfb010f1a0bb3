import { type Channel, CHANNELS } from '../../rays/index.js'
import {
  boundingBox,
  C0,
  dot,
  facetCount,
  InputError,
  joinMeshes,
  type Mesh,
  rotatePart,
  rotation,
  type Vec3,
} from '../../scene/index.js'
import type { PartMotion } from './config.js'
import {
  aroundBoth,
  cubeAbout,
  middleOf,
  reach,
  sampleSpans,
  sampleTimes,
  timeAxis,
  topSpeed,
  turnAxis,
} from './extent.js'
import {
  type LoadedMotion,
  type NodeAxis,
  rotated,
  rotatedBack,
  type Sight,
  targetSight,
  timeOf,
  translation,
  turnBasis,
} from './target.js'

/** Fastest point of a target whose pulses are solved at rest [m/s]: Doppler is then right to 0.1 %. */
const MOST_SPEED = C0 / 1000

/** @throws InputError for points so fast that a slip of units is likely, and pulses cannot be solved at rest */
function checkSpeed(loaded: LoadedMotion): void {
  const speed = highestSpeed(loaded)
  if (speed < MOST_SPEED) return
  throw new InputError(
    `motion: points of the target move at up to ${Number(speed.toPrecision(3))} m/s, and pulses are solved as if at rest, which needs less than ${Math.round(MOST_SPEED)} m/s; check the units of velocities, rates and lengths`,
  )
}

/** An upper bound of the speeds of all points [m/s]. */
function highestSpeed(loaded: LoadedMotion): number {
  const { config, body, parts, motion, duration } = loaded
  const { velocity_m_s: v, acceleration_m_s2: a, rates_deg_s: rates, centre_m: centre, ...others } = config.motion // prettier-ignore
  const { roll, pitch, yaw } = others
  const reaches = parts.map((mesh, i) => reach(mesh, config.parts[i]))
  const distance = (at: Vec3): number => Math.hypot(...at.map((x, c) => x - centre[c]))
  const box = facetCount(body) > 0 ? boundingBox(body) : null
  const far = box ? Math.hypot(...centre.map((x, c) => Math.max(box.max[c] - x, x - box.min[c]))) : 0
  const radius = config.parts.reduce((most, { pivot }, i) => Math.max(most, distance(pivot) + reaches[i].radius), far) // prettier-ignore
  const swings = [roll, pitch, yaw].reduce((sum, o) => sum + (o ? (2 * Math.PI * o.amplitude_deg) / o.period_s : 0), 0) // prettier-ignore
  const turning = ((Math.hypot(...rates) + swings) * Math.PI) / 180
  const own = config.parts.reduce((most, part, i) => Math.max(most, topSpeed(part, reaches[i].across)), 0) // prettier-ignore
  const formula = Math.hypot(...v) + Math.hypot(...a) * duration + turning * radius
  if (config.motion.table === undefined) return formula + own
  let table = 0
  for (const [start, end] of sampleSpans(loaded)) {
    const [from, to] = [motion.at(start), motion.at(end)]
    const moved = Math.hypot(...to.shift.map((x, c) => x - from.shift[c]))
    const turned = Math.hypot(...to.rotation.map((x, c) => x - from.rotation[c])) * radius
    table = Math.max(table, (moved + turned) / (end - start))
  }
  return table + own
}

/** Change of height or tilt that leaves a target level. */
const LEVEL = 1e-9

/**
 * Checks that a target's ground stays where it is in the target's axes: it moves along the plane and yaws alone.
 * @throws InputError
 */
function checkLevel(loaded: LoadedMotion): void {
  const { ground, config, motion, parts } = loaded
  if (!ground) return
  if (parts.length > 0 && !config.interaction)
    throw new InputError(
      '--ground: with "interaction": false each part is solved by itself, turned with its ground; leave one of them out',
    )
  const { centre_m: centre } = config.motion
  for (const t of sampleTimes(loaded)) {
    const { rotation, shift } = motion.at(t)
    const heave = shift[2] + centre[2] - rotated(rotation, centre)[2]
    if (Math.abs(heave) > LEVEL || Math.abs(rotation[8] - 1) > LEVEL)
      throw new InputError(
        '--ground: the target rises, rolls or pitches, and the ground does not; over a ground it moves along x and y and yaws alone',
      )
  }
}

/** A mesh and the aspects that it is solved at; rows `first` and on of the run. */
export interface Unit {
  name: string
  mesh: () => Mesh
  /** Point that phases of its rows are referred to [m]. */
  centre: Vec3
  /** Point that its ray tubes are anchored to, and twice the largest distance from there that tubes go by [m]: the same for all meshes that the body is in. */
  lattice: { anchor: Vec3; size: number }
  sights: Sight[]
  first: number
}

/** A part of the target whose field is interpolated by itself, over time and over the angle of what turns in it. */
interface Component {
  name: string
  /** Factor of its field in the sum of components. */
  weight: number
  centre: Vec3
  time: NodeAxis
  angle: NodeAxis
  /** Angle of what turns [rad], in [0, 2 pi). */
  angleAt: (time: number) => number
  sight: (time: number, angle: number) => Sight
  /** Row of the first node; rows follow by angle, then time. With `direct` one row a pulse, in their order. */
  first: number
  direct: boolean
  /** First of its rows solved at the checked pulses; -1: none. */
  checks: number
}

/** What is solved for a motion, and how pulses follow from it. */
export interface MotionPlan {
  loaded: LoadedMotion
  lattice: Unit['lattice']
  units: Unit[]
  components: Component[]
  rows: number
  /** Pulses at which the interpolation is checked, and the first row of full solutions there; -1: each component's own are. */
  checked: number[]
  full: number
}

/** Pulses at which the interpolation is compared with full solutions. */
const CHECKED = 4
/** The whole target with parts at angles [rad] from their files' poses; parts without an angle are left out. */
export function targetMesh({ body, parts, config }: LoadedMotion, angles: (number | undefined)[]): Mesh {
  const turned = parts.flatMap((part, i) => {
    const angle = angles[i]
    const { pivot, axis } = config.parts[i]
    return angle === undefined ? [] : [rotatePart(part, { pivot, axis, angleDeg: (angle * 180) / Math.PI })]
  })
  return [body, ...turned].filter((mesh) => facetCount(mesh) > 0).reduce(joinMeshes)
}

/** Angle of a part from its file's pose [rad], of one that turns in [0, 2 pi). */
function partAngle(part: PartMotion, time: number): number {
  if (part.swingDeg !== undefined) return poseAngle(part, generation(part.rate, time))
  return generation(part.rate, time, part.phaseDeg)
}

/** 2 pi times the turns made by a time, in [0, 2 pi). */
function generation(rate: number, time: number, phaseDeg = 0): number {
  const turns = rate * time + phaseDeg / 360
  return 2 * Math.PI * (turns - Math.floor(turns))
}

/** Angle of a part from its file's pose [rad] at an angle of what turns. */
function poseAngle({ phaseDeg, swingDeg }: PartMotion, turned: number): number {
  const angle = turned + (phaseDeg * Math.PI) / 180
  return swingDeg === undefined ? angle : ((swingDeg * Math.PI) / 180) * Math.sin(angle)
}

/**
 * Plans the solutions of a motion: components by themselves, each at as few aspects and angles as its extent asks for, or at every pulse
 * where those are fewer.
 *
 * - Body: seen under the aspects of the pulses, phases referred to the middle of its box.
 * - A part that turns, by itself: seen under the aspect and its own angle, phases referred to a point of its axis.
 * - With `interaction` body and parts together, those of one rate in one mesh: sum of F(body + parts) less the surplus of F(body).
 * @param exact   the whole target at each pulse
 * @param checks  whether pulses are solved in full to state the error
 * @throws InputError for points too fast to be at rest in a pulse, and a target that leaves its ground
 */
export function planMotion(loaded: LoadedMotion, exact: boolean, checks = !exact): MotionPlan {
  checkSpeed(loaded)
  checkLevel(loaded)
  const lattice = latticeOf(loaded)
  const plan: MotionPlan = { loaded, lattice, units: [], components: [], rows: 0, checked: [], full: -1 }
  const { config, parts, body } = loaded
  const { pulses } = config.radar
  const turns = parts.length > 0
  const count = Math.min(CHECKED, pulses)
  if (checks) plan.checked = Array.from({ length: count }, (_, i) => checkedPulse(i, pulses))
  if (exact && turns) addExact(plan)
  else if (!turns) addBody(plan, 1, exact)
  else if (config.interaction) addJoint(plan)
  else {
    if (facetCount(body) > 0) addBody(plan, 1, false)
    config.parts.forEach((_, i) => addPart(plan, i))
  }
  if (turns && checks) {
    plan.full = plan.rows
    for (const p of plan.checked) {
      const t = timeOf(loaded, p, 0)
      const angles = config.parts.map((part) => partAngle(part, t))
      addUnit(plan, 'full solution', () => targetMesh(loaded, angles), [0, 0, 0], [targetSight(loaded, t)])
    }
  }
  return plan
}

/** Spread over the pulses without a period of its own. */
const checkedPulse = (i: number, pulses: number): number =>
  Math.floor(pulses * ((((i + 1) * (Math.sqrt(5) - 1)) / 2) % 1))

function addUnit(
  plan: MotionPlan,
  name: string,
  mesh: () => Mesh,
  centre: Vec3,
  sights: Sight[],
  lattice = plan.lattice,
): number {
  const first = plan.rows
  const { ground } = plan.loaded
  plan.units.push({
    name,
    mesh: ground ? () => ({ ...mesh(), ground }) : mesh,
    centre,
    lattice,
    sights,
    first,
  })
  plan.rows += sights.length
  return first
}

/** That of the whole target, its parts at any angle. */
function latticeOf({ body, parts, config, ground }: LoadedMotion): Unit['lattice'] {
  const anchor = middleOf(boundingBox(facetCount(body) > 0 ? body : parts[0]))
  // Over a ground the target has its mirror image.
  const away = ([x, y, z]: Vec3): number =>
    [z, ...(ground ? [2 * ground.height - z] : [])]
      .map((height) => Math.hypot(x - anchor[0], y - anchor[1], height - anchor[2]))
      .reduce((a, b) => Math.max(a, b))
  let most = 0
  for (const v of body.triangles)
    most = Math.max(most, away([0, 1, 2].map((c) => body.positions[3 * v + c]) as Vec3))
  config.parts.forEach((part, i) => (most = Math.max(most, away(part.pivot) + reach(parts[i], part).radius)))
  return { anchor, size: 2 * most }
}

/** Adds a component, of the whole target under the radar's aspect where it does not say otherwise. */
function addComponent(
  plan: MotionPlan,
  component: Pick<Component, 'centre' | 'time' | 'first' | 'direct'> & Partial<Component>,
): void {
  plan.components.push({
    name: 'target',
    weight: 1,
    angle: STATIC,
    angleAt: () => 0,
    sight: (t) => targetSight(plan.loaded, t),
    checks: -1,
    ...component,
  })
}

const STATIC: NodeAxis = { nodes: Float64Array.of(0), weights: () => Float64Array.of(1) }
const pulseTimes = (loaded: LoadedMotion): number[] =>
  Array.from({ length: loaded.config.radar.pulses }, (_, p) => timeOf(loaded, p, 0))

/** The whole target at each pulse, a mesh of its own. */
function addExact(plan: MotionPlan): void {
  const { loaded } = plan
  const first = plan.rows
  for (const t of pulseTimes(loaded)) {
    const angles = loaded.config.parts.map((part) => partAngle(part, t))
    addUnit(plan, 'target', () => targetMesh(loaded, angles), [0, 0, 0], [targetSight(loaded, t)])
  }
  addComponent(plan, { centre: [0, 0, 0], time: STATIC, first, direct: true })
}

function addBody(plan: MotionPlan, weight: number, exact: boolean): void {
  const { loaded, checked } = plan
  const { config, body } = loaded
  const box = boundingBox(body)
  const centre = middleOf(box)
  const time = timeAxis(loaded, box, centre)
  const sight = (t: number): Sight => targetSight(loaded, t)
  const direct = exact || isDirect(loaded, time.nodes.length)
  const times = direct ? pulseTimes(loaded) : [...time.nodes]
  const own = direct ? [] : checked.map((p) => timeOf(loaded, p, 0))
  const first = addUnit(plan, 'body', () => body, centre, [...times, ...own].map(sight))
  const name = config.parts.length > 0 ? 'body' : 'target'
  const checks = direct ? -1 : first + times.length
  addComponent(plan, { name, weight, centre, time, first, direct, checks })
}

/** Whether solving at every pulse is no more work than at the nodes; the frequencies of a stepped pulse have times of their own. */
const isDirect = ({ config: { radar } }: LoadedMotion, nodes: number): boolean =>
  radar.waveform === 'chirp' && nodes >= radar.pulses

function addPart(plan: MotionPlan, i: number): void {
  const { loaded, checked } = plan
  const part = loaded.config.parts[i]
  const mesh = loaded.parts[i]
  const { pivot, axis, name } = part
  const { radius, across } = reach(mesh, part)
  const time = timeAxis(loaded, cubeAbout(pivot, radius), pivot)
  const swings = part.swingDeg !== undefined
  const angleAt = (t: number): number => (swings ? generation(part.rate, t) : partAngle(part, t))
  const still = { nodes: Float64Array.of(angleAt(0)), weights: STATIC.weights }
  const angle = part.rate === 0 ? still : turnAxis(loaded, [{ part, mesh, across }])
  const sight = (t: number, a: number): Sight => {
    const { r, v, h } = targetSight(loaded, t)
    const m = rotation(axis, ((swings ? poseAngle(part, a) : a) * 180) / Math.PI)
    return { r: rotatedBack(m, r), v: rotatedBack(m, v), h: rotatedBack(m, h) }
  }
  const now = (t: number): Sight => sight(t, angleAt(t))
  const direct = isDirect(loaded, time.nodes.length * angle.nodes.length)
  const nodes = direct
    ? pulseTimes(loaded).map(now)
    : [...angle.nodes].flatMap((a) => [...time.nodes].map((t) => sight(t, a)))
  const own = direct ? [] : checked.map((p) => now(timeOf(loaded, p, 0)))
  const first = addUnit(plan, name, () => mesh, pivot, [...nodes, ...own], {
    anchor: pivot,
    size: 2 * radius,
  })
  const checks = direct ? -1 : first + nodes.length
  addComponent(plan, { name, centre: pivot, time, angle, angleAt, sight, first, direct, checks })
}

/** Body and parts together; parts of one rate turn together, in either sense. */
function addJoint(plan: MotionPlan): void {
  const { loaded } = plan
  const { config, parts, body } = loaded
  const rates = [...new Set(config.parts.map(({ rate }) => Math.abs(rate)))]
  if (rates.length > 1 && facetCount(body) > 0) addBody(plan, 1 - rates.length, false)
  for (const rate of rates) {
    const inGroup = config.parts.map((part) => Math.abs(part.rate) === rate)
    const reaches = parts.map((mesh, i) => reach(mesh, config.parts[i]))
    const box = [
      ...(facetCount(body) > 0 ? [boundingBox(body)] : []),
      ...config.parts.flatMap(({ pivot }, i) => (inGroup[i] ? [cubeAbout(pivot, reaches[i].radius)] : [])),
    ].reduce(aroundBoth)
    const centre = middleOf(box)
    const time = timeAxis(loaded, box, centre)
    const members = config.parts.map((part, i) => ({ part, mesh: parts[i], across: reaches[i].across }))
    const angle = rate === 0 ? STATIC : turnAxis(loaded, members.filter((_, i) => inGroup[i])) // prettier-ignore
    const angleAt = (t: number): number => generation(rate, t)
    const meshAt = (a: number) => (): Mesh =>
      targetMesh(
        loaded,
        config.parts.map((p, i) => (inGroup[i] ? poseAngle(p, Math.sign(p.rate) * a) : undefined)),
      )
    const sight = (t: number): Sight => targetSight(loaded, t)
    const direct = isDirect(loaded, time.nodes.length * angle.nodes.length)
    const first = plan.rows
    if (direct)
      for (const t of pulseTimes(loaded)) addUnit(plan, 'target', meshAt(angleAt(t)), centre, [sight(t)])
    else for (const a of angle.nodes) addUnit(plan, 'target', meshAt(a), centre, [...time.nodes].map(sight))
    addComponent(plan, { centre, time, angle, angleAt, first, direct })
  }
}

/** The field of a row, 8 numbers per frequency: re, im of VV HH VH HV [m], in the basis of its aspect, phase referred to its centre. */
type RowFields = (row: number) => Float64Array

/** Errors of interpolated pulses: rms of complex differences at the checked pulses over the rms of all pulses. */
export interface MotionError {
  /** Against full solutions of the whole target: of interpolation, and of what components leave out by themselves. */
  total: number
  /** Against components solved at those pulses: of interpolation alone; undefined with `interaction`. */
  interpolation?: number
}

/**
 * Fields of all pulses by channel, F [m] as [frequency][pulse], interleaved re, im: time factor exp(+j w t), phase referred to where the
 * mesh's origin is at time 0, so that an approaching target's phase grows.
 */
export function pulseFields(
  plan: MotionPlan,
  rows: RowFields,
  channels: readonly Channel[],
): Record<string, Float64Array> {
  const { loaded, components } = plan
  const { freqHz, pulses, waveform } = loaded.config.radar
  const out = channels.map(() => new Float64Array(2 * freqHz.length * pulses))
  const tables = components.map((component) => new Table(component, rows, plan, channels))
  // A chirp has all frequencies at one time, a stepped pulse each at its own.
  const step = waveform === 'stepped' ? 1 : freqHz.length
  const width = 2 * channels.length
  const [sum, field] = [new Float64Array(width * step), new Float64Array(width * step)]
  for (let p = 0; p < pulses; p++)
    for (let f0 = 0; f0 < freqHz.length; f0 += step) {
      const time = timeOf(loaded, p, f0)
      const path = translation(loaded, time)
      const { r } = targetSight(loaded, time)
      sum.fill(0)
      components.forEach(({ weight, centre }, k) => {
        tables[k].at(p, time, width * f0, field)
        addMoved(sum, field, weight, freqHz.subarray(f0, f0 + step), path + dot(r, centre), width)
      })
      for (let f = 0; f < step; f++)
        out.forEach((of, c) => {
          const to = 2 * ((f0 + f) * pulses + p)
          of[to] = sum[width * f + 2 * c]
          of[to + 1] = sum[width * f + 2 * c + 1]
        })
    }
  return Object.fromEntries(channels.map((channel, c) => [channel, out[c]]))
}

/** A row's numbers of the chosen channels, [frequency][channel], in the basis of its sight. */
function chosen(row: Float64Array, sight: Sight, channels: readonly Channel[], count: number): Float64Array {
  const field = row.slice(0, 8 * count)
  turnBasis(field, sight)
  const places = channels.map((channel) => 2 * CHANNELS.indexOf(channel))
  const out = new Float64Array(2 * places.length * count)
  let to = 0
  for (let f = 0; f < count; f++)
    for (const at of places) {
      out[to++] = field[8 * f + at]
      out[to++] = field[8 * f + at + 1]
    }
  return out
}

/** The solved fields of a component, in the bases of their sights: at its nodes, or at every pulse. */
class Table {
  private readonly values: Float64Array[]

  constructor(
    private readonly component: Component,
    rows: RowFields,
    { loaded }: MotionPlan,
    channels: readonly Channel[],
  ) {
    const { time, angle, angleAt, sight, first, direct } = component
    const { freqHz, pulses } = loaded.config.radar
    const times = Array.from({ length: direct ? pulses : 0 }, (_, p) => timeOf(loaded, p, 0))
    const sights = direct
      ? times.map((t) => sight(t, angleAt(t)))
      : [...angle.nodes].flatMap((a) => [...time.nodes].map((t) => sight(t, a)))
    this.values = sights.map((at, i) => chosen(rows(first + i), at, channels, freqHz.length))
  }

  /** The field at a pulse and its time, numbers `from` and on of a row's, into `field`. */
  at(pulse: number, time: number, from: number, field: Float64Array): void {
    const { direct, angle, angleAt, time: times } = this.component
    if (direct) {
      field.set(this.values[pulse].subarray(from, from + field.length))
      return
    }
    field.fill(0)
    const byAngle = angle.weights(angleAt(time))
    const byTime = times.weights(time)
    for (let a = 0; a < byAngle.length; a++)
      for (let t = 0; t < byTime.length; t++)
        addScaled(field, byAngle[a] * byTime[t], this.values[a * byTime.length + t], from)
  }
}

function addScaled(sum: Float64Array, weight: number, values: Float64Array, from: number): void {
  if (weight === 0) return
  for (let i = 0; i < sum.length; i++) sum[i] += weight * values[from + i]
}

/** Adds numbers times exp(2jk path) to `sum`. @param width  of a frequency, `path` in metres */
function addMoved(
  sum: Float64Array,
  field: Float64Array,
  weight: number,
  freqHz: Float64Array,
  path: number,
  width: number,
): void {
  freqHz.forEach((f, m) => {
    const turn = ((4 * Math.PI * f) / C0) * path
    const [c, s] = [weight * Math.cos(turn), weight * Math.sin(turn)]
    for (let i = width * m; i < width * (m + 1); i += 2) {
      sum[i] += c * field[i] - s * field[i + 1]
      sum[i + 1] += c * field[i + 1] + s * field[i]
    }
  })
}

/**
 * Errors at the checked pulses.
 * @param f  what `pulseFields` returned
 */
export function motionError(
  plan: MotionPlan,
  rows: RowFields,
  f: Record<string, Float64Array>,
): MotionError | undefined {
  const { loaded, components, checked, full } = plan
  const { freqHz, pulses } = loaded.config.radar
  const channels = Object.keys(f) as Channel[]
  const width = 2 * channels.length
  const own = components.filter(({ checks }) => checks >= 0)
  if (checked.length === 0 || (full < 0 && own.length === 0)) return undefined
  const power = channels.reduce((sum, channel) => sum + f[channel].reduce((a, x) => a + x * x, 0), 0) / pulses
  const tables = components.map((component) => new Table(component, rows, plan, channels))
  let [wrong, between] = [0, 0]
  checked.forEach((p, i) => {
    const time = timeOf(loaded, p, 0)
    const path = translation(loaded, time)
    const { r } = targetSight(loaded, time)
    const difference = new Float64Array(width * freqHz.length)
    const interpolation = new Float64Array(width * freqHz.length)
    const field = new Float64Array(width * freqHz.length)
    components.forEach((component, k) => {
      const { weight, centre, checks, sight, angleAt } = component
      tables[k].at(p, time, 0, field)
      const to = path + dot(r, centre)
      addMoved(difference, field, weight, freqHz, to, width)
      if (checks < 0) return
      addMoved(interpolation, field, weight, freqHz, to, width)
      const solved = chosen(rows(checks + i), sight(time, angleAt(time)), channels, freqHz.length)
      addMoved(interpolation, solved, -weight, freqHz, to, width)
    })
    if (full >= 0)
      addMoved(difference, chosen(rows(full + i), targetSight(loaded, time), channels, freqHz.length), -1, freqHz, path, width) // prettier-ignore
    wrong += difference.reduce((a, x) => a + x * x, 0)
    between += interpolation.reduce((a, x) => a + x * x, 0)
  })
  const relative = (square: number): number => (power > 0 ? Math.sqrt(square / checked.length / power) : 0)
  return {
    total: relative(full >= 0 ? wrong : between),
    ...(components.every(({ direct, checks }) => direct || checks >= 0) && { interpolation: relative(between) }), // prettier-ignore
  }
}
