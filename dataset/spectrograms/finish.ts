import { type LoadedMotion, motionLabels } from '../../motion/index.js'
import { cardHead, configurationOf, markdownTable, sheetCaption } from '../card.js'
import { type SheetRow, sheetRows } from '../contact-sheet.js'
import { chipTable, materialsOf, writeDescription } from '../finish.js'
import { type DatasetIdentity, removeTemporaries, type ShardRecord } from '../record.js'
import type { SpectrogramConfig } from './config.js'
import { chipDraw, chipLabels, type SpectrogramPlan } from './plan.js'

/**
 * Completes a dataset whose shards all exist: description, table of chips, card, contact sheet, and the manifest last; all functions of the
 * configuration.
 */
export async function finishSpectrograms(
  folder: string,
  config: SpectrogramConfig,
  plan: SpectrogramPlan,
  loaded: LoadedMotion[],
  identity: DatasetIdentity,
  records: ShardRecord[],
  drawSheet: (rows: SheetRow[]) => Promise<Uint8Array>,
): Promise<void> {
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
  await writeDescription(folder, about, table, sheet, text, identity, records)
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
