import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { InputError } from '../scene/index.js'

/** Holder of a lock: enough to distinguish a running process from one that has ended and whose number was reused. */
interface Owner {
  pid: number
  host: string
  /** Of the machine's start, and the process's start in it; empty where the system does not say. */
  boot: string
  start: string
  /** The process namespace that the number is of: a container's processes have numbers of their own. Empty where there are none. */
  space?: string
}

/** A lock file without contents is being written (without hard links), or was left by a killed process once it is older than this [ms]. */
const MAKING = 10_000

/**
 * Takes the lock file `path`, so that no two runs write into one folder; returns a function that releases it. The lock of a
 * process that has ended (killed, or before the machine's last start) is taken over.
 * @throws InputError where a running process holds it, or may hold it on another machine
 */
export function takeLock(path: string): () => void {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      create(path, JSON.stringify(self()))
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      refuseIfHeld(path)
      takeAway(path)
    }
  }
  throw new InputError(
    `these results are being written by another run, which holds ${path}; wait for it, or give another --out`,
  )
}

/**
 * Creates a new file together with its contents in one step, so that a process killed meanwhile leaves no lock without a holder.
 * File systems without hard links need two steps. @throws EEXIST where the file exists
 */
function create(path: string, text: string): void {
  const made = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(made, text)
    linkSync(made, path)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
    writeFileSync(path, text, { flag: 'wx' })
  } finally {
    rmSync(made, { force: true })
  }
}

/** @throws InputError where a running process holds the lock, or may hold it on another machine */
export function refuseIfHeld(path: string): void {
  const text = contents(path)
  if (text === null) return
  const owner = ownerIn(text)
  if (!owner) {
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > MAKING) return
    throw new InputError(
      `these results are being locked by another run, with ${path}; wait for it, or give another --out`,
    )
  }
  if (owner.host !== hostname())
    throw new InputError(
      `these results are being written by process ${owner.pid} on ${owner.host}; wait for it, or delete ${path} if it no longer runs`,
    )
  if (owner.boot === bootId() && owner.space !== undefined && owner.space !== processSpace())
    throw new InputError(
      `these results are being written by process ${owner.pid} of another container; wait for it, or delete ${path} if it no longer runs`,
    )
  if (runs(owner))
    throw new InputError(
      `these results are being written by process ${owner.pid}, which holds ${path}; wait for it or stop it, or give another --out`,
    )
}

/** Removes the lock of a process that has ended, unless another process has taken it meanwhile. */
function takeAway(path: string): void {
  const gone = contents(path)
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    if (contents(aside) === gone) rmSync(aside)
    else renameSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

const contents = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function ownerIn(text: string): Owner | null {
  try {
    const owner = JSON.parse(text) as Owner
    return Number.isInteger(owner.pid) && typeof owner.host === 'string' ? owner : null
  } catch {
    return null
  }
}

const self = (): Owner => ({
  pid: process.pid,
  host: hostname(),
  boot: bootId(),
  start: startOf(process.pid),
  space: processSpace(),
})

function runs({ pid, boot, start }: Owner): boolean {
  if (boot !== bootId() || start !== startOf(pid)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const bootId = (): string => contents('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

/** See pid_namespaces(7). */
function processSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** Clock ticks from the machine's start to the process's (proc(5), field 22 of stat); the name before may hold anything. */
const startOf = (pid: number): string =>
  contents(`/proc/${pid}/stat`)?.replace(/^.*\)/s, '').split(' ')[20] ?? ''

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
