import { basename } from 'node:path'
import { positive } from '../../run/settings/types.js'
import { ARRAY_FORMATS, type ArrayFormat } from '../../formats/index.js'
import { InputError } from '../../scene/index.js'
import { dopplerFiles, resolveProducts, writeDoppler } from '../doppler/output.js'
import { writePropagation } from '../propagate.js'
import { rcsFormat, writeRcs } from '../../run/rcs.js'
import { renderFiles, type RenderResult, writeRender } from '../render.js'
import { claimLocation, fileLocation, folderLocation, writeJson } from '../../run/results.js'
import type { DopplerResult } from './doppler.js'
import type { PropagateResult } from './propagate.js'
import type { RcsResult } from './rcs.js'

/** How results are saved. */
export interface SaveOptions {
  /** Overwrite what is there. Default false. */
  force?: boolean
}

/** How images are saved. */
export interface SaveRenderOptions extends SaveOptions {
  /** Levels that pictures show below the maximum [dB]. Default `auto`: a third of the pixels, 25 to 60 dB. */
  dynamicRangeDb?: number | 'auto'
  /** Draw the target's outline over its images. Default true. */
  outline?: boolean
  /** Formats of the arrays besides npz. Default none. */
  formats?: readonly ArrayFormat[]
}

const how = ({ force }: SaveOptions) => ({ resume: false, force: force === true })

/**
 * Writes the files of `isar render` into a folder, each whole or not at all: pictures, image.npz, phase-history.npz, target.npz,
 * meta.json, timing.json. `isar view` and `isar centres` open it.
 * @throws (rejects) InputError where a result is there already and `force` is not given, or the system refuses
 */
export async function saveRender(
  result: RenderResult,
  folder: string,
  options: SaveRenderOptions = {},
): Promise<void> {
  const { dynamicRangeDb: range = 'auto', outline = true, formats = [] } = options
  const dynamicRangeDb = range === 'auto' ? range : positive(range, 'dynamicRangeDb')
  if (!formats.every((format) => ARRAY_FORMATS.includes(format)))
    throw new InputError(`formats: give a list of some of ${ARRAY_FORMATS.join(', ')}`)
  const place = folderLocation(folder)
  claimLocation(place, renderFiles(result.settings, formats), how(options))
  await writeRender(place, result, { dynamicRangeDb, outline, formats })
}

/**
 * Writes the table of `isar rcs` with X.target.npz, X.meta.json and X.timing.json beside it.
 * @param path  ends with .csv, .npz, .h5, .mat, .ffe, .hfss.csv, .3gpp.csv or .pattern.mat
 * @throws (rejects) InputError for another ending, where a result is there already and `force` is not given, or the system refuses
 */
export async function saveRcs(result: RcsResult, path: string, options: SaveOptions = {}): Promise<void> {
  if (!rcsFormat(path))
    throw new InputError(`${path}: give a name that ends with .csv, .npz, .h5, .mat or .ffe`)
  const place = fileLocation(path)
  const name = basename(path)
  claimLocation(place, [name, 'meta.json', 'timing.json'], how(options))
  await writeRcs(place, name, result)
}

/**
 * Writes results.csv, results.npz, meta.json and, where paths were listed, paths.csv of `isar propagate` into a folder.
 * @throws (rejects) InputError where a result is there already and `force` is not given, or the system refuses
 */
export async function savePropagation(
  result: PropagateResult,
  folder: string,
  options: SaveOptions = {},
): Promise<void> {
  const place = folderLocation(folder)
  const listed = result.paths.length > 0
  const names = ['results.csv', 'results.npz', 'meta.json', ...(listed ? ['paths.csv'] : [])]
  claimLocation(place, names, how(options))
  await writePropagation(place, ['results.csv', 'results.npz'], result.table, listed)
  await writeJson(place, 'meta.json', result.meta)
}

/**
 * Writes the files of `isar doppler` into a folder, with its default intervals and without film and images: pulses.npz, products.npz,
 * pictures, meta.json, timing.json.
 * @throws (rejects) InputError where a result is there already and `force` is not given, or the system refuses
 */
export async function saveDoppler(
  { computed }: DopplerResult,
  folder: string,
  options: SaveOptions = {},
): Promise<void> {
  const place = folderLocation(folder)
  const products = resolveProducts(computed.loaded, { window: 'hamming', overlap: 0.75 }, (name) => name)
  const { f, freqHz } = computed.history
  claimLocation(place, dopplerFiles(Object.keys(f), ['npz'], freqHz.length > 1), how(options))
  await writeDoppler(place, computed, { products, formats: ['npz'], dynamicRangeDb: 50, film: false })
}
