import { basename, dirname, resolve } from 'node:path'
import type { Formula } from '../scene/formula.js'
import { InputError } from '../scene/index.js'
import {
  type Impedance,
  type Layer,
  type Material,
  type MaterialLibrary,
  type Medium,
  mediumNamed,
  type ReflectionTable,
  type ShuntSheet,
} from '../scene/materials/index.js'
import { checkJson, LEAST, mediumOf, parseJson } from './described-json.js'
import type { FilesHash } from './files-hash.js'
import {
  type ComplexGiven,
  expressionsIn,
  type ItemDescription,
  type LayeredGiven,
  type LayeredMediumGiven,
  type LayerGiven,
  type MaterialDescription,
  materialsSchema,
  type MediumDescription,
} from './materials-schema.js'
import { readRegularFile } from './regular-file.js'
import { readTable } from './text-scanner.js'

const REFLECTION = ['r_s_real', 'r_s_imag', 'r_p_real', 'r_p_imag']
const TRANSMISSION = ['t_s_real', 't_s_imag', 't_p_real', 't_p_imag']
/** In tables without `p_convention`. */
const PLAIN = ['freq_hz', 'theta_deg', 'rs_re', 'rs_im', 'rp_re', 'rp_im']
const PLAIN_TRANSMISSION = ['ts_re', 'ts_im', 'tp_re', 'tp_im']
/** By how much measured coefficients may exceed energy, and differ between polarisations at normal incidence. */
const SLACK = 1e-3

interface Conventions {
  transmits: boolean
  p_convention: 'H' | 'E'
  time_factor: string
  thickness_m: number
}

type Given = { kind: 'opaque' | 'sheet'; table: ReflectionTable; thickness: number }

/**
 * As `readReflectionTable`, of a file with columns `freq_hz`, `rs_re`, …: R_p is the ratio of H, the time factor exp(+jwt). A sheet where
 * it has columns of T that are not 0 throughout; rows of 90 degrees, where R = -1 and T = 0, are left out.
 */
async function readPlainTable(
  path: string,
  { thickness_m }: { thickness_m: number },
  at: string,
  files: FilesHash,
): Promise<Given> {
  const { columns } = await readTable(path, PLAIN, files, PLAIN_TRANSMISSION).catch((error: Error) => {
    if (!error.message.includes('no column freq_hz')) throw error
    throw new InputError(`${error.message}; one with frequency_hz,r_s_real,… needs p_convention in ${at}`)
  })
  const transmits = columns.slice(6).some((column) => column.some((x) => x !== 0))
  const below = columns.map((column) => column.filter((_, r) => columns[1][r] !== 90))
  const conventions: Conventions = { transmits, p_convention: 'H', time_factor: 'exp(+jwt)', thickness_m }
  return tableOf(below, path, conventions, at, 'metal has R_p = +1 here, the ratio of H')
}

/**
 * Coefficients over frequency and angle from a CSV file, one row for each pair of both, in any order. @param at  begins messages
 * @throws InputError where rows are missing, where more comes back than goes in, or where both polarisations differ at 0 degrees
 */
async function readReflectionTable(
  path: string,
  given: Conventions,
  at: string,
  files: FilesHash,
): Promise<Given> {
  const names = ['frequency_hz', 'theta_deg', ...REFLECTION, ...(given.transmits ? TRANSMISSION : [])]
  const { columns } = await readTable(path, names, files)
  return tableOf(columns, path, given, at, 'p_convention says whether metal has R_p = +1 (H) or -1 (E)')
}

