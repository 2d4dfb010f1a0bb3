import { sinc } from '../../rays/index.js'
import type { Aspect, Band } from '../../scene/index.js'
import {
  chebyshevBasis,
  type DelayAmplitudes,
  delayAmplitudes,
  pathRoom,
  PathSum,
} from '../engine/delay-amplitudes.js'
import { EDGE_SIZE, type EdgeScene, FRAMES_SIZE } from '../geometry/edge-scene.js'
import { type Lighting, SEGMENT_SIZE, setLighting } from '../light/segments.js'
import { amplitude, type Arguments, CONFLUENCE, type EdgeFace, FaceEnds, facesRoom } from './face.js'
import { boundsOf } from '../../scene/band.js'
import { lengthRange, mostTerms, rangeEdge, type WedgeCache } from './wedge.js'
import type { EdgeModule } from './edge-module.js'
import { sincDifference } from '../../math/fresnel.js'
import { MOMENTS } from './strip.js'
import { WAVE_TABLE } from './wedge-wave.js'

/**
 * Takes in the straight pieces of the edges of an aspect, their faces aimed: per piece `openSegment`, `addFace` for each of its faces,
 * `closeSegment`. A face adds (docs/edge-diffraction.md, "Intervals")
 *   F(k) += int [A e^{jk (psi + slide t)} - A_cor(l(t)) e^{jk (psi + slide t - l(t) cone)}] dt,
 * t from the piece's middle along z of the face's frame, A of the untruncated current and A_cor of what the truncation took away.
 */
export interface SegmentSink {
  /**
   * @param psi     phase path (s - ki).r of the piece's midpoint [m]
   * @param length  of the piece [m]; below 0 to take it away
   */
  openSegment(psi: number, length: number): void
  /**
   * @param face   aimed at this aspect
   * @param l      strip length from the midpoint [m], finite, >= 0
   * @param slope  dl/dt along z of the face's frame
   */
  addFace(face: EdgeFace, l: number, slope: number): void
  closeSegment(): void
}

/** Numbers of a footprint, for the module: see `footprint` of cpu-diffraction/wasm/footprint.ts. */
const FOOTPRINT = 16

/** Below this half of a piece's phase along the edge, at the highest frequency [rad], its two ends are added as one. */
export const SHORT = 2
/** Below this r c at the highest frequency the end part is not separated: both parts are large there and nearly cancel. */
const JOINT = 0.5
/** Segments of a piece that is integrated by them: so many, and one more per so much phase [rad]. */
const LEAST_SEGMENTS = 16
const SEGMENT_PHASE = 0.5
/** Strips whose length changes by a smaller part of it have that of the midpoint. */
const UNIFORM = 1e-3

/**
 * Sums pieces of edges, of any length, into the scattering amplitudes of one aspect. Along a piece phase paths and strip lengths are
 * linear, and everything else has antiderivatives in closed form: a piece costs an evaluation at either end, whatever its length. Waves
 * of other kinds can be added with their delays.
 */
export class EdgeField extends PathSum implements SegmentSink {
  private readonly ends: FaceEnds
  /** Address of the untruncated amplitudes of the current piece, summed over its faces. */
  private readonly near: number
  private readonly nearValues: Float64Array
  /** Address of the numbers of a footprint. */
  private readonly footprintAt: number
  private readonly sumValues: Float64Array
  private psi = NaN
  private length = NaN
  private weight = 1
  /** Amplitude of the wave that the piece is under, re and im for each wavenumber; null: 1. */
  private current: Float64Array | null = null
  private slide = NaN
  private hasNear = false
  /** Limits of the current face's integral, and its greatest L at the highest frequency. */
  private readonly limits = Array.from({ length: MOST_LIMITS }, () => new Limit())
  private limitCount = 0
  private reach = NaN
  /** Of the current face's strips along the piece. */
  private growth = NaN
  /** Of the end part's phase path, and of 2L per wavenumber, along the edge. */
  private phaseSlope = NaN
  private stripSlope = NaN

