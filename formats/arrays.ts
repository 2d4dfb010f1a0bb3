import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, type Vec3 } from '../scene/index.js'
import { type MatArray, type MatTree, type MatValue, toRows, writeMat5 } from './mat5.js'
import { checkArray, type NpyArray, writeNpz } from './npz.js'
import { numberReader } from './text-scanner.js'

/** Text, numbers and vectors about a file. */
type Attributes = Record<string, string | number | number[]>

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

/** Begins an HDF5 file, at the start or after a block of a user's of 512 bytes or more. */
const SIGNATURE = '\x89HDF\r\n\x1a\n'
/** Most numbers of one array: 2 GiB of doubles. */
const MOST_NUMBERS = 2 ** 28
/** Groups in groups, at the most. */
const DEPTH = 16

const signed = (bytes: Uint8Array, at: number): boolean =>
  Buffer.from(bytes.subarray(at, at + 8)).toString('latin1') === SIGNATURE

/** Whether this is an HDF5 file, among them those of MATLAB 7.3. */
export const isHdf5 = (bytes: Uint8Array): boolean => signed(bytes, 0) || signed(bytes, 512)

/** The parts of the library that are used here and that its types leave out. */
interface Module {
  FS: { writeFile: (path: string, data: Uint8Array) => void; unlink: (path: string) => void }
  /** Errors are thrown, and not printed. */
  activate_throwing_error_handler: () => number
  HEAPU8: Uint8Array
  _malloc: (bytes: number) => number
  _free: (at: number) => void
  get_dataset_data: (
    file: bigint,
    path: string,
    count: null,
    offset: null,
    strides: null,
    at: bigint,
  ) => number
}
interface Metadata {
  type: number
  size: number
  shape: number[] | null
  littleEndian: boolean
  vlen: boolean
  compound_type?: {
    members: { name: string; type: number; size: number; offset: number; littleEndian: boolean }[]
  }
}
/** Classes of HDF5's types (H5T_class_t). */
const H5T = { integer: 0, float: 1, compound: 6 } as const

/**
 * The arrays of an HDF5 file by name, groups as structs: numbers as doubles, complex ones where they are compounds of two floats (r and i
 * of h5py, real and imag of MATLAB). Files of MATLAB 7.3 have their dimensions reversed: they are given as MATLAB shows them. What is neither
 * number nor group is left out.
 * @throws InputError for a file that cannot be read
 */
export async function readHdf5(bytes: Uint8Array): Promise<Map<string, MatTree>> {
  const { default: hdf5 } = await import('h5wasm')
  const module = (await hdf5.ready) as unknown as Module
  module.activate_throwing_error_handler()
  // Under Node the library reads the real file system.
  const path = join(tmpdir(), `isar-${process.pid}-${randomBytes(6).toString('hex')}.h5`)
  module.FS.writeFile(path, bytes)
  const reversed = Buffer.from(bytes.subarray(0, 10)).toString('latin1') === 'MATLAB 7.3'
  let file: InstanceType<typeof hdf5.File> | undefined
  try {
    file = new hdf5.File(path, 'r')
    return readGroup(module, file as unknown as GroupLike, reversed, 0)
  } catch (error) {
    if (error instanceof InputError) throw error
    const [first] = (error as Error).message.split('\n')
    // The library's own report of a file that it cannot open says nothing in its first line.
    const what = first.startsWith('HDF5-DIAG') ? 'it is damaged, or ends early' : first
    throw new InputError(`not a readable HDF5 file: ${what}`, { cause: error })
  } finally {
    file?.close()
    module.FS.unlink(path)
  }
}

interface GroupLike {
  file_id: bigint
  keys: () => string[]
  get: (name: string) => unknown
}

function readGroup(module: Module, group: GroupLike, reversed: boolean, depth: number): Map<string, MatTree> {
  const out = new Map<string, MatTree>()
  if (depth > DEPTH) throw new InputError('not a readable HDF5 file: its groups are nested too deeply')
  for (const name of group.keys()) {
    // References of MATLAB.
    if (name.startsWith('#')) continue
    const item = group.get(name) as (GroupLike & { metadata?: Metadata; path: string }) | null
    if (!item) continue
    if (item.metadata) {
      const array = readDataset(module, item.file_id, item.path, item.metadata, reversed)
      if (array) out.set(name, array)
    } else if (typeof item.keys === 'function') out.set(name, readGroup(module, item, reversed, depth + 1))
  }
  return out
}

function readDataset(
  module: Module,
  file: bigint,
  path: string,
  metadata: Metadata,
  reversed: boolean,
): MatArray | undefined {
  const { type, size, shape, vlen, compound_type: compound } = metadata
  const members = compound?.members ?? [{ ...metadata, name: '', offset: 0 }]
  const complex = type === H5T.compound && members.length === 2
  if (!shape || vlen || !(complex || type === H5T.integer || type === H5T.float)) return undefined
  if (members.some((m) => m.type !== H5T.float && m.type !== H5T.integer)) return undefined
  const count = shape.reduce((a, b) => a * b, 1)
  if (!(count * members.length <= MOST_NUMBERS))
    throw new InputError(
      `not a readable HDF5 file: ${path} declares ${count} numbers, ${MOST_NUMBERS} at the most`,
    )
  const { _malloc: allocate, _free: free } = module
  const at = allocate(Math.max(1, count * size))
  if (!at)
    throw new InputError(`not a readable HDF5 file: no memory for the ${count * size} bytes of ${path}`)
  let bytes: Uint8Array
  try {
    module.get_dataset_data(file, path, null, null, null, BigInt(at))
    bytes = module.HEAPU8.slice(at, at + count * size)
  } finally {
    free(at)
  }
  const data = new Float64Array(count * members.length)
  const view = new DataView(bytes.buffer)
  members.forEach((member, part) => {
    const read = reader(member, view)
    const values = Float64Array.from({ length: count }, (_, i) => read(i * size + member.offset))
    if (reversed) toRows(values, shape.toReversed(), data, members.length, part)
    else for (let i = 0; i < count; i++) data[members.length * i + part] = values[i]
  })
  return { data, shape: reversed ? shape.toReversed() : [...shape], complex }
}

