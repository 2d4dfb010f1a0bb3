import { dbsm } from '../../../formats/rcs-table.js'
import { type Channel, CHANNELS } from '../../../rays/index.js'
import type { Vec3 } from '../../../scene/index.js'
import { type Curve, ghz, highest, lineFigure, polarFigure, shown, type View } from '../../figures/index.js'

/** Data of the panel's figure. */
interface LiveData {
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

/** A cut over all azimuths, possibly unfinished. */
export interface Sweep {
  freqHz: number
  thetaDeg: number
  /** From 0 to 360, both ends [degrees]. */
  phiDeg: number[]
  /** Fields of the directions computed so far: 8 numbers each, re, im of VV HH VH HV [m]. */
  fields: Float64Array[]
}

/** Computes directions of a sweep (`LiveSolver`). */
export interface DirectionSolver {
  /** 8 numbers per direction, re, im of VV HH VH HV [m], and the computing time [s]. */
  solve(
    freqHz: number,
    thetaDeg: number,
    phiDeg: number[],
  ): Promise<{ fields: Float64Array; seconds: number }>
}

/** Longest time that a batch may keep a new direction waiting [s], and its maximum number of directions. */
const BATCH_SECONDS = 0.15
const LARGEST_BATCH = 64

/** A sweep of a cut at `thetaDeg`, evenly spaced by about `stepDeg`. */
export function emptySweep(freqHz: number, thetaDeg: number, stepDeg: number): Sweep {
  const steps = Math.max(1, Math.round(360 / stepDeg))
  const phiDeg = Array.from({ length: steps + 1 }, (_, i) => (360 * i) / steps)
  return { freqHz, thetaDeg, phiDeg, fields: [] }
}

/**
 * Computes a sweep in batches sized by the solver's speed.
 * @param onProgress  called after each batch; returns whether to continue
 */
export async function fillSweep(
  solver: DirectionSolver,
  sweep: Sweep,
  onProgress: () => boolean,
): Promise<void> {
  const { freqHz, thetaDeg, phiDeg, fields } = sweep
  let batch = 1
  while (fields.length < phiDeg.length) {
    const part = phiDeg.slice(fields.length, fields.length + batch)
    const solved = await solver.solve(freqHz, thetaDeg, part)
    part.forEach((_, i) => fields.push(solved.fields.slice(8 * i, 8 * i + 8)))
    if (!onProgress()) return
    const fitting = Math.floor((batch * BATCH_SECONDS) / solved.seconds)
    batch = Math.max(1, Math.min(LARGEST_BATCH, 2 * batch, fitting))
  }
}

/** Step of phi with one result each [degrees]. */
const PHI_STEP = 0.25
/** Results within this of an elevation belong to a cut at it [degrees]. */
export const THETA_REACH = 0.5

interface Point {
  angles: Angles
  field: Float64Array
}

/** Results computed while the view rotated, at one frequency: the last result for each quarter of a degree. */
export class Trace {
  private readonly points = new Map<string, Point>()

  /** @param field  8 numbers, re, im of VV HH VH HV [m] */
  add(angles: Angles, field: Float64Array): void {
    const [theta, phi] = angles
    this.points.set(`${Math.round(theta / THETA_REACH)} ${Math.round(phi / PHI_STEP)}`, { angles, field })
  }

  clear(): void {
    this.points.clear()
  }

  /** Results near an elevation, by ascending phi. */
  near(thetaDeg: number): Point[] {
    return [...this.points.values()]
      .filter(({ angles }) => Math.abs(angles[0] - thetaDeg) <= THETA_REACH)
      .sort((a, b) => a.angles[1] - b.angles[1])
  }
}

/** theta and phi [degrees]. */
export type Angles = [number, number]

/** Directions are rounded to this many decimals of a degree, so that the displayed direction is exactly the computed one. */
export const DECIMALS = 2

const rounded = (x: number): number => Number(x.toFixed(DECIMALS))

/** phi wrapped to 0 ... 360, rounded to `DECIMALS`. */
export const wrapPhi = (phiDeg: number): number => rounded(((phiDeg % 360) + 360) % 360) % 360

/** Angles of a direction, from the target to the eye. */
export function anglesOf([x, y, z]: Vec3): Angles {
  const degrees = 180 / Math.PI
  return [rounded(Math.atan2(Math.hypot(x, y), z) * degrees), wrapPhi(Math.atan2(y, x) * degrees)]
}
