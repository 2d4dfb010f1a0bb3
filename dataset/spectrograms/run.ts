import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { encodeFormats, FIELD_CONVENTIONS, type NpyArray, vector } from '../../formats/index.js'
import type { LoadedMotion, MotionPlan } from '../../motion/index.js'
import { type Rows, rowLength } from '../../pipeline/index.js'
import { RowStore } from '../../pipeline/row-store.js'
import { chipName, type DatasetFile } from '../formats/index.js'
import { missingShards, partialFolder, writeFiles, writeRecord } from '../record.js'
import {
  chipLevels,
  chipMotion,
  chipPlan,
  formChip,
  planKey,
  poseBand,
  type SpectrogramChip,
} from './chip.js'
import { chipPulses, type SpectrogramConfig } from './config.js'
import {
  type ChipDraw,
  chipDraw,
  chipLabels,
  type SpectrogramPlan,
  type SpectrogramPose,
  type SpectrogramShard,
} from './plan.js'

export interface SpectrogramRun {
  config: SpectrogramConfig
  /** Motions of the targets, of any radar. */
  loaded: LoadedMotion[]
  plan: SpectrogramPlan
  folder: string
  /** Identifies what the run computes. */
  key: string
  /** Computes the rows of a plan that are missing. Rejects with the engines' failure or the signal's reason. */
  solve: (plan: MotionPlan, pose: SpectrogramPose, rows: Rows) => Promise<void>
  /** Numbers of the chips of the contact sheet. */
  thumbnails: ReadonlySet<number>
}

/** A chip with its labels. */
interface MadeChip extends SpectrogramChip {
  pose: SpectrogramPose
  number: number
  realisation: number
  draw: ChipDraw
}

/**
 * Makes the missing shards, one after the other: files under temporary names, then renamed, and the record last. Rows are kept on disk as they
 * are solved, so that a run with the same key continues and ends with the same bytes.
 * @returns number of rows solved or resumed
 */
export async function runSpectrograms(
  run: SpectrogramRun,
  shards: SpectrogramShard[],
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const { plan, folder } = run
  const chips = (list: SpectrogramShard[]): number =>
    list.reduce((n, { poses }) => n + poses.length * plan.realisations, 0)
  const missing = missingShards(folder, shards)
  const total = chips(shards)
  let [done, rows] = [total - chips(missing), 0]
  onProgress(done, total)
  for (const shard of missing) {
    const partial = partialFolder(folder, shard)
    const made: MadeChip[] = []
    for (const pose of shard.poses) {
      rows += await makeChips(run, pose, join(partial, String(pose.number)), (chip) => {
        made.push(chip)
        onProgress(++done, total)
      })
    }
    await writeShard(run, shard, made)
    rmSync(partial, { recursive: true, force: true })
  }
  return rows
}

/** Solves a pose and forms its chips; chips that need the same solutions share them. */
async function makeChips(
  { config, loaded, plan, key, solve }: SpectrogramRun,
  pose: SpectrogramPose,
  folder: string,
  onChip: (chip: MadeChip) => void,
): Promise<number> {
  let solved: { key: string; rows: Rows } | undefined
  let count = 0
  const length = rowLength({ aspects: [], bands: [poseBand(pose)], phaseCentre: [0, 0, 0] }, 1)
  for (let k = 0; k < plan.realisations; k++) {
    const draw = chipDraw(config, pose, k)
    const motion = chipMotion(config, loaded[pose.target], pose, draw)
    const own = chipPlan(motion)
    const wanted = planKey(own)
    if (solved?.key !== wanted) {
      const store = await RowStore.open(join(folder, String(k)), `${key} ${pose.serial} ${k}`, length, true)
      try {
        await solve(own, pose, store)
      } finally {
        store.close()
      }
      solved = { key: wanted, rows: store }
      count += own.rows
    }
    const number = pose.number * plan.realisations + k
    onChip({ ...formChip(config, own, solved.rows, pose, k, draw), pose, number, realisation: k, draw })
  }
  return count
}

