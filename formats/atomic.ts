import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { InputError } from '../scene/index.js'

const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
}

/**
 * Writes a file that appears under its name only when whole: into a temporary file beside it, to disk, then renamed over
 * any old one. On failure the temporary file is removed and the old one is as it was.
 * Throws InputError when the system refuses (folder missing or not writable, disk full).
 */
export async function writeFileAtomic(path: string, data: Uint8Array | string): Promise<void> {
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`,
  )
  try {
    const file = await open(temporary, 'wx')
    try {
      await file.writeFile(data)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined || code.startsWith('ERR_')) throw error
    throw new InputError(`cannot write ${path}: ${REASONS[code] ?? message}; choose another --out`, {
      cause: error,
    })
  }
}