/** @param sign  what to say where R_p seems to have the other sign */
function tableOf(columns: Float64Array[], path: string, given: Conventions, at: string, sign: string): Given {
  const [hz, theta] = columns
  const rows = hz.length
  const frequencies = [...new Set(hz)].sort((a, b) => a - b)
  const degrees = [...new Set(theta)].sort((a, b) => a - b)
  if (degrees[0] !== 0 || degrees.at(-1)! >= 90 || degrees.length < 2)
    throw new InputError(`${at}: theta_deg of ${path} must go from 0 to less than 90 degrees`)
  if (rows !== frequencies.length * degrees.length)
    throw new InputError(
      `${at}: ${path} has ${rows} rows for ${frequencies.length} frequencies and ${degrees.length} angles; give one for each pair`,
    )
  const values = new Float64Array(8 * rows).fill(NaN)
  for (let r = 0; r < rows; r++) {
    const to = 8 * (frequencies.indexOf(hz[r]) * degrees.length + degrees.indexOf(theta[r]))
    for (let k = 0; k < 8; k++) values[to + k] = columns[2 + k]?.[r] ?? 0
    if (given.p_convention === 'E') for (const k of [2, 3]) values[to + k] *= -1
    if (given.time_factor === 'exp(-iwt)') for (const k of [1, 3, 5, 7]) values[to + k] *= -1
    check(values.subarray(to, to + 8), theta[r], `${at}: ${path}, ${hz[r]} Hz, ${theta[r]} degrees`, sign)
  }
  if (values.some(Number.isNaN))
    throw new InputError(`${at}: ${path} has a pair of frequency and angle twice`)
  return {
    kind: given.transmits ? 'sheet' : 'opaque',
    table: { frequencies, angles: degrees.map((x) => (x * Math.PI) / 180), values: Array.from(values) },
    thickness: given.thickness_m,
  }
}

function check(v: Float64Array, theta: number, at: string, sign: string): void {
  for (const [p, name] of [
    [0, 's'],
    [2, 'p'],
  ] as const) {
    const energy = v[p] ** 2 + v[p + 1] ** 2 + v[4 + p] ** 2 + v[5 + p] ** 2
    if (energy > 1 + SLACK)
      throw new InputError(
        `${at}: |R_${name}|^2 + |T_${name}|^2 is ${energy.toPrecision(5)}, more than comes in`,
      )
  }
  if (theta === 0 && Math.hypot(v[0] + v[2], v[1] + v[3]) > SLACK)
    throw new InputError(`${at}: R_s and R_p differ at normal incidence; ${sign}`)
}

/** Reads a materials file and the tables that it names. @param files  takes all of them @throws InputError for anything wrong in them */
export async function readMaterials(path: string, files: FilesHash): Promise<MaterialLibrary> {
  const bytes = await readRegularFile(path, 'a materials file')
  files.add(bytes)
  const name = basename(path)
  return openMaterials(parseJson(new TextDecoder().decode(bytes), name), name, dirname(resolve(path)), files)
}

/**
 * Media and materials of a description. @param name  of it, in messages
 * @param folder  that tables are named relative to
 * @throws InputError for anything wrong in it
 */
export async function openMaterials(
  description: unknown,
  name: string,
  folder: string,
  files: FilesHash,
): Promise<MaterialLibrary> {
  const data = checkJson(materialsSchema, description, name)
  const written = expressionsIn(description, data) ?? {}
  const writtenIn = (place: string): { written?: Record<string, string> } => {
    const own = Object.entries(written).filter(([at]) => at.startsWith(`${place}.`))
    return own.length > 0 ? { written: Object.fromEntries(own) } : {}
  }
  const media = new Map<string, Medium>()
  for (const [key, given] of Object.entries(data.media)) {
    const at = `${name}: media.${key}`
    media.set(key, {
      ...(isLayered(given) ? mediumOfValues(given, at) : mediumOf(given, at)),
      name: key,
      ...writtenIn(`media.${key}`),
    })
  }
  const materials = new Map<string, Material>()
  for (const [key, given] of Object.entries(data.materials))
    materials.set(key, {
      ...(await materialOf(given, key, `${name}: materials.${key}`, media, folder, files)),
      ...writtenIn(`materials.${key}`),
    })
  return { media, materials, groups: new Map(Object.entries(data.groups)), standard: data.default }
}

/** Whether a medium is given by `eps_r` and the other keys of layers. */
const isLayered = (given: MediumDescription | LayeredMediumGiven): given is LayeredMediumGiven =>
  !('active' in given)

