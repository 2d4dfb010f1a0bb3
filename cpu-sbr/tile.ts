import { TILE } from '../scene/index.js'
import { LatticeTracer } from './lattice-tracer.js'

/**
 * Traces the tubes of one tile (16 x 16 cells of the lattice) and collects their contributions in `contributor`.
 * A tube is valid when its corner rays and its central ray meet the same surfaces in the same order; an invalid one
 * is cut into 2 x 2 until `subdivisions` is reached, where the central ray alone decides (docs/sbr.md, "Tubes").
 */
export class TileTracer extends LatticeTracer {
  /** Surface and facet keys of a tile's corner rays, two numbers each. */
  private readonly keys = new Uint32Array(2 * (TILE + 1) ** 2)

  /** Collects the contributions of tile (i, j) of the lattice; the contributor holds nothing else afterwards. */
  trace(tileI: number, tileJ: number): void {
    this.contributor.clear()
    const { keys, corner } = this
    const i0 = tileI * TILE
    const j0 = tileJ * TILE
    for (let j = 0; j <= TILE; j++)
      for (let i = 0; i <= TILE; i++) {
        this.castCorner(i0 + i, j0 + j, 1)
        const at = 2 * (j * (TILE + 1) + i)
        keys[at] = corner.surfaceKey
        keys[at + 1] = corner.facetKey
      }
    const cell = new Uint32Array(8)
    for (let j = 0; j < TILE; j++)
      for (let i = 0; i < TILE; i++) {
        for (let c = 0; c < 4; c++) {
          const at = 2 * ((j + (c >> 1)) * (TILE + 1) + i + (c & 1))
          cell[2 * c] = keys[at]
          cell[2 * c + 1] = keys[at + 1]
        }
        this.cell(i0 + i, j0 + j, 0, cell)
      }
    this.statistics.tubes += TILE * TILE
  }

  /** Cell (i, j) of the lattice refined `level` times; `keys` of its corners, in the order 00 10 01 11. */
  private cell(i: number, j: number, level: number, keys: Uint32Array): void {
    const { centre } = this
    const scale = 2 ** -level
    this.castCentre(i, j, scale)
    let sameSurfaces = true
    let sameFacets = true
    for (let c = 0; c < 4; c++) {
      if (keys[2 * c] !== centre.surfaceKey) sameSurfaces = false
      if (keys[2 * c + 1] !== centre.facetKey) sameFacets = false
    }
    if (!sameSurfaces) {
      if (level < this.depth) return this.children(i, j, level)
      if (this.options.formulation === 'exit') return
    }
    if (centre.count === 0) return
    // A tube across facets of one smooth surface: its first footprint is the quadrilateral of its corners. Later
    // ones are the central ray's: flat facets split the beam, and a polygon spanned between its parts would be
    // far larger than what they light (docs/sbr.md, "Tubes").
    centre.look(this.aspect.rx.r)
    const straddles = sameSurfaces && !sameFacets && centre.count === 1
    if (straddles)
      for (let c = 0; c < 4; c++) {
        this.castCorner(...this.quadCorner(i, j, c), scale)
        this.cornerFacets[c] = this.corner.facets[0]
      }
    this.leaf(i, j, scale, straddles ? this.cornerFacets : null)
  }

  private children(i: number, j: number, level: number): void {
    const scale = 2 ** -(level + 1)
    const keys = new Uint32Array(18)
    for (let c = 0; c < 9; c++) {
      this.castCorner(2 * i + (c % 3), 2 * j + Math.floor(c / 3), scale)
      keys[2 * c] = this.corner.surfaceKey
      keys[2 * c + 1] = this.corner.facetKey
    }
    const cell = new Uint32Array(8)
    for (let b = 0; b < 2; b++)
      for (let a = 0; a < 2; a++) {
        for (let c = 0; c < 4; c++) {
          const at = 2 * ((b + (c >> 1)) * 3 + a + (c & 1))
          cell[2 * c] = keys[at]
          cell[2 * c + 1] = keys[at + 1]
        }
        this.cell(2 * i + a, 2 * j + b, level + 1, cell)
      }
  }
}
