import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeError, writeFileAtomic } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { takeLock } from '../../formats/atomic.js'

/** Lock file in the folder of a store, held by the process that writes it. */
export const LOCK = 'lock'
/** File that identifies the run whose partial results these are. */
export const PLAN = 'plan.json'

/** Bytes before the numbers of a record: row number, checksum, how many numbers. */
const HEAD = 12

/**
 * Finished rows of a run, written to disk as they are computed so that an interrupted run can resume: a folder with `plan.json`
 * (what the rows belong to) and `rows.bin` (records of row number, checksum, number of doubles, and these). A record cut
 * short by a crash is recognised by its checksum and dropped, with all that follow. One process at a time has it open.
 */
export class RowStore {
  private constructor(
    private readonly folder: string,
    /** Most numbers of a row. */
    private readonly length: number,
    private file: number,
    /** Rows already computed, by number. */
    readonly rows: Map<number, Float64Array>,
    private readonly unlock: () => void,
  ) {}

  /**
   * Opens the store in `folder` for rows of at most `length` numbers. `key` identifies the run: with `resume`, rows kept
   * under another key are an InputError; without, existing rows are discarded.
   * @param check  see `openKept`
   */
  static async open(
    folder: string,
    key: string,
    length: number,
    resume: boolean,
    check?: Check,
  ): Promise<RowStore> {
    const unlock = await openKept(folder, key, resume, check)
    try {
      return guarded(folder, () => {
        const file = openSync(join(folder, 'rows.bin'), 'a+')
        return new RowStore(folder, length, file, readRows(file, length), unlock)
      })
    } catch (error) {
      unlock()
      throw error
    }
  }

  /** Writes a finished row, on disk before it returns. @throws Error, InputError where the system refuses */
  add(row: number, values: Float64Array): void {
    if (values.length > this.length)
      throw new RangeError(`row of ${values.length} numbers, more than ${this.length}`)
    const record = Buffer.alloc(HEAD + values.byteLength)
    Buffer.from(values.buffer, values.byteOffset, values.byteLength).copy(record, HEAD)
    record.writeUInt32LE(row, 0)
    record.writeUInt32LE(checksum(row, record.subarray(HEAD)), 4)
    record.writeUInt32LE(values.length, 8)
    // A disk that fills up accepts a part first.
    guarded(this.folder, () => {
      for (let at = 0; at < record.length;) at += writeSync(this.file, record, at)
    })
    this.rows.set(row, values)
  }

  /** Closes the store; the rows stay for a run that resumes. */
  close(): void {
    closeSync(this.file)
    this.unlock()
  }

  /** Removes the store: the run is complete. */
  discard(): void {
    closeSync(this.file)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Called under the lock with whether an interrupted run is resumed. Throws where the run must not start. */
export type Check = (resumed: boolean) => void

/**
 * Opens a folder for the partial results of a run: takes its lock, and writes `plan.json`, which identifies the run. With `resume`,
 * partial results of another key are an InputError, and an empty folder is a new run; without, partial results are discarded.
 * @param check  checks the run's results under the lock, so that no other process can finish the same run in between
 * @returns a function that releases the lock
 */
export async function openKept(
  folder: string,
  key: string,
  resume: boolean,
  check?: Check,
): Promise<() => void> {
  const unlock = guarded(folder, () => lockFolder(folder))
  const planFile = join(folder, PLAN)
  try {
    const resumed = resume && existsSync(planFile)
    const existed = existsSync(planFile)
    try {
      check?.(resumed)
    } catch (error) {
      if (!existed) rmSync(folder, { recursive: true, force: true })
      throw error
    }
    if (resumed) {
      if (keyIn(planFile) !== key)
        throw new InputError(
          `${folder} holds a run of another mesh or another scene, other options or another device; resume with the same ones, or start again with --force`,
        )
    } else {
      for (const entry of readdirSync(folder))
        if (entry !== LOCK) rmSync(join(folder, entry), { recursive: true, force: true })
      await writeFileAtomic(planFile, JSON.stringify({ key }) + '\n')
    }
    return unlock
  } catch (error) {
    unlock()
    throw error
  }
}

/** Makes a folder and takes its lock; a run that ends meanwhile removes the folder. */
function lockFolder(folder: string): () => void {
  for (let attempt = 0; ; attempt++) {
    makeFolder(folder)
    try {
      return takeLock(join(folder, LOCK))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt > 2) throw error
    }
  }
}

/** Runs `work` and reports a failure of the system as for any file. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw writeError(path, error)
  }
}

function keyIn(planFile: string): unknown {
  try {
    return (JSON.parse(readFileSync(planFile, 'utf8')) as { key?: unknown } | null)?.key
  } catch (error) {
    throw new InputError(`${planFile} is damaged; start again with --force`, { cause: error })
  }
}

/** Checksum of the row's number and its values: a damaged number must not move values to another row. */
const checksum = (row: number, data: Uint8Array): number => crc32(data, row)

/** The complete records of a file, which is truncated after them. */
function readRows(file: number, length: number): Map<number, Float64Array> {
  const rows = new Map<number, Float64Array>()
  const bytes = readFileSync(file)
  let good = 0
  while (good + HEAD <= bytes.length) {
    const count = bytes.readUInt32LE(good + 8)
    const end = good + HEAD + 8 * count
    if (count > length || end > bytes.length) break
    const data = bytes.subarray(good + HEAD, end)
    if (checksum(bytes.readUInt32LE(good), data) !== bytes.readUInt32LE(good + 4)) break
    rows.set(bytes.readUInt32LE(good), new Float64Array(Uint8Array.from(data).buffer))
    good = end
  }
  ftruncateSync(file, good)
  return rows
}

/**
 * Makes a folder with its parents; InputError where the system refuses. One by one: Node's recursive mkdir never ends where the system
 * reports an existing parent as missing, as /proc does.
 */
export function makeFolder(folder: string): void {
  const refuse = (code: string, cause?: unknown): never => {
    throw new InputError(`cannot make the folder ${folder}: ${code}; choose another --out`, { cause })
  }
  // Before a part of it is made.
  if (folder.includes('\0')) refuse('null bytes in its name')
  const missing: string[] = []
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at)
  try {
    for (const one of missing.reverse()) makeOne(one)
    // The existing entry may be a file.
    if (missing.length === 0) mkdirSync(folder, { recursive: true })
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException
    refuse(code, error)
  }
}

/** Another run may create it at the same time. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}
