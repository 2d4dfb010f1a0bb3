import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readNpz } from '../../formats/index.js'
import { targetOutline } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import type { PlotData } from '../../plots/index.js'
import { companionStem } from '../results.js'
import { findMoving, motionData, type MovingTarget } from './doppler-result.js'
import { imageData } from './image-result.js'
import { coverageData, findScene, type OpenedScene } from './propagation-result.js'
import { historyData, readRcsCsv } from './rcs-result.js'
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

/**
 * Opens what `isar render`, `rcs`, `doppler` or `propagate` wrote: a result folder, or an RCS table (.csv, .npz).
 * @param mesh  the target's file, for results that do not contain it
 * @throws InputError for anything that is not such a result
 */
export async function openResult(path: string, mesh?: string): Promise<OpenedResult> {
  const place = resolve(path)
  if (!existsSync(place)) throw new InputError(`${path} does not exist; give a result folder or a table`)
  const folder = statSync(place).isDirectory()
  const companion = (name: string): string => (folder ? join(place, name) : `${companionStem(place)}.${name}`)
  const meta = readMeta(companion('meta.json'))
  const [image, history] = [join(place, 'image.npz'), join(place, 'phase-history.npz')]
  const tables = folder ? ['rcs.csv', 'rcs.npz'].map((n) => join(place, n)) : [place]
  const table = tables.find((f) => existsSync(f))
  const coverage = join(place, 'results.npz')
  const products = join(place, 'products.npz')
  const drawn: Pick<PlotData, 'image' | 'history' | 'coverage' | 'motion'> = {}
  if (folder && existsSync(products)) {
    if (mesh !== undefined)
      throw new InputError(`--mesh: ${path} is of a moving target, which isar doppler keeps; leave it out`)
    drawn.motion = motionData(readNpz(readFileSync(products)))
    if (existsSync(image)) drawn.image = imageData(readNpz(readFileSync(image)), meta)
  } else if (folder && existsSync(image)) {
    drawn.image = imageData(readNpz(readFileSync(image)), meta)
    if (existsSync(history)) drawn.history = historyData(readNpz(readFileSync(history)))
  } else if (folder && existsSync(coverage))
    drawn.coverage = coverageData(readNpz(readFileSync(coverage)), meta)
  else if (table) drawn.history = historyData(readTable(table, path))
  else
    throw new InputError(
      `${path} holds no image.npz, rcs.csv, products.npz or results.npz; give a folder that isar render, rcs, doppler or propagate wrote`,
    )
  return {
    name: meta?.mesh?.name ?? meta?.scene?.name ?? basename(place).replace(/\.(csv|npz)$/i, ''),
    place: basename(place),
    materials: materialsOf(meta),
    ...drawn,
    meta,
    ...(drawn.motion
      ? { target: null, ...findMoving(companion('target.npz'), meta, drawn.motion) }
      : drawn.coverage
        ? { target: null, ...findScene(place, meta) }
        : await findTarget(companion('target.npz'), meta, mesh)),
  }
}

const materialsOf = (meta: RunMeta | null): string[] => [
  ...new Set(meta?.mesh?.materials?.map(({ material }) => material).filter((name) => name !== 'conductor')),
]

function readTable(file: string, given: string): ReturnType<typeof readNpz> {
  if (/\.csv$/i.test(file)) return readRcsCsv(readFileSync(file, 'utf8'), given)
  if (/\.npz$/i.test(file)) return readNpz(readFileSync(file))
  throw new InputError(`cannot open ${given}; give a result folder, or an RCS table as .csv or .npz`)
}

/** Adds the target's outline to the image of a result that contains both. */
export function outlineImage({ image, target }: OpenedResult): void {
  if (image && target) image.outline = targetOutline(target.target, image, image.phaseCentre)
}
