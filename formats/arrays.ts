import type { Vec3 } from '../scene/index.js'
import { type Attributes, writeHdf5 } from './hdf5.js'
import { type MatValue, writeMat5 } from './mat5.js'
import { checkArray, type NpyArray, writeNpz } from './npz.js'

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

/** A file of the arrays in each format: its name, `stem` with the format's ending, and its content. */
export async function* encodeFormats(
  stem: string,
  arrays: Record<string, NpyArray>,
  formats: readonly ArrayFormat[],
  attributes: Attributes,
): AsyncGenerator<[name: string, data: Uint8Array]> {
  for (const format of formats)
    yield [`${stem}.${ARRAY_ENDINGS[format]}`, await encodeArrays(format, arrays, attributes)]
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
