import type { KernelContract } from '../kernel.js'
import { wordConstants } from '../layout.js'
import { FACET_PLANE, SLOT, SLOT_ROWS, WIDE_NODE } from '../sbr/layouts.js'
import {
  ANTENNA,
  CANDIDATE,
  CANDIDATES_HEAD,
  EXCITATION,
  LISTED,
  MATERIAL,
  PATH_SUMS,
  PROPAGATION_COUNTERS,
  PROPAGATION_JOB,
  PROPAGATION_STEP,
  rayRecord,
  RECEIVER,
  RECEIVER_NODE,
} from './layouts.js'

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
