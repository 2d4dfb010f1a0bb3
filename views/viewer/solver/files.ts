import { InputError } from '../../../scene/index.js'

/** Files that the visitor gave, by their names without folders: the readers get them instead of a disk's (vite.config.ts). */
let given = new Map<string, Uint8Array>()

export function giveFiles(files: Iterable<{ name: string; bytes: Uint8Array }>): void {
  given = new Map(Array.from(files, ({ name, bytes }) => [name, bytes]))
}

/** Namesake of `readRegularFile` (formats). @throws InputError for a file that was not given */
export function readRegularFile(path: string, what: string): Promise<Uint8Array> {
  const bytes = given.get(path)
  if (!bytes)
    return Promise.reject(new InputError(`${path}: not among the files given; choose ${what} together with the file that names it`)) // prettier-ignore
  // As a Buffer of Node, whose text is that of the file.
  return Promise.resolve(Object.assign(bytes.slice(), { toString: () => new TextDecoder().decode(bytes) }))
}
