import { type Aspect, type Vec3 } from '../../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from '../geometry/edge-scene.js'
import { DirectAmplitudes } from '../engine/delay-amplitudes.js'
import { addSegments } from '../engine/evaluate.js'
import { EdgeFace } from './face.js'
import { EdgeField, fieldRoom } from './edge-field.js'
import { SEGMENT_SIZE, type Segments } from '../light/segments.js'
import type { Truncation } from './strip.js'
import { mostTerms, type WedgeCache } from './wedge.js'

/**
 * Takes what a segment's edge, or the far end of its strip on a face, adds: a delay of -tau [m], twice its position, P [m], and
 * amplitudes [m], 8 numbers a wavenumber.
 */
export type AddPart = (
  edge: number,
  tau: number,
  px: number,
  py: number,
  pz: number,
  amplitudes: Float64Array,
) => void

/** Takes the segments of an aspect apart: their parts go to `add` one by one, evaluated at a few wavenumbers (`DelayedParts`). */
export function forEachPart(
  scene: EdgeScene,
  aspect: Aspect,
  { data, middles }: Segments,
  wedges: WedgeCache,
  truncation: Truncation,
  parts: DelayedParts,
): void {
  const faces: [EdgeFace, EdgeFace] = [new EdgeFace(truncation), new EdgeFace(truncation)]
  for (let i = 0; i < middles.length; i++) {
    const o = SEGMENT_SIZE * i
    const p = EDGE_SIZE * data[o]
    parts.edge = data[o]
    for (let c = 0; c < 3; c++)
      parts.position[c] = 2 * (scene.edges[p + c] + middles[i] * scene.edges[p + 3 + c] + scene.origin[c])
    addSegments(scene, wedges, faces, aspect, data, o, o + SEGMENT_SIZE, parts)
  }
}

/** The field at a few wavenumbers, each part of a segment handed on with its delay and position instead of added up. */
export class DelayedParts extends EdgeField {
  /** Twice the midpoint of the segment to come [m]. */
  readonly position: Vec3 = [0, 0, 0]
  /** Of the segment to come. */
  edge = 0
  private readonly values: Float64Array

  /**
   * @param k        wavenumbers of the amplitudes [rad/m]
   * @param highest  of the band [rad/m]
   * @param ratio    of the band's highest frequency to its lowest
   */
  constructor(
    private readonly take: AddPart,
    k: Float64Array,
    highest: number,
    ratio: number,
  ) {
    const exponentials = mostTerms(ratio)
    super(new DirectAmplitudes(k, fieldRoom(k.length, exponentials)), highest / ratio, highest, exponentials)
    this.values = this.sums.module.view(this.sum, 8 * k.length)
  }

  /** Both ends of a segment are at the delay of its middle. */
  protected override isShort(): boolean {
    return true
  }

  protected override emit(tau: number, face: EdgeFace | null, l: number): void {
    const [px, py, pz] = this.position
    const u = face?.u ?? NOWHERE
    this.take(this.edge, tau, px + l * u[0], py + l * u[1], pz + l * u[2], this.values)
  }
}

const NOWHERE = new Float64Array(3)
