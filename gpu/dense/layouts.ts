import type { KernelContract } from '../kernel.js'
import { uniform } from '../layout.js'

/** Columns that are factored one by one; orders of matrices are padded to multiples of it. */
export const PANEL = 64
/** Columns of L that a trailing update takes at once: a multiple of PANEL. */
export const OUTER = 256

const LANES = 256
/** Depth of the tiles of a product. */
const DEPTH = 16

const CONSTANTS = {
  PANEL,
  LANES,
  DEPTH,
  PANEL_LANES: LANES / 64,
  TILE_PAIRS: 32 * DEPTH,
  TRANSPOSE: 33 * 32,
  SOLVED: PANEL * 32,
}

/** Constant over a matrix. */
export const DENSE_JOB = uniform('Job', {
  order: ['u32', 'rows of the matrix, padded'],
  zero: ['u32', 'always 0: guards two-float arithmetic'],
})

/** One dispatch. */
export const DENSE_STEP = uniform('Step', {
  width: ['u32', 'columns of the row-major buffer'],
  row: ['u32', 'first row of what is written'],
  column: ['u32', 'first column of it in its buffer'],
  panel: ['u32', 'first column in `left`'],
  source: ['u32', 'first row of the right factor; 1: begins a panel'],
  depth: ['u32', 'columns of the left factor; rows that are exchanged; column of the panel'],
})

const read = (name: string) => ({ name, access: 'read' as const })
const write = (name: string) => ({ name, access: 'read_write' as const })

const contract = (
  name: string,
  modules: KernelContract['modules'],
  buffers: KernelContract['buffers'],
  constants: Record<string, number> = {},
): KernelContract => ({
  name,
  structs: () => [DENSE_JOB, DENSE_STEP],
  constants: { ...CONSTANTS, ...constants },
  modules,
  buffers,
})

const triangle = (name: string, upper: 0 | 1): KernelContract =>
  contract(name, ['complex', 'dense_triangle'], [read('left'), write('block')], { UPPER: upper })

/** Kernels of the factorisation, by what they do. */
export const DENSE_KERNELS = {
  loadPanel: contract('dense_load_panel', ['dense_load_panel'], [read('block'), write('left')]),
  storePanel: contract('dense_store_panel', ['dense_store_panel'], [write('block'), read('left')]),
  factorColumn: contract(
    'dense_factor_column',
    ['complex', 'dense_pivot_size', 'dense_factor_column'],
    [write('left'), write('marks'), write('largest'), write('pivots')],
  ),
  exchanges: contract(
    'dense_exchanges',
    ['dense_pivot_size', 'dense_exchanges'],
    [read('left'), read('pivots'), write('exchanges'), write('smallest')],
  ),
  swapRows: contract('dense_swap_rows', ['dense_swap_rows'], [read('exchanges'), write('block')]),
  lower: triangle('dense_lower', 0),
  upper: triangle('dense_upper', 1),
  multiply: contract('dense_multiply', ['dense_multiply', 'dense_products'], [read('left'), write('block')]),
  residual: contract(
    'dense_residual',
    ['dense_residual', 'dense_products', 'two_float'],
    [read('left'), read('solution'), write('high'), write('low')],
  ),
  add: contract('dense_add', ['dense_add'], [write('sum'), read('summand')]),
  norms: contract('dense_norms', ['dense_norms'], [read('block'), write('norms')]),
  columnSums: contract('dense_column_sums', ['dense_column_sums'], [read('block'), write('sums')]),
} satisfies Record<string, KernelContract>

export type DenseKernel = keyof typeof DENSE_KERNELS
