import {
  type Aspect,
  type Band,
  highestFrequency,
  isMonostatic,
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

/** Takes what a segment's edge, or the far end of its strip on a face, adds: `LookGrid.add`, and the edge it is of. */
type Deposit = (
  edge: number,
  tau: number,
  px: number,
  py: number,
  pz: number,
  amplitudes: Float64Array,
) => void

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
  const grid = new LookGrid(band, look, aspect.tx, 0)
  const sink = new LookSink((_, ...of) => grid.add(...of), grid.kMiddle, wavenumber(lowest))
  deposit(scene, rays, aspect, segmentLength, new WedgeCache(highest / lowest), truncation, sink)
  const fields = new Float64Array(8 * band.n * look.count)
  grid.finish(fields)
  return fields
}

/** What the segments of the edges that diffract contribute at one aspect and frequency, N contributions of them. */
export interface EdgeList {
  /** N: number of the edge in its scene. */
  edge: Uint32Array
  /** 2N: range and cross-range in an ISAR image about the aspect [m], from the mesh's origin. */
  place: Float64Array
  /** 8N: what it adds to a pixel at its place [m], as in `PathList` (cpu-sbr): re, im of VV HH VH HV; |sum|^2 is RCS [m^2]. */
  amplitude: Float32Array
}

/**
 * The contributions of `lookAtEdges` one by one: what hot spots are traced back to edges with.
 *
 * @param most  segments, about: they are made longer where the edges would need more of them at DEFAULT_SEGMENTS a wavelength
 */
export function listEdges(
  scene: EdgeScene,
  rays: RayScene,
  aspect: Aspect,
  freqHz: number,
  truncation: Truncation,
  most: number,
): EdgeList {
  if (!isMonostatic(aspect))
    throw new RangeError('edges are listed for a radar whose receiver is its transmitter')
  const edges: number[] = []
  const places: number[] = []
  const amplitudes: number[] = []
  const { phiHat } = aspect.tx
  const scale = Math.sqrt(4 * Math.PI)
  const k = wavenumber(freqHz)
  const add: Deposit = (edge, tau, px, py, pz, of) => {
    edges.push(edge)
    places.push(-tau / 2, (phiHat[0] * px + phiHat[1] * py + phiHat[2] * pz) / 2)
    // Without the factor j, as rays are listed.
    for (let c = 0; c < 8; c += 2) amplitudes.push(scale * of[c + 1], -scale * of[c])
  }
  const segmentLength = Math.max(wavelength(freqHz) / DEFAULT_SEGMENTS, scene.length / most)
  deposit(scene, rays, aspect, segmentLength, new WedgeCache(1), truncation, new LookSink(add, k, k))
  return {
    edge: Uint32Array.from(edges),
    place: Float64Array.from(places),
    amplitude: Float32Array.from(amplitudes),
  }
}

/** Hands the segments of an aspect to a sink. */
function deposit(
  scene: EdgeScene,
  rays: RayScene,
  aspect: Aspect,
  segmentLength: number,
  wedges: WedgeCache,
  truncation: Truncation,
  sink: LookSink,
): void {
  const { data, middles } = findSegments(scene, rays, aspect, segmentLength, 0, scene.count)
  const faces: [EdgeFace, EdgeFace] = [new EdgeFace(truncation), new EdgeFace(truncation)]
  for (let i = 0; i < middles.length; i++) {
    const o = SEGMENT_SIZE * i
    const p = EDGE_SIZE * data[o]
    sink.edge = data[o]
    for (let c = 0; c < 3; c++)
      sink.place[c] = 2 * (scene.edges[p + c] + middles[i] * scene.edges[p + 3 + c] + scene.origin[c])
    addSegments(scene, wedges, faces, aspect, data, o, o + SEGMENT_SIZE, sink)
  }
}

/** As `InterpolatedField` with one node. */
class LookSink implements SegmentSink {
  /** Twice the midpoint of the segment to come [m]. */
  readonly place: Vec3 = [0, 0, 0]
  /** Of the segment to come. */
  edge = 0
  private readonly k: Float64Array
  private readonly near = new Float64Array(8)
  private readonly far = new Float64Array(8)
  private readonly end = new EndPart()
  private psi = 0
  private length = 0

  constructor(
    private readonly add: Deposit,
    middle: number,
    private readonly lowest: number,
  ) {
    this.k = Float64Array.of(middle)
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
    this.add(this.edge, this.psi - l * face.cone, x1 + l * u[0], y1 + l * u[1], z1 + l * u[2], this.far)
  }

  closeSegment(): void {
    const [x, y, z] = this.place
    this.add(this.edge, this.psi, x, y, z, this.near)
  }
}
