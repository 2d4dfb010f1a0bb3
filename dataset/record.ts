import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { writeFileAtomic } from '../formats/index.js'
import { InputError } from '../scene/index.js'
import type { Written } from '../scene/materials/index.js'
import type { DatasetFile } from './chip-formats.js'
import type { DatasetConfig } from './config.js'
import { type MaterialFactors, materialFactors } from './material-state.js'

/** Images of a class in the sheet, and most classes. */
const COLUMNS = 10
const ROWS = 40

/** A class in the contact sheet: some of its images as grey levels (`greyLevels`). */
export interface SheetRow {
  label: string
  images: { azimuthDeg: number; elevationDeg: number; levels: Uint8Array }[]
}

interface SheetPose {
  serial: number
  number: number
  target: number
  azimuthDeg: number
  elevationDeg: number
  split: string
}

/** What a sheet takes of a plan, of images or of spectrograms. */
interface SheetPlan<P extends SheetPose = SheetPose> {
  poses: P[]
  shards: { index: number; name: string; split: string; poses: P[] }[]
  /** Images of a pose. */
  realisations: number
  classes: string[]
  /** Class of each target. */
  classOf: number[]
}

/** Some poses of each class, evenly spread. */
const sheetPoses = ({ classes, poses, classOf }: SheetPlan): { label: string; poses: SheetPose[] }[] =>
  classes.slice(0, ROWS).map((label, c) => {
    const own = poses.filter((pose) => classOf[pose.target] === c)
    const n = Math.min(COLUMNS, own.length)
    return { label, poses: Array.from({ length: n }, (_, i) => own[Math.floor((i * own.length) / n)]) }
  })

/** Numbers of the images of the contact sheet: the first of each pose in it. */
export const sheetChips = (plan: SheetPlan): number[] =>
  sheetPoses(plan).flatMap(({ poses }) => poses.map((pose) => pose.number * plan.realisations))

/** The rows of the contact sheet, from the thumbnails in the shards' records. */
export function sheetRows(plan: SheetPlan, records: ShardRecord[]): SheetRow[] {
  const thumbnails = new Map(records.flatMap((r) => Object.entries(r.thumbnails)))
  return sheetPoses(plan).map(({ label, poses }) => ({
    label,
    images: poses.map(({ azimuthDeg, elevationDeg, number }) => ({
      azimuthDeg,
      elevationDeg,
      levels: new Uint8Array(Buffer.from(thumbnails.get(String(number * plan.realisations))!, 'base64')),
    })),
  }))
}

/**
 * A plan of one image for each class, the first of the pose whose azimuth is nearest to 45 degrees from the target's front.
 * @param serialOf  what seeds the random numbers of an image that is alone: as of the first image of the pose in the whole plan
 */
export function previewPlan<P extends SheetPose, T extends SheetPlan<P>>(
  plan: T,
  serialOf: (pose: P) => number,
): T {
  const poses = plan.classes.slice(0, ROWS).flatMap((_, c) => {
    const own = plan.poses.filter((pose) => plan.classOf[pose.target] === c)
    const off = own.map(({ azimuthDeg }) => Math.abs(((((azimuthDeg + 135) % 360) + 360) % 360) - 180))
    return own.length > 0 ? [own[off.indexOf(off.reduce((a, b) => Math.min(a, b)))]] : []
  })
  const alone = poses.map((pose, number) => ({ ...pose, number, serial: serialOf(pose) }))
  return {
    ...plan,
    poses: alone,
    realisations: 1,
    shards: [{ index: 0, name: 'preview', split: '', poses: alone }],
  }
}

/** A file as the manifest lists it. */
interface FileEntry {
  /** Relative to the dataset's folder, with slashes. */
  path: string
  bytes: number
  sha256: string
}

export interface DatasetIdentity {
  key: string
  version: string
  /** Kind of device: results of one kind have the same bytes on every machine. */
  device: 'gpu' | 'cpu'
  /** Resolved solver options that affect results. */
  solver: Record<string, unknown>
  /** Per target: SHA-256 of its mesh file (or of the hashes of all files that it is read from), facets and size [m]. */
  meshes: { name: string; sha256: string; facets: number; size_m: number[] }[]
  /** Per target: names of its materials, and the factors of each copy where they are perturbed. */
  materials: { names: string[]; copies: MaterialFactors[][]; expressions?: Written }[]
}

/** Record of a finished shard; written last, so that its existence means that all files are complete. */
export interface ShardRecord {
  index: number
  name: string
  split: string
  /** Number of the first image, and count of images: 0 where the shard holds a sweep. */
  first: number
  count: number
  files: FileEntry[]
  /** Brightest pixel of each image, first channel, in order [dBsm]. */
  peakDbsm: number[]
  /** Grey levels of images of the contact sheet by number, base64. */
  thumbnails: Record<string, string>
}

const PARTIAL = '.partial'

export const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')

/** Writes files one by one, each whole or not at all; returns their entries. */
export async function writeFiles(folder: string, files: DatasetFile[]): Promise<FileEntry[]> {
  const entries: FileEntry[] = []
  for (const { path, data } of files) {
    const full = join(folder, path)
    mkdirSync(dirname(full), { recursive: true })
    await writeFileAtomic(full, data)
    entries.push({ path, bytes: data.length, sha256: sha256(data) })
  }
  return entries
}

