import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { greyLevels } from '../../dataset/chip-formats.js'
import { type NpyArray, NpzSlices } from '../../formats/index.js'
import { short } from '../../isar/levels.js'
import { InputError } from '../../scene/index.js'
import type { CentreData, LayerData } from '../figures/index.js'
import { csvTable } from './result-file.js'
import type { ArrayRef, DatasetData, Sent, ServedResult } from './manifest.js'

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
interface ChipLine {
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

interface OpenedDataset {
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
  const { head, rows, number } = csvTable(text, name)
  const at = (column: string): number => {
    const i = head.indexOf(column)
    if (i < 0) throw new InputError(`${name} has no column ${column}; make the dataset again`)
    return i
  }
  const [chip, split, shard, label, target, azimuth, elevation, peak] =
    ['chip', 'split', 'shard', 'label', 'target', 'azimuth_deg', 'elevation_deg', 'peak_dbsm'].map(at) // prettier-ignore
  const filled = new Map<string, number>()
  const chips = rows.map((cells, i): ChipLine => {
    const file = shards.get(cells[shard])
    if (file === undefined)
      throw new InputError(
        `${name}, line ${i + 2}: npz/${cells[shard]}.npz is missing; make the dataset again, or check it with isar dataset verify`,
      )
    const row = filled.get(file) ?? 0
    filled.set(file, row + 1)
    return {
      chip: number(i, chip),
      split: cells[split],
      label: cells[label],
      target: cells[target],
      azimuthDeg: number(i, azimuth),
      elevationDeg: number(i, elevation),
      peakDbsm: number(i, peak),
      shard: file,
      row,
    }
  })
  if (chips.length === 0) throw new InputError(`${name} lists no images; make the dataset again`)
  return chips
}

/** Path under which the page requests images. */
const AT = 'chip/'
/** Dominant mechanism of a scattering centre, by its number in the file; layers likewise. */
const MECHANISMS = ['first bounce', 'later bounces', 'edges']
/** Labels that are images. */
const IMAGES = [
  ['clean', 'clean'],
  ['free', 'free space'],
] as const
/** Parameters shown of an image, those that its shard has: name in the file, and for the reader. */
const PARAMETERS: [string, string, string][] = [
  ['aperture_deg', 'Aperture', '°'],
  ['state_deg', 'Articulation', '°'],
  ['copy', 'Copy', ''],
  ['realisation', 'Realisation', ''],
  ['tubes', 'Ray tubes', ''],
  ['contributions', 'Contributions', ''],
  ['edge_segments', 'Edge segments', ''],
  ['visible_facets', 'Lit facets', ''],
  ['facets', 'Facets', ''],
  ['projected_area_m2', 'Projected area', ' m²'],
  ['mean_cosine', 'Mean cosine', ''],
  ['convergence', 'Convergence', ''],
]

/** A dataset's images for the page: lists at once, images from their shards on request. */
export class DatasetSource {
  readonly list: DatasetData
  private readonly shards = new Map<string, NpzSlices>()

  /** @throws InputError where the first shard is not what `isar dataset` writes */
  constructor(private readonly dataset: OpenedDataset) {
    const { place, about, chips } = dataset
    const real = (of: (c: ChipLine) => number): Float64Array => Float64Array.from(chips, of)
    /** Names in the order in which they come, and the number of each chip's. */
    const named = (of: (c: ChipLine) => string): [string[], Uint32Array] => {
      const names = [...new Set(chips.map(of))]
      const numbers = new Map(names.map((name, i) => [name, i]))
      return [names, Uint32Array.from(chips, (c) => numbers.get(of(c))!)]
    }
    const [classes, label] = named((c) => c.label)
    const [targets, target] = named((c) => c.target)
    const [splits, split] = named((c) => c.split)
    const [, , rows, columns] = this.shard(chips[0]).shape('image')
    this.list = {
      name: about.name ?? place,
      place,
      facts: facts(dataset),
      classes,
      targets,
      splits,
      size: [rows, columns],
      chip: Uint32Array.from(chips, (c) => c.chip),
      label,
      target,
      split,
      azimuthDeg: real((c) => c.azimuthDeg),
      elevationDeg: real((c) => c.elevationDeg),
      peakDbsm: real((c) => c.peakDbsm),
      at: AT,
    }
  }

  /** Data at a path, or undefined where the path is not of an image in the list. */
  get(path: string): Uint8Array | string | undefined {
    const match = /^chip\/(\d{1,9})(?:\.json|\/(\w+))$/.exec(path)
    const line = match && this.dataset.chips[Number(match[1])]
    if (!line) return undefined
    if (match[2] === undefined) return JSON.stringify(this.chip(Number(match[1]), line))
    if (match[2] === 'grey') return this.grey(line)
    const array = this.arrays(line).get(match[2])?.()
    return array && bytesOf(array)
  }

  private shard({ shard }: ChipLine): NpzSlices {
    const slices = this.shards.get(shard) ?? new NpzSlices(shard)
    this.shards.set(shard, slices)
    return slices
  }

  private channels(): string[] {
    return this.dataset.about.config?.channels ?? ['vv']
  }

  /** An image's row of an array of its shard, as doubles. */
  private row(line: ChipLine, name: string): Float64Array {
    return Float64Array.from(this.shard(line).rows(name, line.row, 1).data)
  }

  private grey(line: ChipLine): Uint8Array {
    const { data, shape } = this.shard(line).rows('image', line.row, 1)
    const [rows, columns] = [shape[2], shape[3]]
    const first = Float32Array.from(data.subarray(0, 2 * rows * columns))
    return greyLevels(first, rows, columns, 'decibel')
  }

