import { type RayPath, TILE, type TileRange } from '../../rays/index.js'
import { BRANCH_CONSTANTS, KEPT_FACETS, LEAF, QUAD, RADIATES, tailWords } from './layouts.js'

const { SIGHT, FACET } = BRANCH_CONSTANTS

/** Lists of a batch, as words. */
export interface PathLists {
  /** The leaves' buffer: room for `capacity` leaves, of which there are `count`; then the tails of long paths. */
  leaves: Uint32Array
  count: number
  capacity: number
  quads: Uint32Array
}

/**
 * The paths of a batch of these tiles. Of those that branch at sheets the hits of all branches, depth first, up to the last one that
 * radiates.
 * @param most  words of a path at the most
 */
export function* batchPaths(
  tiles: TileRange,
  most: number,
  { leaves, count, capacity, quads }: PathLists,
): Generator<RayPath> {
  for (let n = 0; n < count; n++) {
    const { cell, levelCount, tail, facets } = LEAF.read(leaves.buffer as ArrayBuffer, n * LEAF.size)
    const rest = capacity * LEAF.words + tail * tailWords(most)
    const count = levelCount >>> 8
    const words = Uint32Array.from({ length: count }, (_, m) =>
      m < KEPT_FACETS ? facets[m] : leaves[rest + m - KEPT_FACETS],
    ).filter((x) => (x & SIGHT) === 0)
    yield {
      ...latticeCell(tiles, cell, levelCount & 0xff),
      facets: Int32Array.from(words, (x) => x & FACET),
      radiating: Uint8Array.from(words, (x) => (x & RADIATES ? 1 : 0)),
      corners: null,
    }
  }
  for (let at = 0; at < quads.byteLength; at += QUAD.size) {
    const { cell, level, facet, cornerFacets } = QUAD.read(quads.buffer as ArrayBuffer, at)
    yield {
      ...latticeCell(tiles, cell, level),
      facets: Int32Array.of(facet),
      radiating: Uint8Array.of(1),
      corners: Int32Array.from(cornerFacets),
    }
  }
}

/** The lattice cell of a packed one, i | j << 16 within the batch. */
function latticeCell({ i0, j0 }: TileRange, cell: number, level: number): Pick<RayPath, 'level' | 'i' | 'j'> {
  const side = TILE * 2 ** level
  return { level, i: i0 * side + (cell & 0xffff), j: j0 * side + (cell >>> 16) }
}
