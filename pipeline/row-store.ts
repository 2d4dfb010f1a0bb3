import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { writeFileAtomic } from '../formats/index.js'
import { InputError } from '../scene/index.js'

/** Bytes before the numbers of a record: row number and checksum. */
const HEAD = 8

/**
 * Finished rows of a run, kept on disk as they come so that an interrupted run can go on: a folder with `plan.json`
 * (what the rows belong to) and `rows.bin` (records of row number, checksum and `length` doubles). A record cut
 * short by a crash is recognised by its checksum and dropped, with all behind it.
 */
export class RowStore {
  private constructor(
    private readonly folder: string,
    private readonly length: number,
    private file: number,
    /** Rows at hand, by number. */
    readonly rows: Map<number, Float64Array>,
  ) {}

  /**
   * Opens the store in `folder` for rows of `length` numbers. `key` identifies the run: with `resume`, rows kept
   * under another key are an InputError; without, rows at hand are discarded.
   */
  static async open(folder: string, key: string, length: number, resume: boolean): Promise<RowStore> {
    const planFile = join(folder, 'plan.json')
    const rowFile = join(folder, 'rows.bin')
    if (resume && existsSync(planFile)) {
      const plan = JSON.parse(readFileSync(planFile, 'utf8')) as { key: string }
      if (plan.key !== key)
        throw new InputError(
          `${folder} holds rows of a run with other options or another mesh; resume with the same ones, or start again with --force`,
        )
    } else {
      rmSync(folder, { recursive: true, force: true })
      makeFolder(folder)
      await writeFileAtomic(planFile, JSON.stringify({ key }) + '\n')
    }
    const rows = new Map<number, Float64Array>()
    const file = openSync(rowFile, 'a+')
    const bytes = readFileSync(rowFile)
    const record = HEAD + 8 * length
    let good = 0
    for (; good + record <= bytes.length; good += record) {
      const data = bytes.subarray(good + HEAD, good + record)
      if (crc32(data) !== bytes.readUInt32LE(good + 4)) break
      rows.set(bytes.readUInt32LE(good), new Float64Array(Uint8Array.from(data).buffer))
    }
    ftruncateSync(file, good)
    return new RowStore(folder, length, file, rows)
  }

  add(row: number, values: Float64Array): void {
    if (values.length !== this.length)
      throw new RangeError(`row of ${values.length} numbers, not ${this.length}`)
    const record = Buffer.alloc(HEAD + 8 * this.length)
    Buffer.from(values.buffer, values.byteOffset, values.byteLength).copy(record, HEAD)
    record.writeUInt32LE(row, 0)
    record.writeUInt32LE(crc32(record.subarray(HEAD)), 4)
    writeSync(this.file, record)
    this.rows.set(row, values)
  }

  close(): void {
    closeSync(this.file)
  }

  /** Removes the store: the run is whole. */
  discard(): void {
    this.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Makes a folder with its parents; InputError where the system refuses. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new InputError(
      `cannot make the folder ${folder}: ${code ?? 'unknown reason'}; choose another --out`,
      {
        cause: error,
      },
    )
  }
}
