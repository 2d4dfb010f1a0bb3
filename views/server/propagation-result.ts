import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { NpyArray } from '../../formats/index.js'
import { readSceneNpz } from '../../propagation/scene/load-scene.js'
import { CHANNELS } from '../../rays/index.js'
import { InputError, type Mesh, type Vec3 } from '../../scene/index.js'
import type { CoverageData, PathData, PathsData } from '../figures/index.js'
import { axis, matrices } from './image-result.js'
import type { RunMeta } from './run-meta.js'

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
  const inside = Array.from(marks.keys()).filter((r) => marks[r] === 1)
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
