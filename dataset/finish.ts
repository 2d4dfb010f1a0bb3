import type { DatasetFile } from './chip-formats.js'
import { datasetCard } from './card.js'
import type { DatasetConfig } from './config.js'
import {
  type SheetRow,
  sheetRows,
  type DatasetIdentity,
  finishManifest,
  readRecord,
  removeTemporaries,
  type ShardRecord,
  writeFiles,
} from './record.js'
import type { DatasetPlan } from './plan.js'
import type { Radar } from './radar.js'
import { chipGeometry, hasLevels, magnitudePerLevel, stateAngle, targetAzimuthDeg } from './shard-data.js'

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
  const table = config.product === 'chips' ? imageTable(config, plan, records) : null
  const card = datasetCard(config, radar, plan, identity, records)
  await writeDescription(folder, about, table, sheet, card, identity, records)
}

/** Writes description, table of images and contact sheet where there are some, and card; the manifest last. */
export async function writeDescription(
  folder: string,
  about: { name: string; images: number },
  table: string | null,
  sheet: Uint8Array | null,
  card: string,
  { key }: DatasetIdentity,
  records: ShardRecord[],
): Promise<void> {
  const text = (path: string, content: string): DatasetFile => ({
    path,
    data: new TextEncoder().encode(content),
  })
  const own = await writeFiles(folder, [
    text('dataset.json', `${JSON.stringify(about, null, 2)}\n`),
    ...(table === null ? [] : [text('chips.csv', table)]),
    ...(sheet ? [{ path: 'contact-sheet.png', data: sheet }] : []),
    text('README.md', card),
  ])
  await finishManifest(folder, { dataset: about.name, key, images: about.images }, own, records)
}

/** Names of a target's materials and the factors of its copies; nothing where it conducts. */
export function materialsOf({ materials }: DatasetIdentity, target: number): Record<string, unknown> {
  const { names, copies, expressions } = materials[target]
  if (names.length === 0) return {}
  return {
    materials: names,
    ...(copies.length > 0 && { material_copies: copies }),
    ...(expressions && { expressions }),
  }
}

const imageTable = (config: DatasetConfig, plan: DatasetPlan, records: ShardRecord[]): string =>
  chipTable(config.targets, plan, records, (pose, k, peakDbsm) => ({
    state_deg: stateAngle(config, pose),
    copy: pose.copy,
    realisation: k,
    azimuth_deg: pose.azimuthDeg.toFixed(6),
    elevation_deg: pose.elevationDeg.toFixed(6),
    aperture_deg: pose.apertureDeg.toFixed(6),
    peak_dbsm: peakDbsm.toFixed(3),
    target_azimuth_deg: targetAzimuthDeg(pose).toFixed(6),
    depression_deg: pose.elevationDeg.toFixed(6),
    ...(hasLevels(config) && {
      magnitude_factor_m: magnitudePerLevel(peakDbsm).toExponential(8),
    }),
  }))

/** `chips.csv`: a row per image, from the split and target of its pose to what `valuesOf` has of its draw k by name. */
export function chipTable<P extends { number: number; target: number }>(
  targets: { label: string }[],
  plan: Pick<DatasetPlan, 'realisations' | 'classOf' | 'names'> & {
    shards: { name: string; split: string; poses: P[] }[]
  },
  records: ShardRecord[],
  valuesOf: (pose: P, k: number, peakDbsm: number) => Record<string, string | number>,
): string {
  const { realisations, classOf, names } = plan
  let head = ''
  const lines = plan.shards.flatMap((shard, s) =>
    shard.poses.flatMap((pose, i) =>
      Array.from({ length: realisations }, (_, k) => {
        const row = {
          chip: pose.number * realisations + k,
          split: shard.split,
          shard: shard.name,
          label: targets[pose.target].label,
          class: classOf[pose.target],
          target: names[pose.target],
          ...valuesOf(pose, k, records[s].peakDbsm[i * realisations + k]),
        }
        head ||= Object.keys(row).join()
        return Object.values(row).join()
      }),
    ),
  )
  return [head, ...lines, ''].join('\n')
}
