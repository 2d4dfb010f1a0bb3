import { InputError } from '../scene/index.js'
import type { FilesHash } from './files-hash.js'
import { readRegularFile } from './regular-file.js'

const NEWLINE = 10
const RETURN = 13
const BACKSLASH = 92
const POWERS = Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))

/** @throws InputError for text with the byte order mark of UTF-16, in which no reader finds words */
export function refuseUtf16(bytes: Uint8Array, what = 'the text'): void {
  const mark = 256 * bytes[0] + bytes[1]
  if (mark === 0xfeff || mark === 0xfffe) throw new InputError(`${what} is in UTF-16; save it as UTF-8`)
}

/**
 * Scans the words of a text in memory without converting it to a string, so that files of hundreds of megabytes (longer
 * than a string may be) can be read. Words are separated by blanks and line ends.
 */
export class TextScanner {
  readonly #bytes: Uint8Array
  #at: number
  /** The current word, as byte offsets. */
  #start = 0
  #end = 0

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
    if (at === 0) refuseUtf16(bytes)
    // Byte order mark of UTF-8.
    if (at === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#at = 3
  }

  /** Advances to the next word, across line ends; false at the end of the text. */
  next(): boolean {
    const { length } = this.#bytes
    while (this.#at < length && this.#bytes[this.#at] <= 32) this.#at++
    return this.#word()
  }

  /** Advances to the next word on this line (a backslash at a line's end joins the next line to it); false at the line's end. */
  nextOnLine(): boolean {
    const { length } = this.#bytes
    while (this.#at < length) {
      const c = this.#bytes[this.#at]
      if (c === NEWLINE) return false
      const joined = c === BACKSLASH ? this.#lineEndAfter(this.#at) : 0
      if (joined) this.#at = joined
      else if (c <= 32) this.#at++
      else return this.#word()
    }
    return false
  }

  /** Advances to the start of the next line. */
  skipLine(): void {
    const end = this.#bytes.indexOf(NEWLINE, this.#at)
    this.#at = end < 0 ? this.#bytes.length : end + 1
  }

  /** The remainder of the line, trimmed; stops before the line end. */
  restOfLine(): string {
    const end = this.#bytes.indexOf(NEWLINE, this.#at)
    const from = this.#at
    this.#at = end < 0 ? this.#bytes.length : end
    return new TextDecoder().decode(this.#bytes.subarray(from, this.#at)).trim()
  }

  /** The current word. */
  text(): string {
    return new TextDecoder().decode(this.#bytes.subarray(this.#start, this.#end))
  }

  /** Whether the current word equals this one (given in lower case), ignoring case. */
  is(word: string): boolean {
    if (this.#end - this.#start !== word.length) return false
    for (let i = 0; i < word.length; i++) {
      const c = this.#bytes[this.#start + i]
      if ((c >= 65 && c <= 90 ? c + 32 : c) !== word.charCodeAt(i)) return false
    }
    return true
  }

  /** First byte of the current word. */
  firstByte(): number {
    return this.#bytes[this.#start]
  }

  /** The current word as a finite number, correctly rounded; throws InputError if it is not one. */
  number(): number {
    let i = this.#start
    const sign = this.#bytes[i] === 45 ? -1 : 1
    if (this.#bytes[i] === 45 || this.#bytes[i] === 43) i++
    // Up to 15 digits and a power of ten up to 22 are exact in double precision, so one operation rounds correctly
    // (Clinger 1990); everything else is parsed as a string.
    let [mantissa, digits, seen, power] = [0, 0, 0, 0]
    let fraction = false
    for (; i < this.#end; i++) {
      const c = this.#bytes[i]
      if (c >= 48 && c <= 57) {
        mantissa = 10 * mantissa + c - 48
        if (mantissa > 0) digits++
        seen++
        if (fraction) power--
      } else if (c === 46 && !fraction) fraction = true
      else break
    }
    if (seen > 0 && (this.#bytes[i] === 101 || this.#bytes[i] === 69) && i + 1 < this.#end) {
      let j = i + 1
      const down = this.#bytes[j] === 45
      if (down || this.#bytes[j] === 43) j++
      const from = j
      let exponent = 0
      for (; j < this.#end && this.#bytes[j] >= 48 && this.#bytes[j] <= 57; j++)
        exponent = 10 * exponent + this.#bytes[j] - 48
      if (j > from) {
        power += down ? -exponent : exponent
        i = j
      }
    }
    if (i === this.#end && seen > 0 && digits <= 15 && Math.abs(power) <= 22)
      return sign * (power < 0 ? mantissa / POWERS[-power] : mantissa * POWERS[power])
    const text = this.text()
    const value = /^[+-]?[\d.]/.test(text) ? Number(text) : NaN
    if (!Number.isFinite(value)) this.fail(`"${text}" is not a finite number`)
    return value
  }

  /** The whole number that the current word begins with, up to its end or the byte `stop`; NaN if it is not one. */
  integerBefore(stop: number): number {
    let i = this.#start
    const sign = this.#bytes[i] === 45 ? -1 : 1
    if (this.#bytes[i] === 45 || this.#bytes[i] === 43) i++
    const from = i
    let value = 0
    for (; i < this.#end && this.#bytes[i] !== stop; i++) {
      const digit = this.#bytes[i] - 48
      value = digit >= 0 && digit <= 9 ? 10 * value + digit : NaN
    }
    return i > from ? sign * value : NaN
  }

  /** Byte offset of the current word. */
  get offset(): number {
    return this.#start
  }

  /** Throws InputError with the line of the current word, or of the word at offset `at`. */
  fail(message: string, at = this.#start): never {
    let line = 1
    for (let i = 0; i < at; i++) if (this.#bytes[i] === NEWLINE) line++
    throw new InputError(`line ${line}: ${message}`)
  }

  #word(): boolean {
    const { length } = this.#bytes
    this.#start = this.#at
    while (this.#at < length && this.#bytes[this.#at] > 32) {
      if (this.#bytes[this.#at] === BACKSLASH && this.#lineEndAfter(this.#at)) break
      this.#at++
    }
    this.#end = this.#at
    return this.#end > this.#start
  }

  /** Offset after the line end that follows the byte at `at`; 0 when none does. */
  #lineEndAfter(at: number): number {
    if (this.#bytes[at + 1] === NEWLINE) return at + 2
    return this.#bytes[at + 1] === RETURN && this.#bytes[at + 2] === NEWLINE ? at + 3 : 0
  }
}

/** A type of numbers in a file: two's complement integers or IEEE 754 floats. */
export interface NumberType {
  kind: 'float' | 'integer'
  /** Bytes of a number. */
  size: number
  littleEndian: boolean
  /** Of integers; so where absent. */
  signed?: boolean
}

/** Reads a number at an offset, as a double; undefined for a type that there is not. */
export function numberReader(
  { kind, size, littleEndian: le, signed = true }: NumberType,
  view: DataView,
): ((at: number) => number) | undefined {
  if (kind === 'float' && size === 8) return (at) => view.getFloat64(at, le)
  if (kind === 'float' && size === 4) return (at) => view.getFloat32(at, le)
  if (kind === 'float') return undefined
  if (size === 1) return signed ? (at) => view.getInt8(at) : (at) => view.getUint8(at)
  if (size === 2) return signed ? (at) => view.getInt16(at, le) : (at) => view.getUint16(at, le)
  if (size === 4) return signed ? (at) => view.getInt32(at, le) : (at) => view.getUint32(at, le)
  if (size === 8)
    return signed ? (at) => Number(view.getBigInt64(at, le)) : (at) => Number(view.getBigUint64(at, le))
  return undefined
}

/** Numbers appended one by one to a typed array that doubles when full. */
export class GrowingFloats {
  #data = new Float64Array(1024)
  length = 0

  push(x: number): void {
    if (this.length === this.#data.length) {
      const wider = new Float64Array(2 * this.length)
      wider.set(this.#data)
      this.#data = wider
    }
    this.#data[this.length++] = x
  }

  at(i: number): number {
    return this.#data[i]
  }

  /** A copy of the numbers so far. */
  take(): Float64Array {
    return this.#data.slice(0, this.length)
  }
}

/** The same for whole numbers from -2^31 to 2^31 - 1. */
export class GrowingInts {
  #data = new Int32Array(1024)
  length = 0

  push(x: number): void {
    if (this.length === this.#data.length) {
      const wider = new Int32Array(2 * this.length)
      wider.set(this.#data)
      this.#data = wider
    }
    this.#data[this.length++] = x
  }

  at(i: number): number {
    return this.#data[i]
  }

  set(i: number, x: number): void {
    this.#data[i] = x
  }

  take(): Int32Array {
    return this.#data.slice(0, this.length)
  }
}

/**
 * Columns of a CSV file by the names in its first line. @throws InputError for a file that cannot be read, has no column, or
 * holds text where a number is due
 * @param files     takes the file
 * @param optional  names of columns that follow where the file has any of them: then it must have all
 */
export async function readTable(
  path: string,
  names: string[],
  files: FilesHash,
  optional: string[] = [],
): Promise<{ columns: Float64Array[]; rows: number }> {
  const bytes = await readRegularFile(path, 'a CSV file')
  files.add(bytes)
  refuseUtf16(bytes, path)
  const lines = new TextDecoder()
    .decode(bytes)
    .split(/\r?\n/)
    .filter((l) => l.trim() !== '' && !l.startsWith('#'))
  const head = (lines.shift() ?? '').split(',').map((c) => c.trim())
  const wanted = optional.some((name) => head.includes(name)) ? [...names, ...optional] : names
  const places = wanted.map((name) => {
    const at = head.indexOf(name)
    if (at < 0)
      throw new InputError(`${path} has no column ${name}; its first line must name ${wanted.join(',')}`)
    return at
  })
  if (lines.length === 0) throw new InputError(`${path} has no rows below its first line; give at least one`)
  const columns = places.map(() => new Float64Array(lines.length))
  lines.forEach((line, row) => {
    const cells = line.split(',')
    places.forEach((at, c) => {
      const value = cells[at] === undefined || cells[at].trim() === '' ? NaN : Number(cells[at])
      if (!Number.isFinite(value))
        throw new InputError(`${path}, row ${row + 1}: ${wanted[c]} is "${cells[at] ?? ''}"; a number is due`)
      columns[c][row] = value
    })
  })
  return { columns, rows: lines.length }
}
