import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { InputError } from '../scene/index.js'
import {
  type Check,
  LOCK,
  makeFolder,
  memoryRows,
  PLAN,
  refuseIfHeld,
  type Rows,
  RowStore,
} from './sweep/index.js'
import { MESH_ENDINGS } from '../formats/read-mesh.js'
import {
  ARRAY_ENDINGS,
  type ArrayFormat,
  encodeArrays,
  fieldAttributes,
  type NpyArray,
  removeTemporaries,
  writeFileAtomic,
} from '../formats/index.js'
import type { Store } from './job.js'
import { ARRAY_COPIES } from './estimate.js'

/** Where a run's results go: a folder, or one named file with its companions beside it. */
export interface ResultLocation {
  /** The folder, or the file that is named. */
  path: string
  /** Folder of all files. */
  folder: string
  /** Path of a companion file, e.g. `meta.json`. */
  file: (name: string) => string
  /** Folder of the rows stored during the run. */
  partial: string
  /** Whether figures are written as PDF too. */
  pdf?: boolean
}

/** File endings that are refused as names of folders. */
const FILE_ENDINGS = new RegExp(
  `\\.(mat|xlsx?|ods|csv|tsv|txt|dat|json|np[yz]|h5|hdf5?|nc|parquet|ffe|png|svg|pdf|jpe?g|gif|tiff?|zip|tar|gz|tgz|${MESH_ENDINGS.map((ending) => ending.slice(1)).join('|')})$`,
  'i',
)

/** Results as files in a folder of their own. @throws InputError for the name of a file, which is not written */
export function folderLocation(out: string): ResultLocation {
  const folder = resolve(out)
  const ending = FILE_ENDINGS.exec(out)?.[0]
  if (ending && !existsSync(folder))
    throw new InputError(
      `--out ${out}: this command writes no ${ending} file; give the name of a folder (isar rcs and isar propagate also write one .csv, .npz, .h5 or .mat)`,
    )
  return { path: folder, folder, file: (name) => join(folder, name), partial: join(folder, '.partial') }
}

/** Files of results at a place: those named, with a PDF beside each figure where it has them. */
export const filesAt = ({ pdf }: ResultLocation, names: readonly string[]): string[] =>
  pdf
    ? names.flatMap((name) => (name.endsWith('.png') ? [name, name.replace(/png$/, 'pdf')] : [name]))
    : [...names]

/** Endings of results that are one file. */
const TABLES = ['.csv', '.npz', '.h5', '.mat', '.ffe']

/**
 * Stem of the names of a single-file result's companions: X of X.csv, or X.csv where X.meta.json is that of a table of another
 * ending, X.npz.
 */
export function companionStem(path: string): string {
  const own = /\.[^./\\]+$/.exec(path)?.[0] ?? ''
  const stem = path.slice(0, path.length - own.length)
  const named = (ending: string): boolean => existsSync(`${stem}${ending}.meta.json`)
  const taken = TABLES.some((ending) => ending !== own && existsSync(stem + ending) && !named(ending))
  return named(own) || (taken && existsSync(`${stem}.meta.json`)) ? path : stem
}

/** Results as one file, e.g. X.csv, with X.meta.json and so on beside it (`companionStem`). */
export function fileLocation(out: string): ResultLocation {
  const path = resolve(out)
  const stem = companionStem(path)
  return {
    path,
    folder: dirname(path),
    file: (name) => (name === basename(path) ? path : `${stem}.${name}`),
    partial: `${path}.partial`,
  }
}

/** How results are saved. */
export interface SaveOptions {
  /** Overwrite what is there. Default false. */
  force?: boolean
}

/** How a place that holds results already is taken. */
export interface Claim extends SaveOptions {
  /** An interrupted run goes on. */
  resume?: boolean
}

/**
 * Refuses to touch existing results: finished ones without --force, an interrupted run without --resume or --force, a
 * running one in any case.
 *
 * @param kept  the file in `place.partial` that tells of an interrupted run
 * @throws InputError
 */
function checkPlace(place: ResultLocation, results: string[], { resume, force }: Claim, kept = PLAN): void {
  if (resume && force) throw new InputError('--resume and --force contradict each other; give one of them')
  // A run that is just starting has made the folder, and neither its lock nor its plan.
  const interrupted = existsSync(join(place.partial, kept))
  refuseIfHeld(join(place.partial, LOCK))
  if (!force && !(resume && interrupted)) refuseResults(place, results)
  if (interrupted && !resume && !force)
    throw new InputError(
      `${place.partial} holds an interrupted run; give --resume to continue it or --force to start again`,
    )
}

/**
 * For `RowStore.open` and `openKept`: refuses to overwrite results that another run has finished since `checkPlace`.
 * @throws InputError
 */
export const checkResults =
  (place: ResultLocation, results: string[], { force }: Claim): Check =>
  (resumed) => {
    if (!force && !resumed) refuseResults(place, results)
  }

