import { type SbrOptions, TILE } from '../../scene/index.js'
import {
  CHUNK_WORDS,
  FACET_LIST,
  ITEM_WORDS,
  leafWords,
  PASS_FREQUENCIES,
  QUAD_WORDS,
  rayWords,
  TILE_LIST,
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
  partial: GPUBuffer
}

/**
 * Room that a batch of `tiles` tiles rarely exceeds, and that one tile never does at depth 2.
 * @param facets  facets whose reflected rays' candidates are listed: all or none
 */
export function listCapacities(
  tiles: number,
  facets: number,
  options: SbrOptions,
  frequencies: number,
): ListCapacities {
  const cells = tiles * TILE * TILE
  const spare = TILE * TILE * 4 ** options.subdivisions
  const leaves = Math.ceil(1.25 * cells) + spare
  return {
    leaves,
    quads: Math.ceil(leaves / 2) + spare,
    records: 2 * leaves + spare * options.maxBounces,
    quadRecords: Math.ceil(leaves / 2) + spare,
    groups: Math.min(65535, 4 * tiles + 4 ** options.subdivisions * 8),
    frequencies: Math.min(frequencies, PASS_FREQUENCIES),
    items: Math.min(32 * 65535, 32 * tiles + spare),
    chunks: Math.min(65535, 4 * tiles + 4 ** options.subdivisions * 8),
    tiles,
    facetLists: facets,
  }
}

/** Bytes of the largest list, per kind, for the limits of the device. */
const listBytes = (
  c: ListCapacities,
  maxBounces: number,
): Record<keyof Omit<Lists, 'capacities'>, number> => ({
  candidates: 4 * (2 + TILE_LIST) * c.tiles,
  facetCandidates: 8 * (1 + FACET_LIST) * Math.max(1, c.facetLists),
  items: 8 * (CHUNK_WORDS * c.chunks + ITEM_WORDS * c.items),
  rays: 4 * Math.max(rayWords(maxBounces) * (c.items + 31), tileRayWords(maxBounces) * c.tiles),
  leaves: 4 * leafWords(maxBounces) * c.leaves,
  quads: 4 * QUAD_WORDS * c.quads,
  groups: 32 * c.groups,
  records: 32 * c.records,
  quadRecords: 80 * c.quadRecords,
  partial: 32 * c.frequencies * c.groups,
})

/** Most tiles per batch, up to `wanted`, whose lists fit one binding each and `memory` bytes together. */
export function batchTiles(
  wanted: number,
  facets: number,
  options: SbrOptions,
  frequencies: number,
  maxBinding: number,
  memory: number,
): number {
  let tiles = wanted
  for (; tiles > 1; tiles = Math.ceil(tiles / 2)) {
    const bytes = Object.values(
      listBytes(listCapacities(tiles, facets, options, frequencies), options.maxBounces),
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
