import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  BATCH_BYTES,
  type DatasetConfig,
  type DatasetPlan,
  type Format,
  type Radar,
  type Variant,
} from './index.js'
import { fieldNames } from '../run/sweep/index.js'
import { InputError } from '../scene/index.js'

/** Number of aspects traced for each target: once per image, or once for all images of a shard that share them. */
export function aspectsPerTarget(config: DatasetConfig, radar: Radar, plan: DatasetPlan): number[] {
  const sums = config.targets.map(() => 0)
  for (const { poses } of plan.shards)
    poses.forEach((pose, i) => {
      const last = poses[i - 1]
      const continues =
        pose.firstAspect !== undefined &&
        last?.target === pose.target &&
        last.state === pose.state &&
        last.copy === pose.copy &&
        last.elevationDeg === pose.elevationDeg
      sums[pose.target] += continues
        ? Math.min(radar.angles, Math.abs(pose.firstAspect! - last.firstAspect!))
        : radar.angles
    })
  return sums
}

/** Approximate size of the finished dataset [bytes], within some per cent. */
export function bytesOf(config: DatasetConfig, radar: Radar, plan: DatasetPlan): number {
  const { formats, labels, channels } = config
  if (config.product === 'history')
    return 16 * radar.freqHz.length * radar.angles * channels.length * plan.poses.length * formats.length
  const pixels = radar.size[0] * radar.size[1]
  const image = 8 * pixels * channels.length
  const extra =
    (labels.includes('layers') ? 3 * image : 0) +
    (labels.includes('mask') ? pixels : 0) +
    (labels.includes('lit') ? pixels : 0) +
    (labels.includes('clean') ? image : 0) +
    (labels.includes('free') ? image : 0) +
    (labels.includes('centres') ? 36 * config.centres.count : 0)
  const size = {
    npz: image + extra + 120,
    hdf5: image + extra + 120,
    mat: image + extra + 120,
    webdataset: image + extra + 0.5 * pixels + 5000,
    sample: image + pixels + 3000,
    mstar: 2 * image + 0.5 * pixels + 3000,
    png: 0.5 * pixels,
    magnitude: 0.7 * pixels,
    cvdomes: 0,
  }
  return plan.poses.length * plan.realisations * formats.reduce((sum, f) => sum + size[f], 0)
}

/** Formats with files of single images. */
const PER_IMAGE = new Set<Format>(['sample', 'mstar', 'png', 'magnitude'])

/** Largest file that is written in one piece, and that every reader takes [bytes]. */
const LARGEST_FILE = 2 ** 31 - 2 ** 20

/** Fraction of the images in the largest shard. */
const largestShare = ({ shards, poses }: DatasetPlan): number =>
  shards.reduce((most, s) => Math.max(most, s.poses.length), 0) / poses.length

/**
 * Bytes of the images of a shard while it is formed and written, and of the images that `threads` form at a time (each with the
 * transform it comes from, twice as long a side).
 */
export function imageBytes(config: DatasetConfig, radar: Radar, plan: DatasetPlan, threads: number): number {
  const shard = bytesOf(config, radar, plan) * largestShare(plan)
  const formed = config.product === 'chips' ? 16 * 5 * radar.size[0] * radar.size[1] : 0
  return 2 * shard + Math.max(1, threads) * formed
}

/** Bytes of the rows of two batches of poses: one is traced while the images of the one before are formed. */
export function rowBytes(
  radar: Radar,
  plan: DatasetPlan,
  { engines, free }: Pick<Variant, 'engines' | 'free'>,
): number {
  const fields = fieldNames(engines).length + (free ? 1 : 0)
  const pose = 64 * radar.freqHz.length * fields * radar.angles
  return 2 * Math.min(plan.poses.length * pose, Math.max(BATCH_BYTES, pose))
}

/** @throws InputError where a shard's, or a sweep's, largest file would be too large */
export function checkShardSize(config: DatasetConfig, radar: Radar, plan: DatasetPlan): void {
  const largest = largestShare(plan)
  const bytes = Math.max(
    ...config.formats.map((f) => bytesOf({ ...config, formats: [f] }, radar, plan) * largest),
  )
  const perChip = config.product === 'chips' && config.formats.every((f) => PER_IMAGE.has(f))
  if (bytes <= LARGEST_FILE || perChip) return
  throw new InputError(
    `files of ${(bytes / 2 ** 30).toFixed(1)} GiB are more than readers take; ${config.product === 'chips' ? 'lower shardChips' : 'take fewer azimuths, frequencies or channels'}`,
  )
}

/** @throws InputError where the disk has less room than the dataset needs */
export function checkRoom(folder: string, bytes: number): void {
  let existing = folder
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  const { bavail, bsize } = statfsSync(existing)
  const free = bavail * bsize
  if (bytes > free)
    throw new InputError(
      `${folder}: the dataset takes about ${(bytes / 2 ** 30).toFixed(1)} GiB and ${(free / 2 ** 30).toFixed(1)} GiB are free; make room, or choose another --out, fewer formats or fewer images`,
    )
}
