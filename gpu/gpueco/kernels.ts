import { PIECE_SAMPLES, RASTER_GRAZING } from '../../rays/raster-scene.js'
import type { Kernel, KernelContract } from '../kernel.js'
import { array, struct, uniform, wordConstants } from '../layout.js'

/** Constant over a batch of aspects. Two-float numbers are vec2f (high, low). */
export const GPUECO_JOB = uniform('Job', {
  cyclesPerMetre: ['vec2f', 'f0/c [1/m], two-float'],
  cyclesPerMetreStep: ['vec2f', 'df/c [1/m], two-float'],
  wavenumber: ['f32', 'k at f0 [rad/m]'],
  wavenumberStep: ['f32', 'dk from frequency to frequency [rad/m]'],
  pixel: ['f32', 'side of a pixel [m]'],
  rounding: ['f32', 'of depths [m]'],
  centre: ['vec2f', "pixel coordinates of the scene's origin"],
  zero: ['u32', 'always 0: see two_float'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent m^2'],
  frequencies: ['u32', 'of the band'],
  facets: ['u32', ''],
  works: ['u32', 'entries of the work list'],
  pieces: ['u32', 'pieces of edges'],
  size: ['u32', 'pixels along a side of the image'],
  tile: ['u32', 'pixels along a side of the tile that the depth buffer holds'],
  group: ['u32', 'facets that a workgroup of gpueco_fields sums'],
})

/** Changes from dispatch to dispatch. */
export const GPUECO_STEP = uniform('Step', {
  tileX: ['i32', 'first pixel of the tile'],
  tileY: ['i32', ''],
  aspect: ['u32', 'of the kernels that take one at a time'],
})

export const ASPECT = struct('Aspect', {
  r: ['vec3f', 'from the target to the transmitter'],
  u: ['vec3f', 'axes of the image, u x v = r'],
  v: ['vec3f', ''],
  w: ['vec3f', 's + r, the phase gradient per wavenumber: high parts'],
  wLo: ['vec3f', 'and low parts'],
  txV: ['vec3f', 'transmit theta-hat'],
  txH: ['vec3f', 'transmit phi-hat'],
  rxV: ['vec3f', 'receive theta-hat'],
  rxH: ['vec3f', 'receive phi-hat'],
  s: ['vec3f', 'from the target to the receiver'],
})

/** Of the three corners the coordinates, and relative to `point`, which single precision holds exactly. */
export const FACET = struct('Facet', {
  corner0: ['vec3f', '[m]'],
  normalX: ['f32', 'outward unit normal'],
  corner1: ['vec3f', ''],
  normalY: ['f32', ''],
  corner2: ['vec3f', ''],
  normalZ: ['f32', ''],
  point: ['vec3f', 'of the facet [m]'],
  bothSides: ['u32', '1: both sides are lit'],
  relative0: ['vec3f', 'corner0 - point [m]'],
  entry: ['u32', 'its first entry in the work list'],
  relative1: ['vec3f', ''],
  entries: ['u32', 'their number'],
  relative2: ['vec3f', ''],
})

/** An entry of the work list: a facet, or some rows of a large one. */
const WORK = struct('Work', {
  facet: ['u32', 'its number | 2^31 where both sides are lit'],
  part: ['u32', 'part of the rows | parts << 16'],
})

/** An entry of the work list of a facet that is seen in part. */
export const PARTIAL = struct('Partial', {
  aspect: ['u32', ''],
  entry: ['u32', ''],
})

/** A face at an edge. */
export const EDGE_FACE = struct('EdgeFace', {
  into: ['vec3f', 'unit vector into the face, across the edge'],
  out: ['vec3f', 'out of it'],
  along: ['vec3f', 'along the edge'],
})

export const EDGE = struct('Edge', {
  start: ['vec3f', 'first end [m]'],
  spacing: ['f32', 'distance of samples [m]'],
  startLo: ['vec3f', 'low parts'],
  wedge: ['f32', 'N: exterior angle over pi'],
  tangent: ['vec3f', ''],
  samples: ['f32', 'their number'],
  faces: [array(EDGE_FACE, 2), ''],
})

/** Up to PIECE_SAMPLES samples of an edge. */
const PIECE = struct('Piece', {
  edge: ['u32', ''],
  first: ['u32', 'sample'],
})

/** Per facet and aspect. */
export const COUNTS = struct('Counts', {
  samples: ['u32', ''],
  visible: ['u32', 'samples'],
  probes: ['u32', 'visible ones'],
})

/** Words of the counter buffer, before those of each aspect. */
const GPUECO_COUNTERS = struct('Counters', {
  partialArgs: [array('u32', 3), 'x y z of the dispatch over the list of facets seen in part'],
  partials: ['u32', 'entries of that list'],
  notFinite: ['u32', 'nonzero: a sum was infinite, not a number or too large'],
})

/** What of an aspect is seen. */
const SEEN = struct('Seen', {
  facets: ['u32', ''],
  pieces: ['u32', ''],
})

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })
const common = ['gpueco_job', 'two_float', 'path_cycles', 'phase'] as const

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
