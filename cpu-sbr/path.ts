import { DOUBLE_OFFSET, HASH_START, hashStep, RayCaster, type RayScene } from '../scene/index.js'

/** Mixed into the key of a path cut off by the bounce limit. */
const TRUNCATED = 0x9e3779b9

/** Traces rays by specular reflection and keeps the last path: the facets met and what identifies the path. */
export class PathTracer {
  /** Facets met, in order. */
  readonly facets: Int32Array
  /** Bounces of the last path. */
  count = 0
  /** Identifies the sequence of surfaces (and whether it was cut off); 0 for a ray that met nothing. */
  surfaceKey = 0
  /** Identifies the sequence of facets. */
  facetKey = 0
  /** Bit m: the receiver sees hit m (0 for the first; always seen there). Set by `trace` with a receiver. */
  visible = 0
  private readonly caster: RayCaster

  constructor(
    private readonly scene: RayScene,
    private readonly maxBounces: number,
  ) {
    this.facets = new Int32Array(maxBounces)
    this.caster = new RayCaster(scene)
  }

  /**
   * Follows the ray from (ox, oy, oz) along unit d. With a receiver direction s it also tests whether hits from the
   * second on see the receiver (docs/sbr.md: physical optics currents behind an obstacle do not radiate to it).
   */
  trace(
    ox: number,
    oy: number,
    oz: number,
    dx: number,
    dy: number,
    dz: number,
    s: ArrayLike<number> | null,
  ): void {
    const { normals, surface, diagonal } = this.scene
    const { caster, facets, maxBounces } = this
    const lift = DOUBLE_OFFSET * diagonal
    let surfaceKey = HASH_START
    let facetKey = HASH_START
    let visible = 1
    let count = 0
    let previous = -1
    for (;;) {
      if (!caster.nearest(ox, oy, oz, dx, dy, dz, previous)) break
      if (count === maxBounces) {
        surfaceKey = hashStep(surfaceKey, TRUNCATED)
        break
      }
      const f = caster.facet
      facets[count] = f
      surfaceKey = hashStep(surfaceKey, surface[f])
      facetKey = hashStep(facetKey, f)
      let nx = normals[4 * f]
      let ny = normals[4 * f + 1]
      let nz = normals[4 * f + 2]
      let nd = nx * dx + ny * dy + nz * dz
      if (nd > 0) {
        nx = -nx
        ny = -ny
        nz = -nz
        nd = -nd
      }
      ox += caster.t * dx + lift * nx
      oy += caster.t * dy + lift * ny
      oz += caster.t * dz + lift * nz
      if (s && count > 0 && nx * s[0] + ny * s[1] + nz * s[2] > 0)
        if (!caster.occluded(ox, oy, oz, s[0], s[1], s[2], f)) visible |= 1 << count
      dx -= 2 * nd * nx
      dy -= 2 * nd * ny
      dz -= 2 * nd * nz
      previous = f
      count++
    }
    this.count = count
    this.surfaceKey = count === 0 ? 0 : surfaceKey || 1
    this.facetKey = facetKey
    this.visible = visible
  }
}
