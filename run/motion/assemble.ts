import { type Channel, CHANNELS } from '../../rays/index.js'
import { C0, dot } from '../../scene/index.js'
import type { Component, MotionPlan } from './plan.js'
import { type Sight, targetSight, timeOf, translation, turnBasis } from './target.js'

/** The field of a row, 8 numbers per frequency: re, im of VV HH VH HV [m], in the basis of its aspect, phase referred to its centre. */
export type RowFields = (row: number) => Float64Array

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
