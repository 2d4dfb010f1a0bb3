import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { InputError } from '../scene/index.js'
import { npyArray, npyHeader, type NpyArray, type NpyHeader } from './npz.js'

/** Signatures and lengths of a zip file's records (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16). */
const LOCAL = { sign: 0x04034b50, length: 30 }
const CENTRAL = { sign: 0x02014b50, length: 46 }
const END = { sign: 0x06054b50, length: 22 }
/** Longest comment after the end record. */
const MOST_COMMENT = 65535
/** Headers of .npy files are shorter. */
const MOST_HEAD = 4096

/**
 * An .npz archive read row by row, as `writeNpz` and `numpy.savez` store it (not compressed): large files are never read
 * whole. The file is opened for each read only.
 */
export class NpzSlices {
  private readonly entries: Map<string, NpyHeader>

  /** @throws InputError for a file that is not such an archive */
  constructor(private readonly path: string) {
    this.entries = withFile(path, (file) => readDirectory(file, path))
  }

  has(name: string): boolean {
    return this.entries.has(name)
  }

  /** Shape of the whole array. @throws InputError where it is missing */
  shape(name: string): number[] {
    return this.entry(name).shape
  }

  /** Rows first to first + count - 1 along the first axis. @throws InputError where they do not exist */
  rows(name: string, first: number, count: number): NpyArray {
    const entry = this.entry(name)
    const { shape, at, itemBytes, length, foreign } = entry
    if (foreign?.fortran)
      throw new InputError(`${this.path}: "${name}" is in Fortran's order; save it in C order to read parts of it`) // prettier-ignore
    if (first < 0 || count < 0 || first + count > shape[0])
      throw new InputError(`${this.path}: "${name}" has no row ${first + count - 1}`)
    const rowBytes = (length * itemBytes) / shape[0]
    const body = withFile(this.path, (file) =>
      readAt(file, this.path, at + first * rowBytes, count * rowBytes),
    )
    const part = { ...entry, shape: [count, ...shape.slice(1)], length: (count * length) / shape[0] }
    return npyArray(part, body)
  }

  /** A whole array. */
  all(name: string): NpyArray {
    return this.rows(name, 0, this.shape(name)[0])
  }

  private entry(name: string): NpyHeader {
    const entry = this.entries.get(name)
    if (!entry) throw new InputError(`${this.path} has no "${name}"`)
    return entry
  }
}

function withFile<T>(path: string, use: (file: number) => T): T {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new InputError(`cannot read ${path}: ${(error as Error).message}`, { cause: error })
  }
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

function readAt(file: number, path: string, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, at + done)
    if (read === 0) throw new InputError(`${path} ends too early: it is damaged`)
    done += read
  }
  return bytes
}

function readDirectory(file: number, path: string): Map<string, NpyHeader> {
  const damaged = (): InputError => new InputError(`${path} is not a readable .npz file`)
  const { size } = fstatSync(file)
  const tail = readAt(file, path, Math.max(0, size - MOST_COMMENT - END.length), Math.min(size, MOST_COMMENT + END.length)) // prettier-ignore
  const view = viewOf(tail)
  let end = tail.length - END.length
  while (end >= 0 && view.getUint32(end, true) !== END.sign) end--
  if (end < 0) throw damaged()
  const [length, from] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)]
  if (from + length > size) throw damaged()
  const directory = viewOf(readAt(file, path, from, length))
  const entries = new Map<string, NpyHeader>()
  for (let at = 0; at + CENTRAL.length <= length;) {
    if (directory.getUint32(at, true) !== CENTRAL.sign) throw damaged()
    const names = directory.getUint16(at + 28, true)
    const next = at + CENTRAL.length + names + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true) // prettier-ignore
    if (next > length) throw damaged()
    const bytes = new Uint8Array(directory.buffer, directory.byteOffset + at + CENTRAL.length, names)
    const name = new TextDecoder().decode(bytes).replace(/\.npy$/, '')
    if (directory.getUint16(at + 10, true) !== 0)
      throw new InputError(`${path}: "${name}" is compressed; save it with numpy.savez to read parts of it`)
    entries.set(name, readEntry(file, path, name, directory.getUint32(at + 42, true), directory.getUint32(at + 24, true), size)) // prettier-ignore
    at = next
  }
  return entries
}

/** @param local  offset of the entry's local header in the file @param bytes  size of the .npy file */
function readEntry(
  file: number,
  path: string,
  name: string,
  local: number,
  bytes: number,
  size: number,
): NpyHeader {
  const damaged = (): InputError => new InputError(`${path}: "${name}" is damaged`)
  if (local + LOCAL.length > size) throw damaged()
  const head = viewOf(readAt(file, path, local, LOCAL.length))
  if (head.getUint32(0, true) !== LOCAL.sign) throw damaged()
  const start = local + LOCAL.length + head.getUint16(26, true) + head.getUint16(28, true)
  if (start + bytes > size) throw damaged()
  const { at, ...entry } = npyHeader(name, readAt(file, path, start, Math.min(bytes, MOST_HEAD)))
  if (entry.shape.length === 0 || at + entry.length * entry.itemBytes !== bytes) throw damaged()
  return { ...entry, at: start + at }
}

const viewOf = (bytes: Uint8Array<ArrayBuffer>): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
