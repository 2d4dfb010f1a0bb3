import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { InputError } from '../scene/index.js'

/** Who holds a lock: enough to tell a process that runs from one that is gone and whose number another has. */
interface Owner {
  pid: number
  host: string
  /** Of the machine's start, and the process's start in it; empty where the system does not say. */
  boot: string
  start: string
  /** The process namespace that the number is of: a container's processes have numbers of their own. Empty where there are none. */
  space?: string
}

/** A lock without contents is one in the making where there are no hard links, or left so by a process that was killed there [ms]. */
const MAKING = 10_000

/**
 * Takes the lock file `path`, so that no two runs write into one folder; returns what gives it back. The lock of a
 * process that is gone (killed, or before the machine's last start) is taken over.
 * @throws InputError where a process that runs holds it, or may do so on another machine
 */
export function takeLock(path: string, folder: string): () => void {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      place(path, JSON.stringify(self()))
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      refuseIfHeld(path, folder)
      takeAway(path)
    }
  }
  throw new InputError(`${folder} is being written by another run; wait for it, or give another --out`)
}

/**
 * Makes a file that is not there yet, in one step with what it holds: a process killed on the way must not leave a lock of
 * nobody. File systems without hard links take two steps. @throws EEXIST where it is there
 */
function place(path: string, text: string): void {
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

/** @throws InputError where a process that runs holds the lock, or may do so on another machine */
export function refuseIfHeld(path: string, folder: string): void {
  const text = contents(path)
  if (text === null) return
  const owner = ownerIn(text)
  if (!owner) {
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > MAKING) return
    throw new InputError(`${folder} is being taken by another run; wait for it, or give another --out`)
  }
  if (owner.host !== hostname())
    throw new InputError(
      `${folder} is being written by process ${owner.pid} on ${owner.host}; wait for it, or delete ${path} if it no longer runs`,
    )
  if (owner.boot === bootId() && owner.space !== undefined && owner.space !== processSpace())
    throw new InputError(
      `${folder} is being written by process ${owner.pid} of another container; wait for it, or delete ${path} if it no longer runs`,
    )
  if (runs(owner))
    throw new InputError(
      `${folder} is being written by process ${owner.pid}; wait for it or stop it, or give another --out`,
    )
}

/** Removes the lock of a process that is gone, unless another process has put its own there meanwhile. */
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
