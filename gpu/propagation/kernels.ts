import type { KernelContract } from '../kernel.js'
import { PROPAGATION_JOB, PROPAGATION_STEP } from './layouts.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

/** Declared before the modules of every kernel. */
export const PROPAGATION_STRUCTS = [PROPAGATION_JOB, PROPAGATION_STEP]

/** The kernels of a batch of rays, in the order they run. */
export const PROPAGATION_KERNELS = {
  trace: {
    name: 'propagation_trace',
    structs: PROPAGATION_STRUCTS,
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
    structs: PROPAGATION_STRUCTS,
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
    structs: PROPAGATION_STRUCTS,
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

/** Words of `counters` before the overflow words of the batches. */
export const HEADER = {
  notFinite: 0,
  paths: 1,
  candidates: 2,
  escaped: 3,
  segments: 4,
  overflows: 8,
} as const
/** Words of `candidates` before the list, and of a listed path. */
export const LIST_HEAD = 2
export const LISTED_WORDS = 5
/** Numbers summed per receiver and excitation. */
export const SUMS = 21
/** Sums are integers times 2^-FIXED_EXPONENT. */
export const FIXED_EXPONENT = 47

/** Words of a ray: reflections, facets met, ends of its segments. */
export const rayWords = (maxReflections: number): number => 1 + maxReflections + 2 * (maxReflections + 1)
