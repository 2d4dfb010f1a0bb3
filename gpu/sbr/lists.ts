import { type SbrOptions, TILE } from '../../scene/index.js'
import {
  CELL_LIST,
  childWords,
  CHUNK_WORDS,
  FACET_LIST,
  ITEM_WORDS,
  leafWords,
  PASS_FREQUENCIES,
  QUAD_WORDS,
  rayWords,
  TILE_LIST,
  tileCellWords,
  tileRayWords,
} from './kernels.js'
import type { ListCapacities } from './uniforms.js'

/** The lists that a batch's kernels pass on to each other. They are reused from batch to batch. */
export interface Lists {
  capacities: ListCapacities
  candidates: GPUBuffer
  facetCandidates: GPUBuffer
  items: GPUBuffer
  rays: GPUBuffer
  leaves: GPUBuffer
  quads: GPUBuffer
  groups: GPUBuffer
  records: GPUBuffer
  quadRecords: GPUBuffer
  places: GPUBuffer
  partial: GPUBuffer
}

/** Tiles of a batch of adaptive tubes that rays may be owed to. */
const OPEN_TILES = 16384

/**
 * Room that a batch of `tiles` tiles rarely exceeds, and that one tile never does at depth 2.
 * @param facets  facets of the target
 * @param listed  of which the candidates of reflected rays are listed: all or none
 */
export function listCapacities(
  tiles: number,
  facets: number,
  listed: number,
  options: SbrOptions,
  frequencies: number,
  look: boolean,
): ListCapacities {
  const open = options.adaptive ? Math.min(tiles, OPEN_TILES) : tiles
  const cells = open * TILE * TILE
  const spare = TILE * TILE * 4 ** options.subdivisions
  const leaves = Math.ceil(1.25 * cells) + spare
  const records = 2 * leaves + spare * options.maxBounces
  const quads = Math.ceil(leaves / 2) + spare
  return {
    leaves,
    quads,
    records,
    quadRecords: quads,
    places: look ? records + quads : 0,
    groups: Math.min(65535, 4 * open + 4 ** options.subdivisions * 8),
    frequencies: Math.min(frequencies, PASS_FREQUENCIES),
    items: Math.min(32 * 65535, 32 * open + spare),
    chunks: Math.min(65535, 4 * open + 4 ** options.subdivisions * 8),
    tiles,
    open,
    facetLists: listed,
    proven: options.adaptive ? facets : 0,
  }
}

/** Word of `candidates` from which on adaptive tubes have three words a tile (cells.wgsl) ... */
export const tileWords = ({ tiles }: ListCapacities): number => (2 + CELL_LIST) * tiles
/** ... and then what was proven of each facet and each flat. */
export const provenWords = (capacities: ListCapacities): number =>
  tileWords(capacities) + 3 * capacities.tiles

/** Bytes of the largest list, per kind, for the limits of the device. */
const listBytes = (
  c: ListCapacities,
  maxBounces: number,
): Record<keyof Omit<Lists, 'capacities'>, number> => ({
  candidates: 4 * (c.proven > 0 ? provenWords(c) + 2 * c.proven : (2 + TILE_LIST) * c.tiles),
  facetCandidates: 8 * (1 + FACET_LIST) * Math.max(1, c.facetLists),
  items: 8 * (CHUNK_WORDS * c.chunks + ITEM_WORDS * c.items),
  rays:
    4 *
    (c.proven > 0
      ? Math.max(childWords(maxBounces) * (c.items + 31), tileCellWords(maxBounces) * c.open)
      : Math.max(rayWords(maxBounces) * (c.items + 31), tileRayWords(maxBounces) * c.tiles)),
  leaves: 4 * leafWords(maxBounces) * c.leaves,
  quads: 4 * QUAD_WORDS * c.quads,
  groups: 32 * c.groups,
  records: 32 * c.records,
  quadRecords: 80 * c.quadRecords,
  places: 16 * Math.max(1, c.places),
  partial: 32 * c.frequencies * c.groups,
})

/** Most tiles per batch, up to `wanted`, whose lists fit one binding each and `memory` bytes together. */
export function batchTiles(
  wanted: number,
  facets: number,
  listed: number,
  options: SbrOptions,
  frequencies: number,
  look: boolean,
  maxBinding: number,
  memory: number,
): number {
  let tiles = wanted
  for (; tiles > 1; tiles = Math.ceil(tiles / 2)) {
    const bytes = Object.values(
      listBytes(listCapacities(tiles, facets, listed, options, frequencies, look), options.maxBounces),
    )
    if (Math.max(...bytes) <= maxBinding && bytes.reduce((a, b) => a + b) <= memory) break
  }
  return tiles
}

export function createLists(device: GPUDevice, capacities: ListCapacities, maxBounces: number): Lists {
  const bytes = listBytes(capacities, maxBounces)
  const buffers = Object.fromEntries(
    Object.entries(bytes).map(([label, size]) => [
      label,
      device.createBuffer({
        label,
        size,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
      }),
    ]),
  ) as Omit<Lists, 'capacities'>
  return { capacities, ...buffers }
}

export function destroyLists(lists: Lists): void {
  for (const buffer of Object.values(lists)) if ('destroy' in buffer) buffer.destroy()
}