  /**
   * @param sums     where the pieces are added
   * @param lowest,highest  see `PathSink` [rad/m]
   * @param exponentials  of a face (`mostTerms`)
   */
  protected constructor(sums: DelayAmplitudes, lowest: number, highest: number, exponentials: number) {
    super(sums, lowest, highest)
    const { k, module } = sums
    this.ends = new FaceEnds(module, k, lowest, exponentials)
    this.near = module.reserve(4)
    this.nearValues = module.view(this.near, 4)
    this.footprintAt = module.reserve(FOOTPRINT)
    this.sumValues = module.view(this.sum, 8 * k.length)
    module.run.setWaveTable(module.put(WAVE_TABLE))
  }

  /**
   * The field of a band.
   * @param exact  evaluate at every frequency instead of interpolating
   * @param more   doubles of the module's memory for others
   */
  static of(band: Band, exact = false, more = 0): EdgeField {
    const { lowest, highest } = boundsOf(band)
    const exponentials = mostTerms(highest / lowest)
    const sums = delayAmplitudes(
      band,
      exact ? null : chebyshevBasis(band),
      (nodes) => more + fieldRoom(nodes, exponentials),
    )
    return new EdgeField(sums, lowest, highest, exponentials)
  }

  /** The module, where the numbers of footprints and their amplitudes stand there; what `footprint` writes is added here from now on. */
  takeFootprints(): { module: EdgeModule; numbers: number; sum: number } {
    const { module } = this.sums
    module.calls.radiate = (delay) => this.addSum(delay)
    return { module, numbers: this.footprintAt, sum: this.sum }
  }

  /**
   * @param weight   of all that is added
   * @param current  amplitude of the wave that the piece is under, re and im for each wavenumber; null: 1
   */
  openSegment(psi: number, length: number, weight = 1, current: Float64Array | null = null): void {
    this.psi = psi
    this.length = Math.abs(length)
    this.weight = weight * Math.sign(length)
    this.current = current
    this.nearValues.fill(0)
    this.hasNear = false
  }

  /**
   * See `SegmentSink`.
   * @param growth  slope that the strips' lengths have in the amplitudes: 0 takes them all for that of the midpoint, but for their phases
   */
  addFace(face: EdgeFace, l: number, slope: number, growth = slope): void {
    const { length, highest, nearValues } = this
    const { strip, untruncated } = face
    // No strip is shorter than nothing: of a piece too short to be cut again that is not linear, for one.
    if (0.5 * length * Math.abs(growth) > l) slope = growth = signed((2 * l) / length, slope)
    const sinSqr = strip.sinBeta0 * strip.sinBeta0
    const reach = highest * (l + 0.5 * length * Math.abs(growth)) * sinSqr
    const truncated = strip.truncation !== 'eec'
    // No current on strips without length.
    if (reach === 0 && (strip.truncation === 'tw-ildc' || strip.wedge.half)) return
    const joint = truncated && isJoint(strip.c, reach)
    if (!joint) {
      for (let ch = 0; ch < 4; ch++) nearValues[ch] += untruncated[ch]
      this.slide = face.slide
      this.hasNear = true
    }
    if (!truncated) return
    // Here the closed form loses its digits: of strips much shorter than a wavelength, and in forward directions.
    if (joint && growth === 0) {
      this.addJoint(face, this.psi, length, l, slope)
      return
    }
    if (joint && isJoint(strip.a, reach)) {
      this.addSegments(face, l, slope)
      return
    }
    this.growth = growth
    this.findLimits(face, l, reach)
    const phase = face.slide - slope * face.cone
    this.setSlopes(face, phase)
    const greatest = joint ? Math.max(Math.abs(phase), Math.abs(face.slide)) : Math.abs(phase)
    if (this.isShort(greatest)) this.addWhole(face, l, phase, joint)
    else this.addLimits(face, l, slope, joint)
  }

