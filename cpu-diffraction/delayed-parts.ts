import { type Aspect, type Vec3 } from '../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { EdgeModule } from './edge-module.js'
import { addSegments } from './evaluate.js'
import { EdgeFace } from './face.js'
import { FaceEnds, facesRoom } from './face-ends.js'
import type { SegmentSink } from './field.js'
import { addJoint, JOINT } from './interpolate.js'
import { SEGMENT_SIZE, type Segments } from './segments.js'
import type { Truncation } from './strip.js'
import type { WedgeCache } from './wedge.js'

/**
 * Takes what a segment's edge, or the far end of its strip on a face, adds: a delay of -tau [m], twice its position, P [m], and
 * amplitudes [m] at one wavenumber.
 */
export type AddPart = (
  edge: number,
  tau: number,
  px: number,
  py: number,
  pz: number,
  amplitudes: Float64Array,
) => void

/** Takes the segments of an aspect apart: their parts go to `add` one by one, evaluated at one wavenumber (`DelayedParts`). */
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

/** As `InterpolatedField` with one node, but each part of a segment is handed on with its delay and position. */
export class DelayedParts implements SegmentSink {
  /** Twice the midpoint of the segment to come [m]. */
  readonly position: Vec3 = [0, 0, 0]
  /** Of the segment to come. */
  edge = 0
  private readonly k: Float64Array
  private readonly ends: FaceEnds
  private psi = 0
  private length = 0

  /**
   * @param k       wavenumber of the amplitudes [rad/m]
   * @param lowest  of the band [rad/m]
   */
  constructor(
    private readonly add: AddPart,
    k: number,
    private readonly lowest: number,
  ) {
    this.k = Float64Array.of(k)
    this.ends = new FaceEnds(new EdgeModule(facesRoom(1)), this.k, lowest)
  }

  openEdge(): void {}

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
    this.ends.clear()
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { k, ends, length, lowest } = this
    const { strip } = face
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * length
    const d = 0.5 * slope * face.cone * length
    if (strip.c * Math.sqrt(2 * k[0] * perK) < JOINT && strip.truncation !== 'eec') {
      addJoint(face, k, lowest, length, perK, x, d, ends.nearValues)
      return
    }
    ends.addUntruncated(face, length, x)
    if (strip.truncation === 'eec') return
    ends.end(face, length, perK, x - d)
    const [px, py, pz] = this.position
    const { u } = face
    this.add(this.edge, this.psi - l * face.cone, px + l * u[0], py + l * u[1], pz + l * u[2], ends.farValues)
  }

  closeSegment(): void {
    const [px, py, pz] = this.position
    this.add(this.edge, this.psi, px, py, pz, this.ends.nearValues)
  }
}
