import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { buildEdgeScene } from '../../cpu-diffraction/index.js'
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
import { targetOutline } from '../../isar/index.js'
import { loadTarget } from '../../run/loaded-target.js'
import { readTargetNpz, targetNpz } from '../../run/mesh-source.js'
import { companionStem } from '../../run/results.js'
import type { Ground } from '../../scene/ground/index.js'
import { CHANNELS } from '../../rays/index.js'
import {
  InputError,
  type Mesh,
  prepareTarget,
  type Target,
  type Unit,
  UNITS,
  type Vec3,
} from '../../scene/index.js'
import {
  type CoverageData,
  levelsOf,
  type MotionData,
  NOTHING,
  type PathData,
  type PathsData,
  type PlotData,
} from '../figures/index.js'
import { exchangeFormat } from '../../formats/rcs-exchange.js'
import type { MovingData } from './manifest.js'
import {
  axis,
  DEFAULT_WEDGE_ANGLE_DEG,
  historiesData,
  historyData,
  imageData,
  matrices,
  readMeta,
  readRcsCsv,
  type RunMeta,
} from './result-file.js'
import { readSceneNpz } from '../../propagation/scene/load-scene.js'

/**
 * Named arrays of a result's file: .npz, HDF5 or MATLAB 5 by its content, else the CSV of `isar rcs`.
 * @throws InputError for anything else
 */
export async function readArrays(file: string): Promise<Record<string, NpyArray>> {
  const bytes = await readRegularFile(file, 'a result (.csv, .npz, .h5 or .mat)')
  if (isMat5(bytes)) return named(readMat5(bytes))
  if (isHdf5(bytes)) return named(new Map([...(await readHdf5(bytes))].sort(byChannel)))
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return readNpz(bytes)
  if (/\.(npz|h5|hdf5|mat)$/i.test(file))
    throw new InputError(`${file}: neither .npz, HDF5 nor MATLAB 5; run the command that made it again`)
  return readRcsCsv(new TextDecoder().decode(bytes), basename(file))
}

/** Order of arrays by channel as elsewhere (vv, hh, vh, hv): HDF5 lists names by the alphabet. */
const byChannel = ([a]: [string, unknown], [b]: [string, unknown]): number => channelIn(a) - channelIn(b)
const channelIn = (name: string): number => CHANNELS.findIndex((channel) => name.split('_').includes(channel))

/** MATLAB has no `-` in names: the one mechanism that is written with it gets it back. */
const named = (tree: Map<string, MatTree>): Record<string, NpyArray> =>
  Object.fromEntries(
    [...tree].flatMap(([name, value]) => {
      if (!isMatArray(value)) return []
      const { data, shape, complex } = value
      return [[name.replace(/_edge_wave$/, '_edge-wave'), { data, shape, dtype: complex ? '<c16' : '<f8' }]]
    }),
  )

/** A moving target with its poses over time, as `movingTargetNpz` describes them. */
type MovingTarget = Pick<MovingData, 'positions' | 'triangles' | 'facetPart' | 'pose'>

const FILE = 'products.npz'

