import {
  type Aspect,
  type Band,
  highestFrequency,
  isMonostatic,
  type Vec3,
  wavelength,
  wavenumber,
} from '../scene/index.js'
import { DelaySum } from '../signal/index.js'
import { type RayScene } from '../rays/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { EdgeModule } from './edge-module.js'
import { addSegments } from './evaluate.js'
import { EdgeFace } from './face.js'
import { FaceEnds, facesRoom } from './face-ends.js'
import type { SegmentSink } from './field.js'
import { addJoint, JOINT } from './interpolate.js'
import { DEFAULT_SEGMENTS, type LookTask, segmentLength } from './job.js'
import { findSegments, SEGMENT_SIZE, type Segments } from './segments.js'
import type { Truncation } from './strip.js'
import { WedgeCache } from './wedge.js'

/** Width of the spreading kernel: 4e-4 of the amplitudes, far below what a look leaves out. */
const WIDTH = 5

/** Takes what a segment's edge, or the far end of its strip on a face, adds: a delay of -tau [m], and twice where it lies, P [m]. */
type Deposit = (
  edge: number,
  tau: number,
  px: number,
  py: number,
  pz: number,
  amplitudes: Float64Array,
) => void

/** Edge diffraction of looks (`Look` in scene/) over one band; keeps what depends on band and truncation only. */
export class EdgeLooks {
  private readonly kernel: DelaySum
  /** One per direction. */
  private readonly sums: DelaySum[]
  private readonly wedges: WedgeCache
  private readonly sink: LookSink
  /** How a place changes the delay in each direction of the task at hand. */
  private turns: Vec3[] = []

  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly band: Band,
    private readonly truncation: Truncation,
  ) {
    const ends = [band.f0, highestFrequency(band)]
    const [lowest, highest] = [Math.min(...ends), Math.max(...ends)]
    this.kernel = new DelaySum(band, 4, WIDTH)
    this.sums = [this.kernel]
    this.wedges = new WedgeCache(highest / lowest)
    const add: Deposit = (_, tau, px, py, pz, amplitudes) => {
      for (let m = 0; m < this.turns.length; m++) {
        const turn = this.turns[m]
        this.sums[m].add(tau - turn[0] * px - turn[1] * py - turn[2] * pz, amplitudes)
      }
    }
    this.sink = new LookSink(add, (wavenumber(lowest) + wavenumber(highest)) / 2, wavenumber(lowest))
  }

  /**
   * The segments of edges first to end - 1 as the job's aspect has them, their amplitudes in the middle of the band, deposited in every
   * direction at delays of their own.
   *
   * @returns amplitudes F [m] referred to the mesh's origin, 8 numbers per direction and frequency, [direction][frequency]
   */
  look({ job, directions, first, end }: LookTask): Float64Array {
    const { scene, rays, band, sums } = this
    const { aspect } = job
    while (sums.length < directions.length) sums.push(new DelaySum(band, 4, WIDTH, this.kernel))
    const used = sums.slice(0, directions.length)
    for (const sum of used) sum.reset()
    this.turns = directions.map((to) => aspect.tx.r.map((x, c) => x - to.r[c]) as Vec3)
    const segments = findSegments(scene, rays, aspect, segmentLength(job), first, end)
    deposit(scene, aspect, segments, this.wedges, this.truncation, this.sink)
    return fieldsOf(used, band.n)
  }
}

/** The sums at n frequencies. */
function fieldsOf(sums: readonly DelaySum[], n: number): Float64Array {
  const size = 8 * n
  const out = new Float64Array(size * sums.length)
  sums.forEach((sum, m) => {
    sum.finish()
    for (let i = 0; i < sum.frequencies; i++)
      for (let c = 0, at = sum.rowOf(i); c < 8; c++)
        out[size * m + 8 * i + c] = sum.factor(i) * sum.values[at + c]
  })
  return out
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
  const longest = Math.max(wavelength(freqHz) / DEFAULT_SEGMENTS, scene.length / most)
  const segments = findSegments(scene, rays, aspect, longest, 0, scene.count)
  deposit(scene, aspect, segments, new WedgeCache(1), truncation, new LookSink(add, k, k))
  return {
    edge: Uint32Array.from(edges),
    place: Float64Array.from(places),
    amplitude: Float32Array.from(amplitudes),
  }
}

/** Hands the segments of an aspect to a sink. */
function deposit(
  scene: EdgeScene,
  aspect: Aspect,
  { data, middles }: Segments,
  wedges: WedgeCache,
  truncation: Truncation,
  sink: LookSink,
): void {
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
  private readonly ends: FaceEnds
  private psi = 0
  private length = 0

  constructor(
    private readonly add: Deposit,
    middle: number,
    private readonly lowest: number,
  ) {
    this.k = Float64Array.of(middle)
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
    const [x1, y1, z1] = this.place
    const { u } = face
    this.add(this.edge, this.psi - l * face.cone, x1 + l * u[0], y1 + l * u[1], z1 + l * u[2], ends.farValues)
  }

  closeSegment(): void {
    const [x, y, z] = this.place
    this.add(this.edge, this.psi, x, y, z, this.ends.nearValues)
  }
}
