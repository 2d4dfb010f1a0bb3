import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { targetOutline } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import type { PlotData } from '../../plots/index.js'
import { companionStem } from '../results.js'
import { readArrays } from './arrays-file.js'
import { findMoving, motionData, type MovingTarget } from './doppler-result.js'
import { imageData } from './image-result.js'
import { coverageData, findScene, type OpenedScene } from './propagation-result.js'
import { historiesData, historyData } from './rcs-result.js'
import { readMeta, type RunMeta } from './run-meta.js'
import { findTarget, type OpenedTarget } from './target.js'

export interface OpenedResult extends PlotData {
  meta: RunMeta | null
  /** Null where the result contains no target and none was given; `note` explains this to the reader. */
  target: OpenedTarget | null
  note?: string
  /** Of a result of `isar doppler`, where it contains one. */
  moving?: MovingTarget
  /** Of a propagation result, where it contains one. */
  scene?: OpenedScene | null
  sceneNote?: string
}

/** Files of a result folder in the order in which they are looked for. */
const IN_FOLDER = ['products.npz', 'image.npz', 'results.npz', 'rcs.csv', 'rcs.npz', 'phase-history.npz']

/** The main arrays of a result folder or of one of its files, their record, and where companions are. @throws InputError */
export async function openFile(path: string) {
  const place = resolve(path)
  if (!existsSync(place)) throw new InputError(`${path} does not exist; give a result folder or a table`)
  const folder = statSync(place).isDirectory()
  const file = folder ? IN_FOLDER.map((n) => join(place, n)).find((f) => existsSync(f)) : place
  if (file === undefined)
    throw new InputError(
      `${path} holds no image.npz, rcs.csv, products.npz or results.npz; give a folder that isar render, rcs, doppler or propagate wrote`,
    )
  const companion = companionsOf(place, folder)
  const meta = readMeta(companion('meta.json'))
  return { place, file, folder, companion, meta, arrays: await readArrays(file) }
}

/**
 * Opens what `isar render`, `image`, `rcs`, `doppler` or `propagate` wrote: a result folder, or one of its files of arrays
 * (.csv of rcs, .npz, .h5, .mat).
 * @param mesh  the target's file, for results that do not contain it
 * @throws InputError for anything that is not such a result
 */
export async function openResult(path: string, mesh?: string): Promise<OpenedResult> {
  const { place, file, folder, companion, meta, arrays } = await openFile(path)
  const has = (head: string): boolean => Object.keys(arrays).some((name) => name.startsWith(head))
  const drawn: Pick<PlotData, 'image' | 'history' | 'histories' | 'coverage' | 'motion'> = {}
  if (has('spectrogram_')) {
    if (mesh !== undefined)
      throw new InputError(`--mesh: ${path} is of a moving target, which isar doppler keeps; leave it out`)
    drawn.motion = motionData(arrays, meta)
    const image = join(dirname(file), 'image.npz')
    if (folder && existsSync(image)) drawn.image = imageData(await readArrays(image), meta)
  } else if (has('image_')) {
    drawn.image = imageData(arrays, meta)
    const history = join(dirname(file), 'phase-history.npz')
    if (folder && existsSync(history)) drawn.history = historyData(await readArrays(history))
  } else if (has('position_m')) drawn.coverage = coverageData(arrays, meta)
  else {
    const histories = historiesData(arrays)
    Object.assign(drawn, { history: histories[0], ...(histories.length > 1 && { histories }) })
  }
  return {
    name: meta?.mesh?.name ?? meta?.scene?.name ?? basename(place).replace(/\.(csv|npz|h5|hdf5|mat)$/i, ''),
    place: basename(place),
    materials: materialsOf(meta),
    ...drawn,
    meta,
    ...(drawn.motion
      ? { target: null, ...findMoving(companion('target.npz'), meta, drawn.motion) }
      : drawn.coverage
        ? { target: null, ...findScene(folder ? place : dirname(place), meta) }
        : await findTarget(companion('target.npz'), meta, mesh)),
  }
}

/** Names of a result's companions: plain in its folder, and beside a file that is given of such a folder, else after the file's own. */
function companionsOf(place: string, folder: boolean): (name: string) => string {
  const stem = companionStem(place)
  const own =
    /^(image|phase-history|products|results|rcs)\.\w+$/.test(basename(place)) &&
    !existsSync(`${stem}.meta.json`)
  return (name) => (folder ? join(place, name) : own ? join(dirname(place), name) : `${stem}.${name}`)
}

const materialsOf = (meta: RunMeta | null): string[] => [
  ...new Set(meta?.mesh?.materials?.map(({ material }) => material).filter((name) => name !== 'conductor')),
]

/** Adds the target's outline to the image of a result that contains both. */
export function outlineImage({ image, target }: OpenedResult): void {
  if (image && target) image.outline = targetOutline(target.target, image, image.phaseCentre)
}
