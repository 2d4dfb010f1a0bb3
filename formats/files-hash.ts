import { createHash } from 'node:crypto'

const hashOf = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')

/** Identifies the files that a mesh is read from by their bytes, in reading order. */
export class FilesHash {
  private readonly hashes: string[] = []

  add(bytes: Uint8Array): void {
    this.hashes.push(hashOf(bytes))
  }

  /** SHA-256 of the one file, or of several files' hashes joined by commas; hexadecimal. */
  get sha256(): string {
    return this.hashes.length === 1 ? this.hashes[0] : hashOf(this.hashes.join())
  }
}
