import type { RayScene } from '../../scene/index.js'
import type { Kernel, KernelContract } from '../kernel.js'
import type { Traversal } from './scene-buffers.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

const lists = [write('items'), write('leaves'), write('quads'), write('groups'), write('counters')]
const cast = ['facet_test', 'traversal', 'path'] as const

const sumBuffers = [read('groups'), read('records'), read('quadRecords'), write('partial'), read('counters')]
const cells = ['sbr_job', 'candidates', 'rays', 'cells'] as const
const sortCells = ['kept_rays', 'collect', 'kept_cells', 'sorted'] as const

/** Tracing tubes of one size, in the order in which the kernels of a batch run (paper 003, section 2.3). */
const TILE_KERNELS = {
  markTiles: {
    name: 'mark_tiles',
    modules: ['sbr_job', 'candidates', 'outline', 'over_tiles', 'mark_tiles'],
    buffers: [read('corners'), write('candidates'), write('counters')],
  },
  traceTiles: {
    name: 'trace_tiles',
    modules: ['sbr_job', 'candidates', ...cast, 'rays', 'keep_rays', 'trace_tiles'],
    buffers: [
      read('nodes'),
      read('slots'),
      read('candidates'),
      read('facetCandidates'),
      write('rays'),
      read('counters'),
    ],
  },
  sortTiles: {
    name: 'sort_tiles',
    modules: ['sbr_job', 'candidates', 'rays', 'kept_rays', 'collect', 'sort_tiles'],
    buffers: [read('candidates'), read('rays'), ...lists],
  },
  traceChildren: {
    name: 'trace_children',
    modules: ['sbr_job', 'candidates', ...cast, 'rays', 'keep_rays', 'trace_children'],
    buffers: [
      read('nodes'),
      read('slots'),
      read('candidates'),
      read('facetCandidates'),
      read('items'),
      write('rays'),
      read('counters'),
    ],
  },
  sortChildren: {
    name: 'sort_children',
    modules: ['sbr_job', 'rays', 'kept_rays', 'collect', 'sort_children'],
    buffers: [read('rays'), ...lists],
  },
} satisfies Record<string, KernelContract>