async function materialOf(
  given: MaterialDescription,
  name: string,
  at: string,
  media: ReadonlyMap<string, Medium>,
  folder: string,
  files: FilesHash,
): Promise<Material> {
  const stackOf = (items: ItemDescription[], key: string): (Layer | ShuntSheet)[] =>
    items.map((item, i) => itemOf(item, `${at}.${key}.${i}`, media))
  if ('layers' in given || 'surface_impedance_ohm' in given || 'sheet_impedance_ohm' in given)
    return { name, ...layeredMaterial(given, at, media) }
  if ('table' in given) {
    const path = resolve(folder, given.table)
    if (!('p_convention' in given)) return { name, ...(await readPlainTable(path, given, at, files)) }
    return { name, ...(await readReflectionTable(path, given, at, files)) }
  }
  if ('sheet' in given) return { name, kind: 'sheet', stack: stackOf(given.sheet, 'sheet') }
  if ('surface_impedance' in given) {
    const backing = impedanceOf(given.surface_impedance, `${at}.surface_impedance`)
    return { name, kind: 'opaque', stack: [], backing, facet: 'outer', sides: 'both' }
  }
  const { facet } = given
  const stack = stackOf(given.coating, 'coating')
  if ('half_space' in given) {
    const backing = namedOrOwn(given.half_space, `${at}.half_space`, media)
    return { name, kind: 'opaque', stack, backing, facet, sides: 'both' }
  }
  return { name, kind: 'opaque', stack, backing: 'conductor', facet, sides: given.sides }
}

function itemOf(item: ItemDescription, at: string, media: ReadonlyMap<string, Medium>): Layer | ShuntSheet {
  if ('thickness_m' in item) {
    const medium = 'medium' in item ? namedOrOwn(item.medium, at, media) : mediumOf(item, at)
    return { medium, thickness: item.thickness_m }
  }
  const sheet = impedanceOf(item, at)
  if (Math.hypot(item.resistance_ohm, item.reactance_ohm) < LEAST)
    throw new InputError(`${at}: a sheet of 0 ohm is metal; give resistance_ohm or reactance_ohm`)
  return sheet
}

const namedOrOwn = (
  given: string | Omit<MediumDescription, 'description'>,
  at: string,
  media: ReadonlyMap<string, Medium>,
): Medium => (typeof given === 'string' ? mediumNamed(given, media, at) : mediumOf(given, at))

function impedanceOf(
  given: { resistance_ohm: number; reactance_ohm: number; active: boolean },
  at: string,
): ShuntSheet {
  const { resistance_ohm, reactance_ohm, active } = given
  if (resistance_ohm < 0 && !active)
    throw new InputError(
      `${at}: resistance_ohm is ${resistance_ohm}, a gain; give 0 or more, or "active": true if that is meant`,
    )
  return { impedance: [resistance_ohm, reactance_ohm] }
}

type Unnamed = Material extends infer M ? (M extends Material ? Omit<M, 'name'> : never) : never

/**
 * A material of layers or of one impedance. @param at  its key, begins messages
 * @throws InputError for gain, lists that do not match, frequencies that do not overlap, and sheets of 0 ohm
 */
export function layeredMaterial(
  given: LayeredGiven,
  at: string,
  media: ReadonlyMap<string, Medium>,
): Unnamed {
  if ('surface_impedance_ohm' in given) {
    const impedance = layeredImpedance(given.surface_impedance_ohm, `${at}.surface_impedance_ohm`)
    return { kind: 'opaque', stack: [], backing: { impedance }, facet: 'outer', sides: 'both' }
  }
  if ('sheet_impedance_ohm' in given)
    return { kind: 'sheet', stack: [sheetOf(given.sheet_impedance_ohm, at)] }
  const stack = given.layers.map((item, i): Layer | ShuntSheet => {
    const where = `${at}.layers.${i}`
    if ('sheet_impedance_ohm' in item) return sheetOf(item.sheet_impedance_ohm, where)
    return { medium: mediumOfLayer(item, where, media), thickness: item.thickness_m }
  })
  if (given.backing === 'pec')
    return { kind: 'opaque', stack, backing: 'conductor', facet: 'outer', sides: 'both' }
  if (stack.length === 0)
    throw new InputError(`${at}.layers: nothing is there to reflect; give a layer, or "backing": "pec"`)
  return { kind: 'sheet', stack }
}

