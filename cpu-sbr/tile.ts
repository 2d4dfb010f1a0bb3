import {
  type Aperture,
  facetDistance,
  insideFacet,
  isExitForm,
  type RayScene,
  type SbrJob,
  type SbrOptions,
  TILE,
  type TileRange,
} from '../rays/index.js'
import type { Aspect } from '../scene/index.js'
import type { FacetOutlines } from './facet-lists.js'
import type { Nodes } from './field-sum.js'
import { LatticeTracer, type Tracers, type TubeContributor, type TubeRay } from './lattice-tracer.js'

/** Facets in front of a tile above which its rays search the BVH. */
const MOST_FACETS = 1024

/**
 * First hits of the rays of one aperture, tile by tile, by drawing the facets on the lattice: each ray tests those whose outline comes
 * near it, with the arithmetic of a search of the BVH (`RayCaster`), and so meets the same facet.
 */
class FirstHits {
  /** First facets of a tile's (TILE + 1)^2 corner and TILE^2 central rays, row by row; -1: none. Set by `draw`. */
  readonly corners = new Int32Array((TILE + 1) ** 2)
  readonly centres = new Int32Array(TILE ** 2)
  /** Slots in front of each tile of the range, tile after tile; those of the tile drawn. */
  private readonly start: Uint32Array
  private readonly slots: Int32Array
  private from = 0
  private to = 0
  /** Slots over the cell of `enter`. */
  private readonly over = new Int32Array(MOST_FACETS)
  private overCount = 0
  /** Launch points of a tile's rays, and the distances at which they have met something. */
  private readonly points = new Float64Array(3 * (TILE + 1) ** 2)
  private readonly nearest = new Float64Array((TILE + 1) ** 2)

  /** @param range  the tiles that will be drawn */
  constructor(
    private readonly scene: RayScene,
    private readonly aperture: Aperture,
    private readonly outlines: FacetOutlines,
    private readonly range: TileRange,
  ) {
    const { start, slots } = outlines.before(range)
    this.start = start
    this.slots = slots
  }

  /**
   * Goes to tile (i, j) of the range and finds its first hits. How many facets stand in front of it, or -1 where these are too
   * many: then nothing has been found.
   */
  draw(i: number, j: number): number {
    const { range, start } = this
    const tile = (j - range.j0) * range.ni + i - range.i0
    this.from = start[tile]
    this.to = start[tile + 1]
    const count = this.to - this.from
    if (count > MOST_FACETS) return -1
    if (count > 0) {
      this.drawPoints(i * TILE, j * TILE, TILE + 1, this.corners)
      this.drawPoints(i * TILE + 0.5, j * TILE + 0.5, TILE, this.centres)
    }
    return count
  }

  /** Goes to cell (i, j) of the tile drawn last, for `meet`. */
  enter(i: number, j: number): void {
    const { outlines, slots, over } = this
    let count = 0
    for (let n = this.from; n < this.to; n++)
      if (outlines.near(slots[n], i, j, i + 1, j + 1)) over[count++] = slots[n]
    this.overCount = count
  }

  /** The facet that an incident ray from a point over the cell entered meets first; -1: none. */
  meet(ox: number, oy: number, oz: number): number {
    const { over, outlines } = this
    const { planes, order } = this.scene
    const { cosines } = outlines
    const [dx, dy, dz] = [this.aperture.d[0], this.aperture.d[1], this.aperture.d[2]]
    let best = Infinity
    let facet = -1
    for (let n = 0; n < this.overCount; n++) {
      const slot = over[n]
      const p = 12 * slot
      const t = facetDistance(planes, p, cosines[slot], ox, oy, oz, dx, dy, dz, best)
      const hit = order[slot]
      if (t < 0 || (t === best && hit > facet)) continue
      best = t
      facet = hit
    }
    return facet
  }

  /** First hits of the `side` x `side` rays at distance 1 from lattice point (x0, y0) on. */
  private drawPoints(x0: number, y0: number, side: number, out: Int32Array): void {
    const { points, nearest, outlines, slots } = this
    const { planes, order } = this.scene
    const { base, u, v, d, h, offset } = this.aperture
    const { box, cosines, slack } = outlines
    const [dx, dy, dz] = [d[0], d[1], d[2]]
    for (let j = 0, at = 0; j < side; j++) {
      const b = (y0 + j + offset[1]) * h
      for (let i = 0; i < side; i++, at += 3) {
        const a = (x0 + i + offset[0]) * h
        points[at] = base[0] + a * u[0] + b * v[0]
        points[at + 1] = base[1] + a * u[1] + b * v[1]
        points[at + 2] = base[2] + a * u[2] + b * v[2]
      }
    }
    nearest.fill(Infinity)
    out.fill(-1)
    for (let n = this.from; n < this.to; n++) {
      const slot = slots[n]
      const cosine = cosines[slot]
      const hit = order[slot]
      const iFrom = Math.max(0, Math.ceil(box[4 * slot] - slack - x0))
      const iTo = Math.min(side - 1, Math.floor(box[4 * slot + 2] + slack - x0))
      const jFrom = Math.max(0, Math.ceil(box[4 * slot + 1] - slack - y0))
      const jTo = Math.min(side - 1, Math.floor(box[4 * slot + 3] + slack - y0))
      const p = 12 * slot
      for (let j = jFrom; j <= jTo; j++)
        for (let at = j * side + iFrom; at <= j * side + iTo; at++) {
          const ox = points[3 * at]
          const oy = points[3 * at + 1]
          const oz = points[3 * at + 2]
          // `facetDistance` written out: calls here and in `RayCaster` cost 8 % of SBR (decision 004).
          const t = (planes[p + 3] - planes[p] * ox - planes[p + 1] * oy - planes[p + 2] * oz) / cosine
          if (!(t > 0 && t <= nearest[at])) continue
          const x = ox + t * dx
          const y = oy + t * dy
          const z = oz + t * dz
          if (!insideFacet(planes, p, x, y, z)) continue
          if (t === nearest[at] && hit > out[at]) continue
          nearest[at] = t
          out[at] = hit
        }
    }
  }
}

/** A rectangle of tiles of one aspect: the unit of work of the double-precision engine. */
export interface SbrTask {
  job: SbrJob
  tiles: TileRange
  /** See `exactQuantum` in math/. */
  quantum: number
  /** See `materialNodes`: on a target with materials, found once for all threads. */
  nodes?: Nodes | null
}

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
    const exit = isExitForm(this.options)
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
