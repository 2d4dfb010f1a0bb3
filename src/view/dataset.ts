import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { InputError } from '../../scene/index.js'

/** The part of dataset.json that the viewer reads. */
interface DatasetFile {
  name?: string
  images?: number
  classes?: string[]
  splits?: string[]
  isar?: string
  device?: string
  radar?: {
    size?: [number, number]
    centreHz?: number
    bandwidthHz?: number
    rangeResolutionM?: number
    crossRangeResolutionM?: number
    spacingM?: [number, number]
  }
  config?: {
    product?: string
    trace?: string
    channels?: string[]
    image?: { window?: string; polarFormat?: boolean }
  }
}

/** A row of chips.csv. */
export interface ChipLine {
  chip: number
  split: string
  label: string
  target: string
  azimuthDeg: number
  elevationDeg: number
  peakDbsm: number
  /** Path of the shard's npz file, and the image's row there. */
  shard: string
  row: number
}

export interface OpenedDataset {
  place: string
  about: DatasetFile
  chips: ChipLine[]
}

/** Whether a folder is what `isar dataset` writes. */
export const isDataset = (path: string): boolean => existsSync(join(path, 'dataset.json'))

/**
 * Opens a folder of `isar dataset`: its list of images; the images themselves stay on disk.
 * @throws InputError where it is not finished, has no images, or none as npz
 */
export function openDataset(path: string): OpenedDataset {
  const place = resolve(path)
  const list = join(place, 'chips.csv')
  let about: DatasetFile
  try {
    about = JSON.parse(readFileSync(join(place, 'dataset.json'), 'utf8')) as DatasetFile
  } catch (error) {
    throw new InputError(
      `${path}: cannot open dataset.json (${(error as Error).message}); make the dataset again`,
    )
  }
  const product = about.config?.product
  if (product === 'history' || product === 'spectrograms')
    throw new InputError(
      `${path} is a dataset of ${product === 'history' ? 'sweeps' : product}; isar view shows those of images ("product": "chips")`,
    )
  if (!existsSync(list))
    throw new InputError(`${path} has no chips.csv: finish the dataset first (isar dataset … --resume)`)
  const shards = shardFiles(place)
  if (shards.size === 0)
    throw new InputError(
      `${path} holds no npz files, which isar view needs; make it with "npz" among its formats`,
    )
  return {
    place: basename(place),
    about,
    chips: readChips(readFileSync(list, 'utf8'), `${path}/chips.csv`, shards),
  }
}

/** Shard files on disk by their names in chips.csv: no other file is read for the page. */
function shardFiles(place: string): Map<string, string> {
  const folder = join(place, 'npz')
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.npz'))
  return new Map(files.map((f) => [f.slice(0, -4).split(sep).join('/'), join(folder, f)]))
}

function readChips(text: string, name: string, shards: Map<string, string>): ChipLine[] {
  const lines = text.split(/\r?\n/).filter((l) => l !== '')
  const head = (lines[0] ?? '').split(',')
  const at = (column: string): number => {
    const i = head.indexOf(column)
    if (i < 0) throw new InputError(`${name} has no column ${column}; make the dataset again`)
    return i
  }
  const [chip, split, shard, label, target, azimuth, elevation, peak] =
    ['chip', 'split', 'shard', 'label', 'target', 'azimuth_deg', 'elevation_deg', 'peak_dbsm'].map(at) // prettier-ignore
  const filled = new Map<string, number>()
  const chips = lines.slice(1).map((line, i): ChipLine => {
    const cells = line.split(',')
    const number = (column: number): number => {
      const value = cells[column] ? Number(cells[column]) : NaN
      if (!Number.isFinite(value))
        throw new InputError(
          `${name}, line ${i + 2}: "${cells[column] ?? ''}" under ${head[column]} is no number`,
        )
      return value
    }
    const file = shards.get(cells[shard])
    if (file === undefined)
      throw new InputError(
        `${name}, line ${i + 2}: npz/${cells[shard]}.npz is missing; make the dataset again, or check it with isar dataset verify`,
      )
    const row = filled.get(file) ?? 0
    filled.set(file, row + 1)
    return {
      chip: number(chip),
      split: cells[split],
      label: cells[label],
      target: cells[target],
      azimuthDeg: number(azimuth),
      elevationDeg: number(elevation),
      peakDbsm: number(peak),
      shard: file,
      row,
    }
  })
  if (chips.length === 0) throw new InputError(`${name} lists no images; make the dataset again`)
  return chips
}