/**
 * Writes the manifest, a dataset's last file, and removes what only unfinished sets have.
 * @param own  files besides those of the shards
 */
export async function finishManifest(
  folder: string,
  about: { dataset: string; key: string; images: number },
  own: FileEntry[],
  records: ShardRecord[],
): Promise<void> {
  const manifest = {
    ...about,
    shards: records.map(({ name, split, first, count, files }) => ({
      name,
      split,
      first,
      count,
      files: files.map((entry) => entry.path),
    })),
    files: [...own, ...records.flatMap((r) => r.files)],
  }
  const data = new TextEncoder().encode(`${JSON.stringify(manifest, null, 1)}\n`)
  await writeFiles(folder, [{ path: 'manifest.json', data }])
  if (existsSync(join(folder, PARTIAL))) rmSync(join(folder, PARTIAL), { recursive: true, force: true })
}

const recordPath = (folder: string, index: number): string =>
  join(folder, PARTIAL, 'records', `${String(index).padStart(6, '0')}.json`)

export async function writeRecord(folder: string, record: ShardRecord): Promise<void> {
  const path = recordPath(folder, record.index)
  mkdirSync(dirname(path), { recursive: true })
  await writeFileAtomic(path, JSON.stringify(record))
}

/** The record of a complete shard; null where files are missing or have changed size, so that it is computed again. */
export function readRecord(folder: string, index: number): ShardRecord | null {
  const path = recordPath(folder, index)
  if (!existsSync(path)) return null
  const record = JSON.parse(readFileSync(path, 'utf8')) as ShardRecord
  const whole = record.files.every(({ path: file, bytes }) => {
    const full = join(folder, file)
    return existsSync(full) && statSync(full).size === bytes
  })
  return whole ? record : null
}

/** Folder of what is kept of an unfinished shard. */
export const partialFolder = (folder: string, shard: { name: string }): string =>
  join(folder, PARTIAL, shard.name.replaceAll('/', '-'))

/** The shards that are not complete; of the others the unfinished parts are removed, where a run was killed before. */
export const missingShards = <S extends { index: number; name: string }>(folder: string, shards: S[]): S[] =>
  shards.filter((shard) => {
    if (!readRecord(folder, shard.index)) return true
    rmSync(partialFolder(folder, shard), { recursive: true, force: true })
    return false
  })

/**
 * Prepares the folder of a run, or finds it started. `key` identifies what the run computes.
 * @throws InputError where the folder holds another run, or a started one without --resume or --force
 */
export async function claimDataset(
  folder: string,
  key: string,
  { resume, force, join: joins }: { resume: boolean; force: boolean; join: boolean },
): Promise<'new' | 'started' | 'done'> {
  if (resume && force) throw new InputError('--resume and --force contradict each other; give one of them')
  const plan = join(folder, PARTIAL, 'plan.json')
  const manifest = join(folder, 'manifest.json')
  const keyOf = (path: string): string | undefined =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { key?: string }).key : undefined
  const started = existsSync(plan)
  const done = existsSync(manifest)
  if (force && (started || done)) discard(folder)
  else if (started || done) {
    if (keyOf(started ? plan : manifest) !== key)
      throw new InputError(
        `${folder} holds a dataset of another configuration, mesh, solver or device; give another --out, or --force to replace it`,
      )
    if (done) {
      // Killed between the manifest and the last step.
      rmSync(join(folder, PARTIAL), { recursive: true, force: true })
      if (!resume && !joins)
        throw new InputError(
          `${folder} holds this dataset, complete; give --force to make it again or another --out`,
        )
      return 'done'
    }
    if (!resume && !joins)
      throw new InputError(
        `${join(folder, PARTIAL)} holds an interrupted run; give --resume to continue it or --force to start again`,
      )
    return 'started'
  }
  try {
    mkdirSync(join(folder, PARTIAL), { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new InputError(`cannot make the folder ${folder}: ${code}; choose another --out`, { cause: error })
  }
  await writeFileAtomic(plan, JSON.stringify({ key }) + '\n')
  return 'new'
}

/** Removes the files that a dataset's own records list, and nothing else. */
function discard(folder: string): void {
  const remove = (file: string): void => {
    const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: FileEntry[] }
    for (const { path } of files) if (isInside(path)) rmSync(join(folder, path), { force: true })
  }
  const manifest = join(folder, 'manifest.json')
  if (existsSync(manifest)) remove(manifest)
  const records = join(folder, PARTIAL, 'records')
  if (existsSync(records))
    for (const name of readdirSync(records)) if (/^\d+\.json$/.test(name)) remove(join(records, name))
  rmSync(manifest, { force: true })
  rmSync(join(folder, PARTIAL), { recursive: true, force: true })
}

/** Whether a path of a record stays within the folder that it is relative to. */
const isInside = (path: string): boolean => !isAbsolute(path) && !path.split(/[/\\]/).includes('..')

/** Removes temporary files of killed processes; only while no process writes. */
export function removeTemporaries(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && /^\..+\.\d+\.[0-9a-f]{12}\.tmp$/.test(entry.name))
      rmSync(join(entry.parentPath, entry.name), { force: true })
}

interface Verification {
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