/** Spectrograms and range-Doppler maps of products.npz, as levels. @throws InputError where arrays are missing or do not match */
function motionData(arrays: Record<string, NpyArray>, meta: RunMeta | null): MotionData {
  const timeS = axis(arrays, 'spectrogram_time_s', FILE)
  const dopplerHz = axis(arrays, 'spectrogram_doppler_hz', FILE)
  const maps =
    'range_m' in arrays
      ? {
          timeS: axis(arrays, 'interval_time_s', FILE),
          rangeM: axis(arrays, 'range_m', FILE),
          dopplerHz: axis(arrays, 'doppler_hz', FILE),
        }
      : undefined
  const singles = (name: string, count: number): Float32Array => {
    const data = arrays[name]?.data
    if (data instanceof Float32Array && data.length === count) return data
    throw new InputError(`${FILE}: "${name}" is missing or does not match its axes; run isar doppler again`)
  }
  const channels = Object.keys(arrays).flatMap((key) => /^spectrogram_([vh]{2})$/.exec(key)?.[1] ?? [])
  const rates = (meta?.motion?.parts ?? []).map(({ rate }) => Math.abs(rate)).filter((rate) => rate > 0)
  if (channels.length === 0) throw new InputError(`${FILE}: no spectrogram in it; run isar doppler again`)
  return {
    timeS,
    dopplerHz,
    ...(maps && { maps }),
    ...(rates.length > 0 && { turnS: 1 / Math.min(...rates) }),
    layers: channels.map((name) => {
      const power = singles(`spectrogram_${name}`, timeS.length * dopplerHz.length)
      const size = maps ? 2 * maps.timeS.length * maps.rangeM.length * maps.dopplerHz.length : 0
      return {
        name,
        title: name.toUpperCase(),
        spectrogram: power.map((p) => Math.max(NOTHING, 10 * Math.log10(p))),
        ...(maps && { maps: levelsOf(singles(`range_doppler_${name}`, size)) }),
      }
    }),
  }
}

/** The target of a result of `isar doppler`, where that contains one. @throws InputError for a damaged file */
function findMoving(
  file: string,
  meta: RunMeta | null,
  { timeS }: MotionData,
): { moving?: MovingTarget; note?: string } {
  if (!existsSync(file) || !meta?.motion)
    return { note: 'The result contains no target: isar doppler keeps it unless --no-mesh is given.' }
  const { positions_m, triangles, facet_part, pose } = readNpz(readFileSync(file))
  const corners = triangles?.data
  const facets = (corners?.length ?? 0) / 3
  const parts = meta.motion.parts.length
  if (
    !(positions_m?.data instanceof Float64Array && corners instanceof Int32Array) ||
    !(facet_part?.data instanceof Uint8Array && pose?.data instanceof Float64Array) ||
    corners.some((v) => v < 0 || 3 * v >= positions_m.data.length) ||
    facet_part.data.length !== facets ||
    facet_part.data.some((p) => p > parts) ||
    pose.data.length !== 12 * timeS.length
  )
    throw new InputError(`${file} does not belong to its products.npz and meta.json; run isar doppler again`)
  return {
    moving: {
      positions: positions_m.data,
      triangles: Uint32Array.from(corners),
      facetPart: facet_part.data,
      pose: pose.data,
    },
  }
}

interface OpenedTarget {
  target: Target
  edgesM: Float64Array
  edgeAngleDeg: Float64Array
  /** Of the target's facets. */
  groups?: { facetGroup: Uint32Array; names: string[] }
  /** Of which the target has no image. */
  ground?: Ground
}

/**
 * The target of a result: the one stored with it, or else the given mesh, which must be the file that was solved.
 * @throws InputError for a mesh that is another
 */
async function findTarget(
  file: string,
  meta: RunMeta | null,
  mesh?: string,
): Promise<{ target: OpenedTarget | null; note?: string }> {
  const {
    smoothAngleDeg = 20,
    units = 'm',
    diffraction = 'tw-ildc',
    maxWedgeAngleDeg = DEFAULT_WEDGE_ANGLE_DEG,
  } = meta?.options ?? {}
  if (existsSync(file)) {
    const { mesh: kept, ...others } = readTargetNpz(readFileSync(file))
    return { target: { target: prepareTarget(kept, { smoothAngleDeg }), ...others } }
  }
  if (mesh === undefined)
    return {
      target: null,
      note: 'The result contains no target: give its mesh with --mesh FILE to show it here.',
    }
  const loaded = await loadTarget(mesh, units in UNITS ? (units as Unit) : 'm', smoothAngleDeg)
  const hash = meta?.mesh?.sha256
  if (hash !== undefined && loaded.hash !== hash)
    throw new InputError(`--mesh ${mesh} is not the file of this result: its SHA-256 is another`)
  const edges = diffraction === 'none' ? null : buildEdgeScene(loaded.target, maxWedgeAngleDeg)
  const { edgesM, edgeAngleDeg, groups } = readTargetNpz(targetNpz(loaded.target, edges))
  return { target: { target: loaded.target, edgesM, edgeAngleDeg, ...(groups && { groups }) } }
}

