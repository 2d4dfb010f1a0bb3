import type { KernelContract } from '../kernel.js'

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

/** The kernels of edge diffraction in the order they run; they have no uniform of their own per dispatch. */
export const EDGE_KERNELS = {
  ends: {
    name: 'edge_ends',
    modules: ['edge_job', 'phase', 'edge_ends'],
    buffers: [read('records'), write('amplitudes')],
  },
  sum: {
    name: 'edge_sum',
    modules: ['edge_job', 'phase', 'fixed_point', 'edge_sum'],
    buffers: [read('records'), read('amplitudes'), write('totals'), write('counters')],
  },
} satisfies Record<string, KernelContract>

/** Frequencies that a workgroup of edge_sum handles at the most. */
export const FREQUENCY_LANES = 64
