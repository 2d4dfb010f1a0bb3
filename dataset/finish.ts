import type { DatasetFile } from './chip-formats.js'
import type { DatasetConfig } from './config.js'
import type { DatasetPlan, Radar } from './plan.js'
import {
  type DatasetIdentity,
  finishManifest,
  readRecord,
  removeTemporaries,
  type ShardRecord,
  type SheetRow,
  sheetRows,
  writeFiles,
} from './record.js'
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
  {
    config,
    radar,
    plan,
    identity,
  }: { config: DatasetConfig; radar: Radar; plan: DatasetPlan; identity: DatasetIdentity },
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
  await writeDescription(folder, about, { table, sheet, card }, identity, records)
}

/** Writes description, table of images and contact sheet where there are some, and card; the manifest last. */
export async function writeDescription(
  folder: string,
  about: { name: string; images: number },
  { table, sheet, card }: { table: string | null; sheet: Uint8Array | null; card: string },
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

const round = (x: number, digits = 4): number => Number(x.toPrecision(digits))

/** A table in Markdown, the first row its head. */
export const markdownTable = (rows: string[][]): string =>
  [rows[0], rows[0].map(() => '---'), ...rows.slice(1)].map((r) => `| ${r.join(' | ')} |`).join('\n')

/** Head of a card, with that of Hugging Face. */
export const cardHead = (
  { name, description }: Pick<DatasetConfig, 'name' | 'description'>,
  tags: string[],
  images: number,
  otherwise: string,
): string[] => [
  '---',
  `pretty_name: ${name}`,
  'task_categories:',
  '  - image-classification',
  'tags:',
  ...['radar', ...tags, 'synthetic'].map((tag) => `  - ${tag}`),
  `size_categories:\n  - ${sizeCategory(images)}`,
  '---',
  '',
  `# ${name}`,
  '',
  description ?? otherwise,
]

/** All that made the images: the configuration with its defaults, and the settings of the solver that affect results. */
export const configurationOf = (config: { solver: object; targets: object[] }, solver: object): string[] => [
  '## Configuration',
  '',
  'All that made the images, with the defaults filled in; `solver` as it was resolved.',
  '',
  '```json',
  JSON.stringify({ ...config, $schema: undefined, solver: { ...config.solver, ...solver } }, null, 1),
  '```',
]

/** The contact sheet in a card. */
export const sheetCaption = (what: string, classes: string[]): string[] => [
  '',
  `![a row of ${what} for each class](contact-sheet.png)`,
  '',
  `Rows, from the top: ${classes.slice(0, 40).join(', ')}.`,
]

/** The dataset card (README.md with the header for Hugging Face): contents, and how to load them. */
export function datasetCard(
  config: DatasetConfig,
  radar: Radar,
  plan: DatasetPlan,
  { version, device, meshes, materials, solver }: DatasetIdentity,
  records: ShardRecord[],
): string {
  const chips = config.product === 'chips'
  const images = chips ? plan.poses.length * plan.realisations : plan.poses.length
  const bytes = records.reduce((n, r) => n + r.files.reduce((s, f) => s + f.bytes, 0), 0)
  const { centreHz, bandwidthHz } = chipGeometry(config, radar)
  const facts: [string, string][] = [
    [
      chips ? 'images' : 'sweeps',
      `${images}${plan.dropped ? ` (${plan.dropped * plan.realisations} left out: their apertures reach into two splits)` : ''}`,
    ],
    ['classes', plan.classes.join(', ')],
    [
      'band',
      `${round(centreHz / 1e9, 6)} GHz, ${round(bandwidthHz / 1e6, 6)} MHz wide, ${radar.freqHz.length} frequencies`,
    ],
    ['channels', config.channels.join(', ')],
  ]
  const made = [...new Set(materials.flatMap(({ names }) => names))]
  if (made.length > 0) facts.push(['materials', made.join(', ')])
  if (chips)
    facts.push(
      ['aperture', `${round(radar.apertureDeg)}°, ${radar.angles} aspects an image, ${TRACE[config.trace]}`],
      [
        'resolution',
        `${round(radar.rangeResolutionM)} m in range, ${round(radar.crossRangeResolutionM)} m in cross-range (before the window)`,
      ],
      [
        'pixels',
        `${radar.size.join(' x ')} of ${radar.spacingM.map((x) => `${round(x)} m`).join(' x ')}, ${config.image.window} window`,
      ],
      [
        'ground',
        config.ground
          ? `its clutter and the target’s shadow: \`${JSON.stringify(config.ground)}\``
          : 'none: free space',
      ],
      ['geometry', geometryOf(config)],
      ['nuisances', nuisancesOf(config)],
      ['splits', splitsOf(config)],
      ['labels', config.labels.join(', ') || 'class and parameters'],
    )
  else facts.push(['azimuths', `${radar.angles} over ${round(radar.apertureDeg)}°`])
  facts.push(
    ['formats', config.formats.join(', ')],
    ['files', String(records.reduce((n, r) => n + r.files.length, 0))],
    ['size', `${round(bytes / 2 ** 20, 3)} MiB`],
    ['seed', String(config.seed)],
    ['made by', `isar ${version}, ${device === 'gpu' ? 'GPU' : 'double precision'} engine`],
  )
  return [
    ...cardHead(config, ['isar', 'sar'], images, 'Simulated radar images for automatic target recognition.'),
    ...(chips ? sheetCaption('images', plan.classes) : []),
    '',
    markdownTable([['', ''], ...facts]),
    '',
    '## Targets',
    '',
    markdownTable([
      ['target', 'class', 'mesh, m', 'facets', 'SHA-256 of the mesh'],
      ...plan.names.map((name, t) => [
        name,
        config.targets[t].label,
        meshes[t].size_m.map((x) => round(x, 3)).join(' x '),
        String(meshes[t].facets),
        `\`${meshes[t].sha256.slice(0, 16)}\``,
      ]),
    ]),
    ...(chips ? ['', '## Images by class and split', '', markdownTable(countTable(plan, records))] : []),
    '',
    ...configurationOf(config, solver),
    '',
    '## Loading',
    '',
    ...loading(config, plan),
    '',
    'Conventions: azimuth from the target’s +x towards +y, elevation above its xy plane, both of the direction from the target to the radar;',
    'image rows are range, growing away from the radar, columns cross-range; |pixel|² is RCS in m² of an isolated point.',
    '`manifest.json` lists every file with its SHA-256; `isar dataset verify .` checks them.',
    '',
  ].join('\n')
}

/** How the aspects lie, and the plane of the images. */
const geometryOf = ({ radar, image }: DatasetConfig): string =>
  `${radar.geometry === 'sar' ? `straight level path, ${radar.squintDeg}° ahead of broadside` : 'turntable, at one elevation'}; ${image.plane} plane, ${image.polarFormat ? 'polar format' : 'without polar format'}`

/** What the parts share nothing of. */
const splitsOf = ({ splits }: DatasetConfig): string =>
  splits ? `by ${splits.by}: ${Object.keys(splits.parts).join(', ')}` : 'none'

/** What was drawn at random over the images of targets. */
function nuisancesOf({ nuisance, jitter, copies, ground }: DatasetConfig): string {
  const { count, ...perturbed } = copies
  const some = (of: object): boolean => Object.values(of).some((x) => x > 0)
  const drawn = {
    ...(some(perturbed) && { copies: { count, ...perturbed } }),
    ...(some(jitter) && { jitter }),
    ...nuisance,
  }
  if (Object.keys(drawn).length > 0) return `\`${JSON.stringify(drawn)}\``
  return ground ? 'none but clutter and shadow of the ground' : 'none'
}

const TRACE = {
  own: 'every aspect traced for its own image',
  shared: 'aspects shared by overlapping apertures',
} as const

function sizeCategory(n: number): string {
  for (const [limit, name] of [
    [1e3, 'n<1K'],
    [1e4, '1K<n<10K'],
    [1e5, '10K<n<100K'],
    [1e6, '100K<n<1M'],
  ] as const)
    if (n < limit) return name
  return '1M<n<10M'
}

/** Number of images and mean of their brightest pixels, by class and split. */
function countTable(plan: DatasetPlan, records: ShardRecord[]): string[][] {
  const splits = [...new Set(plan.shards.map((s) => s.split))]
  const cell = (c: number, split: string): number[] =>
    plan.shards.flatMap((shard, s) =>
      shard.split === split
        ? shard.poses.flatMap((pose, i) =>
            plan.classOf[pose.target] === c
              ? records[s].peakDbsm.slice(i * plan.realisations, (i + 1) * plan.realisations)
              : [],
          )
        : [],
    )
  return [
    ['class', ...splits.flatMap((s) => [s || 'images', 'mean peak, dBsm'])],
    ...plan.classes.map((name, c) => [
      name,
      ...splits.flatMap((split) => {
        const peaks = cell(c, split)
        const mean = peaks.reduce((a, b) => a + b, 0) / peaks.length
        return [String(peaks.length), peaks.length ? mean.toFixed(1) : '']
      }),
    ]),
  ]
}

function loading(config: DatasetConfig, plan: DatasetPlan): string[] {
  const split = plan.shards[0].split
  const chips = config.product === 'chips'
  const lines: string[] = []
  if (chips && config.formats.includes('npz'))
    lines.push(
      '```python',
      'import glob, numpy as np',
      `shards = [np.load(f) for f in sorted(glob.glob("npz/${split ? `${split}/` : ''}*.npz"))]`,
      'images, labels = (np.concatenate([s[k] for s in shards]) for k in ("image", "label"))  # [n, channel, range, cross-range]',
      '```',
      '',
      '```ts',
      'const { image, label } = readNpz(readFileSync(path)) // import { readNpz } from "isar"',
      '```',
    )
  else if (chips && config.formats.includes('webdataset'))
    lines.push(
      '```python',
      `dataset = webdataset.WebDataset("${`webdataset/${plan.shards[0].name}.tar`}").decode()`,
      '```',
    )
  else lines.push('One folder per format; docs/dataset.md of isar says what the files hold.')
  return lines
}
