import { readFile, stat } from 'node:fs/promises'
import { InputError } from '../scene/index.js'

const REASONS: Record<string, string> = {
  ENOENT: 'no such file',
  EACCES: 'no permission to read it',
  ERR_FS_FILE_TOO_LARGE: 'larger than 2 GiB',
}

/**
 * The bytes of a file named by a user or by a user's file.
 * @throws InputError, the path first in its message, also for anything but a regular file: a device or a pipe may never end
 * @param what  kind of file wanted, e.g. "a mesh file"
 */
export async function readRegularFile(path: string, what: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const status = await stat(path)
    if (status.isDirectory()) throw new InputError(`${path}: a folder; give ${what}`)
    if (!status.isFile()) throw new InputError(`${path}: not a regular file; give ${what}`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof InputError) throw error
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new InputError(`${path}: ${REASONS[code] ?? message}; give ${what}`, { cause: error })
  }
}