export interface OpenedResult extends PlotData {
  meta: RunMeta | null
  /** Null where the result contains no target and none was given; `note` explains this to the reader. */
  target: OpenedTarget | null
  note?: string
  /** Of a result of `isar doppler`, where it contains one. */
  moving?: MovingTarget
  /** Of a propagation result, where it contains one. */
  scene?: OpenedScene | null
  sceneNote?: string
}

/** Files of a result folder in the order in which they are looked for. */
const IN_FOLDER = ['products.npz', 'image.npz', 'results.npz', 'rcs.csv', 'rcs.npz', 'phase-history.npz']

/** The main arrays of a result folder or of one of its files, their record, and where companions are. @throws InputError */
export async function openFile(path: string) {
  const place = resolve(path)
  if (!existsSync(place)) throw new InputError(`${path} does not exist; give a result folder or a table`)
  const folder = statSync(place).isDirectory()
  const file = folder ? IN_FOLDER.map((n) => join(place, n)).find((f) => existsSync(f)) : place
  if (file === undefined)
    throw new InputError(
      `${path} holds no image.npz, rcs.csv, products.npz or results.npz; give a folder that isar render, rcs, doppler or propagate wrote`,
    )
  if (exchangeFormat(file))
    throw new InputError(
      `${path} is written for other programs; give the .csv, .npz, .h5 or .mat of isar rcs`,
    )
  const companion = companionsOf(place, folder)
  const meta = readMeta(companion('meta.json'))
  return { place, file, folder, companion, meta, arrays: await readArrays(file) }
}

/**
 * Opens what `isar render`, `image`, `rcs`, `doppler` or `propagate` wrote: a result folder, or one of its files of arrays
 * (.csv of rcs, .npz, .h5, .mat).
 * @param mesh  the target's file, for results that do not contain it
 * @throws InputError for anything that is not such a result
 */
export async function openResult(path: string, mesh?: string): Promise<OpenedResult> {
  const { place, file, folder, companion, meta, arrays } = await openFile(path)
  const has = (head: string): boolean => Object.keys(arrays).some((name) => name.startsWith(head))
  const drawn: Pick<PlotData, 'image' | 'history' | 'histories' | 'coverage' | 'motion'> = {}
  if (has('spectrogram_')) {
    if (mesh !== undefined)
      throw new InputError(`--mesh: ${path} is of a moving target, which isar doppler keeps; leave it out`)
    drawn.motion = motionData(arrays, meta)
    const image = join(dirname(file), 'image.npz')
    if (folder && existsSync(image)) drawn.image = imageData(await readArrays(image), meta)
  } else if (has('image_')) {
    drawn.image = imageData(arrays, meta)
    const history = join(dirname(file), 'phase-history.npz')
    if (folder && existsSync(history)) drawn.history = historyData(await readArrays(history))
  } else if (has('position_m')) drawn.coverage = coverageData(arrays, meta)
  else {
    const histories = historiesData(arrays)
    Object.assign(drawn, { history: histories[0], ...(histories.length > 1 && { histories }) })
  }
  return {
    name: meta?.mesh?.name ?? meta?.scene?.name ?? basename(place).replace(/\.(csv|npz|h5|hdf5|mat)$/i, ''),
    place: basename(place),
    materials: materialsOf(meta),
    ...drawn,
    meta,
    ...(drawn.motion
      ? { target: null, ...findMoving(companion('target.npz'), meta, drawn.motion) }
      : drawn.coverage
        ? { target: null, ...findScene(folder ? place : dirname(place), meta) }
        : await findTarget(companion('target.npz'), meta, mesh)),
  }
}