function refuseResults(place: ResultLocation, results: string[]): void {
  const there = filesAt(place, results)
    .map(place.file)
    .find((f) => existsSync(f))
  if (there) throw new InputError(`${there} exists; give --force to overwrite it or another --out`)
}

/**
 * Key of the finished run that --resume finds here: the `key` in its meta.json, or an empty string where that has none. Undefined where
 * there is no such run: without --resume, where a result is missing, and where a run was interrupted.
 */
function finishedKey(place: ResultLocation, results: string[], { resume, force }: Claim): string | undefined {
  if (!resume || force || existsSync(place.partial)) return undefined
  if (!filesAt(place, results).every((name) => existsSync(place.file(name)))) return undefined
  try {
    const meta = JSON.parse(readFileSync(place.file('meta.json'), 'utf8')) as { key?: string } | null
    return String(meta?.key ?? '')
  } catch {
    return ''
  }
}

/**
 * Whether the run `key` has finished already. @param finished  `finishedKey`
 * @throws InputError where another run's results exist
 */
function isComplete(finished: string | undefined, key: string, place: ResultLocation): boolean {
  if (finished === undefined || finished === key) return finished === key
  throw new InputError(
    `--resume: ${place.file('meta.json')} is of a finished run with other options, another mesh or another version; give --force to overwrite it or another --out`,
  )
}

/** As `checkPlace`, then makes the folder. @throws InputError */
export function claimLocation(place: ResultLocation, results: string[], how: Claim, kept?: string): void {
  checkPlace(place, results, how, kept)
  makeFolder(place.folder)
  if (how.resume || how.force) removeTemporaries(filesAt(place, results).map(place.file))
}

/** Writes a result file whole or not at all. */
export const writeResult = (
  place: ResultLocation,
  name: string,
  data: Uint8Array | string | Generator<string>,
): Promise<void> => writeFileAtomic(place.file(name), data)

export const writeJson = (place: ResultLocation, name: string, value: unknown): Promise<void> =>
  writeResult(place, name, JSON.stringify(value, null, 2) + '\n')

/** Writes arrays in each of the formats, to files of the name `stem` with their endings. */
export async function writeArrays(
  place: ResultLocation,
  stem: string,
  arrays: Record<string, NpyArray>,
  formats: readonly ArrayFormat[],
  attributes = fieldAttributes(),
): Promise<void> {
  for (const format of formats)
    await writeResult(
      place,
      `${stem}.${ARRAY_ENDINGS[format]}`,
      await encodeArrays(format, arrays, attributes),
    )
}

/** Where a run keeps its rows, each of at most so many numbers: `memoryStore` or `resultStore`. */
export interface RunStore extends Store<Rows, number> {
  /** Copies of all fields held while results are written, about. */
  readonly copies: number
}

/** Rows in memory alone, for results returned as arrays. */
export const memoryStore: RunStore = {
  copies: ARRAY_COPIES,
  open: () => Promise.resolve(memoryRows()),
}

/** Of a job that keeps nothing of what is unfinished, and of one whose plan alone is wanted. */
export const noStore: Store<undefined, unknown> = { open: () => Promise.resolve(undefined) }

/** The same, of results that are written once the job is finished: claims their place. */
export const claimStore = (place: ResultLocation, results: string[], how: Claim): Store<undefined> => ({
  check: () => checkPlace(place, results, how),
  open: async () => void claimLocation(place, results, how),
})

/** Thrown by a store where --resume finds the run finished. */
export class AlreadyComplete extends Error {
  /** @param path  of its result */
  constructor(
    readonly path: string,
    what = 'this result',
  ) {
    super(`${path} holds ${what}: already complete`)
  }
}

/**
 * Claims a place for a run in two steps: `check` before its threads start, and once its key is known `claim`, whose check is
 * for `RowStore.open` and `openKept`. Both throw InputError; `claim` AlreadyComplete where --resume finds the run finished.
 */
export function claimOf(
  place: ResultLocation,
  results: string[],
  how: Claim,
): { check: () => void; claim: (key: string) => Check } {
  let finished: string | undefined
  return {
    check() {
      finished = finishedKey(place, results, how)
      if (finished === undefined) checkPlace(place, results, how)
    },
    claim(key) {
      if (isComplete(finished, key, place)) throw new AlreadyComplete(place.path)
      claimLocation(place, results, how)
      return checkResults(place, results, how)
    },
  }
}

/** Rows stored beside the results, for a run that resumes. `discard` once the results are written. */
export function resultStore(
  place: ResultLocation,
  results: string[],
  how: Claim,
): RunStore & { discard: () => void } {
  const { check, claim } = claimOf(place, results, how)
  let rows: RowStore
  return {
    copies: results.some((name) => /\.(npz|h5|mat)$/i.test(name)) ? ARRAY_COPIES : 0,
    check,
    async open(key, length) {
      return (rows = await RowStore.open(place.partial, key, length, how.resume === true, claim(key)))
    },
    close: () => rows.close(),
    discard: () => rows.discard(),
  }
}
