import {
  type Aperture,
  type Aspect,
  type FlatScene,
  type SbrOptions,
  TILE,
  type TileRange,
} from '../scene/index.js'
import { BENT, BeamProbe, DIVIDED } from './beam-probe.js'
import { LatticeTracer } from './lattice-tracer.js'
import { DONE, LIT, LitFacets, OTHER } from './lit-facets.js'
import { ProjectedFacets } from './projected-facets.js'

/** Contributions kept before they are summed up. */
const FULL = 4096
/** Level of cells as large as a tile. */
const TILE_LEVEL = -Math.log2(TILE)
/** Facets cover a cell that leave less than the rest of its area. */
const COVERED = 1 - 1e-9

/**
 * Traces the tubes of a block of the aperture from the top down. Facets that are lit whole radiate as they are at the
 * first bounce; cells that show nothing else, and from which nothing goes on, are left out. Of the others, a cell whose
 * rays are proven to take one way (`BeamProbe`) is one tube, however large; any other is cut into 2 x 2. Cells of the
 * lattice's own size (level 0) that are not proven go on as in the uniform scheme, `subdivisions` times, where the central
 * ray alone decides in the end; corner rays are traced only on curved surfaces, to tell their inner edges from others
 * (docs/adaptive-tubes.md).
 */
export class AdaptiveTracer extends LatticeTracer {
  private readonly probe: BeamProbe
  private readonly projected: ProjectedFacets
  private readonly lit: LitFacets
  /** Facets over the cells on the way down, one list after the other; the first, of `listed`, over all tiles. */
  private facets: Int32Array
  private readonly listed: number
  private flush: () => void = () => {}

  /** @param tiles  what is going to be traced, in whole blocks */
  constructor(scene: FlatScene, aperture: Aperture, aspect: Aspect, options: SbrOptions, tiles: TileRange) {
    super(scene, aperture, aspect, options)
    this.probe = new BeamProbe(scene, this.tables.tree, aperture, options.maxBounces)
    this.projected = new ProjectedFacets(scene, aperture)
    this.lit = new LitFacets(scene, aperture.d, options.maxBounces)
    this.facets = this.projected.over(tiles)
    this.listed = this.facets.length
  }

  /**
   * Traces block (i, j) of 2^-level x 2^-level cells. Contributions gather in `contributor`, to be taken whenever `flush`
   * is called, at last at the end; where that is depends on the block alone.
   */
  trace(i: number, j: number, level: number, flush: () => void): void {
    const { contributor, projected, lit, statistics } = this
    contributor.clear()
    this.flush = flush
    const side = 2 ** -level
    for (let n = 0; n < this.listed; n++) {
      const t = this.facets[n]
      // A facet belongs to the block that its centre lies in.
      if (Math.floor(projected.centre(t, 0) / side) !== i || Math.floor(projected.centre(t, 1) / side) !== j)
        continue
      if (lit.of(t) === OTHER || !contributor.addFacet(t)) continue
      statistics.leaves++
      statistics.contributions++
      this.sumUp(FULL)
    }
    this.cell(i, j, level, 0, this.listed)
    this.sumUp(0)
  }

  private sumUp(limit: number): void {
    const { contributor } = this
    if (contributor.flat.length + contributor.quad.length <= limit) return
    this.flush()
    contributor.clear()
  }

  /** Cell (i, j) at a level, under facets from[start ... end) of `facets`. */
  private cell(i: number, j: number, level: number, from: number, to: number): void {
    const { centre, probe, tube, depth, cache, projected } = this
    const s = this.aspect.rx.r
    const scale = 2 ** -level
    if (level === TILE_LEVEL) cache.enter(i, j)
    this.place(i + 0.5, j + 0.5, scale)
    const { end, open, mixed } = this.look(i * scale, j * scale, scale, from, to)
    if (!open) return
    const first = projected.nearest(this.facets, to, end, (i + 0.5) * scale, (j + 0.5) * scale)
    this.castCentre(i, j, scale, first)
    if (level >= TILE_LEVEL && level < depth) cache.keepAt(cache.at(i + 0.5, j + 0.5, scale), centre)
    if (level === 0) this.statistics.tubes++
    const { facets, count } = centre
    const lit = count > 0 && this.lit.of(facets[0]) !== OTHER
    let bent: boolean
    if (level === depth) {
      // Nothing is cut further: of interest is only whether the cell crosses edges of a curved surface.
      bent = count === 1 && !lit && !mixed && probe.bends(tube, facets[0])
    } else {
      const fate = probe.test(tube, facets, centre.paths, count, this.facets, to, end, level < 0)
      if (fate === DIVIDED || (fate === BENT && mixed)) return this.children(i, j, level, to, end)
      bent = fate === BENT
    }
    centre.look(s)
    if (level < 0 && !probe.seenAlike(tube, facets, count, centre.visible, s))
      return this.children(i, j, level, to, end)
    if (level < 0) this.statistics.tubes++
    const sameSurfaces = bent && this.compareCorners(i, j, scale)
    if (bent && !sameSurfaces && level < depth) return this.children(i, j, level, to, end)
    if (lit) centre.visible &= ~1
    if (count === 0 || centre.visible === 0) return
    const straddles = sameSurfaces && !this.sameFacets && count === 1
    this.leaf(i, j, scale, straddles ? this.cornerFacets : null)
  }

  private children(i: number, j: number, level: number, from: number, to: number): void {
    for (let c = 0; c < 4; c++) this.cell(2 * i + (c & 1), 2 * j + (c >> 1), level + 1, from, to)
    if (level === TILE_LEVEL) this.sumUp(FULL)
  }

  /**
   * Lists the facets of facets[from ... to) over the square of `tube`, to facets[to ... end). `open`: rays are owed to
   * it, for it may show facets that are not lit whole, or send something on; `mixed`: there are both kinds.
   */
  private look(
    x: number,
    y: number,
    side: number,
    from: number,
    to: number,
  ): { end: number; open: boolean; mixed: boolean } {
    const { projected, lit } = this
    if (this.facets.length < 2 * to) {
      const grown = new Int32Array(4 * to)
      grown.set(this.facets)
      this.facets = grown
    }
    let end = to
    let done = 0
    let covered = 0
    let [goesOn, other] = [false, false]
    for (let n = from; n < to; n++) {
      const t = this.facets[n]
      if (!projected.overlaps(t, x, y, side)) continue
      this.facets[end++] = t
      const state = lit.of(t)
      if (state === OTHER) {
        other = true
        continue
      }
      const area = projected.sharedArea(t, x, y, side)
      covered += area
      if (state === DONE) done += area
      else goesOn = true
    }
    const whole = COVERED * side * side
    if (done >= whole) return { end, open: false, mixed: false }
    // Facets behind such as are lit whole do not show.
    if (covered >= whole) other = false
    return { end, open: other || (goesOn && this.sendsOn(side, to, end)), mixed: other && covered > 0 }
  }

  /** Whether a cell may send something on from facets[start ... end), which are lit whole where they show. */
  private sendsOn(side: number, start: number, end: number): boolean {
    // In cells finer than the lattice's the central ray is the cheaper test.
    if (side < 1) return true
    const { lit, probe, tube, facets } = this
    for (let n = start; n < end; n++)
      if (lit.of(facets[n]) === LIT && !probe.escapes(tube, facets[n])) return true
    return false
  }
}
