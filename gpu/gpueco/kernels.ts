import { PIECE_SAMPLES, RASTER_GRAZING } from '../../raster/raster-scene.js'
import type { Kernel, KernelContract } from '../kernel.js'
import { wordConstants } from '../layout.js'
import {
  ASPECT,
  COUNTS,
  EDGE,
  FACET,
  GPUECO_COUNTERS,
  GPUECO_JOB,
  GPUECO_STEP,
  PARTIAL,
  PIECE,
  SEEN,
  WORK,
} from './layouts.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })
const common = ['gpueco_job', 'two_float', 'phase'] as const

/** Workgroups along an axis of a dispatch. */
export const AXIS = 65535

export const GPUECO_STRUCTS = [GPUECO_JOB, GPUECO_STEP, ASPECT, FACET, WORK, PARTIAL, EDGE, PIECE]
/** Constants that host and kernels share. */
export const GPUECO_CONSTANTS = {
  ...wordConstants(GPUECO_COUNTERS),
  COUNTERS_HEAD: GPUECO_COUNTERS.words,
  ...wordConstants(SEEN, 'SEEN_'),
  ...wordConstants(COUNTS, 'COUNT_'),
  GRAZING: RASTER_GRAZING,
  PIECE_SAMPLES,
  AXIS,
}

/** Kernels of an aspect in the order they run: visibility of facets, then of edges, then the fields (docs/gpueco.md). */
export const GPUECO_KERNELS = {
  depth: {
    name: 'gpueco_depth',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_raster', 'gpueco_depth'],
    buffers: [read('facets'), read('work'), read('aspects'), write('depth')],
  },
  visible: {
    name: 'gpueco_visible',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_raster', 'gpueco_visible'],
    buffers: [read('facets'), read('work'), read('aspects'), read('depth'), write('counts')],
  },
  edges: {
    name: 'gpueco_edges',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_wedge', 'gpueco_edges'],
    buffers: [read('edges'), read('pieces'), read('aspects'), read('depth'), write('masks')],
  },
  fields: {
    name: 'gpueco_fields',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'polygon', 'fixed_point', 'gpueco_sum', 'gpueco_fields'],
    buffers: [
      read('facets'),
      read('aspects'),
      read('counts'),
      write('totals'),
      write('counters'),
      write('partial'),
    ],
  },
  pixels: {
    name: 'gpueco_pixels',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'gpueco_raster', 'fixed_point', 'gpueco_pixels'],
    buffers: [
      read('facets'),
      read('work'),
      read('aspects'),
      read('depth'),
      read('counts'),
      write('totals'),
      write('counters'),
      read('partial'),
    ],
  },
  edgeFields: {
    name: 'gpueco_edge_fields',
    structs: () => GPUECO_STRUCTS,
    constants: GPUECO_CONSTANTS,
    modules: [...common, 'fixed_point', 'gpueco_sum', 'gpueco_wedge', 'gpueco_edge_fields'],
    buffers: [
      read('edges'),
      read('pieces'),
      read('aspects'),
      read('masks'),
      write('totals'),
      write('counters'),
    ],
  },
} satisfies Record<string, KernelContract>

/** The same, compiled. */
export type GpuecoKernels = Record<keyof typeof GPUECO_KERNELS, Kernel>

/** Frequencies that a workgroup sums at the most. */
export const FREQUENCY_LANES = 64
/** Facets, and pieces of edges, that a workgroup sums at once. */
export const LANES = 64
/** Positions in the counter buffer: those of the batch, then, `head` words on, those of each aspect. */
export const COUNTERS = {
  ...GPUECO_COUNTERS.at,
  ...SEEN.at,
  head: GPUECO_COUNTERS.words,
  perAspect: SEEN.words,
} as const