async function writeShard(run: SpectrogramRun, shard: SpectrogramShard, made: MadeChip[]): Promise<void> {
  const { config, plan, folder, thumbnails } = run
  const attributes = { ...FIELD_CONVENTIONS, channels: config.channels.join(), dataset: config.name }
  const arrays = shardArrays(run, made)
  const files: DatasetFile[] = []
  for (const format of config.formats) {
    if (format === 'png') files.push(...made.map((chip) => picture(run, shard, chip)))
    else
      for await (const [path, data] of encodeFormats(shard.name, arrays, [format], attributes))
        files.push({ path: `${format}/${path}`, data })
  }
  await writeRecord(folder, {
    index: shard.index,
    name: shard.name,
    split: shard.split,
    first: shard.poses[0].number * plan.realisations,
    count: made.length,
    peakDbsm: made.map(({ peakDbsm }) => peakDbsm),
    thumbnails: Object.fromEntries(
      made
        .filter(({ number }) => thumbnails.has(number))
        .map((chip) => [chip.number, Buffer.from(chipLevels(config, chip)).toString('base64')]),
    ),
    files: await writeFiles(folder, files),
  })
}

const picture = (
  { config, plan }: SpectrogramRun,
  { split }: SpectrogramShard,
  chip: MadeChip,
): DatasetFile => {
  const { pulses, columns } = config.spectrogram
  const label = plan.classes[plan.classOf[chip.pose.target]]
  return {
    path: `png/${split ? `${split}/` : ''}${label}/${chipName(chip.number)}.png`,
    data: encode({ width: columns, height: 2 * pulses, data: chipLevels(config, chip), channels: 1 }),
  }
}

/** Arrays of a shard (docs/file-formats.md). */
function shardArrays({ config, plan, loaded }: SpectrogramRun, made: MadeChip[]): Record<string, NpyArray> {
  const { channels, spectrogram: how } = config
  const [rows, columns] = [2 * how.pulses, how.columns]
  const size = channels.length * rows * columns
  const power = new Float32Array(made.length * size)
  made.forEach((chip, i) => power.set(chip.power, i * size))
  const whole = (of: (chip: MadeChip) => number): NpyArray => ({ data: Int32Array.from(made, of), shape: [made.length], dtype: '<i4' }) // prettier-ignore
  const real = (of: (chip: MadeChip) => number): NpyArray => vector(Float64Array.from(made, of))
  const labels = made.map(({ pose, draw }) => chipLabels(loaded[pose.target], pose, draw))
  return {
    spectrogram: { data: power, shape: [made.length, channels.length, rows, columns], dtype: '<f4' },
    label: whole(({ pose }) => plan.classOf[pose.target]),
    chip: whole(({ number }) => number),
    target: whole(({ pose }) => pose.target),
    realisation: whole(({ realisation }) => realisation),
    azimuth_deg: real(({ pose }) => pose.azimuthDeg),
    elevation_deg: real(({ pose }) => pose.elevationDeg),
    ...Object.fromEntries(
      (Object.keys(labels[0]) as (keyof (typeof labels)[number])[]).map((name) => {
        const values = labels.map((label) => label[name])
        return [name, name.endsWith('_count') ? { data: Int32Array.from(values), shape: [values.length], dtype: '<i4' as const } : vector(Float64Array.from(values))] // prettier-ignore
      }),
    ),
    ...(config.radar.snrDb && { snr_db: real(({ draw }) => draw.snrDb!) }),
    peak_dbsm: real(({ peakDbsm }) => peakDbsm),
    // Doppler of the rows over the pulse rate, and the middles of the columns in pulses after a chip's first.
    doppler_over_prf: vector(Float64Array.from({ length: rows }, (_, i) => i / rows - 0.5)),
    column_pulse: vector(Float64Array.from({ length: columns }, (_, i) => i * chipPulses(config).hop + (how.pulses - 1) / 2)), // prettier-ignore
  }
}
