import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join, relative, sep } from 'node:path'
import { InputError } from '../scene/index.js'
import type { DatasetConfig } from './config.js'
import { type MaterialFactors, materialFactors } from './material-state.js'
import { type FileEntry, isInside, PARTIAL } from './record.js'

export interface Verification {
  files: number
  bytes: number
  images: number
  /** One line each; empty for a valid dataset. */
  problems: string[]
  /** Files that the manifest does not list. */
  others: string[]
}

interface Manifest {
  images: number
  files: FileEntry[]
  shards: { name: string; split: string; first: number; count: number }[]
}

/** Files that a dataset's run writes and the manifest omits: their contents differ from run to run. */
const UNLISTED = /^(manifest|timing(-\d+-of-\d+)?)\.json$/

/**
 * Checks a dataset against its manifest: every file's size and SHA-256, every image in one shard and no more, and no aspect,
 * elevation, target or copy in two splits. @throws InputError where there is no dataset
 */
export async function verifyDataset(
  folder: string,
  onFile: (done: number, total: number) => void = () => {},
): Promise<Verification> {
  const manifest = readManifest(folder)
  const result: Verification = { files: 0, bytes: 0, images: manifest.images, problems: [], others: [] }
  const listed = new Set<string>()
  for (const { path, bytes, sha256 } of manifest.files) {
    onFile(result.files++, manifest.files.length)
    const problem = (what: string): number => result.problems.push(`${path}: ${what}`)
    if (!isInside(path)) {
      problem('lies outside the dataset')
      continue
    }
    if (listed.has(path)) problem('is listed twice')
    listed.add(path)
    const full = join(folder, path)
    if (!existsSync(full)) {
      problem('is missing')
      continue
    }
    const { size } = statSync(full)
    result.bytes += size
    if (size !== bytes) problem(`has ${size} bytes, not ${bytes}`)
    else if ((await hashFile(full)) !== sha256) problem('has changed since it was written')
  }
  checkNumbers(manifest, result.problems)
  if (existsSync(join(folder, 'chips.csv'))) checkSplits(folder, result.problems)
  checkMaterials(folder, result.problems)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (entry.isFile() && !listed.has(path) && !UNLISTED.test(path)) result.others.push(path)
  }
  return result
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'manifest.json')
  if (!existsSync(path))
    throw new InputError(
      existsSync(join(folder, PARTIAL))
        ? `${folder}: this dataset is not finished; continue with isar dataset CONFIG.json --resume`
        : `${folder}: no manifest.json; give the folder that isar dataset wrote`,
    )
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
    if (!Array.isArray(manifest.files) || !Array.isArray(manifest.shards)) throw new Error('no list of files')
    if (!manifest.files.every((file) => typeof file?.path === 'string' && typeof file.bytes === 'number'))
      throw new Error('a file without path or size')
    const counted = [manifest.images, ...manifest.shards.flatMap((shard) => [shard?.first, shard?.count])]
    if (
      !counted.every((n) => typeof n === 'number') ||
      !manifest.shards.every(({ name }) => typeof name === 'string')
    )
      throw new Error('a shard without name or images')
    return manifest
  } catch (error) {
    throw new InputError(
      `${path}: not a manifest (${(error as Error).message}); restore it, or make the dataset again`,
      {
        cause: error,
      },
    )
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Images are numbered from 0 without gap or repetition. */
function checkNumbers({ images, shards }: Manifest, problems: string[]): void {
  let next = 0
  for (const { name, first, count } of [...shards].sort((a, b) => a.first - b.first || a.count - b.count)) {
    if (count === 0) continue
    if (first !== next) problems.push(`${name}: starts with image ${first} where ${next} is expected`)
    next = first + count
  }
  if (next !== images) problems.push(`manifest.json: ${next} images in the shards, ${images} in all`)
}

/** The factors of copies' materials are those of the seed. */
function checkMaterials(folder: string, problems: string[]): void {
  const path = join(folder, 'dataset.json')
  if (!existsSync(path)) return
  const { config, targets } = JSON.parse(readFileSync(path, 'utf8')) as {
    config: Pick<DatasetConfig, 'copies' | 'seed'>
    targets: { target: string; material_copies?: MaterialFactors[][] }[]
  }
  targets.forEach(({ target, material_copies: copies }, t) => {
    if (!copies) return
    const { count } = config.copies
    if (copies.length !== count)
      problems.push(`dataset.json: ${target} has materials of ${copies.length} copies, not ${count}`)
    copies.forEach((factors, copy) => {
      const shapes = factors.map(({ name, thickness, permittivity }) => ({
        name,
        layers: thickness.length,
        media: permittivity.length,
      }))
      const drawn = materialFactors(config.copies, shapes, config.seed, t, copy)
      if (JSON.stringify(drawn) !== JSON.stringify(factors))
        problems.push(`dataset.json: materials of copy ${copy} of ${target} are not those of the seed`)
    })
  })
}

/** No two splits share what the dataset was split by. */
function checkSplits(folder: string, problems: string[]): void {
  const about = JSON.parse(readFileSync(join(folder, 'dataset.json'), 'utf8')) as {
    config: { splits?: { by: string } }
  }
  const by = about.config.splits?.by
  if (!by) return
  const [head, ...lines] = readFileSync(join(folder, 'chips.csv'), 'utf8').trim().split('\n')
  const columns = head.split(',')
  const rows = lines.map((line) => {
    const cells = line.split(',')
    return (name: string): string => cells[columns.indexOf(name)]
  })
  if (by !== 'azimuth') {
    const column = { elevation: 'elevation_deg', target: 'target', copy: 'copy' }[by]!
    const splitOf = new Map<string, string>()
    for (const row of rows) {
      const there = splitOf.get(row(column))
      if (there !== undefined && there !== row('split'))
        problems.push(`chips.csv: ${by} ${row(column)} is in ${there} and in ${row('split')}`)
      splitOf.set(row(column), row('split'))
    }
    return
  }
  const spans = rows
    .flatMap((row) => {
      const half = Number(row('aperture_deg')) / 2
      const from = (((Number(row('azimuth_deg')) - half) % 360) + 360) % 360
      const span = { from, to: from + 2 * half, split: row('split'), chip: row('chip') }
      // Repeated at 360 degrees more, for spans that cross azimuth 0.
      return [span, { ...span, from: from + 360, to: span.to + 360 }]
    })
    .sort((a, b) => a.from - b.from)
  const reach = new Map<string, (typeof spans)[number]>()
  for (const span of spans) {
    for (const [split, other] of reach)
      if (split !== span.split && span.from < other.to - 1e-6) {
        problems.push(
          `chips.csv: images ${other.chip} (${split}) and ${span.chip} (${span.split}) share aspects`,
        )
        return
      }
    const own = reach.get(span.split)
    if (!own || span.to > own.to) reach.set(span.split, span)
  }
}
