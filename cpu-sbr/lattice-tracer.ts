import {
  type Aperture,
  comparedBounces,
  noStatistics,
  type RayScene,
  type SbrOptions,
  TILE,
} from '../rays/index.js'
import type { Aspect } from '../scene/index.js'
import { aspectTables, type AspectTables } from './aspect-tables.js'
import { type Cell, Contributor } from './contribution.js'
import { PathTracer } from './path.js'
import type { Tracers, TubeContributor, TubeRay } from './tracers.js'

/** What corner and central rays of one tile have met, at the points of its finest lattice, so that none is traced twice. */
class RayCache {
  readonly surfaceKeys: Uint32Array
  readonly normalsKeys: Uint32Array
  /** First facet met; nothing where the path is empty. */
  readonly firstFacets: Int32Array
  /** Number of the tile at whose visit the point was last written. */
  private readonly stamps: Uint32Array
  private stamp = 0
  private i0 = 0
  private j0 = 0
  private readonly side: number
  private readonly fine: number

  /** @param tile  cells along a side of a tile; @param depth  levels of refinement below them */
  constructor(
    private readonly tile: number,
    depth: number,
  ) {
    this.fine = 2 ** depth
    this.side = tile * this.fine + 1
    const points = this.side * this.side
    this.surfaceKeys = new Uint32Array(points)
    this.normalsKeys = new Uint32Array(points)
    this.firstFacets = new Int32Array(points)
    this.stamps = new Uint32Array(points)
  }

  /** Goes to tile (i, j) and forgets the last one. */
  enter(i: number, j: number): void {
    this.i0 = i * this.tile * this.fine
    this.j0 = j * this.tile * this.fine
    this.stamp++
  }

  /** Index of point (i, j) of the lattice of cells of side `scale`, which lies in this tile. */
  at(i: number, j: number, scale: number): number {
    const step = scale * this.fine
    return (j * step - this.j0) * this.side + i * step - this.i0
  }

  /** Whether the ray of index `at` has been kept. */
  hasAt(at: number): boolean {
    return this.stamps[at] === this.stamp
  }

  /** Keeps the last path of `tracer` as that of the ray of index `at`. */
  keepAt(at: number, tracer: TubeRay): void {
    this.stamps[at] = this.stamp
    this.surfaceKeys[at] = tracer.surfaceKey
    this.normalsKeys[at] = tracer.normalsKey
    this.firstFacets[at] = tracer.facets[0]
  }
}

/** On perfect conductors. */
export function conductorTracers(
  scene: RayScene,
  aperture: Aperture,
  aspect: Aspect,
  options: SbrOptions,
): Tracers<PathTracer, Contributor> {
  const { tree } = aspectTables(scene, aperture, aspect)
  const tracer = (): PathTracer =>
    new PathTracer(scene, tree, aperture.d, options.maxBounces, comparedBounces(options))
  const contributor = new Contributor(scene, aspect, options, aperture.d, aperture.u, aperture.v)
  return { contributor, centre: tracer(), corner: tracer() }
}

/** Rays and radiating tubes on the lattice of an aperture, at any level: what the tracers of tubes share. Side of a cell: 2^-level h. */
export abstract class LatticeTracer<Ray extends TubeRay, Tubes extends TubeContributor<Ray>> {
  readonly contributor: Tubes
  readonly statistics = noStatistics()
  protected readonly tables: AspectTables
  protected readonly centre: Ray
  private readonly corner: Ray
  protected readonly cell: Cell = { ox: 0.5, oy: 0.5, oz: 0.5, side: 0.5 }
  /** Times a tube is cut into 2 x 2. */
  protected readonly depth: number
  /** Bounces by which tubes are compared. */
  protected readonly compared: number
  /** Rays of the current tile. */
  protected readonly cache: RayCache
  /** First facets of a cell's corner rays, see `compareCorners`. */
  protected readonly cornerFacets = new Int32Array(4)
  /** Outcome of `compareCorners`. */
  protected sameNormals = false

  constructor(
    scene: RayScene,
    protected readonly aperture: Aperture,
    protected readonly aspect: Aspect,
    protected readonly options: SbrOptions,
    { contributor, centre, corner }: Tracers<Ray, Tubes>,
  ) {
    this.contributor = contributor
    this.tables = aspectTables(scene, aperture, aspect)
    this.centre = centre
    this.corner = corner
    this.compared = comparedBounces(options)
    this.depth = options.formulation === 'exit' ? 0 : options.subdivisions
    this.cache = new RayCache(TILE, this.depth)
  }

  /** Sets `cell` about point (i, j) of the lattice at a level, given as scale = 2^-level. */
  protected setCell(i: number, j: number, scale: number): void {
    const { base, u, v, h, offset } = this.aperture
    const a = (i * scale + offset[0]) * h
    const b = (j * scale + offset[1]) * h
    this.cell.ox = base[0] + a * u[0] + b * v[0]
    this.cell.oy = base[1] + a * u[1] + b * v[1]
    this.cell.oz = base[2] + a * u[2] + b * v[2]
    this.cell.side = scale * h
  }

  /** Traces the corner ray (i, j). */
  private castCorner(i: number, j: number, scale: number): void {
    this.setCell(i, j, scale)
    this.statistics.rays++
    this.corner.trace(
      this.cell.ox,
      this.cell.oy,
      this.cell.oz,
      this.firstAtCorner(i, j, scale),
      this.compared,
    )
  }

  /** The facet that the corner ray (i, j), at which `cell` stands, meets first, -1 for none; nothing where it is not known. */
  protected firstAtCorner(_i: number, _j: number, _scale: number): number | undefined {
    return undefined
  }

  /** Traces the central ray of cell (i, j) and leaves `cell` at it. `most`: see `TubeRay.trace`. */
  protected castCentre(i: number, j: number, scale: number, first?: number, most?: number): void {
    this.setCell(i + 0.5, j + 0.5, scale)
    const { ox, oy, oz } = this.cell
    this.statistics.rays++
    this.centre.trace(ox, oy, oz, first, most)
  }

  /**
   * Whether the corner rays of a cell meet the surfaces of its central ray; then `sameNormals` says whether also facets of its normals, and
   * `cornerFacets` holds those met first, counter-clockwise: ++ -+ -- +-.
   */
  protected compareCorners(i: number, j: number, scale: number): boolean {
    const { centre, corner, cache, cornerFacets } = this
    this.sameNormals = true
    for (let c = 0; c < 4; c++) {
      const x = c === 0 || c === 3 ? i + 1 : i
      const y = c < 2 ? j + 1 : j
      const at = cache.at(x, y, scale)
      if (!cache.hasAt(at)) {
        this.castCorner(x, y, scale)
        cache.keepAt(at, corner)
      }
      if (cache.surfaceKeys[at] !== centre.surfaceKey) return false
      if (cache.normalsKeys[at] !== centre.normalsKey) this.sameNormals = false
      cornerFacets[c] = cache.firstFacets[at]
    }
    return true
  }

  /** Adds what cell (i, j), of the last central ray, radiates where it is seen; see `TubeContributor` for `corners`. */
  protected addTube(i: number, j: number, scale: number, corners: Int32Array | null): void {
    const { centre } = this
    this.setCell(i + 0.5, j + 0.5, scale)
    const before = this.contributor.count
    if (this.contributor.addTube(this.cell, centre, corners)) {
      this.statistics.leaves++
      this.statistics.lit += scale * scale
      if (centre.cutOff) this.statistics.cutOff += Number(centre.cutOff) * scale * scale
    }
    this.statistics.contributions += this.contributor.count - before
  }
}
