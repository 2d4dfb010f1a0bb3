import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { InputError } from '../scene/index.js'
import { type Check, LOCK, makeFolder, memoryRows, refuseIfHeld, RowStore } from '../pipeline/index.js'
import { removeTemporaries, writeFileAtomic } from '../formats/index.js'
import type { RunStore } from './run.js'
import { ARRAY_COPIES } from './run-memory.js'

/** Where a run's results go: a folder, or one named file with its companions beside it. */
export interface ResultPlace {
  /** Folder that everything lies in. */
  folder: string
  /** Path of a companion file, e.g. `meta.json`. */
  file: (name: string) => string
  /** Folder of the rows kept while the run is under way. */
  partial: string
}

/** Results as files in a folder of their own. */
export function folderPlace(out: string): ResultPlace {
  const folder = resolve(out)
  return { folder, file: (name) => join(folder, name), partial: join(folder, '.partial') }
}

/** Results as one file, e.g. X.csv, with X.meta.json and so on beside it. */
export function filePlace(out: string): ResultPlace {
  const path = resolve(out)
  const stem = path.replace(/\.[^./\\]+$/, '')
  return {
    folder: dirname(path),
    file: (name) => (name === basename(path) ? path : `${stem}.${name}`),
    partial: `${path}.partial`,
  }
}

/**
 * Refuses to touch results at hand: finished ones without --force, an interrupted run without --resume or --force, one
 * under way in any case. @throws InputError
 */
export function checkPlace(
  place: ResultPlace,
  results: string[],
  { resume, force }: { resume: boolean; force: boolean },
): void {
  if (resume && force) throw new InputError('--resume and --force contradict each other; give one of them')
  const interrupted = existsSync(place.partial)
  refuseIfHeld(join(place.partial, LOCK), place.folder)
  if (!force && !(resume && interrupted)) refuseResults(place, results)
  if (interrupted && !resume && !force)
    throw new InputError(
      `${place.partial} holds an interrupted run; give --resume to go on with it or --force to start again`,
    )
}

/**
 * For `RowStore.open` and `openKept`: refuses to overwrite results that another run has finished since `checkPlace`.
 * @throws InputError
 */
export const checkResults =
  (place: ResultPlace, results: string[], { force }: { force: boolean }): Check =>
  (resumed) => {
    if (!force && !resumed) refuseResults(place, results)
  }

function refuseResults(place: ResultPlace, results: string[]): void {
  const there = results.map(place.file).find((f) => existsSync(f))
  if (there) throw new InputError(`${there} exists; give --force to overwrite it or another --out`)
}

/** The same, then makes the folder. @throws InputError */
export function claimPlace(
  place: ResultPlace,
  results: string[],
  how: { resume: boolean; force: boolean },
): void {
  checkPlace(place, results, how)
  makeFolder(place.folder)
  if (how.resume || how.force) removeTemporaries(results.map(place.file))
}

/** Writes a result file whole or not at all. */
export const writeResult = (
  place: ResultPlace,
  name: string,
  data: Uint8Array | string | Generator<string>,
): Promise<void> => writeFileAtomic(place.file(name), data)

export const writeJson = (place: ResultPlace, name: string, value: unknown): Promise<void> =>
  writeResult(place, name, JSON.stringify(value, null, 2) + '\n')

/** Rows in memory alone, whose results are arrays. */
export const memoryStore: RunStore = {
  resumes: false,
  copies: ARRAY_COPIES,
  open: () => Promise.resolve(memoryRows()),
}

/** Rows kept beside the results that they become, for a run that resumes. `discard` once these are written. */
export function resultStore(
  place: ResultPlace,
  results: string[],
  how: { resume: boolean; force: boolean },
): RunStore & { discard: () => void } {
  let rows: RowStore
  return {
    resumes: how.resume,
    copies: results.some((name) => /\.(npz|h5)$/i.test(name)) ? ARRAY_COPIES : 0,
    check: () => checkPlace(place, results, how),
    async open(key, length) {
      claimPlace(place, results, how)
      const check = checkResults(place, results, how)
      return (rows = await RowStore.open(place.partial, key, length, how.resume, check))
    },
    close: () => rows.close(),
    discard: () => rows.discard(),
  }
}