/** Opens results to compare; of equal names of files and folders as much of their paths is added as tells them apart. @throws InputError */
export async function openResults(paths: readonly string[], mesh?: string): Promise<OpenedResult[]> {
  const results: OpenedResult[] = []
  for (const path of paths) results.push(await openResult(path, mesh))
  const parts = paths.map((path) => resolve(path).split(sep))
  const most = Math.max(...parts.map((of) => of.length))
  for (let n = 1; n <= most; n++) {
    const places = parts.map((of) => of.slice(-n).join('/'))
    if (new Set(places).size < results.length) continue
    results.forEach((result, i) => (result.place = places[i]))
    break
  }
  return results
}

/** Names of a result's companions: plain in its folder, and beside a file that is given of such a folder, else after the file's own. */
function companionsOf(place: string, folder: boolean): (name: string) => string {
  const stem = companionStem(place)
  const own =
    /^(image|phase-history|products|results|rcs)\.\w+$/.test(basename(place)) &&
    !existsSync(`${stem}.meta.json`)
  return (name) => (folder ? join(place, name) : own ? join(dirname(place), name) : `${stem}.${name}`)
}

const materialsOf = (meta: RunMeta | null): string[] => [
  ...new Set(meta?.mesh?.materials?.map(({ material }) => material).filter((name) => name !== 'conductor')),
]

/** Adds the target's outline to the image of a result that contains both. */
export function outlineImage({ image, target }: OpenedResult): void {
  if (image && target && Number.isFinite(image.thetaDeg))
    image.outline = targetOutline(target.target, image, image.phaseCentre)
}

/** Bytes read at a time. */
const CHUNK = 1 << 20
/** Longest line [bytes]: a path of the maximum number of reflections is far shorter. */
const MOST_LINE = 1 << 16
/** Most paths sent to the page, the strongest; weaker ones only hide one another. */
const MOST_PATHS = 1000
const NEWLINE = 10

/** A paths.csv of `isar propagate`, read a receiver at a time: files of many receivers are large. */
export class PathsFile {
  /** Numbers of the receivers listed, ascending. */
  readonly receivers: number[]
  private readonly head: string[]
  /** First byte, and the one past the last, of a receiver's lines. */
  private readonly ranges = new Map<number, [number, number]>()

  /** @throws InputError for a file that is no such list */
  constructor(private readonly path: string) {
    let head: string[] | null = null
    for (const { line, from, to } of lines(path)) {
      if (head === null) {
        head = line.split(',')
        if (head[1] !== 'receiver' || !head.includes('points_m'))
          throw new InputError(`${path} is no list of paths; compute the scene again`)
        continue
      }
      const comma = line.indexOf(',')
      const receiver = Number(line.slice(comma + 1, line.indexOf(',', comma + 1)))
      if (comma < 0 || !Number.isInteger(receiver))
        throw new InputError(`${path}: "${line.slice(0, 40)}" names no receiver; compute the scene again`)
      const range = this.ranges.get(receiver)
      if (!range) this.ranges.set(receiver, [from, to])
      else if (range[1] !== from)
        throw new InputError(`${path}: the paths of receiver ${receiver} are apart; compute the scene again`)
      else range[1] = to
    }
    if (head === null) throw new InputError(`${path} is empty; compute the scene again`)
    this.head = head
    this.receivers = [...this.ranges.keys()].sort((a, b) => a - b)
  }

  /** The strongest paths of a receiver, or null where none are listed. @throws InputError where a line is damaged */
  paths(receiver: number, positionM: [number, number, number]): PathsData | null {
    const range = this.ranges.get(receiver)
    if (!range) return null
    const all = read(this.path, ...range)
      .split('\n')
      .filter((l) => l !== '')
      .map((line) => this.parse(line))
    all.sort((a, b) => Math.max(...Object.values(b.gainDb)) - Math.max(...Object.values(a.gainDb)))
    return { receiver, positionM, count: all.length, list: all.slice(0, MOST_PATHS) }
  }