function reader(
  { type, ...rest }: { type: number; size: number; littleEndian: boolean; signed?: boolean },
  view: DataView,
): (at: number) => number {
  const read = numberReader({ kind: type === H5T.float ? 'float' : 'integer', ...rest }, view)
  if (read) return read
  throw new InputError(`not a readable HDF5 file: numbers of ${8 * rest.size} bits are not supported`)
}

/** Formats of named arrays, and the endings of their files. */
export const ARRAY_ENDINGS = { npz: 'npz', hdf5: 'h5', mat: 'mat' } as const
/** Format of named arrays: `npz`, `hdf5` or `mat` (MATLAB 5). */
export type ArrayFormat = keyof typeof ARRAY_ENDINGS
export const ARRAY_FORMATS = Object.keys(ARRAY_ENDINGS) as ArrayFormat[]

/** Formats of a result's arrays: npz, which other commands read, and those asked for. */
export const withNpz = (more: readonly ArrayFormat[]): ArrayFormat[] => [
  ...new Set(['npz' as const, ...more]),
]

/** Format by the ending of a file's name; undefined for another ending. */
export const arrayFormat = (path: string): ArrayFormat | undefined =>
  ARRAY_FORMATS.find((format) => path.toLowerCase().endsWith(`.${ARRAY_ENDINGS[format]}`))

/** What every file of scattered fields says about itself (docs/file-formats.md, "Conventions"). */
export const FIELD_CONVENTIONS = {
  time_factor: 'exp(+j w t)',
  amplitude: 'F [m]: E_s = F exp(-j k r)/r for a unit incident plane wave; RCS = 4 pi |F|^2 [m^2]',
  image: '|pixel|^2 is the RCS [m^2] of an isolated point; range away from the radar',
  directions: 'from the target to the radar: theta from +z, phi from +x towards +y',
  polarisation: 'V = theta-hat, H = phi-hat; channels: transmit, receive',
}

/** The same with the phase centre [m] in the axes of the mesh. */
export const fieldAttributes = (phaseCentre: Vec3 = [0, 0, 0]): Attributes => ({
  ...FIELD_CONVENTIONS,
  phase_centre_m: [...phaseCentre],
})

/** Units by the ends of names, the longest first. */
const UNITS = [
  [/_dbsm(_|$)/, 'dBsm'],
  [/_m2(_|$)/, 'm^2'],
  [/_hz(_|$)/, 'Hz'],
  [/_deg(_|$)/, 'deg'],
  [/_db(_|$)/, 'dB'],
  [/_m(_|$)/, 'm'],
  [/_s(_|$)/, 's'],
  [/^(f_|image|layers$|clean$|free$|amplitude$)/, 'm'],
  [/^e_[vh]$/, 'V/m'],
] as const

/** Unit of an array by its name, `1` for a plain number: the rule of docs/file-formats.md. */
export const unitOf = (name: string): string => UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? '1'

/**
 * A file of named arrays. HDF5 holds the attributes at its root and each dataset's `units`; MATLAB 5 the same as structs `attributes`
 * and `units`, with `-` in names as `_`; npz the arrays alone.
 * @throws RangeError for arrays that do not fill their shape, hold NaN or infinity, or are too large for one file of the format
 */
export async function encodeArrays(
  format: ArrayFormat,
  arrays: Record<string, NpyArray>,
  attributes: Attributes = {},
): Promise<Uint8Array> {
  if (format === 'npz') return writeNpz(arrays)
  for (const [name, array] of Object.entries(arrays)) checkArray(name, array)
  const units = Object.fromEntries(Object.keys(arrays).map((name) => [name, unitOf(name)]))
  return format === 'hdf5'
    ? writeHdf5(arrays, attributes, units)
    : writeMat5(variables(arrays, attributes, units))
}

function variables(
  arrays: Record<string, NpyArray>,
  attributes: Attributes,
  units: Record<string, string>,
): Record<string, MatValue> {
  const named = (name: string): string => name.replaceAll('-', '_')
  const about = Object.entries(attributes).map(([name, value]): [string, MatValue] => [
    name,
    Array.isArray(value) ? { data: Float64Array.from(value), shape: [1, value.length] } : value,
  ])
  return {
    ...Object.fromEntries(
      Object.entries(arrays).map(([name, { data, shape, dtype }]) => [
        named(name),
        // A vector is a row, as in scipy.io.savemat.
        { data, shape: shape.length === 1 ? [1, ...shape] : shape, complex: dtype.startsWith('<c') },
      ]),
    ),
    attributes: { fields: Object.fromEntries(about) },
    units: { fields: Object.fromEntries(Object.entries(units).map(([name, unit]) => [named(name), unit])) },
  }
}
