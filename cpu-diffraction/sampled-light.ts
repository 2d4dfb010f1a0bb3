import type { Vec3 } from '../scene/index.js'
import { EDGE_SIZE, type EdgeScene } from './edge-scene.js'

/** Points of an edge at which the light is looked for, so many Fresnel zones of the target's size apart at most; */
const SPACING_ZONES = 0.2
/** its boundaries are found to within this part of the longest segment of first order; */
const BOUNDARY = 0.02
/** the outermost points lie this part of their distance from the edge's ends. */
const NEAR_END = 0.02

/** Finds the parts of edges that a reflected wave lights, for second order: its terms vary over Fresnel zones, not wavelengths. One object per thread. */
export class SampledLight {
  /** Ends of the parts [m from the edge's start], in turn. */
  readonly ends: number[]
  private sees!: (x: number, y: number, z: number) => boolean
  private edge = 0
  private readonly lift: Vec3 = [0.5, 0.5, 0.5]
  private readonly spacing: number

  /**
   * @param segmentLength  longest segment of first order [m]
   * @param wavelength     the shortest [m]
   * @param size           see `RayScene.size`
   */
  constructor(
    private readonly scene: EdgeScene,
    private readonly segmentLength: number,
    wavelength: number,
    size: number,
  ) {
    this.spacing = Math.max(segmentLength, SPACING_ZONES * Math.sqrt(wavelength * (size + wavelength)))
    this.ends = [0.5]
    this.ends.length = 0
  }

  /**
   * Sets `ends` for edge e.
   * @param lift  from a point of the edge to where light is looked for, a little off the faces [m]
   * @param sees  whether light reaches a point
   */
  find(e: number, lift: Vec3, sees: (x: number, y: number, z: number) => boolean): void {
    const { ends } = this
    ends.length = 0
    this.edge = e
    this.sees = sees
    this.lift[0] = lift[0]
    this.lift[1] = lift[1]
    this.lift[2] = lift[2]
    const whole = this.scene.edges[EDGE_SIZE * e + 6]
    if (whole <= this.segmentLength) {
      if (this.isLit(0.5 * whole)) ends.push(0, whole)
      return
    }
    const count = Math.ceil(whole / this.spacing - 1e-9)
    const step = whole / count
    let at = NEAR_END * step
    let before = this.isLit(at)
    if (before) ends.push(0)
    for (let i = 0; i <= count; i++) {
      const to = i < count ? (i + 0.5) * step : whole - NEAR_END * step
      const now = this.isLit(to)
      if (now !== before) ends.push(this.boundary(at, to, before))
      before = now
      at = to
    }
    if (before) ends.push(whole)
  }

  /** Where between a and b the light changes, from `before` at a. */
  private boundary(a: number, b: number, before: boolean): number {
    while (b - a > BOUNDARY * this.segmentLength) {
      const middle = 0.5 * (a + b)
      if (this.isLit(middle) === before) a = middle
      else b = middle
    }
    return 0.5 * (a + b)
  }

  private isLit(t: number): boolean {
    const { lift } = this
    const { edges } = this.scene
    const p = EDGE_SIZE * this.edge
    return this.sees(
      edges[p] + t * edges[p + 3] + lift[0],
      edges[p + 1] + t * edges[p + 4] + lift[1],
      edges[p + 2] + t * edges[p + 5] + lift[2],
    )
  }
}
