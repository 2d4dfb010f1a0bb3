import { randomBytes } from 'node:crypto'
import { closeSync, fsync, openSync, readdirSync, rmSync, writeFile } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { InputError } from '../scene/index.js'

const REASONS: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
}

/** Failures that do not come from the request and may be fixed while a run is interrupted. */
const FULL: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file would exceed the size limit',
  EIO: 'the disk fails',
}

/**
 * The error to report for a file that cannot be written: InputError where another path is needed, Error where space ran out
 * and the run can be resumed; any other error than the system's is returned unchanged.
 */
export function writeError(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === undefined || code.startsWith('ERR_')) return error as Error
  if (code in FULL)
    return new Error(`cannot write ${path}: ${FULL[code]}; make room, then go on with --resume`, {
      cause: error,
    })
  return new InputError(`cannot write ${path}: ${REASONS[code] ?? message}; choose another --out`, {
    cause: error,
  })
}

/** Files being written: a process that exits before they are complete removes them. */
const unfinished = new Set<string>()
let watching = false

function watchExit(): void {
  if (watching) return
  watching = true
  process.on('exit', () => {
    for (const path of unfinished) rmSync(path, { force: true })
  })
}

/**
 * Writes a file that appears under its name only when complete: written to a temporary file beside it, synced to disk, then
 * renamed over any old one. On failure the temporary file is removed and the old one is unchanged.
 * Throws InputError when the system refuses (folder missing or not writable), Error when the disk is full.
 * @param data  all of it, or its pieces in order
 */
export async function writeFileAtomic(
  path: string,
  data: Uint8Array | string | Generator<string>,
): Promise<void> {
  watchExit()
  const temporary = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`,
  )
  unfinished.add(temporary)
  try {
    // Synchronously: a file opened asynchronously could appear after the exit handler has run.
    const file = openSync(temporary, 'wx')
    try {
      const pieces = typeof data === 'string' || data instanceof Uint8Array ? [data] : data
      for (const piece of pieces) await promisify(writeFile)(file, piece)
      await promisify(fsync)(file)
    } finally {
      closeSync(file)
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw writeError(path, error)
  } finally {
    unfinished.delete(temporary)
  }
}

/**
 * Removes temporary files that `writeFileAtomic` left when its process was killed. Only for a caller who knows that no other
 * process is writing them.
 */
export function removeTemporaries(paths: readonly string[]): void {
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    const names = new Set(paths.filter((path) => dirname(path) === folder).map((path) => basename(path)))
    let entries: string[]
    try {
      entries = readdirSync(folder)
    } catch {
      continue
    }
    for (const entry of entries) {
      const name = /^\.(.+)\.\d+\.[0-9a-f]{12}\.tmp$/.exec(entry)?.[1]
      if (name !== undefined && names.has(name)) rmSync(join(folder, entry), { force: true })
    }
  }
}
