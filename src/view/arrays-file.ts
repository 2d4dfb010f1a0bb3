import { basename } from 'node:path'
import {
  isHdf5,
  isMat5,
  isMatArray,
  type MatTree,
  type NpyArray,
  readHdf5,
  readMat5,
  readNpz,
  readRegularFile,
} from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { readRcsCsv } from './rcs-result.js'

/**
 * Named arrays of a result's file: .npz, HDF5 or MATLAB 5 by its content, else the CSV of `isar rcs`.
 * @throws InputError for anything else
 */
export async function readArrays(file: string): Promise<Record<string, NpyArray>> {
  const bytes = await readRegularFile(file, 'a result (.csv, .npz, .h5 or .mat)')
  if (isMat5(bytes)) return named(readMat5(bytes))
  if (isHdf5(bytes)) return named(await readHdf5(bytes))
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return readNpz(bytes)
  if (/\.(npz|h5|hdf5|mat)$/i.test(file))
    throw new InputError(`${file}: neither .npz, HDF5 nor MATLAB 5; run the command that made it again`)
  return readRcsCsv(new TextDecoder().decode(bytes), basename(file))
}

/** MATLAB has no `-` in names: the one mechanism that is written with it gets it back. */
const named = (tree: Map<string, MatTree>): Record<string, NpyArray> =>
  Object.fromEntries(
    [...tree].flatMap(([name, value]) => {
      if (!isMatArray(value)) return []
      const { data, shape, complex } = value
      return [[name.replace(/_edge_wave$/, '_edge-wave'), { data, shape, dtype: complex ? '<c16' : '<f8' }]]
    }),
  )
