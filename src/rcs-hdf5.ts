import { writeHdf5 } from '../formats/index.js'
import type { RcsTable } from './rcs-csv.js'
import { tableArrays } from './rcs-table.js'

/** HDF5 with the arrays of `rcsNpz`; complex ones as a last axis of two (re, im). */
export const rcsHdf5 = (table: RcsTable): Promise<Uint8Array> =>
  writeHdf5(
    Object.fromEntries(
      tableArrays(table).map(({ name, data, shape, complex }) => [
        name,
        { data, shape: complex ? [...shape, 2] : shape, dtype: '<f8' },
      ]),
    ),
  )
