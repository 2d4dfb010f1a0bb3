import { DelaySum, highestFrequency, type RayScene, sinc, type Vec3, wavenumber } from '../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'
import { EndPart } from './end-part.js'
import { addSegments } from './evaluate.js'
import { EdgeFace } from './face.js'
import type { SegmentSink } from './field.js'
import { addJoint, endAmplitudes, JOINT } from './interpolate.js'
import { type LookTask, segmentLength } from './job.js'
import { findSegments, SEGMENT_SIZE } from './segments.js'
import { WedgeCache } from './wedge.js'

/** Width of the spreading kernel: 4e-4 of the amplitudes, far below what a look leaves out. */
const WIDTH = 5

/**
 * Edge diffraction of a look (`Look` in scene/): the segments of edges first to end - 1 as the job's aspect has them, their
 * amplitudes in the middle of the band, deposited in every direction at delays of their own.
 *
 * @returns amplitudes F [m] referred to the mesh's origin, 8 numbers per direction and frequency, [direction][frequency]
 */
export function lookAtEdges(scene: EdgeScene, rays: RayScene, task: LookTask): Float64Array {
  const { job, first, end } = task
  const { aspect, band, options } = job
  const { data, middles } = findSegments(scene, rays, aspect, segmentLength(job), first, end)
  const highest = Math.max(band.f0, highestFrequency(band))
  const lowest = Math.min(band.f0, highestFrequency(band))
  const sink = new LookSink(task)
  const wedges = new WedgeCache(highest / lowest)
  const { diffraction } = options
  const faces: [EdgeFace, EdgeFace] = [new EdgeFace(diffraction), new EdgeFace(diffraction)]
  for (let i = 0; i < middles.length; i++) {
    const o = SEGMENT_SIZE * i
    const p = EDGE_SIZE * data[o]
    for (let c = 0; c < 3; c++)
      sink.place[c] = 2 * (scene.edges[p + c] + middles[i] * scene.edges[p + 3 + c] + scene.origin[c])
    addSegments(scene, wedges, faces, aspect, data, o, o + SEGMENT_SIZE, sink)
  }
  return sink.finish()
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

  /** Of every direction, and how a place changes the delay there. */
  private readonly sums: DelaySum[]
  private readonly turns: Vec3[]
  private readonly lowest: number
  private readonly size: number

  constructor({ job: { aspect, band }, directions }: LookTask) {
    const ends = [wavenumber(band.f0), wavenumber(highestFrequency(band))]
    this.k = Float64Array.of((ends[0] + ends[1]) / 2)
    this.lowest = Math.min(...ends)
    this.size = 8 * band.n
    const first = new DelaySum(band, 4, WIDTH)
    this.sums = directions.map((_, m) => (m === 0 ? first : new DelaySum(band, 4, WIDTH, first)))
    this.turns = directions.map((to) => aspect.tx.r.map((x, c) => x - to.r[c]) as Vec3)
  }

  finish(): Float64Array {
    const { sums, size } = this
    const out = new Float64Array(size * sums.length)
    sums.forEach((sum, m) => {
      sum.finish()
      for (let n = 0; n < sum.frequencies; n++)
        for (let c = 0, at = sum.rowOf(n); c < 8; c++)
          out[size * m + 8 * n + c] = sum.factor(n) * sum.values[at + c]
    })
    return out
  }

  /** Adds amplitudes in every direction: a delay of -tau, and P. */
  private add(tau: number, x: number, y: number, z: number, amplitudes: Float64Array): void {
    this.sums.forEach((sum, m) => {
      const [tx, ty, tz] = this.turns[m]
      sum.add(tau - tx * x - ty * y - tz * z, amplitudes)
    })
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
    this.add(this.psi - l * face.cone, x1 + l * u[0], y1 + l * u[1], z1 + l * u[2], this.far)
  }

  closeSegment(): void {
    const [x, y, z] = this.place
    this.add(this.psi, x, y, z, this.near)
  }
}
