import type { RayScene } from '../../rays/index.js'
import { type Aspect, dot, isMonostatic, type Vec3, wavelength, wavenumber } from '../../scene/index.js'
import { addSegments, EdgeField, fieldRoom } from '../currents/edge-field.js'
import { EdgeFace } from '../currents/face.js'
import type { Truncation } from '../currents/strip.js'
import { mostTerms, WedgeCache } from '../currents/wedge.js'
import { type EdgeScene, pointOn } from '../geometry/edge-scene.js'
import { SEGMENT_SIZE, SegmentFinder, type Segments } from '../light/segments.js'
import { DirectAmplitudes } from './delay-amplitudes.js'
import { DEFAULT_SEGMENTS } from './job.js'

/**
 * Takes what a segment's edge, or the far end of its strip on a face, adds: a delay of -tau [m], twice its position, P [m], and
 * amplitudes [m], 8 numbers a wavenumber.
 */
export type AddPart = (edge: number, tau: number, position: Vec3, amplitudes: Float64Array) => void

/** The field at a few wavenumbers, each part of a segment handed on with its delay and position instead of added up. */
export class DelayedParts extends EdgeField {
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly wedges: WedgeCache
  private readonly values: Float64Array
  /** Twice the midpoint of the segment being added [m], and its edge. */
  private position: Vec3 = [0, 0, 0]
  private edge = 0

  /**
   * @param k        wavenumbers of the amplitudes [rad/m]
   * @param highest  of the band [rad/m]
   * @param ratio    of the band's highest frequency to its lowest
   */
  constructor(
    private readonly scene: EdgeScene,
    truncation: Truncation,
    private readonly take: AddPart,
    k: Float64Array,
    highest: number,
    ratio: number,
  ) {
    const exponentials = mostTerms(ratio)
    super(new DirectAmplitudes(k, fieldRoom(k.length, exponentials)), highest / ratio, highest, exponentials)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.wedges = new WedgeCache(ratio)
    this.values = this.sums.module.view(this.sum, 8 * k.length)
  }

  /** Hands on the parts of an aspect's segments. */
  addParts(aspect: Aspect, { data }: Segments): void {
    const { scene } = this
    for (let o = 0; o < data.length; o += SEGMENT_SIZE) {
      this.edge = data[o]
      this.position = pointOn(scene, data[o], data[o + 7]).map((x, c) => 2 * (x + scene.origin[c])) as Vec3
      addSegments(scene, this.wedges, this.faces, aspect, data.subarray(o, o + SEGMENT_SIZE), this)
    }
  }

  /** Both ends of a segment are at the delay of its middle. */
  protected override isShort(): boolean {
    return true
  }

  protected override emit(tau: number, face: EdgeFace | null, l: number): void {
    const position = face ? (this.position.map((x, c) => x + l * face.u[c]) as Vec3) : this.position
    this.take(this.edge, tau, position, this.values)
  }
}

/** What the segments of the edges that diffract contribute at one aspect and frequency, N contributions of them. */
export interface EdgeList {
  /** N: number of the edge in its scene. */
  edge: Uint32Array
  /** 2N: range and cross-range in an ISAR image about the aspect [m], from the mesh's origin. */
  place: Float64Array
  /** N: and across both, along theta-hat [m]. */
  height: Float64Array
  /** 8N: what it adds to a pixel at its place [m], as in `PathList` (cpu-sbr): re, im of VV HH VH HV; |sum|^2 is RCS [m^2]. */
  amplitude: Float32Array
}

/**
 * The contributions of the edges one by one: what hot spots are traced back to edges with.
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
  const positions: number[] = []
  const heights: number[] = []
  const amplitudes: number[] = []
  const { phiHat, thetaHat } = aspect.tx
  const scale = Math.sqrt(4 * Math.PI)
  const k = wavenumber(freqHz)
  const add: AddPart = (edge, tau, position, of) => {
    edges.push(edge)
    positions.push(-tau / 2, dot(phiHat, position) / 2)
    heights.push(dot(thetaHat, position) / 2)
    // Without the factor j, as rays are listed.
    for (let c = 0; c < 8; c += 2) amplitudes.push(scale * of[c + 1], -scale * of[c])
  }
  const longest = Math.max(wavelength(freqHz) / DEFAULT_SEGMENTS, scene.length / most)
  const segments = new SegmentFinder(scene, rays, longest).find(aspect, 0, scene.count)
  new DelayedParts(scene, truncation, add, Float64Array.of(k), k, 1).addParts(aspect, segments)
  return {
    edge: Uint32Array.from(edges),
    place: Float64Array.from(positions),
    height: Float64Array.from(heights),
    amplitude: Float32Array.from(amplitudes),
  }
}
