import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { encode } from 'fast-png'
import { ARRAY_ENDINGS, encodeArrays, FIELD_CONVENTIONS, type NpyArray, vector } from '../../formats/index.js'
import { type LoadedMotion, motionLabels, type MotionPlan } from '../../run/motion/index.js'
import { rowLength, type Rows } from '../../run/sweep/index.js'
import { RowStore } from '../../run/sweep/row-store.js'
import {
  cardHead,
  chipTable,
  configurationOf,
  markdownTable,
  materialsOf,
  sheetCaption,
  writeDescription,
} from '../finish.js'
import { chipName, type DatasetFile } from '../chip-formats.js'
import {
  type SheetRow,
  sheetRows,
  type DatasetIdentity,
  missingShards,
  partialFolder,
  removeTemporaries,
  type ShardRecord,
  writeFiles,
  writeRecord,
} from '../record.js'
import {
  chipLevels,
  chipMotion,
  chipPlan,
  formChip,
  planKey,
  poseBand,
  type SpectrogramChip,
  type ChipDraw,
  chipDraw,
  chipLabels,
  chipPulses,
  type SpectrogramConfig,
  type SpectrogramPlan,
  type SpectrogramPose,
  type SpectrogramShard,
} from './config.js'

interface SpectrogramRun {
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
    else {
      const data = await encodeArrays(format, arrays, attributes)
      files.push({ path: `${format}/${shard.name}.${ARRAY_ENDINGS[format]}`, data })
    }
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

/**
 * Completes a dataset whose shards all exist: description, table of chips, card, contact sheet, and the manifest last; all functions of the
 * configuration.
 */
export async function finishSpectrograms(
  folder: string,
  of: { config: SpectrogramConfig; plan: SpectrogramPlan; loaded: LoadedMotion[]; identity: DatasetIdentity },
  records: ShardRecord[],
  drawSheet: (rows: SheetRow[]) => Promise<Uint8Array>,
): Promise<void> {
  const { config, plan, loaded, identity } = of
  removeTemporaries(folder)
  const sheet = await drawSheet(sheetRows(plan, records))
  const about = {
    name: config.name,
    product: 'spectrograms',
    classes: plan.classes,
    targets: plan.names.map((name, t) => ({
      class: plan.classOf[t],
      label: config.targets[t].label,
      target: name,
      mesh: identity.meshes[t],
      moving_parts: labelsOf(loaded[t]),
      ...materialsOf(identity, t),
    })),
    images: plan.poses.length * plan.realisations,
    splits: [...new Set(plan.shards.map((s) => s.split))].filter(Boolean),
    isar: identity.version,
    device: identity.device,
    solver: identity.solver,
    config,
  }
  const table = spectrogramTable(config, plan, loaded, records)
  const text = card(config, plan, loaded, identity, records)
  await writeDescription(folder, about, { table, sheet, card: text }, identity, records)
}

const labelsOf = (loaded: LoadedMotion): Record<string, number> => {
  const { rotors, wings, rateHz, bladeM } = motionLabels(loaded)
  return { rotor_count: rotors, wing_count: wings, rate_hz: rateHz, blade_length_m: bladeM }
}

const spectrogramTable = (
  config: SpectrogramConfig,
  plan: SpectrogramPlan,
  loaded: LoadedMotion[],
  records: ShardRecord[],
): string =>
  chipTable(config.targets, plan, records, (pose, k, peakDbsm) => {
    const draw = chipDraw(config, pose, k)
    return {
      realisation: k,
      azimuth_deg: pose.azimuthDeg.toFixed(6),
      elevation_deg: pose.elevationDeg.toFixed(6),
      aperture_deg: 0,
      ...chipLabels(loaded[pose.target], pose, draw),
      ...(config.radar.snrDb && { snr_db: draw.snrDb! }),
      peak_dbsm: peakDbsm.toFixed(3),
    }
  })

/** A target with what its motion file says. */
const withMotion =
  (loaded: LoadedMotion[]) =>
  (target: SpectrogramConfig['targets'][number], i: number): object =>
    typeof target.motion === 'string'
      ? { ...target, motion: { file: target.motion, ...loaded[i].config, radar: undefined } }
      : target

const round = (x: number): string => String(Number(x.toPrecision(4)))

/** The dataset card, README.md with the header for Hugging Face. */
function card(
  config: SpectrogramConfig,
  plan: SpectrogramPlan,
  loaded: LoadedMotion[],
  { version, device, meshes, solver }: DatasetIdentity,
  records: ShardRecord[],
): string {
  const images = plan.poses.length * plan.realisations
  const { spectrogram: how, radar } = config
  const range = ([low, high]: [number, number], scale = 1): string =>
    low === high ? round(low / scale) : `${round(low / scale)} to ${round(high / scale)}`
  const bytes = records.reduce((n, r) => n + r.files.reduce((s, f) => s + f.bytes, 0), 0)
  const count = (label: number, split: string): number =>
    plan.poses.filter((p) => plan.classOf[p.target] === label && p.split === split).length * plan.realisations
  const splits = [...new Set(plan.shards.map((s) => s.split))]
  return [
    ...cardHead(config, ['micro-doppler'], images, 'Simulated micro-Doppler spectrograms.'),
    ...sheetCaption('chips', plan.classes),
    '',
    markdownTable([
      ['', ''],
      ['chips', `${images} of ${2 * how.pulses} Doppler frequencies x ${how.columns} times`],
      ['carrier', `${range(radar.freqHz, 1e9)} GHz`],
      ['pulses per second', range(radar.prfHz)],
      ['columns', `${how.pulses} pulses, ${how.window} window, overlap ${how.overlap}`],
      ['noise', radar.snrDb ? `${range(radar.snrDb)} dB below the mean power of the pulses` : 'none'],
      ['factor of rates', range(config.rateFactor)],
      ['channels', config.channels.join(', ')],
      ['formats', config.formats.join(', ')],
      ['size', `${round(bytes / 2 ** 20)} MiB`],
      ['seed', String(config.seed)],
      ['made by', `isar ${version}, ${device === 'gpu' ? 'GPU' : 'double precision'} engine`],
    ]),
    '',
    '## Targets',
    '',
    markdownTable([
      ['target', 'class', 'rotors', 'wings', 'rate, Hz', 'blade, m', 'facets', 'SHA-256 of the mesh'],
      ...plan.names.map((name, t) => [
        name,
        config.targets[t].label,
        ...Object.values(labelsOf(loaded[t])).map(round),
        String(meshes[t].facets),
        `\`${meshes[t].sha256.slice(0, 16)}\``,
      ]),
    ]),
    '',
    '## Chips by class and split',
    '',
    markdownTable([
      ['class', ...splits.map((s) => s || 'chips')],
      ...plan.classes.map((name, c) => [name, ...splits.map((s) => String(count(c, s)))]),
    ]),
    '',
    ...configurationOf({ ...config, targets: config.targets.map(withMotion(loaded)) }, solver),
    '',
    '## Loading',
    '',
    '```python',
    'import glob, numpy as np',
    `shards = [np.load(f) for f in sorted(glob.glob("npz/${splits[0] ? `${splits[0]}/` : ''}*.npz"))]`,
    'chips, labels = (np.concatenate([s[k] for s in shards]) for k in ("spectrogram", "label"))  # [n, channel, Doppler, time]',
    '```',
    '',
    '`spectrogram` is RCS in m² of a point of constant velocity, Doppler ascending from minus half the pulse rate, positive: approaching.',
    'Azimuth is from the target’s +x towards +y, elevation above its xy plane, both of the direction from the target to the radar.',
    '`manifest.json` lists every file with its SHA-256; `isar dataset verify .` checks them.',
    '',
  ].join('\n')
}