/** Tracing adaptive tubes (docs/adaptive-tubes.md), and the fields of the facets that are owed no ray. */
const CELL_KERNELS = {
  proveFacets: {
    name: 'prove_facets',
    modules: [...cells, 'beam', 'prove_facets'],
    buffers: [read('boxes'), read('slots'), read('facetCandidates'), write('candidates')],
  },
  markCells: {
    name: 'mark_cells',
    modules: [...cells, 'outline', 'over_tiles', 'beam', 'mark_cells'],
    buffers: [read('corners'), read('slots'), read('boxes'), write('candidates')],
  },
  openTiles: {
    name: 'open_tiles',
    modules: [...cells, 'open_tiles'],
    buffers: [write('candidates'), read('slots'), write('counters')],
  },
  probeCells: {
    name: 'probe_cells',
    modules: [
      ...cells,
      ...cast,
      'keep_rays',
      'kept_cells',
      'beam',
      'view_cell',
      'follow_beam',
      'probe_cells',
    ],
    buffers: [
      read('nodes'),
      read('boxes'),
      read('slots'),
      read('candidates'),
      read('facetCandidates'),
      write('items'),
      write('rays'),
      write('counters'),
    ],
  },
  traceCorners: {
    name: 'trace_corners',
    modules: [...cells, ...cast, 'keep_rays', 'hit_in_tile', 'kept_cells', 'trace_corners'],
    buffers: [
      read('nodes'),
      read('slots'),
      read('candidates'),
      read('facetCandidates'),
      read('items'),
      write('rays'),
      write('counters'),
    ],
  },
  sortCells: {
    name: 'sort_cells',
    modules: [...cells, ...sortCells, 'sort_cells'],
    buffers: [read('candidates'), read('slots'), read('rays'), ...lists],
  },
  sortCellChildren: {
    name: 'sort_cell_children',
    modules: [...cells, ...sortCells, 'sort_cell_children'],
    buffers: [read('slots'), read('rays'), ...lists],
  },
  sumFacets: {
    name: 'sum_facets',
    modules: [
      ...cells,
      'two_float',
      'radiation',
      'phase',
      'polygon',
      'phasor',
      'fixed_point',
      'totals',
      'sum_facets',
    ],
    buffers: [read('slots'), read('facetPoints'), read('candidates'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

/** Before tracing, and the fields of what was traced. `sumNodes` takes the place of `sumFrequencies` where those are many. */
const COMMON_KERNELS = {
  searchFacets: {
    name: 'search_facets',
    modules: ['sbr_job', 'candidates', 'search_facets'],
    buffers: [read('nodes'), read('corners'), read('slots'), write('facetCandidates')],
  },
  contributions: {
    name: 'contributions',
    modules: ['sbr_job', 'two_float', 'radiation', 'phase', 'polygon', 'no_places', 'contributions'],
    buffers: [
      read('facets'),
      read('groups'),
      read('leaves'),
      read('quads'),
      write('records'),
      write('quadRecords'),
      read('counters'),
    ],
  },
  turnRecords: {
    name: 'turn_records',
    modules: ['sbr_job', 'two_float', 'radiation', 'turn_records'],
    buffers: [read('groups'), read('places'), write('records'), write('quadRecords'), read('counters')],
  },
  sumFrequencies: {
    name: 'sum_frequencies',
    modules: ['sbr_job', 'phase', 'polygon', 'phasor', 'quad_shape', 'sum_frequencies'],
    buffers: sumBuffers,
  },
  sumNodes: {
    name: 'sum_nodes',
    modules: ['sbr_job', 'phase', 'polygon', 'phasor', 'quad_shape', 'sum_nodes'],
    buffers: sumBuffers,
  },
  reduce: {
    name: 'reduce',
    modules: ['sbr_job', 'fixed_point', 'totals', 'reduce'],
    buffers: [read('partial'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

export const SBR_KERNELS = { ...TILE_KERNELS, ...CELL_KERNELS, ...COMMON_KERNELS }
export type KernelName = keyof typeof SBR_KERNELS

/** The kernels of an aspect: of tubes of one size or adaptive ones, with either way of summing frequencies, for a look or not. */
export function aspectKernels(adaptive: boolean, fast: boolean, look: boolean): KernelName[] {
  const unused = new Set([fast ? 'sumFrequencies' : 'sumNodes', ...(look ? [] : ['turnRecords'])])
  const names = [...Object.keys(adaptive ? CELL_KERNELS : TILE_KERNELS), ...Object.keys(COMMON_KERNELS)]
  return names.filter((name) => !unused.has(name)) as KernelName[]
}

/** `contributions` for a look: it keeps their places as well. */
export function withPlaces(contract: KernelContract): KernelContract {
  if (contract !== COMMON_KERNELS.contributions) return contract
  return {
    ...contract,
    modules: contract.modules.map((m) => (m === 'no_places' ? 'places' : m)),
    buffers: [...contract.buffers, write('places')],
  }
}

/** A kernel with the traversal asked for in the place of the stack's. */
export function withTraversal(contract: KernelContract, traversal: Traversal): KernelContract {
  if (traversal !== 'ropes') return contract
  return { ...contract, modules: contract.modules.map((m) => (m === 'traversal' ? 'traversal_ropes' : m)) }
}

/** Constants of the modules that trace. */
export const traversalConstants = (
  { depth }: Pick<RayScene, 'depth'>,
  traversal: Traversal,
  maxBounces: number,
): Record<string, number> => ({
  MAX_BOUNCES: maxBounces,
  // A wide node leaves up to three children waiting.
  STACK_SIZE: 3 * depth + 1,
  LISTS: traversal === 'lists' ? 1 : 0,
})

/** Those of an aspect, compiled. */
export type SbrKernels = Partial<Record<KernelName, Kernel>>

/** Positions in the counter buffer (sbr_job.wgsl). */
export const COUNTERS = {
  words: 34,
  groups: 0,
  /** One word a level of refinement, 1 to MAX_SUBDIVISIONS. */
  chunks: 2,
  items: 7,
  batchLeaves: 14,
  batchQuads: 15,
  batchRecords: 16,
  batchQuadRecords: 17,
  /** Words from here on accumulate over the batches of an aspect; those before start afresh with each batch. */
  perAspect: 18,
  overflow: 18,
  leaves: 19,
  records: 20,
  notFinite: 21,
  tubes: 22,
  rays: 23,
  /** One word a level of refinement, 0 to MAX_SUBDIVISIONS: leaves, and those of them that the bounce limit cuts off. */
  lit: 24,
  cutOff: 29,
} as const

/** Lanes that search the hierarchy for one facet (search_facets.wgsl). */
export const SEARCHERS = 16

/** Workgroups that the rays of a tile take. */
export const RAY_GROUPS = 3

/** Frequencies that a workgroup of sum_frequencies handles at the most. */
export const FREQUENCY_LANES = 64
/** Frequencies whose partial sums are kept at once. */
export const PASS_FREQUENCIES = 128
/** Sizes in words of what rays.wgsl, cells.wgsl and candidates.wgsl lay out. */
export const ITEM_WORDS = 16
export const CHUNK_WORDS = 2
export const tileRayWords = (maxBounces: number): number => 3 * 289 + 256 * (4 + maxBounces)
export const tileCellWords = (maxBounces: number): number => 3 * 289 + 273 * (6 + maxBounces)
export const childWords = (maxBounces: number): number => 27 + 4 * (6 + maxBounces)
export const CELL_LIST = 64
/** Cells that a workgroup of probe_cells takes at once. */
export const CELL_LANES = 128
/** Bit of what is proven of a facet, and of a flat: it is not lit whole. */
export const NOT_LIT = 1
export const rayWords = (maxBounces: number): number => 12 + 4 * (4 + maxBounces)
export const TILE_LIST = 32
export const FACET_LIST = 31
export const leafWords = (maxBounces: number): number => 4 + maxBounces
export const QUAD_WORDS = 9
