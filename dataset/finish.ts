import type { DatasetFile } from './formats/index.js'
import { datasetCard } from './card.js'
import type { DatasetConfig } from './config.js'
import { type SheetRow, sheetRows } from './contact-sheet.js'
import type { DatasetPlan } from './plan.js'
import type { Radar } from './radar.js'
import {
  type DatasetIdentity,
  finishManifest,
  readRecord,
  removeTemporaries,
  type ShardRecord,
  writeFiles,
} from './record.js'
import { chipGeometry, magnitudePerLevel, stateAngle, targetAzimuthDeg } from './shard-data.js'

/** Records of the complete shards. */
export const recordsOf = (folder: string, plan: { shards: { index: number }[] }): ShardRecord[] =>
  plan.shards.flatMap((s) => readRecord(folder, s.index) ?? [])

/**
 * Completes a dataset whose shards all exist: description, table of images, card, contact sheet, and the manifest last.
 * Everything but the manifest's own existence is a function of the configuration.
 */
export async function finishDataset(
  folder: string,
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  identity: DatasetIdentity,
  records: ShardRecord[],
  drawSheet: (rows: SheetRow[]) => Promise<Uint8Array>,
): Promise<void> {
  removeTemporaries(folder)
  const text = (path: string, content: string): DatasetFile => ({
    path,
    data: new TextEncoder().encode(content),
  })
  const sheet = config.product === 'chips' ? await drawSheet(sheetRows(plan, records)) : null
  const { centreHz, bandwidthHz } = chipGeometry(config, radar)
  const about = {
    name: config.name,
    classes: plan.classes,
    targets: plan.names.map((name, t) => ({
      class: plan.classOf[t],
      label: config.targets[t].label,
      target: name,
      mesh: identity.meshes[t],
      ...materialsOf(identity, t),
    })),
    images: plan.poses.length * (config.product === 'chips' ? plan.realisations : 0),
    sweeps: config.product === 'history' ? plan.poses.length : 0,
    left_out: plan.dropped * plan.realisations,
    splits: [...new Set(plan.shards.map((s) => s.split))].filter(Boolean),
    radar: { ...radar, centreHz, bandwidthHz },
    isar: identity.version,
    device: identity.device,
    solver: identity.solver,
    config,
  }
  const files = [
    text('dataset.json', `${JSON.stringify(about, null, 2)}\n`),
    ...(config.product === 'chips' ? [text('chips.csv', chipTable(config, plan, records))] : []),
    ...(sheet ? [{ path: 'contact-sheet.png', data: sheet }] : []),
    text('README.md', datasetCard(config, radar, plan, identity, records)),
  ]
  const own = await writeFiles(folder, files)
  await finishManifest(
    folder,
    { dataset: config.name, key: identity.key, images: about.images },
    own,
    records,
  )
}

/** Names of a target's materials and the factors of its copies; nothing where it conducts. */
function materialsOf({ materials }: DatasetIdentity, target: number): Record<string, unknown> {
  const { names, copies } = materials[target]
  if (names.length === 0) return {}
  return { materials: names, ...(copies.length > 0 && { material_copies: copies }) }
}

/** `chips.csv`: a row per image. */
function chipTable(config: DatasetConfig, plan: DatasetPlan, records: ShardRecord[]): string {
  const head =
    'chip,split,shard,label,class,target,state_deg,copy,realisation,azimuth_deg,elevation_deg,aperture_deg,peak_dbsm,target_azimuth_deg,depression_deg'
  const factor = config.formats.includes('magnitude')
  const lines = plan.shards.flatMap((shard, s) =>
    shard.poses.flatMap((pose, i) =>
      Array.from({ length: plan.realisations }, (_, k) =>
        [
          pose.number * plan.realisations + k,
          shard.split,
          shard.name,
          config.targets[pose.target].label,
          plan.classOf[pose.target],
          plan.names[pose.target],
          stateAngle(config, pose),
          pose.copy,
          k,
          pose.azimuthDeg.toFixed(6),
          pose.elevationDeg.toFixed(6),
          pose.apertureDeg.toFixed(6),
          records[s].peakDbsm[i * plan.realisations + k].toFixed(3),
          targetAzimuthDeg(pose).toFixed(6),
          pose.elevationDeg.toFixed(6),
          ...(factor
            ? [magnitudePerLevel(records[s].peakDbsm[i * plan.realisations + k]).toExponential(8)]
            : []),
        ].join(),
      ),
    ),
  )
  return [head + (factor ? ',magnitude_factor_m' : ''), ...lines, ''].join('\n')
}
