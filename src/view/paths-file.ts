import { closeSync, openSync, readSync } from 'node:fs'
import { CHANNELS } from '../../rays/index.js'
import { InputError } from '../../scene/index.js'
import type { PathData, PathsData } from '../../plots/index.js'

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
