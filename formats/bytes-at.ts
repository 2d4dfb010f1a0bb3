import type { FileHandle } from 'node:fs/promises'
import { InputError } from '../scene/index.js'

// Apart from `readRegularFile`, whose declaration the library's types need: these have none of Node's.

/** Bytes of a file in a buffer of their own. @throws InputError where it ends before */
export async function bytesAt(
  file: FileHandle,
  offset: number,
  length: number,
): Promise<Buffer<ArrayBuffer>> {
  const buffer = Buffer.from(new ArrayBuffer(length))
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, offset + read)
    if (bytesRead === 0) throw new InputError('it ends early: it is cut off')
    read += bytesRead
  }
  return buffer
}
