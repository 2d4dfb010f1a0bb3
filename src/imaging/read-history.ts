import { open } from 'node:fs/promises'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { checkJson, parseJson } from '../../formats/described-json.js'
import {
  type Geodetic,
  isHdf5,
  isMat5,
  isMatArray,
  isPhaseHistory,
  type MatArray,
  type MatTree,
  readHdf5,
  readMat5,
  readNpz,
  readRegularFile,
} from '../../formats/index.js'
import { companionStem } from '../../run/results.js'
import { InputError, type Unit, UNITS, type Vec3 } from '../../scene/index.js'
import { readMeta, type RunMeta } from '../../views/server/result-file.js'
import { readCphd, type Selection } from './cphd.js'
import { checkedPart, directionsOf, type HistoryPart, joinedParts } from './form.js'

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
type HistoryDescription = z.infer<typeof SCHEMA>

/** @throws InputError for what does not describe a history, with the key */
async function readDescription(path: string): Promise<HistoryDescription> {
  const given = parseJson(
    new TextDecoder().decode(await readRegularFile(path, 'a JSON description of the history')),
    path,
  )
  return checkJson(SCHEMA, given, path, 'docs/imaging.md has the keys')
}

/** The history in a file's arrays, as described. @throws InputError for arrays that are missing or do not fit */
function describedPart(tree: Map<string, MatTree>, what: HistoryDescription): HistoryPart {
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
const arrayNames = (tree: Map<string, MatTree>, before = ''): string[] =>
  [...tree].flatMap(([key, value]) =>
    value instanceof Map ? arrayNames(value, `${before}${key}.`) : isMatArray(value) ? [before + key] : [],
  )

/** Layouts of files that are known without a description. */
const LAYOUTS = ['isar', 'cvdomes', 'gotcha', 'cphd'] as const
type Layout = (typeof LAYOUTS)[number]

/** What to do with the autofocus that a Gotcha file brings: signs of its range and phase corrections. */
export const STORED_FOCUS = ['add', 'subtract', 'off'] as const
type StoredFocus = (typeof STORED_FOCUS)[number]

type Tree = Map<string, MatTree>

/** The layout of a file's arrays, by their names; undefined for an unknown one. */
function layoutOf(tree: Tree): Exclude<Layout, 'cphd'> | undefined {
  const data = tree.get('data')
  if (data instanceof Map && data.has('fp')) return 'gotcha'
  if (data instanceof Map && data.has('FGHz') && data.has('azim')) return 'cvdomes'
  return tree.has('freq_hz') && channelsOf(tree, 'f_').length > 0 ? 'isar' : undefined
}

const channelsOf = (tree: Tree, before: string): string[] =>
  ['vv', 'hh', 'vh', 'hv'].filter((channel) => tree.has(before + channel))

function arrayOf(tree: Tree, name: string): MatArray {
  const found = tree.get(name)
  if (!isMatArray(found))
    throw new InputError(`there is no array "${name}"; there are ${[...tree.keys()].join(', ')}`)
  return found
}

/** Complex samples [rows x columns]; also as a last axis of re and im. */
function samplesOf(tree: Tree, name: string, rows: number): { data: Float64Array; columns: number } {
  const { data, shape, complex } = arrayOf(tree, name)
  if (!complex && shape.at(-1) !== 2) throw new InputError(`"${name}" is not complex`)
  const columns = data.length / 2 / rows
  if (!Number.isInteger(columns) || shape[0] !== rows)
    throw new InputError(
      `"${name}" is ${shape.join(' x ')} for ${rows} frequencies; save it as frequency x pulse, or describe it with --description FILE.json`,
    )
  return { data, columns }
}

/** A value for each pulse, of which one stands for all. @throws InputError for another number of them */
function spreadTo(pulses: number, values: Float64Array, name: string): Float64Array {
  if (values.length === pulses) return values
  if (values.length === 1) return new Float64Array(pulses).fill(values[0])
  throw new InputError(`"${name}" has ${values.length} numbers for ${pulses} pulses`)
}

/** A file of isar itself: `phase-history.npz` of render, npz or HDF5 of rcs, or the same arrays in a .mat file. */
function isarParts(tree: Tree): HistoryPart[] {
  if (tree.has('rx_theta_deg'))
    throw new InputError('it is bistatic; images are made of monostatic histories')
  if (tree.has('time_s') && !tree.has('phi_deg'))
    throw new InputError(
      'these are pulses of isar doppler, whose target moves; take the phase history of isar render --motion',
    )
  const freqHz = arrayOf(tree, 'freq_hz').data
  const phiDeg = arrayOf(tree, 'phi_deg').data
  const theta = arrayOf(tree, 'theta_deg').data
  const thetaDeg = spreadTo(phiDeg.length, theta, 'theta_deg')
  const antenna = directionsOf(thetaDeg, phiDeg)
  return channelsOf(tree, 'f_').map((channel) => {
    const { data: f, columns: pulses } = samplesOf(tree, `f_${channel}`, freqHz.length)
    return { channel, freqHz, pulses, antenna, referenceM: new Float64Array(pulses), farField: true, f }
  })
}

/** Of the Civilian Vehicle Data Domes: far field, conjugate phases (dataset/chip-formats.ts). */
function cvdomesParts(tree: Tree): HistoryPart[] {
  const data = tree.get('data') as Tree
  const freqHz = arrayOf(data, 'FGHz').data.map((ghz) => 1e9 * ghz)
  const azimuth = arrayOf(data, 'azim').data
  const elevation = arrayOf(data, 'elev').data
  const thetaDeg = spreadTo(azimuth.length, elevation, 'elev').map((el) => 90 - el)
  const antenna = directionsOf(thetaDeg, azimuth)
  const channels = channelsOf(data, '')
  if (channels.length === 0)
    throw new InputError(`data has no samples vv, hh, vh or hv; it has ${[...data.keys()].join(', ')}`)
  return channels.map((channel) => {
    const { data: given, columns: pulses } = samplesOf(data, channel, freqHz.length)
    const f = given.map((x, i) => (i % 2 ? -x : x))
    return { channel, freqHz, pulses, antenna, referenceM: new Float64Array(pulses), farField: true, f }
  })
}

/**
 * Of the AFRL Gotcha volumetric data set (C. H. Casteel et al., Proc. SPIE 6568, 2007): one channel and degree of a circular pass. fp has the
 * phase exp(-j 4 pi f (R - r0) / c) (L. A. Gorham, L. J. Moore, Proc. SPIE 7699, 2010, bpBasic).
 * `add`, as AFRL's script for the set does (formImage3DSAR.m, L. A. Gorham, 8 April 2010): r0 + af.r_correct [m], fp exp(+j af.ph_correct) [rad].
 */
function gotchaParts(tree: Tree, file: string, stored: StoredFocus): HistoryPart[] {
  const data = tree.get('data') as Tree
  const freqHz = arrayOf(data, 'freq').data
  const { data: fp, columns: pulses } = samplesOf(data, 'fp', freqHz.length)
  const [r0, ...axes] = ['r0', 'x', 'y', 'z'].map((name) => spreadTo(pulses, arrayOf(data, name).data, name))
  const antenna = Float64Array.from({ length: 3 * pulses }, (_, i) => axes[i % 3][Math.floor(i / 3)])
  const af = data.get('af')
  const sign = { add: 1, subtract: -1, off: 0 }[stored]
  const correction = (name: string): Float64Array => {
    const found = af instanceof Map ? af.get(name) : undefined
    if (!isMatArray(found) || found.data.length === 0) return new Float64Array(pulses)
    return spreadTo(pulses, found.data, `af.${name}`).map((x) => sign * x)
  }
  const [range, phase] = [correction('r_correct'), correction('ph_correct')]
  const referenceM = r0.map((r, n) => r + range[n])
  const f = new Float64Array(fp.length)
  for (let i = 0; i < fp.length; i += 2) {
    const n = (i / 2) % pulses
    const [cos, sin] = [Math.cos(phase[n]), Math.sin(phase[n])]
    f[i] = fp[i] * cos - fp[i + 1] * sin
    f[i + 1] = fp[i] * sin + fp[i + 1] * cos
  }
  const channel = /(?:^|[_.-])(hh|hv|vh|vv)(?=[_.-]|$)/i.exec(file)?.[1].toLowerCase() ?? 'data'
  return [{ channel, freqHz, pulses, antenna, referenceM, farField: false, f }]
}

/** The pulses of a file of a known layout, by channel. @throws InputError for arrays that are missing or do not fit */
function layoutParts(
  tree: Tree,
  layout: Exclude<Layout, 'cphd'>,
  file: string,
  stored: StoredFocus,
): HistoryPart[] {
  if (layout === 'isar') return isarParts(tree)
  return layout === 'cvdomes' ? cvdomesParts(tree) : gotchaParts(tree, file, stored)
}

interface ReadOptions {
  /** JSON file that describes arrays of another layout. */
  description?: string
  storedFocus?: StoredFocus
  /** Samples wanted of a single CPHD file: the others are not read. */
  select?: Selection
}

/** Histories of a measurement or simulation, one for each channel. */
export interface Measurement {
  name: string
  layout: Layout | 'described'
  files: string[]
  channels: HistoryPart[]
  /** Amplitudes are F in metres: |image|^2 is RCS. */
  calibrated: boolean
  /** Of CPHD: where the scene's origin lies. */
  place?: Geodetic
  /** Whether the samples are those selected. */
  isSelected: boolean
  /** Of a history of isar: the target kept beside it, and what its record says of mesh and phase centre [m]. */
  target?: { bytes: Uint8Array; mesh: RunMeta['mesh']; phaseCentre: Vec3 }
}

const HISTORIES = /\.(mat|npz|h5|hdf5|cphd)$/i
/** What `isar render` calls its history. */
const OWN = 'phase-history.npz'
/** Files whose companions have plain names. */
const IN_FOLDER = /[\\/](phase-history|rcs)\.\w+$/

/**
 * Reads files, or folders of them in the order of their names, as one measurement: pulses of one channel are joined.
 * @throws InputError that names the file
 */
export async function readMeasurement(paths: string[], options: ReadOptions = {}): Promise<Measurement> {
  const description =
    options.description === undefined ? undefined : await readDescription(options.description)
  const files = paths.flatMap(filesOf)
  const found = new Map<string, { part: HistoryPart; file: string }[]>()
  let layout: Measurement['layout'] | undefined
  let place: Geodetic | undefined
  let calibrated = true
  const select = files.length === 1 ? options.select : undefined
  const keep = (part: HistoryPart, file: string): void => {
    const list = found.get(part.channel) ?? []
    found.set(part.channel, list)
    list.push({ part: checkedPart(part), file })
  }
  for (const file of files) {
    try {
      if (await isCphd(file)) {
        if ((layout ??= 'cphd') !== 'cphd')
          throw new InputError(`it is of another layout (cphd) than ${files[0]} (${layout})`)
        const read = await readCphd(file, select, place)
        for (const part of read.parts) keep(part, file)
        place ??= read.place
        calibrated &&= read.calibrated
        continue
      }
      const tree = await readTree(file)
      const own = description ? 'described' : layoutOf(tree)
      if (!own)
        throw new InputError(
          `an unknown layout (${arrayNames(tree).slice(0, 12).join(', ') || 'no arrays'}); describe it with --description FILE.json (docs/imaging.md)`,
        )
      layout ??= own
      if (own !== layout)
        throw new InputError(`it is of another layout (${own}) than ${files[0]} (${layout})`)
      const parts =
        own === 'described'
          ? [describedPart(tree, description!)]
          : layoutParts(tree, own, basename(file), options.storedFocus ?? 'add')
      for (const part of parts) keep(part, file)
    } catch (error) {
      if (!(error instanceof InputError) || error.message.startsWith(file)) throw error
      throw new InputError(`${file}: ${error.message}`, { cause: error })
    }
  }
  const [first] = paths
  return {
    name: basename(resolve(first))
      .replace(HISTORIES, '')
      .replace(/-render$/, ''),
    layout: layout!,
    files,
    channels: [...found.values()].map((list) => joinedParts(list.map(({ part }) => part), list.map(({ file }) => file))), // prettier-ignore
    calibrated: layout === 'isar' || layout === 'cvdomes' || (layout === 'cphd' && calibrated),
    isSelected: layout === 'cphd' && select !== undefined,
    ...(place && { place }),
    ...(layout === 'isar' && files.length === 1 && { target: keptBeside(resolve(files[0])) }),
  }
}

/** What `isar render` and `isar rcs` keep beside their results. */
function keptBeside(file: string): Measurement['target'] {
  const beside = [`${companionStem(file)}.`, ...(IN_FOLDER.test(file) ? [join(dirname(file), '/')] : [])]
  const found = beside.find((path) => existsSync(`${path}target.npz`))
  if (found === undefined) return undefined
  const { mesh, options } = readMeta(`${found}meta.json`) ?? {}
  return { bytes: readFileSync(`${found}target.npz`), mesh, phaseCentre: options?.phaseCentre ?? [0, 0, 0] }
}

function filesOf(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path]
  if (existsSync(join(path, OWN))) return [join(path, OWN)]
  const names = readdirSync(path)
    .filter((name) => HISTORIES.test(name))
    .sort()
  if (names.length === 0)
    throw new InputError(
      `${path}: no .mat, .npz, .h5 or .cphd file in this folder; give one with phase histories`,
    )
  return names.map((name) => join(path, name))
}

/** Whether a file is CPHD, by its first bytes: it may be larger than memory. */
async function isCphd(path: string): Promise<boolean> {
  if (!existsSync(path) || !statSync(path).isFile()) return false
  const file = await open(path)
  try {
    const kind = isPhaseHistory((await file.read(new Uint8Array(4), 0, 4, 0)).buffer)
    if (kind === 'CRSD') throw new InputError('it is CRSD, received signals that are not compressed yet; convert it to CPHD') // prettier-ignore
    return kind === 'CPHD'
  } finally {
    await file.close()
  }
}

/** The arrays of a file, whatever its format; its name does not matter. */
async function readTree(path: string): Promise<Map<string, MatTree>> {
  const bytes = await readRegularFile(path, 'a phase history (.npz, .h5, .mat)')
  if (isMat5(bytes)) return readMat5(bytes)
  if (isHdf5(bytes)) return readHdf5(bytes)
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b)
    throw new InputError(`${path}: neither .npz, HDF5 nor MATLAB 5 or 7.3; save it as one of them`)
  return new Map(
    Object.entries(readNpz(bytes)).map(([name, { data, shape, dtype }]) => [
      name,
      { data: Float64Array.from(data), shape, complex: dtype.startsWith('<c') },
    ]),
  )
}