  /** Adds what the endless strips of a face have beyond their end, taken away; nothing where near and far end are one. */
  addEnd(face: EdgeFace, l: number, slope: number): void {
    const { sinBeta0, c } = face.strip
    if (!isJoint(c, this.highest * l * sinBeta0 * sinBeta0)) this.addFace(face, l, slope, 0)
  }

  /** Adds both parts of a face by the midpoints of short segments, shorter towards the shorter strips. */
  private addSegments(face: EdgeFace, l: number, slope: number): void {
    const { psi, length, highest } = this
    const { slide, cone } = face
    const count = segmentCount(highest * (Math.abs(slide) + Math.abs(slope) * cone) * length)
    for (let i = 0; i < count; i++) {
      const [t, size] = segmentOf(i, count, length, slope)
      this.addJoint(face, psi + slide * t, size, Math.max(0, l + slope * t), slope)
    }
  }

  /** Adds both parts of a face along a segment of so much length, whose end part is still in phase with the rest, at its own delay psi. */
  private addJoint(face: EdgeFace, psi: number, length: number, l: number, slope: number): void {
    const { sumValues, weight, lowest, k } = this
    const perK = l * face.strip.sinBeta0 ** 2
    const x = 0.5 * face.slide * length
    const d = 0.5 * slope * face.cone * length
    for (let p = 0, o = 0; p < k.length; p++) {
      face.strip.moments(k[p] * perK, lowest * perK, moments)
      const s1 = sinc(k[p] * x)
      const ds = sincDifference(k[p] * x, k[p] * d)
      for (let ch = 0; ch < 4; ch++, o += 2) {
        amplitude(face, ch, moments, s1, ds, part)
        sumValues[o] = weight * length * part[0]
        sumValues[o + 1] = weight * length * part[1]
      }
    }
    this.emit(psi, null, 0)
  }

  closeSegment(): void {
    const { psi, length, weight, slide, near, sum } = this
    if (!this.hasNear) return
    const { run } = this.sums.module
    if (this.isShort(Math.abs(slide))) {
      this.clear()
      run.addUntruncated(near, weight * length, 0.5 * slide * length, sum)
      this.emit(psi, null, 0)
      return
    }
    for (let side = -1; side < 2; side += 2) {
      this.clear()
      run.addUntruncatedEnd(near, (weight * side) / slide, sum)
      this.emit(psi + 0.5 * side * length * slide, null, 0)
    }
  }

  /** Whether the ends of the piece are added as one, for a phase path with this slope along it. */
  protected isShort(slope: number): boolean {
    return this.highest * slope * this.length <= 2 * SHORT
  }

  /**
   * Adds what the sum holds.
   *
   * @param tau    its delay [m]
   * @param _face  null, or the face at the far ends of whose strips it lies
   * @param _l     length of the strip from the piece's middle [m]
   */
  protected emit(tau: number, _face: EdgeFace | null, _l: number): void {
    if (this.current) multiplyNodes(this.sumValues, this.current)
    this.addSum(tau)
  }

  private clear(): void {
    this.sums.module.run.clear(this.sum, 64 * this.sums.k.length)
  }

  /**
   * Finds the limits of a face's integral along the piece: its ends, and where strips pass from one length range to the next.
   *
   * @param reach  greatest L of the piece at the highest frequency
   */
  private findLimits(face: EdgeFace, l: number, reach: number): void {
    const { length, highest, limits, growth: slope } = this
    const { strip } = face
    const half = 0.5 * length
    const perL = highest * strip.sinBeta0 * strip.sinBeta0
    const toEnd = slope < 0 ? -half : half
    const last = strip.closed ? 0 : lengthRange(reach)
    let range = strip.closed ? 0 : lengthRange(Math.max(0, perL * (l - half * Math.abs(slope))))
    let count = 0
    // From the shorter strips to the longer ones.
    limits[count++].set(-toEnd, range, slope < 0 ? 1 : -1)
    for (; range < last; range++) {
      const t = (rangeEdge(range + 1) / perL - l) / slope
      limits[count++].set(t, range, slope < 0 ? -1 : 1)
      limits[count++].set(t, range + 1, slope < 0 ? 1 : -1)
    }
    limits[count++].set(toEnd, range, slope < 0 ? -1 : 1)
    this.limitCount = count
    this.reach = reach
  }

