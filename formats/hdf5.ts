import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NpyArray } from './npz.js'

/** Text, numbers and vectors about a file. */
export type Attributes = Record<string, string | number | number[]>

/**
 * An HDF5 file of the arrays, one dataset each, with the attributes at its root. Complex numbers are compounds of `r` and `i`, which
 * h5py reads as complex. The same values give the same bytes: the times that the library stamps on datasets are zero.
 * @param units  by name, attribute `units` of the dataset
 */
export async function writeHdf5(
  arrays: Record<string, NpyArray>,
  attributes: Attributes = {},
  units: Record<string, string> = {},
): Promise<Uint8Array> {
  const { default: hdf5 } = await import('h5wasm')
  const { FS } = await hdf5.ready
  const { now } = Date
  // Under Node the library writes to the real file system.
  const path = join(tmpdir(), `isar-${process.pid}-${randomBytes(6).toString('hex')}.h5`)
  try {
    // The library has no setting for its time stamps and calls this for the time. Nothing else runs meanwhile.
    Date.now = () => 0
    const file = new hdf5.File(path, 'w')
    for (const [name, value] of Object.entries(attributes))
      file.create_attribute(name, Array.isArray(value) ? Float64Array.from(value) : value)
    for (const [name, array] of Object.entries(arrays)) {
      const { data, shape, dtype } = array
      const dataset = file.create_dataset(
        dtype.startsWith('<c') ? { name, shape, ...compound(array) } : { name, data, shape },
      )
      if (units[name]) dataset.create_attribute('units', units[name])
    }
    file.close()
  } finally {
    Date.now = now
  }
  const bytes = FS.readFile(path)
  FS.unlink(path)
  return bytes
}

/** Real and imaginary parts as columns of a compound type. */
function compound({ data, dtype }: NpyArray): { data: Float64Array; dtype: [string, string][] } {
  const float = dtype === '<c16' ? '<d' : '<f'
  const parts = new Map([
    ['r', data.filter((_, i) => i % 2 === 0)],
    ['i', data.filter((_, i) => i % 2 === 1)],
  ])
  // The type declarations do not include maps of columns.
  return { data: parts as unknown as Float64Array, dtype: [['r', float], ['i', float]] } // prettier-ignore
}