function sheetOf(given: ComplexGiven, at: string): ShuntSheet {
  const place = `${at}.sheet_impedance_ohm`
  const impedance = layeredImpedance(given, place)
  if ('formula' in impedance) return { impedance }
  const values = 'frequencies' in impedance ? impedance.values : [impedance]
  values.forEach(([r, x], i) => {
    const [before, reactance] = values[Math.max(0, i - 1)]
    // Between two samples without resistance the reactance may change its sign.
    if (Math.hypot(r, x) < LEAST || (r === 0 && before === 0 && x * reactance < 0))
      throw new InputError(
        `${place}: a sheet of 0 ohm is metal; give it a resistance, or take the material pec`,
      )
  })
  return { impedance }
}

function layeredImpedance(given: ComplexGiven, at: string): Impedance {
  if (isFunction(given)) return { name: at, formula: given.formula }
  const { frequencies, re, im } = samplesOf(given, at)
  const gain = re.find((x) => x < 0)
  if (gain !== undefined) throw new InputError(`${at}: the resistance is ${gain}, a gain; give 0 or more`)
  if (!frequencies) return [re[0], im[0]]
  return { name: at, frequencies, values: re.map((x, i) => [x, im[i]]) }
}

interface Samples {
  /** Ascending [Hz]; absent for a constant, of one value. */
  frequencies?: number[]
  re: number[]
  im: number[]
}

/** Whether a value is a function of f. */
const isFunction = (given: unknown): given is { formula: Formula } =>
  typeof given === 'object' && given !== null && 'formula' in given

function samplesOf(given: Exclude<ComplexGiven, { formula: Formula }>, at: string): Samples {
  if (typeof given === 'number') return { re: [given], im: [0] }
  if (Array.isArray(given)) return { re: [given[0]], im: [given[1]] }
  const { freq_hz: frequencies, re, im = re.map(() => 0) } = given
  for (const [key, list] of Object.entries({ re, im }))
    if (list.length !== frequencies.length)
      throw new InputError(
        `${at}: ${key} has ${list.length} values for ${frequencies.length} of freq_hz; give as many`,
      )
  const late = frequencies.findIndex((f, i) => i > 0 && f <= frequencies[i - 1])
  if (late > 0)
    throw new InputError(
      `${at}: freq_hz must ascend; ${frequencies[late]} follows ${frequencies[late - 1]}; sort the lists`,
    )
  return { frequencies, re, im }
}

/** One part of samples at a frequency within them, linear between. */
function valueAt(frequencies: number[] | undefined, list: number[], f: number): number {
  if (!frequencies) return list[0]
  const i = frequencies.findIndex((x) => x >= f)
  if (frequencies[i] === f) return list[i]
  const share = (f - frequencies[i - 1]) / (frequencies[i] - frequencies[i - 1])
  return list[i - 1] + share * (list[i] - list[i - 1])
}

/** The medium of a layer, or one by its name. */
function mediumOfLayer(layer: LayerGiven, at: string, media: ReadonlyMap<string, Medium>): Medium {
  const { medium, thickness_m: _, ...values } = layer
  if (medium !== undefined) {
    const stray = Object.keys(values)[0]
    if (stray) throw new InputError(`${at}: medium gives eps and mu; leave ${stray} out`)
    return mediumNamed(medium, media, at)
  }
  return mediumOfValues(values, at)
}

/**
 * A medium by its values: of lists with different frequencies at all of them, where all are given; a function of frequency where one of
 * its values is. @param at  its name, begins messages @throws InputError for gain, and lists that do not match
 */
