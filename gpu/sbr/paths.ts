import { type RayPath, TILE, type TileRange } from '../../rays/index.js'
import { leafRecord, QUAD } from './layouts.js'

/** The paths of a batch of these tiles, from the records of its lists of leaves and of quads. */
export function* batchPaths(
  tiles: TileRange,
  maxBounces: number,
  leaves: Uint32Array,
  quads: Uint32Array,
): Generator<RayPath> {
  const LEAF = leafRecord(maxBounces)
  for (let at = 0; at < leaves.byteLength; at += LEAF.size) {
    const { cell, levelCount, radiating, facets } = LEAF.read(leaves.buffer as ArrayBuffer, at)
    const met = Int32Array.from(facets).subarray(0, levelCount >>> 8)
    yield { ...latticeCell(tiles, cell, levelCount & 0xff), radiating, facets: met, corners: null }
  }
  for (let at = 0; at < quads.byteLength; at += QUAD.size) {
    const { cell, levelCount, radiating, facet, cornerFacets } = QUAD.read(quads.buffer as ArrayBuffer, at)
    const corners = Int32Array.from(cornerFacets)
    yield {
      ...latticeCell(tiles, cell, levelCount & 0xff),
      radiating,
      facets: Int32Array.of(facet),
      corners,
    }
  }
}

/** The lattice cell of a packed one, i | j << 16 within the batch. */
function latticeCell({ i0, j0 }: TileRange, cell: number, level: number): Pick<RayPath, 'level' | 'i' | 'j'> {
  const side = TILE * 2 ** level
  return { level, i: i0 * side + (cell & 0xffff), j: j0 * side + (cell >>> 16) }
}
