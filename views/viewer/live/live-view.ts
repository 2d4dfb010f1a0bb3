import { dbsm } from '../../../formats/rcs-table.js'
import { type Curve, ghz, highest, lineFigure, polarFigure, shown, type View } from '../../figures/index.js'
import { type Channel, CHANNELS } from '../../../rays/index.js'
import { type Angles, DECIMALS, type Sweep, THETA_REACH, type Trace } from './sweep.js'

/** Data of the panel's figure. */
export interface LiveData {
  name: string
  freqHz: number
  channel: Channel
  raysPerWavelength: number
  /** The view direction and its field (8 numbers); null before the first result. */
  now: { angles: Angles; field: Float64Array } | null
  trace: Trace
  sweep: Sweep | null
  polar: boolean
}

/** Levels shown below the top [dB]. */
const DEPTH = 50
const TRACE_DOT = 2
const NOW_DOT = 4.5

/** RCS of a channel [dBsm]. */
export const levelOf = (field: Float64Array, channel: Channel): number => {
  const at = 2 * CHANNELS.indexOf(channel)
  return dbsm(field[at], field[at + 1])
}

/** RCS over azimuth: the sweep, the trace of the view directions at this elevation, and the current direction; null without data. */
export function liveView({
  name,
  freqHz,
  channel,
  raysPerWavelength,
  now,
  trace,
  sweep,
  polar,
}: LiveData): View | null {
  const curves: Curve[] = []
  if (sweep && sweep.fields.length > 1)
    curves.push({
      name: `cut at θ ${shown(sweep.thetaDeg, DECIMALS)}°`,
      x: Float64Array.from(sweep.phiDeg.slice(0, sweep.fields.length)),
      y: sweep.fields.map((f) => levelOf(f, channel)),
    })
  const near = now ? trace.near(now.angles[0]) : []
  if (now && near.length > 0)
    curves.push({
      name: `turned, θ ${shown(now.angles[0], 1)}° ± ${THETA_REACH}°`,
      x: Float64Array.from(near, ({ angles }) => angles[1]),
      y: near.map(({ field }) => levelOf(field, channel)),
      dots: TRACE_DOT,
    })
  if (curves.length === 0) return null
  const here: Curve[] = now
    ? [{ name: 'now', x: [now.angles[1]], y: [levelOf(now.field, channel)], dots: NOW_DOT }]
    : []
  // Room for half of the larger dot.
  const high = 5 * Math.ceil((Math.max(...curves.map((c) => highest(c.y))) + 1) / 5)
  const spec = {
    title: `${name}, ${channel.toUpperCase()}, live`,
    subtitle: `${ghz(freqHz)}  ·  ${raysPerWavelength} rays per wavelength`,
    xTitle: 'φ [deg]',
    yTitle: 'RCS [dBsm]',
    curves: [...curves, ...here],
    high,
    low: high - DEPTH,
    angular: true,
    zero: 'nose',
    x: [0, 360] as [number, number],
  }
  return {
    curves,
    axes: { x: 'φ', xUnit: '°', y: '', yUnit: '' },
    unit: 'dBsm',
    draw: (width, height, palette) => (polar ? polarFigure : lineFigure)(spec, width, height, palette),
  }
}
