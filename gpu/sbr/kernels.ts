import type { RayScene } from '../../scene/index.js'
import type { Kernel, KernelContract } from '../kernel.js'
import type { Traversal } from './scene-buffers.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

const lists = [write('items'), write('leaves'), write('quads'), write('groups'), write('counters')]
const cast = ['facet_test', 'traversal', 'path'] as const

const sumBuffers = [read('groups'), read('records'), read('quadRecords'), write('partial')]

/**
 * The kernels of one sub-grid, in the order they run (paper 003, section 2.3: tracing, computing, reduction). `sumNodes`
 * takes the place of `sumFrequencies` where frequencies are many.
 */
export const SBR_KERNELS = {
  searchFacets: {
    name: 'search_facets',
    modules: ['sbr_job', 'candidates', 'search_facets'],
    buffers: [read('nodes'), read('corners'), read('slots'), write('facetCandidates')],
  },
  markTiles: {
    name: 'mark_tiles',
    modules: ['sbr_job', 'candidates', 'mark_tiles'],
    buffers: [read('corners'), write('candidates'), write('counters')],
  },
  traceTiles: {
    name: 'trace_tiles',
    modules: ['sbr_job', 'candidates', ...cast, 'rays', 'keep_rays', 'trace_tiles'],
    buffers: [read('nodes'), read('slots'), read('candidates'), read('facetCandidates'), write('rays')],
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
  contributions: {
    name: 'contributions',
    modules: ['sbr_job', 'two_float', 'contributions'],
    buffers: [
      read('facets'),
      read('groups'),
      read('leaves'),
      read('quads'),
      write('records'),
      write('quadRecords'),
    ],
  },
  sumFrequencies: {
    name: 'sum_frequencies',
    modules: ['sbr_job', 'phase', 'shape', 'sum_frequencies'],
    buffers: sumBuffers,
  },
  sumNodes: {
    name: 'sum_nodes',
    modules: ['sbr_job', 'phase', 'shape', 'sum_nodes'],
    buffers: sumBuffers,
  },
  reduce: {
    name: 'reduce',
    modules: ['sbr_job', 'fixed_point', 'reduce'],
    buffers: [read('partial'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

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

/** The same, compiled, with either way of summing frequencies. */
export type SbrKernels = Record<Exclude<keyof typeof SBR_KERNELS, 'sumNodes'>, Kernel>

/** Positions in the counter buffer (sbr_job.wgsl). */
export const COUNTERS = {
  words: 69,
  groupArgs: 0,
  chunkArgs: 4,
  /** Arguments of the dispatch over groups x blocks of frequencies. */
  frequencyArgs: 24,
  tileArgs: 28,
  itemArgs: 32,
  /** Arguments of the dispatch over occupied tiles x workgroups of their rays. */
  rayArgs: 52,
  /** End of the arguments of dispatches, x y z and a spare word each. */
  argsEnd: 56,
  batchLeaves: 61,
  batchQuads: 62,
  /** Words from here on accumulate over the batches of an aspect; those before start afresh with each batch. */
  perAspect: 65,
  overflow: 65,
  leaves: 66,
  records: 67,
  notFinite: 68,
} as const

/** Lanes that search the hierarchy for one facet (search_facets.wgsl). */
export const SEARCHERS = 16

/** Workgroups of 192 rays that a tile takes. */
export const RAY_GROUPS = 3

/** Frequencies that a workgroup of sum_frequencies handles at the most. */
export const FREQUENCY_LANES = 64
/** Frequencies whose partial sums are kept at once. */
export const PASS_FREQUENCIES = 128
/** Sizes in words of what rays.wgsl and candidates.wgsl lay out. */
export const ITEM_WORDS = 16
export const CHUNK_WORDS = 2
export const tileRayWords = (maxBounces: number): number => 3 * 289 + 256 * (4 + maxBounces)
export const rayWords = (maxBounces: number): number => 12 + 4 * (4 + maxBounces)
export const TILE_LIST = 32
export const FACET_LIST = 31
export const leafWords = (maxBounces: number): number => 4 + maxBounces
export const QUAD_WORDS = 9
