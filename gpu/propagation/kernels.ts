import type { KernelContract } from '../kernel.js'
import { array, struct, uniform, wordConstants } from '../layout.js'
import { FACET_PLANE, SLOT, SLOT_ROWS, WIDE_NODE } from '../sbr/layouts.js'

/** A face of the icosahedron: two-float vectors have their low parts in `...Lo`. */
const FACE = struct('Face', {
  corners: [array('vec3f', 3), ''],
  weights: [array('vec3f', 3), "rows that give a direction's weights of the corners"],
  weightsLo: [array('vec3f', 3), ''],
})

/** Constant over a run. */
export const PROPAGATION_JOB = uniform('Job', {
  transmitter: ['vec3f', '[m]'],
  lift: ['f32', 'start of a reflected ray above its facet [m]'],
  transmitterLo: ['vec3f', ''],
  zero: ['u32', 'always 0: see two_float'],
  regionMin: ['vec3f', 'absorbing box [m]'],
  slots: ['u32', 'facets'],
  regionMax: ['vec3f', ''],
  diagonal: ['f32', "of the target's box [m]"],
  receivers: ['u32', ''],
  receiverNodes: ['u32', ''],
  capacity: ['u32', 'candidates'],
  listedCapacity: ['u32', 'paths of listed receivers'],
  fixedExponent: ['i32', 'sums are integers times 2^-fixed_exponent'],
  excitations: ['u32', ''],
  materials: ['u32', ''],
  tables: ['u32', 'start of the antennas in `excitations` [rows]'],
  faces: [array(FACE, 20), ''],
})

/** One batch of rays. */
export const PROPAGATION_STEP = uniform('Step', {
  n: ['u32', 'subdivision'],
  j0: ['u32', 'first row of triangles'],
  j1: ['u32', 'last row of vertices'],
  width: ['u32', 'places of a pair of rows: 2 (n + 1) - j0 - j1'],
  face: ['u32', 'first face'],
  places: ['u32', 'of one face'],
  total: ['u32', 'of all faces of the batch'],
  batch: ['u32', 'its number'],
  stride: ['u32', 'rays that the buffer has room for'],
})

export const RECEIVER = struct('Receiver', {
  position: ['vec3f', '[m], high parts'],
  listed: ['u32', '1: its paths are listed'],
  positionLo: ['vec3f', 'low parts'],
  distance: ['f32', 'from the transmitter [m]'],
})

/** A node of the receivers' BVH, in depth-first order. */
export const RECEIVER_NODE = struct('ReceiverNode', {
  low: ['vec3f', 'corner of its box [m]'],
  next: ['u32', 'node that follows its subtree'],
  high: ['vec3f', ''],
  leaf: ['u32', 'first receiver << 4 | their number; 0: inner node'],
})

/** The rows of 16 bytes in `excitations`: of each excitation with its materials, then of the two antennas. */
export const EXCITATION = struct('Excitation', {
  cyclesPerMetre: ['vec2f', 'f/c [1/m], two-float'],
  vertical: ['f32', '1: transmits V'],
})
export const MATERIAL = struct('Material', {
  permittivity: ['vec2f', 'relative, complex'],
  conductor: ['f32', '1: perfect'],
})
export const ANTENNA = struct('Antenna', {
  axis: ['vec3f', 'unit vector'],
  kind: ['f32', '0 isotropic, 1 half-wave dipole, 2 short dipole, 3 table'],
  side: ['vec3f', 'unit vector across the axis, where phi = 0'],
  table: ['f32', 'its first row in `excitations`'],
  thetas: ['f32', 'rows of the table'],
  phis: ['f32', 'columns'],
})

/** What a batch's rays leave behind, word beside word of neighbouring rays. */
export const rayRecord = (maxReflections: number) =>
  struct('Ray', {
    reflections: ['u32', ''],
    met: [array('u32', maxReflections), 'slots'],
    segments: [array('f32', 2 * (maxReflections + 1)), 'their ends along the unfolded ray, from and to [m]'],
  })

