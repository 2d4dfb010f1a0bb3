import { addExactly } from '../parallel/index.js'
import {
  type Aspect,
  type Band,
  type Direction,
  dot,
  frequency,
  highestFrequency,
  type Vec3,
  wavelength,
  wavenumber,
} from '../scene/index.js'
import { RayCaster, type RayScene } from '../rays/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'
import { CornerStrips } from './corner-strips.js'
import { EdgeToEdge } from './edge-to-edge.js'
import { addSegments } from './evaluate.js'
import { EdgeFace } from './face.js'
import { EdgeField } from './edge-field.js'
import { directWave, facetPlaneNumbers, ImageWaves, type LightWave } from './image-waves.js'
import { pathSum, type PathSum } from './path-sum.js'
import { FanTracer } from './ray-fan.js'
import { ReflectedWave } from './reflected-wave.js'
import { awayFromFaces, findSegments, type Segments, SEGMENT_SIZE } from './segments.js'
import type { Truncation } from './strip.js'
import { WedgeCache } from './wedge.js'

/**
 * Mechanisms of second order at edges (docs/second-order.md). `reflected`: diffraction followed by reflection, reflection followed
 * by diffraction, and both. `wall`: fringe currents that a wall across their face turns back. `double`: diffraction at one edge of a
 * face and then at another.
 */
export const SECOND_ORDER = ['reflected', 'wall', 'double'] as const
/** One of the mechanisms of second order. */
export type SecondOrder = (typeof SECOND_ORDER)[number]

/** Adds mechanisms of second order. One object per thread; keeps what depends on the band only. */
export class SecondOrderEdges {
  private readonly images: ImageWaves
  private readonly fan: FanTracer
  private readonly caster: RayCaster
  private readonly faces: [EdgeFace, EdgeFace]
  private readonly wedges: WedgeCache
  private readonly corners: CornerStrips
  private readonly edgeToEdge: EdgeToEdge
  private readonly fringe: EdgeField
  private readonly paths: PathSum
  private readonly reflected: ReflectedWave
  private readonly part: Float64Array
  /** The aspect that `waves` are of. */
  private tx: Direction | null = null
  private waves: LightWave[] = []

  /**
   * @param mechanisms  to add
   * @param truncation  of the fringe currents
   * @param exact       evaluate everything at every frequency instead of interpolating
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly rays: RayScene,
    private readonly mechanisms: readonly SecondOrder[],
    band: Band,
    truncation: Truncation,
    exact: boolean,
  ) {
    const ends = [band.f0, frequency(band, band.n - 1)]
    const planes = facetPlaneNumbers(rays)
    const shortest = wavelength(Math.max(band.f0, highestFrequency(band)))
    this.images = new ImageWaves(rays, planes)
    this.fan = new FanTracer(rays, planes, shortest)
    this.caster = new RayCaster(rays)
    this.faces = [new EdgeFace(truncation), new EdgeFace(truncation)]
    this.corners = new CornerStrips(scene, rays, new EdgeFace(truncation))
    this.wedges = new WedgeCache(Math.max(...ends) / Math.min(...ends))
    this.fringe = EdgeField.of(band, exact)
    this.paths = pathSum(band, exact)
    this.edgeToEdge = new EdgeToEdge(
      scene,
      truncation,
      this.wedges,
      this.paths,
      wavenumber(Math.min(...ends)),
    )
    this.reflected = new ReflectedWave(scene.frames, rays, shortest, this.paths)
    this.part = new Float64Array(8 * band.n)
  }

  /**
   * Adds the part of the edges first to end - 1, rounded to the quantum, to `sum`: 8 numbers per frequency [m], referred to the
   * mesh's origin.
   */
  add(
    aspect: Aspect,
    segmentLength: number,
    first: number,
    end: number,
    quantum: number,
    sum: Float64Array,
  ): void {
    const { scene, rays, mechanisms, images, fringe, paths, part } = this
    const { tx } = aspect
    if (!sameDirection(this.tx, tx)) {
      this.waves = mechanisms.includes('reflected') ? images.find(tx) : [directWave(tx)]
      this.tx = tx
    }
    fringe.reset()
    paths.reset()
    for (const wave of this.waves) {
      const lit: Aspect = { tx: { ...tx, ...wave }, rx: aspect.rx }
      const reaches = (x: number, y: number, z: number): boolean => images.reaches(wave, x, y, z, tx.r)
      const segments = findSegments(scene, rays, lit, segmentLength, first, end, reaches)
      if (mechanisms.includes('reflected')) this.addReflected(wave, aspect, segments)
      this.addFringe(wave, lit, tx, segments)
    }
    fringe.finish(part)
    paths.finish(part)
    addExactly(sum, part, quantum)
  }