  /** Adds a face's end part at the delay of the middle, and where it is `joint` with the untruncated part this too. */
  private addWhole(face: EdgeFace, l: number, phase: number, joint: boolean): void {
    const { psi, growth, length, weight, sum, ends, limits } = this
    const { run } = this.sums.module
    const { strip, cone } = face
    const half = 0.5 * length
    const late = joint ? -l * cone : 0
    this.clear()
    if (joint) run.addUntruncated(ends.untruncated(face), weight * length, half * face.slide, sum)
    if (length * Math.abs(growth) <= UNIFORM * l) {
      ends.end(face, weight * length, l * strip.sinBeta0 * strip.sinBeta0, half * phase)
      run.addRotated(ends.far, 1, late, sum)
    } else
      for (let i = 0; i < this.limitCount; i++) {
        this.evaluate(face, l, limits[i])
        run.addRotated(ends.far, weight * limits[i].sign, late + phase * limits[i].t, sum)
      }
    this.emit(joint ? psi : psi - l * cone, joint ? null : face, l)
  }

  /** Adds what the limits of a face's integral have, each at its own delay. */
  private addLimits(face: EdgeFace, l: number, slope: number, joint: boolean): void {
    const { psi, weight, sum, ends, limits } = this
    const { run } = this.sums.module
    const { slide, cone } = face
    for (let i = 0; i < this.limitCount;) {
      const { t } = limits[i]
      const delay = psi + slide * t
      const late = -(l + slope * t) * cone
      this.clear()
      const side = i === 0 || i === this.limitCount - 1 ? Math.sign(t) : 0
      if (joint && side !== 0) run.addUntruncatedEnd(ends.untruncated(face), (weight * side) / slide, sum)
      for (; i < this.limitCount && limits[i].t === t; i++) {
        this.evaluate(face, l, limits[i])
        run.addRotated(ends.far, weight * limits[i].sign, joint ? late : 0, sum)
      }
      this.emit(joint ? delay : delay + late, joint ? null : face, l)
    }
  }

  /**
   * Sets the slopes that the limits are evaluated with. Neither may be zero, and the antiderivatives lose digits where the phase is
   * stationary against one of the functions W(rx): by so little as they are moved, the integral hardly changes.
   */
  private setSlopes({ strip }: EdgeFace, phase: number): void {
    const { growth: slope } = this
    const { sinBeta0 } = strip
    const greatest = 2 * this.reach
    let along = 2 * sinBeta0 * sinBeta0 * slope
    if (Math.abs(along) < 1e-9 * Math.abs(phase)) along = signed(1e-9 * Math.abs(phase), slope)
    if (Math.abs(phase) * greatest < 1e-12 * Math.abs(along))
      phase = signed((1e-12 * Math.abs(along)) / Math.max(greatest, 1e-9), phase)
    this.phaseSlope = apartSlope(strip, phase, along)
    this.stripSlope = along
  }

  /** Writes what the integral has at one limit, without its phase. */
  private evaluate(face: EdgeFace, l: number, { t, range }: Limit): void {
    const { ends, growth, phaseSlope, stripSlope, reach } = this
    const { sinBeta0 } = face.strip
    const perK = Math.max(0, l + growth * t) * sinBeta0 * sinBeta0
    ends.limit(face, growth === 0 ? -1 : range, perK, phaseSlope, stripSlope, 2 * reach)
  }
}