  private parse(line: string): PathData {
    const cells = line.split(',')
    const cell = (name: string): string => cells[this.head.indexOf(name)] ?? ''
    const number = (name: string): number => {
      const value = cell(name) === '' ? NaN : Number(cell(name))
      if (!Number.isFinite(value))
        throw new InputError(
          `${this.path}: "${cell(name)}" under ${name} is no number; compute the scene again`,
        )
      return value
    }
    const gainDb: Record<string, number> = {}
    for (const c of CHANNELS)
      if (cell(`h_${c}_re`) !== '') {
        const power = number(`h_${c}_re`) ** 2 + number(`h_${c}_im`) ** 2
        gainDb[c] = power > 0 ? 10 * Math.log10(power) : -300
      }
    const points = cell('points_m')
    return {
      kind: cell('kind') as PathData['kind'],
      lengthM: number('length_m'),
      delayS: number('delay_s'),
      pointsM: points === '' ? [] : points.split(';').map((p) => p.trim().split(' ').map(Number) as [number, number, number]), // prettier-ignore
      gainDb,
    }
  }
}

/** Lines of a file with their byte ranges: `from` the first byte, `to` the one past the newline. */
function* lines(path: string): Generator<{ line: string; from: number; to: number }> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK)
    let rest = Buffer.alloc(0)
    let start = 0
    for (let at = 0; ;) {
      const count = readSync(file, chunk, 0, CHUNK, at)
      if (count === 0) break
      at += count
      rest = Buffer.concat([rest, chunk.subarray(0, count)])
      let from = 0
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, from)) {
        yield { line: rest.toString('utf8', from, end), from: start + from, to: start + end + 1 }
        from = end + 1
      }
      rest = rest.subarray(from)
      start += from
      if (rest.length > MOST_LINE)
        throw new InputError(`${path} is no list of paths; compute the scene again`)
    }
  } finally {
    closeSync(file)
  }
}

function read(path: string, from: number, to: number): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    let done = 0
    while (done < bytes.length) {
      const count = readSync(file, bytes, done, bytes.length - done, from + done)
      if (count === 0) throw new InputError(`${path} has changed since it was opened; open it again`)
      done += count
    }
    return bytes.toString('utf8')
  } finally {
    closeSync(file)
  }
}

/** The results.npz of `isar propagate`. @throws InputError where arrays are missing or do not match */
export function coverageData(arrays: Record<string, NpyArray>, meta: RunMeta | null): CoverageData {
  const freqHz = axis(arrays, 'freq_hz', 'results.npz')
  const positionM = axis(arrays, 'position_m', 'results.npz')
  const count = positionM.length / 3
  const layers = matrices(arrays, 'h_', [freqHz.length, count])
  if (layers.length === 0) throw new InputError('results.npz: no transfers h_CH in it; compute it again')
  const sets = meta?.receivers ?? [{ name: 'receivers', first: 0, count }]
  if (sets.some((s) => s.first < 0 || s.first + s.count > count))
    throw new InputError('meta.json names receivers that are missing in results.npz; compute both again')
  const marks = arrays.inside_building?.data ?? new Uint8Array(0)
  const inside = Uint32Array.from(marks.keys()).filter((r) => marks[r] === 1)
  const transmitterM = meta?.scene?.transmitter?.position
  return { freqHz, positionM, sets, inside, layers, ...(transmitterM && { transmitterM }) }
}

/** Walls and transmitter of a propagation result, and its paths. */
export interface OpenedScene {
  walls: Mesh
  transmitterM: Vec3
  /** Null where no receivers' paths were listed. */
  paths: PathsFile | null
}

/** The scene stored in a result folder; `sceneNote` tells the reader what is missing. */
export function findScene(
  place: string,
  meta: RunMeta | null,
): { scene: OpenedScene | null; sceneNote?: string } {
  const walls = join(place, 'scene.npz')
  const transmitterM = meta?.scene?.transmitter?.position
  if (!existsSync(walls) || !transmitterM)
    return { scene: null, sceneNote: 'The result contains no scene: compute it again to show it here.' }
  const file = join(place, 'paths.csv')
  const paths = existsSync(file) ? new PathsFile(file) : null
  return {
    scene: { walls: readSceneNpz(readFileSync(walls)), transmitterM, paths },
    ...(paths
      ? {}
      : { sceneNote: 'No paths are listed: isar propagate --paths all (or names of sets) lists them.' }),
  }
}