export function mediumOfValues(given: LayeredMediumGiven, at: string): Medium {
  const { description: _, ...values } = given
  const ofReal = (key: 'tan_delta' | 'sigma_s_per_m'): void => {
    const value = values[key]
    if (Array.isArray(value)) throw new InputError(`${at}.${key} is complex; give a real number`)
    if (typeof value === 'number' && value < 0)
      throw new InputError(`${at}.${key}: ${value} is negative; give 0 or more`)
  }
  ofReal('tan_delta')
  ofReal('sigma_s_per_m')
  if (Object.values(values).some(isFunction)) return functionsOf(values, at)
  const samples = (key: keyof typeof values, absent: number): Samples =>
    samplesOf((values[key] ?? absent) as Parameters<typeof samplesOf>[0], `${at}.${key}`)
  const eps = samples('eps_r', 1)
  const mu = samples('mu_r', 1)
  const tangent = samples('tan_delta', 0)
  const sigma = samples('sigma_s_per_m', 0)
  for (const [key, { im }] of Object.entries({ eps_r: eps, mu_r: mu })) {
    const gain = im.find((x) => x > 0)
    if (gain !== undefined)
      throw new InputError(
        `${at}.${key}: its imaginary part is ${gain}, a gain: losses are negative with exp(+jwt); change its sign`,
      )
  }
  const isTangent = values.tan_delta !== undefined
  if (isTangent && eps.im.some((x) => x !== 0))
    throw new InputError(`${at}: tan_delta and the imaginary part of eps_r say the same; give one of them`)
  const grids = [eps, mu, tangent, sigma].flatMap(({ frequencies }) => (frequencies ? [frequencies] : []))
  const low = Math.max(...grids.map((grid) => grid[0]))
  const high = Math.min(...grids.map((grid) => grid.at(-1)!))
  if (low > high)
    throw new InputError(
      `${at}: freq_hz of its values do not overlap: one begins at ${low} Hz, another ends at ${high} Hz; give all for the same band`,
    )
  const frequencies = [...new Set(grids.flat())].filter((f) => f >= low && f <= high).sort((a, b) => a - b)
  const column = ({ frequencies: own }: Samples, list: number[]): number[] | number =>
    grids.length > 0 ? frequencies.map((f) => valueAt(own, list, f)) : list[0]
  return mediumOf(
    {
      ...(grids.length > 0 && { frequency_hz: frequencies }),
      eps_real: column(eps, eps.re),
      ...(isTangent ? { loss_tangent: column(tangent, tangent.re) } : { eps_imag: column(eps, eps.im) }),
      mu_real: column(mu, mu.re),
      mu_imag: column(mu, mu.im),
      conductivity_s_per_m: column(sigma, sigma.re),
      active: false,
    },
    at,
  )
}

const hasImaginary = (formula: Formula): boolean =>
  formula === 'i' || (typeof formula === 'object' && formula.slice(1).some((x) => hasImaginary(x as Formula)))

/** A medium one of whose values is a function of f; the others are that or constant. */
function functionsOf(values: Omit<LayeredMediumGiven, 'description'>, at: string): Medium {
  const formula = (key: keyof typeof values, absent: number): Formula => {
    const value = values[key] ?? absent
    if (typeof value === 'number') return value
    if (isFunction(value)) return value.formula
    if (Array.isArray(value)) return ['+', value[0], ['*', 'i', value[1]]]
    throw new InputError(
      `${at}.${key}: a list stands beside a function of f; give both as functions, or both as lists`,
    )
  }
  const eps = formula('eps_r', 1)
  const isTangent = values.tan_delta !== undefined
  if (isTangent && hasImaginary(eps))
    throw new InputError(`${at}: tan_delta and the imaginary part of eps_r say the same; give one of them`)
  // As of lists eps - i tan |eps|: a negative tangent is a gain, and NaN what is complex at a run's frequencies.
  const [real, tangent] = [eps, formula('tan_delta', 0)].map((x): Formula => ['max', x, -Number.MAX_VALUE])
  return {
    name: at,
    functions: {
      eps: isTangent ? ['-', real, ['*', 'i', ['*', tangent, ['abs', real]]]] : eps,
      mu: formula('mu_r', 1),
      conductivity: formula('sigma_s_per_m', 0),
    },
  }
}
