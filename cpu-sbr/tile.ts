import { type Aperture, type RayScene, type SbrOptions, TILE, type TileRange } from '../rays/index.js'
import { type Aspect } from '../scene/index.js'
import { FirstHits } from './first-hits.js'
import { LatticeTracer } from './lattice-tracer.js'
import type { Tracers, TubeContributor, TubeRay } from './tracers.js'

/**
 * Traces the tubes of one tile (16 x 16 cells of the lattice) and collects their contributions in `contributor`.
 * A tube is valid when its corner rays and its central ray meet the same surfaces in the same order; an invalid one, and one
 * of several bounces whose rays meet facets of different normals, is cut into 2 x 2 until `subdivisions` is reached, where
 * the central ray alone decides (docs/theory.md, "Ray tubes"). One of more bounces than are compared is cut once (decision 002).
 */
export class TileTracer<Ray extends TubeRay, Tubes extends TubeContributor<Ray>> extends LatticeTracer<
  Ray,
  Tubes
> {
  private readonly firstHits: FirstHits | null
  /** `firstHits`, where it has those of the current tile. */
  private drawn: FirstHits | null = null
  private i0 = 0
  private j0 = 0

  /** @param tiles  those that will be traced */
  constructor(
    scene: RayScene,
    aperture: Aperture,
    aspect: Aspect,
    options: SbrOptions,
    tiles: TileRange,
    tracers: Tracers<Ray, Tubes>,
  ) {
    super(scene, aperture, aspect, options, tracers)
    const { outlines } = this.tables
    this.firstHits = outlines ? new FirstHits(scene, aperture, outlines, tiles) : null
  }

  /** Collects the contributions of tile (i, j) of the lattice; the contributor holds nothing else afterwards. */
  trace(tileI: number, tileJ: number): void {
    this.contributor.clear()
    this.statistics.tubes += TILE * TILE
    const { firstHits, cache } = this
    const before = firstHits ? firstHits.draw(tileI, tileJ) : -1
    if (before === 0) return
    this.drawn = before < 0 ? null : firstHits
    cache.enter(tileI, tileJ)
    this.i0 = tileI * TILE
    this.j0 = tileJ * TILE
    for (let j = 0; j < TILE; j++)
      for (let i = 0; i < TILE; i++)
        this.traceCell(this.i0 + i, this.j0 + j, 0, this.drawn?.centres[j * TILE + i])
  }

  /** Cell (i, j) of the lattice refined `level` times; `first`: the facet that its central ray meets first, where known. */
  private traceCell(i: number, j: number, level: number, first?: number): void {
    const { centre, cache, depth, compared } = this
    const scale = 2 ** -level
    const uncut = level === 0 && depth > 0
    this.castCentre(i, j, scale, first, uncut ? compared : undefined)
    if (level < depth) cache.keepAt(cache.at(i + 0.5, j + 0.5, scale), centre)
    const long = compared < this.options.maxBounces && centre.goesOn
    if (long && uncut) return this.children(i, j, level)
    // Where nothing is cut corners only tell how to take a single bounce; at the last level nothing.
    const exit = this.options.formulation === 'exit'
    const asked = (level < depth && !long) || (depth === 0 && (centre.count === 1 || exit))
    const sameSurfaces = asked && this.compareCorners(i, j, scale)
    if (level < depth && !long && !(sameSurfaces && (this.sameNormals || centre.count <= 1)))
      return this.children(i, j, level)
    if (exit && !sameSurfaces) return
    if (centre.count === 0) return
    // A tube across facets of one smooth surface: its first footprint is the quadrilateral of its corners. Later
    // ones are the central ray's: plane facets split the beam, and a polygon spanned between its parts would be
    // far larger than what they light (docs/theory.md, "4. Footprint").
    centre.findVisible(this.aspect.rx.r)
    const straddles = sameSurfaces && !this.sameNormals && centre.count === 1
    this.addTube(i, j, scale, straddles ? this.cornerFacets : null)
  }

  private children(i: number, j: number, level: number): void {
    const { drawn, cell } = this
    const scale = 2 ** -(level + 1)
    if (level === 0) drawn?.enter(i, j)
    for (let c = 0; c < 4; c++) {
      const x = 2 * i + (c & 1)
      const y = 2 * j + (c >> 1)
      if (drawn) this.setCell(x + 0.5, y + 0.5, scale)
      this.traceCell(x, y, level + 1, drawn?.meet(cell.ox, cell.oy, cell.oz))
    }
  }

  protected override firstAtCorner(i: number, j: number, scale: number): number | undefined {
    const { drawn, cell } = this
    if (!drawn) return undefined
    if (scale === 1) return drawn.corners[(j - this.j0) * (TILE + 1) + i - this.i0]
    return drawn.meet(cell.ox, cell.oy, cell.oz)
  }
}
