import {
  type Aspect,
  type Band,
  highestFrequency,
  type Look,
  LookGrid,
  type RayScene,
  sinc,
  type Vec3,
  wavelength,
  wavenumber,
} from '../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { addSegments } from './evaluate.js'
import { EdgeFace } from './face.js'
import type { SegmentSink } from './field.js'
import { addJoint, endAmplitudes, JOINT } from './interpolate.js'
import { EndPart } from './end-part.js'
import { findSegments, SEGMENT_SIZE } from './segments.js'
import type { Truncation } from './strip.js'
import { DEFAULT_SEGMENTS } from './job.js'
import { WedgeCache } from './wedge.js'

/**
 * Edge diffraction of one look: the segments of one aspect, their amplitudes in the middle of the band, deposited once for all
 * frequencies and angles. The end of a strip has its own delay and its own place, a strip's length away.
 *
 * @returns amplitudes F [m] referred to the mesh's origin, 8 numbers per angle and frequency, [angle][frequency]
 */
export function lookAtEdges(
  scene: EdgeScene,
  rays: RayScene,
  aspect: Aspect,
  band: Band,
  look: Look,
  truncation: Truncation,
): Float64Array {
  const highest = Math.max(band.f0, highestFrequency(band))
  const lowest = Math.min(band.f0, highestFrequency(band))
  const segmentLength = wavelength(highest) / DEFAULT_SEGMENTS
  const { data, middles } = findSegments(scene, rays, aspect, segmentLength, 0, scene.count)
  const grid = new LookGrid(band, look, aspect.tx, 0)
  const sink = new LookSink(grid, wavenumber(lowest))
  const wedges = new WedgeCache(highest / lowest)
  const faces: [EdgeFace, EdgeFace] = [new EdgeFace(truncation), new EdgeFace(truncation)]
  for (let i = 0; i < middles.length; i++) {
    const o = SEGMENT_SIZE * i
    const p = EDGE_SIZE * data[o]
    for (let c = 0; c < 3; c++)
      sink.place[c] = 2 * (scene.edges[p + c] + middles[i] * scene.edges[p + 3 + c] + scene.origin[c])
    addSegments(scene, wedges, faces, aspect, data, o, o + SEGMENT_SIZE, sink)
  }
  const fields = new Float64Array(8 * band.n * look.count)
  grid.finish(fields)
  return fields
}

/** As `InterpolatedField` with one node. */
class LookSink implements SegmentSink {
  /** Twice the midpoint of the segment to come [m]. */
  readonly place: Vec3 = [0, 0, 0]
  private readonly k: Float64Array
  private readonly near = new Float64Array(8)
  private readonly far = new Float64Array(8)
  private readonly end = new EndPart()
  private psi = 0
  private length = 0

  constructor(
    private readonly grid: LookGrid,
    private readonly lowest: number,
  ) {
    this.k = Float64Array.of(grid.kMiddle)
  }

  openEdge(): void {}

  openSegment(psi: number, length: number): void {
    this.psi = psi
    this.length = length
    this.near.fill(0)
  }

  addFace(face: EdgeFace, l: number, slope: number): void {
    const { k, near, length, lowest } = this
    const { strip } = face
    const perK = l * strip.sinBeta0 * strip.sinBeta0
    const x = 0.5 * face.slide * length
    const d = 0.5 * slope * face.cone * length
    if (strip.c * Math.sqrt(2 * k[0] * perK) < JOINT && strip.truncation !== 'eec') {
      addJoint(face, k, lowest, length, perK, x, d, near)
      return
    }
    const s1 = length * sinc(k[0] * x)
    for (let ch = 0; ch < 4; ch++) near[2 * ch] += s1 * face.untruncated[ch]
    if (strip.truncation === 'eec') return
    this.end.set(strip, lowest * perK)
    endAmplitudes(face, this.end, k, length, perK, x - d, this.far)
    const [x1, y1, z1] = this.place
    const { u } = face
    this.grid.add(this.psi - l * face.cone, x1 + l * u[0], y1 + l * u[1], z1 + l * u[2], this.far)
  }

  closeSegment(): void {
    const [x, y, z] = this.place
    this.grid.add(this.psi, x, y, z, this.near)
  }
}