  /** Fans of diffracted rays from the segments, and what they light. */
  private addReflected(wave: LightWave, { tx, rx }: Aspect, { data, middles }: Segments): void {
    const { scene, reflected, fan } = this
    const { edges, frames, origin } = scene
    const shift = dot(tx.r, origin) + dot(rx.r, origin)
    for (let i = 0; i < middles.length; i++) {
      const e = data[SEGMENT_SIZE * i]
      const N = edges[EDGE_SIZE * e + 7]
      const at = FRAMES_SIZE * e
      const point = this.pointOf(e, middles[i])
      if (!reflected.light(wave, at, N, point, data[SEGMENT_SIZE * i + 2], shift)) continue
      const [sinBeta, cosBeta] = reflected.cone
      const start = awayFromFaces(scene, e, point)
      fan.trace(start, frames, at, sinBeta, cosBeta, N * Math.PI, rx.r, (bundle) => reflected.add(bundle, rx))
    }
  }

  /**
   * Fringe currents of the segments under a reflected wave, where the receiver sees them, and what becomes of fringe currents at
   * walls.
   */
  private addFringe(wave: LightWave, lit: Aspect, tx: Direction, { data, middles }: Segments): void {
    const { scene, caster, corners, wedges, fringe } = this
    const { r: s } = lit.rx
    const shift = dot(tx.r, scene.origin) + dot(s, scene.origin)
    // The segments' phase paths are those of a wave from the image's direction with phase 0 at the mesh's origin.
    const path = wave.path + dot(tx.r, scene.origin) - dot(wave.r, scene.origin)
    const direct = wave.planes.length === 0
    const walls = this.mechanisms.includes('wall')
    const double = this.mechanisms.includes('double')
    if (direct && !walls && !double) return
    const seen: number[] = []
    for (let i = 0; i < middles.length; i++) {
      const o = SEGMENT_SIZE * i
      const [x, y, z] = awayFromFaces(scene, data[o], this.pointOf(data[o], middles[i]))
      if (!direct && caster.occluded(x, y, z, s[0], s[1], s[2], -1)) continue
      const wedge = wedges.get(scene.edges[EDGE_SIZE * data[o] + 7])
      if (walls) corners.add(data, o, middles[i], wave, lit, wedge, shift, fringe)
      if (double) this.edgeToEdge.add(data, o, middles[i], wave, lit, shift)
      if (direct) continue
      const at = seen.length
      for (let c = 0; c < SEGMENT_SIZE; c++) seen.push(data[o + c])
      seen[at + 1] += path
    }
    addSegments(scene, wedges, this.faces, lit, Float64Array.from(seen), 0, seen.length, fringe)
  }

  /** Point of an edge, t [m] from its start. */
  private pointOf(e: number, t: number): Vec3 {
    const { edges } = this.scene
    const p = EDGE_SIZE * e
    return [edges[p] + t * edges[p + 3], edges[p + 1] + t * edges[p + 4], edges[p + 2] + t * edges[p + 5]]
  }
}

const sameDirection = (a: Direction | null, b: Direction): boolean =>
  a !== null && a.thetaDeg === b.thetaDeg && a.phiDeg === b.phiDeg
