import type { Aperture, Aspect, RayScene, SbrOptions, SbrStatistics } from '../scene/index.js'
import { Contributor, type Tube } from './contribution.js'
import { PathTracer } from './path.js'

/** Rays and leaves on the lattice of an aperture, at any level: what the tracers of tubes share. Side of a cell: 2^-level h. */
export abstract class LatticeTracer {
  readonly contributor: Contributor
  readonly statistics: Required<SbrStatistics> = { tubes: 0, rays: 0, leaves: 0, contributions: 0 }
  protected readonly centre: PathTracer
  protected readonly corner: PathTracer
  protected readonly tube: Tube = { ox: 0, oy: 0, oz: 0, side: 0 }
  /** Times a tube is cut into 2 x 2. */
  protected readonly depth: number
  /** First facets of a cell's corner rays, counter-clockwise as `quadCorner`. */
  protected readonly cornerFacets = new Int32Array(4)

  constructor(
    scene: RayScene,
    protected readonly aperture: Aperture,
    protected readonly aspect: Aspect,
    protected readonly options: SbrOptions,
  ) {
    this.contributor = new Contributor(scene, aspect, options, aperture.d, aperture.u, aperture.v)
    this.centre = new PathTracer(scene, options.maxBounces)
    this.corner = new PathTracer(scene, options.maxBounces)
    this.depth = options.formulation === 'exit' ? 0 : options.subdivisions
  }

  /** Sets `tube` about point (i, j) of the lattice at a level, given as scale = 2^-level. */
  protected place(i: number, j: number, scale: number): void {
    const { base, u, v, h, offset } = this.aperture
    const a = (i * scale + offset[0]) * h
    const b = (j * scale + offset[1]) * h
    this.tube.ox = base[0] + a * u[0] + b * v[0]
    this.tube.oy = base[1] + a * u[1] + b * v[1]
    this.tube.oz = base[2] + a * u[2] + b * v[2]
    this.tube.side = scale * h
  }

  /** Traces the corner ray (i, j). */
  protected castCorner(i: number, j: number, scale: number): void {
    this.place(i, j, scale)
    const { d } = this.aperture
    this.statistics.rays++
    this.corner.trace(this.tube.ox, this.tube.oy, this.tube.oz, d[0], d[1], d[2])
  }

  /** Traces the central ray of cell (i, j) and leaves `tube` at the cell. `first`: see `PathTracer.trace`. */
  protected castCentre(i: number, j: number, scale: number, first?: number): void {
    this.place(i + 0.5, j + 0.5, scale)
    const { ox, oy, oz } = this.tube
    const { d } = this.aperture
    this.statistics.rays++
    this.centre.trace(ox, oy, oz, d[0], d[1], d[2], first)
  }

  /** Lattice point of corner c of cell (i, j), counter-clockwise: ++ -+ -- +-. */
  protected quadCorner(i: number, j: number, c: number): [number, number] {
    return [i + (c === 0 || c === 3 ? 1 : 0), j + (c < 2 ? 1 : 0)]
  }

  /** Adds what cell (i, j), of the last central ray, radiates where it is seen; see `Contributor.add` for `corners`. */
  protected leaf(i: number, j: number, scale: number, corners: Int32Array | null): void {
    const { centre } = this
    this.place(i + 0.5, j + 0.5, scale)
    const before = this.contributor.flat.length + this.contributor.quad.length
    if (this.contributor.add(this.tube, centre.facets, centre.count, centre.visible, corners))
      this.statistics.leaves++
    this.statistics.contributions += this.contributor.flat.length + this.contributor.quad.length - before
  }
}
