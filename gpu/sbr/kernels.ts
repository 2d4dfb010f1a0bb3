import type { RayScene } from '../../rays/index.js'
import type { Kernel, KernelContract } from '../kernel.js'
import { GROUP, SBR_JOB, SBR_STEP } from './layouts.js'
import type { Traversal } from './scene-buffers.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

/** Declared before the modules of every kernel. */
export const SBR_STRUCTS = [SBR_JOB, SBR_STEP, GROUP]

const lists = [write('items'), write('leaves'), write('quads'), write('groups'), write('counters')]
const cast = ['facet_test', 'traversal', 'path'] as const

const sumBuffers = [read('groups'), read('records'), read('quadRecords'), write('partial'), read('counters')]

/** Tracing, in the order in which the kernels of a batch run (paper 003, section 2.3). */
const TILE_KERNELS = {
  markTiles: {
    name: 'mark_tiles',
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'candidates', 'outline', 'over_tiles', 'mark_tiles'],
    buffers: [read('corners'), write('candidates'), write('counters')],
  },
  traceTiles: {
    name: 'trace_tiles',
    structs: SBR_STRUCTS,
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
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'candidates', 'rays', 'kept_rays', 'collect', 'sort_tiles'],
    buffers: [read('candidates'), read('rays'), ...lists],
  },
  traceChildren: {
    name: 'trace_children',
    structs: SBR_STRUCTS,
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
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'rays', 'kept_rays', 'collect', 'sort_children'],
    buffers: [read('rays'), ...lists],
  },
} satisfies Record<string, KernelContract>

/** Before tracing, and the fields of what was traced. `sumNodes` takes the place of `sumFrequencies` where those are many. */
const COMMON_KERNELS = {
  searchFacets: {
    name: 'search_facets',
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'candidates', 'search_facets'],
    buffers: [read('nodes'), read('corners'), read('slots'), write('facetCandidates')],
  },
  contributions: {
    name: 'contributions',
    structs: SBR_STRUCTS,
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
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'two_float', 'radiation', 'turn_records'],
    buffers: [read('groups'), read('places'), write('records'), write('quadRecords'), read('counters')],
  },
  sumFrequencies: {
    name: 'sum_frequencies',
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'phase', 'polygon', 'phasor', 'quad_shape', 'sum_frequencies'],
    buffers: sumBuffers,
  },
  sumNodes: {
    name: 'sum_nodes',
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'phase', 'polygon', 'phasor', 'quad_shape', 'sum_nodes'],
    buffers: sumBuffers,
  },
  reduce: {
    name: 'reduce',
    structs: SBR_STRUCTS,
    modules: ['sbr_job', 'fixed_point', 'totals', 'reduce'],
    buffers: [read('partial'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

export const SBR_KERNELS = { ...TILE_KERNELS, ...COMMON_KERNELS }
export type KernelName = keyof typeof SBR_KERNELS

/** The kernels of an aspect, with either way of summing frequencies, for a look or not. */
export function aspectKernels(fast: boolean, look: boolean): KernelName[] {
  const unused = new Set([fast ? 'sumFrequencies' : 'sumNodes', ...(look ? [] : ['turnRecords'])])
  return Object.keys(SBR_KERNELS).filter((name) => !unused.has(name)) as KernelName[]
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

/** Those of an aspect, with their bind groups. */
export type AspectBinds = Partial<Record<KernelName, { kernel: Kernel; group: GPUBindGroup }>>

/** Positions in the counter buffer (sbr_job.wgsl). */
export const COUNTERS = {
  words: 31,
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
  records: 19,
  notFinite: 20,
  /** One word a level of refinement, 0 to MAX_SUBDIVISIONS: leaves, and those of them that the bounce limit cuts off. */
  lit: 21,
  cutOff: 26,
} as const

/** Lanes that search the hierarchy for one facet (search_facets.wgsl). */
export const SEARCHERS = 16

/** Workgroups that the rays of a tile take. */
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
