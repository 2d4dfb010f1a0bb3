import type { Kernel, KernelContract } from '../kernel.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

const traceBuffers = [
  read('nodes'),
  read('slots'),
  read('itemsIn'),
  write('itemsOut'),
  write('leaves'),
  write('quads'),
  write('groups'),
  write('counters'),
]

/** The kernels of one sub-grid, in the order they run (paper 003, section 2.3: tracing, computing, reduction). */
export const SBR_KERNELS = {
  traceTiles: {
    name: 'trace_tiles',
    modules: ['sbr_job', 'traversal', 'path', 'collect', 'trace_tiles'],
    buffers: traceBuffers,
  },
  traceChildren: {
    name: 'trace_children',
    modules: ['sbr_job', 'traversal', 'path', 'collect', 'trace_children'],
    buffers: traceBuffers,
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
    modules: ['sbr_job', 'sum_frequencies'],
    buffers: [read('groups'), read('records'), read('quadRecords'), write('partial')],
  },
  reduce: {
    name: 'reduce',
    modules: ['sbr_job', 'reduce'],
    buffers: [read('partial'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

/** The same, compiled. */
export type SbrKernels = Record<keyof typeof SBR_KERNELS, Kernel>

/** Positions in the counter buffer (sbr_job.wgsl). */
export const COUNTERS = {
  words: 40,
  groupArgs: 0,
  childArgs: 4,
  /** Arguments of the dispatch over groups x blocks of frequencies. */
  frequencyArgs: 24,
  batchLeaves: 32,
  batchQuads: 33,
  /** Words from here on accumulate over the batches of an aspect; those before start afresh with each batch. */
  perAspect: 36,
  overflow: 36,
  leaves: 37,
  records: 38,
  notFinite: 39,
} as const

/** Frequencies that a workgroup of sum_frequencies handles at the most. */
export const FREQUENCY_LANES = 64
/** Frequencies whose partial sums are kept at once. */
export const PASS_FREQUENCIES = 128
export const ITEM_WORDS = 17
export const leafWords = (maxBounces: number): number => 4 + maxBounces
export const QUAD_WORDS = 9
