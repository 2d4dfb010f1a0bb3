import type { Direction } from '../scene/index.js'
import type { RayScene } from '../rays/index.js'
import { Beams } from './beams.js'
import type { EdgeScene } from './edge-scene.js'
import { directWave, facetPlaneNumbers, ImageWaves, type LightWave } from './image-waves.js'
import { SampledLight } from './sampled-light.js'
import { awayFromFaces } from './segments.js'

/** What each image of one direction lights of each edge, found when first asked for. One object per thread and direction. */
export class ImageLight {
  /** The wave from the direction, then its images. */
  waves: LightWave[] = []
  private readonly images: ImageWaves
  private readonly beams: Beams
  private sampled!: SampledLight
  private segmentLength = NaN
  private direction: Direction | null = null
  private wave!: LightWave
  private readonly known = new Map<number, number[]>()
  private readonly reached = (x: number, y: number, z: number): boolean =>
    this.images.reaches(this.wave, x, y, z, this.direction!.r)

  /**
   * @param following   whether images are looked for at all
   * @param shortest    wavelength [m]
   * @param size        see `RayScene.size`
   */
  constructor(
    private readonly scene: EdgeScene,
    rays: RayScene,
    private readonly following: boolean,
    private readonly shortest: number,
    private readonly size: number,
    planes = facetPlaneNumbers(rays),
  ) {
    this.images = new ImageWaves(rays, planes)
    this.beams = new Beams(rays, planes)
  }

  /** Takes a direction. @param segmentLength  longest segment of first order [m] */
  set(direction: Direction, segmentLength: number): void {
    if (segmentLength !== this.segmentLength)
      this.sampled = new SampledLight(this.scene, segmentLength, this.shortest, this.size)
    else if (this.direction && same(this.direction, direction)) return
    this.segmentLength = segmentLength
    this.direction = direction
    this.waves = this.following ? this.images.find(direction) : [directWave(direction)]
    this.beams.set(this.waves)
    this.known.clear()
  }

  /** Parts of edge e that image w lights, from and to in turn [m from its start]. */
  parts(e: number, w: number): number[] {
    const { scene, sampled, waves, known } = this
    if (!this.beams.mayLight(scene, e, w)) return NONE
    const key = e * waves.length + w
    let parts = known.get(key)
    if (parts) return parts
    this.wave = waves[w]
    sampled.find(e, awayFromFaces(scene, e, [0, 0, 0], this.wave.r), this.reached)
    known.set(key, (parts = sampled.ends.slice()))
    return parts
  }
}

const NONE: number[] = []

const same = (a: Direction, b: Direction): boolean => a.thetaDeg === b.thetaDeg && a.phiDeg === b.phiDeg
