import { z } from 'zod'
import { describeIssues, parseJson } from '../../formats/described-json.js'
import { isMatArray, type MatArray, type MatTree, readRegularFile } from '../../formats/index.js'
import { InputError, UNITS, type Unit } from '../../scene/index.js'
import { directionsOf, type HistoryPart } from './history-part.js'

const name = z.string().min(1)
const nameOrNumber = z.union([name, z.number()])
const units = Object.keys(UNITS) as [Unit, ...Unit[]]
const HERTZ = { Hz: 1, kHz: 1e3, MHz: 1e6, GHz: 1e9 } as const

/** What a JSON description says of a file's arrays. Names of arrays in structs and groups have dots: `data.fp`. */
const SCHEMA = z.strictObject({
  data: z.union([name, z.strictObject({ re: name, im: name })]).describe('complex samples, or their parts'),
  order: z
    .enum(['frequency-pulse', 'pulse-frequency'])
    .default('frequency-pulse')
    .describe('which axis comes first, as the program that wrote the file shows it'),
  channel: z.string().regex(/^\w+$/).default('data').describe('vv, hh, vh, hv, or another name'),
  frequency: name,
  frequencyUnit: z.enum(['Hz', 'kHz', 'MHz', 'GHz']).default('Hz'),
  sign: z
    .enum(['-', '+'])
    .default('-')
    .describe(
      'of the phase of a scatterer that moves away: - for exp(-j 4 pi f d / c), time factor exp(+j w t)',
    ),
  geometry: z.union([
    z.strictObject({
      azimuth: name,
      elevation: nameOrNumber,
      angleUnit: z.enum(['deg', 'rad']).default('deg'),
    }),
    z.strictObject({
      x: name,
      y: name,
      z: nameOrNumber,
      referenceRange: nameOrNumber.optional().describe('default: the range of the origin'),
      lengthUnit: z.enum(units).default('m'),
    }),
  ]),
})
export type HistoryDescription = z.infer<typeof SCHEMA>

/** @throws InputError for what does not describe a history, with the key */
export async function readDescription(path: string): Promise<HistoryDescription> {
  const given = parseJson(
    new TextDecoder().decode(await readRegularFile(path, 'a JSON description of the history')),
    path,
  )
  const read = SCHEMA.safeParse(given)
  if (read.success) return read.data
  throw new InputError(`${path}: ${describeIssues(SCHEMA, read.error.issues)}; docs/imaging.md has the keys`)
}

/** The history in a file's arrays, as described. @throws InputError for arrays that are missing or do not fit */
export function describedPart(tree: Map<string, MatTree>, what: HistoryDescription): HistoryPart {
  const array = (path: string): MatArray => arrayAt(tree, path)
  const freqHz = array(what.frequency).data.map((f) => f * HERTZ[what.frequencyUnit])
  const { data, shape } = complexArray(tree, what.data)
  const [nf, np] = what.order === 'frequency-pulse' ? shape : shape.toReversed()
  if (shape.length !== 2 || nf !== freqHz.length)
    throw new InputError(
      `the samples are ${shape.join(' x ')} for ${freqHz.length} frequencies (order "${what.order}"); fix order or frequency`,
    )
  const f = new Float64Array(2 * nf * np)
  const conjugate = what.sign === '+' ? -1 : 1
  for (let m = 0; m < nf; m++)
    for (let n = 0; n < np; n++) {
      const from = what.order === 'frequency-pulse' ? m * np + n : n * nf + m
      f[2 * (m * np + n)] = data[2 * from]
      f[2 * (m * np + n) + 1] = conjugate * data[2 * from + 1]
    }
  const values = (given: string | number, scale: number): Float64Array => {
    const found = typeof given === 'number' ? Float64Array.of(given) : array(given).data
    if (found.length !== np && found.length !== 1)
      throw new InputError(`"${given}" has ${found.length} numbers for ${np} pulses`)
    return Float64Array.from({ length: np }, (_, n) => scale * found[found.length === 1 ? 0 : n])
  }
  const { channel, geometry } = what
  if ('azimuth' in geometry) {
    const scale = geometry.angleUnit === 'rad' ? 180 / Math.PI : 1
    const thetaDeg = values(geometry.elevation, scale).map((el) => 90 - el)
    if (thetaDeg.some((theta) => theta < 0 || theta > 180))
      throw new InputError('an elevation lies beyond 90 degrees; check "angleUnit"')
    const antenna = directionsOf(thetaDeg, values(geometry.azimuth, scale))
    return { channel, freqHz, pulses: np, antenna, referenceM: new Float64Array(np), farField: true, f }
  }
  const scale = UNITS[geometry.lengthUnit]
  const axes = [geometry.x, geometry.y, geometry.z].map((axis) => values(axis, scale))
  const antenna = Float64Array.from({ length: 3 * np }, (_, i) => axes[i % 3][Math.floor(i / 3)])
  const referenceM =
    geometry.referenceRange === undefined
      ? Float64Array.from({ length: np }, (_, n) => Math.hypot(...antenna.subarray(3 * n, 3 * n + 3)))
      : values(geometry.referenceRange, scale)
  return { channel, freqHz, pulses: np, antenna, referenceM, farField: false, f }
}

function complexArray(tree: Map<string, MatTree>, what: HistoryDescription['data']): MatArray {
  if (typeof what === 'string') {
    const found = arrayAt(tree, what)
    if (!found.complex) throw new InputError(`"${what}" is not complex; give "data" as { "re": …, "im": … }`)
    return found
  }
  const [re, im] = [arrayAt(tree, what.re), arrayAt(tree, what.im)]
  if (re.data.length !== im.data.length || re.complex || im.complex)
    throw new InputError(`"${what.re}" and "${what.im}" are not the parts of one array`)
  return {
    data: Float64Array.from({ length: 2 * re.data.length }, (_, i) => (i % 2 ? im : re).data[i >> 1]),
    shape: re.shape,
    complex: true,
  }
}

/** The array of a dotted name. @throws InputError that lists what there is */
function arrayAt(tree: Map<string, MatTree>, path: string): MatArray {
  let at: MatTree | undefined = tree
  for (const part of path.split('.')) at = at instanceof Map ? at.get(part) : undefined
  if (isMatArray(at)) return at
  throw new InputError(`there is no array "${path}"; there are ${arrayNames(tree).slice(0, 30).join(', ')}`)
}

/** Dotted names of all arrays. */
export const arrayNames = (tree: Map<string, MatTree>, before = ''): string[] =>
  [...tree].flatMap(([key, value]) =>
    value instanceof Map ? arrayNames(value, `${before}${key}.`) : isMatArray(value) ? [before + key] : [],
  )