  /** Arrays of an image by the last part of their paths, read when they are called for. */
  private arrays(line: ChipLine): Map<string, () => NpyArray['data']> {
    const shard = this.shard(line)
    const [, channels, rows, columns] = shard.shape('image')
    const size = 2 * rows * columns
    const arrays = new Map<string, () => NpyArray['data']>([
      ['range', () => shard.all('range_m').data],
      ['cross', () => shard.all('cross_range_m').data],
    ])
    const part = (name: string, i: number) => (): Float64Array =>
      this.row(line, name).slice(size * i, size * (i + 1))
    this.channels().forEach((channel, c) => {
      arrays.set(channel, part('image', c))
      for (const [name] of IMAGES) if (shard.has(name)) arrays.set(`${channel}_${name}`, part(name, c))
      if (shard.has('layers'))
        MECHANISMS.forEach((_, l) => arrays.set(`${channel}_l${l}`, part('layers', l * channels + c)))
    })
    for (const name of ['mask', 'lit'])
      if (shard.has(name)) arrays.set(name, () => shard.rows(name, line.row, 1).data)
    return arrays
  }

  private chip(index: number, line: ChipLine): Sent<ServedResult> {
    const shard = this.shard(line)
    if (this.row(line, 'chip')[0] !== line.chip)
      throw new InputError(`chips.csv and the shard of image ${line.chip} do not match; verify the dataset`)
    const ref = (name: string, type: ArrayRef['type'] = 'f8'): ArrayRef => ({
      path: `${AT}${index}/${name}`,
      type,
    })
    const { radar = {}, config = {} } = this.dataset.about
    const layer = (name: string, title: string): Sent<LayerData> => ({ name, title, data: ref(name) })
    const layers = this.channels().flatMap((channel) => [
      layer(channel, channel.toUpperCase()),
      ...IMAGES.filter(([name]) => shard.has(name)).map(([name, title]) =>
        layer(`${channel}_${name}`, `${channel.toUpperCase()}, ${title}`),
      ),
      ...(shard.has('layers')
        ? MECHANISMS.map((m, l) => layer(`${channel}_l${l}`, `${channel.toUpperCase()}, ${m}`))
        : []),
    ])
    return {
      name: `${this.list.name} ${line.chip} ${line.label}`,
      place: this.list.place,
      facts: this.parameters(line),
      image: {
        thetaDeg: 90 - line.elevationDeg,
        phiDeg: line.azimuthDeg,
        rangeResolutionM: radar.rangeResolutionM ?? 0,
        crossRangeResolutionM: radar.crossRangeResolutionM ?? 0,
        window: config.image?.window ?? 'taylor',
        polarFormat: config.image?.polarFormat ?? true,
        dynamicRangeDb: 40,
        phaseCentre: [0, 0, 0],
        rangeM: ref('range'),
        crossRangeM: ref('cross'),
        layers,
        labels: {
          ...(shard.has('mask') && { mask: ref('mask', 'u1') }),
          ...(shard.has('lit') && { lit: ref('lit', 'u1') }),
          ...(shard.has('centres') && { centres: this.centres(line) }),
        },
      },
    }
  }

  private centres(line: ChipLine): CentreData[] {
    const count = this.row(line, 'centre_count')[0]
    const data = this.row(line, 'centres')
    return Array.from({ length: count }, (_, i): CentreData => {
      const [rangeM, crossRangeM, re, im, x, y, z, mechanism, id] = data.subarray(9 * i, 9 * i + 9)
      return {
        rangeM,
        crossRangeM,
        level: 10 * Math.log10(re * re + im * im + 1e-30),
        pointM: id < 0 ? null : [x, y, z],
        id: id < 0 ? null : id,
        mechanism: MECHANISMS[mechanism] ?? '',
      }
    })
  }

  private parameters(line: ChipLine): [string, string][] {
    const shard = this.shard(line)
    const digits = (x: number): string => short(x, 5)
    const values = PARAMETERS.filter(([name]) => shard.has(name)).map(
      ([name, title, unit]): [string, string] => [title, digits(this.row(line, name)[0]) + unit],
    )
    const offset = this.row(line, 'offset_m')
    return [
      ['Image', String(line.chip)],
      ['Class', line.label],
      ['Target', line.target],
      ...(line.split === '' ? [] : [['Split', line.split] as [string, string]]),
      ['Azimuth', `${digits(line.azimuthDeg)}°`],
      ['Elevation', `${digits(line.elevationDeg)}°`],
      ['Peak', `${digits(line.peakDbsm)} dBsm`],
      ['Shift', `${digits(offset[0])} m in range, ${digits(offset[1])} m across`],
      ...values,
    ]
  }
}

const bytesOf = (data: NpyArray['data']): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength)

/** Facts about the whole dataset. */
function facts({ about, chips }: OpenedDataset): [string, string][] {
  const { radar = {}, config = {} } = about
  const { centreHz, bandwidthHz, rangeResolutionM, crossRangeResolutionM } = radar
  const list: [string, string | undefined][] = [
    ['Images', chips.length.toLocaleString('en')],
    ['Classes', about.classes?.join(', ')],
    ['Splits', about.splits?.join(', ')],
    ['Band', centreHz && bandwidthHz ? `${short(centreHz / 1e9)} GHz, ${short(bandwidthHz / 1e9)} GHz wide` : undefined], // prettier-ignore
    ['Resolution', rangeResolutionM && crossRangeResolutionM ? `${short(rangeResolutionM)} m × ${short(crossRangeResolutionM)} m` : undefined], // prettier-ignore
    ['Window', config.image?.window],
    ['Channels', config.channels?.join(', ').toUpperCase()],
    ['Traced', config.trace],
    ['Device', about.device],
    ['Made by', about.isar && `isar ${about.isar}`],
  ]
  return list.filter((fact): fact is [string, string] => Boolean(fact[1]))
}