/** Adds segments of an aspect (`Segments.data`) to a field: those of conductors. */
export function addSegments(
  scene: EdgeScene,
  wedges: WedgeCache,
  faces: [EdgeFace, EdgeFace],
  aspect: Aspect,
  segments: Float64Array,
  field: SegmentSink,
): void {
  const { frames, materials } = scene
  const lighting: Lighting = { lit: [false, false], share: 1 }
  let edge = -1
  let aimed = false
  for (let o = 0; o < segments.length; o += SEGMENT_SIZE) {
    if (segments[o] !== edge) {
      edge = segments[o]
      aimed = !materials?.kind[edge]
      if (!aimed) continue
      const f = FRAMES_SIZE * edge
      const wedge = wedges.get(scene.edges[EDGE_SIZE * edge + 7])
      setLighting(scene, edge, aspect.tx.r, lighting)
      const { lit, share } = lighting
      aimed =
        faces[0].aim(wedge, frames, f, aspect, lit[0], share) &&
        faces[1].aim(wedge, frames, f + 9, aspect, lit[1], share)
    }
    if (!aimed) continue
    field.openSegment(segments[o + 1], segments[o + 2])
    field.addFace(faces[0], segments[o + 3], segments[o + 4])
    field.addFace(faces[1], segments[o + 5], segments[o + 6])
    field.closeSegment()
  }
}

/** Doubles that a field with so many nodes takes of its module's memory. */
export const fieldRoom = (nodes: number, exponentials: number): number =>
  facesRoom(nodes, exponentials) + pathRoom(nodes) + 4 + FOOTPRINT + WAVE_TABLE.length

/** One limit of an integral along a piece. */
class Limit {
  /** From the piece's middle [m]. */
  t = NaN
  /** Length range of the strips on its side. */
  range = 0
  /** Of the integral there. */
  sign = 1

  set(t: number, range: number, sign: number): void {
    this.t = t
    this.range = range
    this.sign = sign
  }
}

/** More than strips of any target pass: each length range is 64 times as long as the one before. */
const MOST_LIMITS = 32

/** The phase's slope, moved from where it is stationary against one of the functions W(rx) (`setSlopes`). */
export function apartSlope(
  { a, c, pole, closed }: Arguments & { c: number },
  phase: number,
  along: number,
): number {
  const moved = 1 + 3 * CONFLUENCE
  for (;;) {
    const near = meets(a, phase, along) || meets(c, phase, along)
    const wedge = !closed && (meets(1, phase, along) || (pole.present && meets(pole.a, phase, along)))
    if (!near && !wedge) return phase
    phase *= moved
  }
}

/** Whether x, c or a, is so small on strips of this L that the parts of the current nearly cancel. */
export const isJoint = (x: number, L: number): boolean => x * Math.sqrt(2 * L) < JOINT

/** Segments of a piece along which the phase changes by so much [rad], where it is integrated by their midpoints. */
export const segmentCount = (phase: number): number => Math.ceil(LEAST_SEGMENTS + phase / SEGMENT_PHASE)

/** Midpoint from the piece's middle, and length, of segment i: they are shorter towards the shorter strips. */
export function segmentOf(
  i: number,
  count: number,
  length: number,
  slope: number,
): [t: number, size: number] {
  const toShort = slope < 0 ? 0.5 * length : -0.5 * length
  const from = toShort * (1 - 2 * (i / count) ** 2)
  const to = toShort * (1 - 2 * ((i + 1) / count) ** 2)
  return [0.5 * (from + to), Math.abs(to - from)]
}

/** Whether the phase is nearly stationary against W(rx). */
const meets = (x: number, phase: number, along: number): boolean =>
  Math.abs(phase + along * x * x) < CONFLUENCE * (Math.abs(phase) + Math.abs(along) * x * x)

const signed = (size: number, like: number): number => (like < 0 ? -size : size)

/** Multiplies 8 numbers a wavenumber by its complex number. */
function multiplyNodes(values: Float64Array, by: Float64Array): void {
  for (let o = 0; o < values.length; o += 2) {
    const n = 2 * (o >> 3)
    const re = values[o]
    values[o] = by[n] * re - by[n + 1] * values[o + 1]
    values[o + 1] = by[n] * values[o + 1] + by[n + 1] * re
  }
}

const moments = new Float64Array(MOMENTS)
const part = new Float64Array(2)