/** Head of `candidates`; then candidates, then listed paths. */
export const CANDIDATES_HEAD = struct('CandidatesHead', {
  found: ['u32', 'candidates of the batch'],
  listed: ['u32', 'paths'],
})
export const CANDIDATE = struct('Candidate', {
  ray: ['u32', ''],
  receiver: ['u32', 'reflections << 24 | slot'],
})
export const LISTED = struct('Listed', {
  slot: ['u32', 'of the receiver'],
  reflections: ['u32', ''],
  direction: [array('f32', 3), 'unit vector away from the transmitter'],
})

/** Words of `counters` before those of the batches. */
const PROPAGATION_COUNTERS = struct('Counters', {
  notFinite: ['u32', ''],
  paths: ['u32', ''],
  candidates: ['u32', ''],
  escaped: ['u32', 'rays that slipped past a facet'],
  segments: [array('u32', 2), 'low, high word'],
})

/** What is summed per receiver and excitation, 64-bit integers (low, high word) times 2^-FIXED_EXPONENT; see `SUM` in propagation. */
export const PATH_SUMS = struct('PathSums', {
  field: [array('vec2u', 6), ''],
  transfer: [array('vec2u', 4), ''],
  power: [array('vec2u', 3), ''],
  arrival: [array('vec2u', 3), ''],
  departure: [array('vec2u', 3), ''],
  single: ['vec2u', ''],
  paths: ['vec2u', ''],
})

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

export const PROPAGATION_STRUCTS = [
  PROPAGATION_JOB,
  PROPAGATION_STEP,
  SLOT,
  WIDE_NODE,
  FACET_PLANE,
  RECEIVER,
  RECEIVER_NODE,
  EXCITATION,
  MATERIAL,
  ANTENNA,
]

/** Constants that host and kernels share. */
export const propagationConstants = (maxReflections: number): Record<string, number> => ({
  ...wordConstants(rayRecord(maxReflections), 'RAY_'),
  ...wordConstants(CANDIDATES_HEAD, 'HEAD_'),
  ...wordConstants(CANDIDATE, 'CANDIDATE_'),
  ...wordConstants(LISTED, 'LISTED_'),
  ...wordConstants(PROPAGATION_COUNTERS),
  OVERFLOWS: PROPAGATION_COUNTERS.words,
  ...wordConstants(PATH_SUMS, 'SUM_'),
  SLOT_ROWS,
  ANTENNA_ROWS: ANTENNA.words / 4,
  MAX_REFLECTIONS: maxReflections,
})

/** The kernels of a batch of rays, in the order they run. */
export const PROPAGATION_KERNELS = {
  trace: {
    name: 'propagation_trace',
    structs: () => PROPAGATION_STRUCTS,
    modules: [
      'propagation_job',
      'facet_test',
      'bvh_nodes',
      'traversal',
      'propagation_cones',
      'slabs',
      'propagation_receivers',
      'propagation_trace',
    ],
    buffers: [
      read('nodes'),
      read('slots'),
      read('receiverNodes'),
      read('points'),
      write('rays'),
      write('candidates'),
      write('counters'),
    ],
  },
  spheres: {
    name: 'propagation_spheres',
    structs: () => PROPAGATION_STRUCTS,
    modules: [
      'propagation_job',
      'propagation_cones',
      'slabs',
      'propagation_receivers',
      'propagation_spheres',
    ],
    buffers: [read('facets'), read('receiverNodes'), read('points'), read('rays'), write('candidates')],
  },
  paths: {
    name: 'propagation_paths',
    structs: () => PROPAGATION_STRUCTS,
    modules: [
      'propagation_job',
      'facet_test',
      'bvh_nodes',
      'traversal',
      'two_float',
      'fixed_point',
      'phase',
      'propagation_cones',
      'propagation_antenna',
      'complex',
      'propagation_fresnel',
      'propagation_paths',
    ],
    buffers: [
      read('nodes'),
      read('slots'),
      read('facets'),
      read('points'),
      read('rays'),
      write('candidates'),
      read('excitations'),
      write('counters'),
    ],
  },
} satisfies Record<string, KernelContract>

/** Words of `counters` before those of the batches: nonzero where a batch's candidates were too many. */
export const HEADER = {
  ...PROPAGATION_COUNTERS.at,
  overflows: PROPAGATION_COUNTERS.words,
} as const
/** Numbers summed per receiver and excitation. */
export const SUMS = PATH_SUMS.words / 2
/** Sums are integers times 2^-FIXED_EXPONENT. */
export const FIXED_EXPONENT = 47
