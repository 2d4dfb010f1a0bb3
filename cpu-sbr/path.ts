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
  /** Bit m: the receiver sees hit m (the first always is). Set by `look`. */
  visible = 0
  /** Hits, lifted off their facets, x y z each. */
  readonly hits: Float64Array
  /** Unit normals on the side that was met. */
  private readonly sides: Float64Array
  private readonly caster: RayCaster

  constructor(
    private readonly scene: RayScene,
    private readonly maxBounces: number,
  ) {
    this.facets = new Int32Array(maxBounces)
    this.hits = new Float64Array(3 * maxBounces)
    this.sides = new Float64Array(3 * maxBounces)
    this.caster = new RayCaster(scene)
  }

  /** Follows the ray from (ox, oy, oz) along unit d; `first`: the facet that it meets first, -1 for none, where known. */
  trace(ox: number, oy: number, oz: number, dx: number, dy: number, dz: number, first?: number): void {
    const { normals, surface, diagonal } = this.scene
    const { caster, facets, hits, sides, maxBounces } = this
    const lift = DOUBLE_OFFSET * diagonal
    let surfaceKey = HASH_START
    let facetKey = HASH_START
    let count = 0
    let previous = -1
    for (;;) {
      let f = first
      if (f === undefined || count > 0)
        f = caster.nearest(ox, oy, oz, dx, dy, dz, previous) ? caster.facet : -1
      if (f < 0) break
      if (count === maxBounces) {
        surfaceKey = hashStep(surfaceKey, TRUNCATED)
        break
      }
      facets[count] = f
      surfaceKey = hashStep(surfaceKey, surface[f])
      facetKey = hashStep(facetKey, f)
      let nx = normals[4 * f]
      let ny = normals[4 * f + 1]
      let nz = normals[4 * f + 2]
      let nd = nx * dx + ny * dy + nz * dz
      const side = nd > 0 ? -1 : 1
      nx *= side
      ny *= side
      nz *= side
      nd *= side
      const t = (side * normals[4 * f + 3] - nx * ox - ny * oy - nz * oz) / nd
      ox += t * dx + lift * nx
      oy += t * dy + lift * ny
      oz += t * dz + lift * nz
      const at = 3 * count
      hits[at] = ox
      hits[at + 1] = oy
      hits[at + 2] = oz
      sides[at] = nx
      sides[at + 1] = ny
      sides[at + 2] = nz
      dx -= 2 * nd * nx
      dy -= 2 * nd * ny
      dz -= 2 * nd * nz
      previous = f
      count++
    }
    this.count = count
    this.surfaceKey = count === 0 ? 0 : surfaceKey || 1
    this.facetKey = facetKey
  }

  /**
   * Finds which hits of the last path see the receiver in direction s: the first does, later ones where no facet stands
   * in the way (docs/sbr.md: physical optics currents behind an obstacle do not radiate to it).
   */
  look(s: ArrayLike<number>): void {
    const { caster, facets, hits, sides } = this
    let visible = 1
    for (let m = 1; m < this.count; m++) {
      const at = 3 * m
      if (!(sides[at] * s[0] + sides[at + 1] * s[1] + sides[at + 2] * s[2] > 0)) continue
      if (!caster.occluded(hits[at], hits[at + 1], hits[at + 2], s[0], s[1], s[2], facets[m]))
        visible |= 1 << m
    }
    this.visible = visible
  }
}
