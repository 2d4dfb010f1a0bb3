import { type Command, Option } from 'commander'
import { FilesHash, libraryOf, MESH_ENDINGS_TEXT, readMesh, withMaterials } from '../../formats/index.js'
import { materialsJsonSchema } from '../../formats/materials-schema.js'
import { parseFrequency } from '../../formats/expression.js'
import { InputError, prepareTarget, printable, scaleMesh, type Unit, UNITS } from '../../scene/index.js'
import {
  BUILT_IN,
  type Material,
  materialNamed,
  type MaterialLibrary,
  PERFECT_CONDUCTOR,
  rangesOf,
} from '../../scene/materials/index.js'
import { claimLocation, filesAt, folderLocation } from '../../run/results.js'
import type { Console } from './console.js'
import { settingOption } from './options.js'
import { parseBand, parseRange, pdfOption } from './quantity.js'
import { writeFigure } from '../write-figure.js'
type Raw = Record<string, unknown>

export function materialsCommand(command: Command, out: Console): void {
  const json = (): Option => new Option('--json', 'print the report as JSON')
  command
    .argument('<mesh>', `${MESH_ENDINGS_TEXT}, whose groups are listed`)
    .addOption(settingOption('units'))
    .addOption(settingOption('material'))
    .addOption(settingOption('materials'))
    .addOption(json())
    .action((mesh: string) => listGroups(mesh, command.opts(), out))
  const list = command
    .command('list')
    .description('list materials that are built in, and those of a file')
    .addOption(settingOption('materials'))
    .addOption(json())
    .exitOverride()
    .action(() => listMaterials({ ...command.opts(), ...list.opts() }, out))
  const plot = command
    .command('plot')
    .description('draw reflection and transmission over angle and frequency (SVG and PNG)')
    .argument('<name>', 'a material, or a medium with a thickness like glass:4mm')
    .addOption(settingOption('materials'))
    .option('--freq <f>', 'frequency of the curves over angle (default: the middle of --band)')
    .option('--band <f0:f1>', 'also curves over these frequencies')
    .option('--theta <range>', 'angles of incidence of these [deg]', '0,60')
    .addOption(pdfOption())
    .option('--out <folder>', 'where the figure goes', '.')
    .option('--force', 'overwrite a figure')
    .addOption(json())
    .option('--quiet', 'only errors on stderr')
    .exitOverride()
    .action((name: string) => plotMaterial(name, { ...command.opts(), ...plot.opts() }, out))
  command
    .command('schema')
    .description('print the JSON Schema of materials files')
    .exitOverride()
    .action(() => {
      out.print(`${JSON.stringify(materialsJsonSchema(), null, 2)}\n`)
    })
}

const choiceOf = ({ material, materials }: Raw) => ({
  material: material as string[] | undefined,
  materials: materials as string | undefined,
})

async function listGroups(path: string, raw: Raw, out: Console): Promise<void> {
  const units = String(raw.units)
  if (!Object.hasOwn(UNITS, units)) throw new InputError(`--units ${units}: give one of ${Object.keys(UNITS).join(', ')}`) // prettier-ignore
  const mesh = scaleMesh(await readMesh(path, new FilesHash()), units as Unit)
  const target = prepareTarget(await withMaterials(mesh, choiceOf(raw)), { smoothAngleDeg: 20 })
  const { facetGroup, groupMaterials, areas } = target
  const groups = (facetGroup && target.groupNames ? target.groupNames : ['default']).map((group, g) => ({
    group,
    facets: 0,
    area_m2: 0,
    material: (groupMaterials?.[g] ?? PERFECT_CONDUCTOR).name,
  }))
  areas.forEach((area, t) => {
    const group = groups[facetGroup?.[t] ?? 0]
    group.facets++
    group.area_m2 += area
  })
  write(raw, out, groups, ['group', 'facets', 'area [m²]', 'material'])
}

async function listMaterials(raw: Raw, out: Console): Promise<void> {
  const { materials } = choiceOf(raw)
  const library = await libraryOf(materials)
  const ghz = (hz: number): string => (hz === Infinity ? '' : String(Number((hz / 1e9).toPrecision(6))))
  const frequencies = (ranges: [number, number][]): string =>
    ranges.map(([low, high]) => (high === Infinity ? 'any' : `${ghz(low)} to ${ghz(high)}`)).join(', ')
  const rows = [
    { name: PERFECT_CONDUCTOR.name, what: 'metal', frequency_ghz: 'any', source: 'perfect conductor' },
    ...Array.from(library.materials.values(), (material) => ({
      name: material.name,
      what: kindOf(material),
      frequency_ghz: '',
      source: materials!,
    })),
    ...Array.from(library.media.values(), (medium) => ({
      name: medium.name,
      what: 'medium',
      frequency_ghz: frequencies(rangesOf(medium)),
      source: materials!,
    })),
    ...BUILT_IN.map(({ medium, source }) => ({
      name: medium.name,
      what: 'medium',
      frequency_ghz: frequencies(rangesOf(medium)),
      source,
    })),
  ]
  write(raw, out, rows, ['name', 'what', 'GHz', 'source'])
  if (!raw.json)
    out.print(
      '\nA medium by its name is a half-space of it, with a thickness (glass:4mm) a sheet; other materials: isar materials schema\n',
    )
}

const kindOf = (material: Material): string =>
  'table' in material ? `${material.kind}, from a table` : material.kind

async function plotMaterial(name: string, raw: Raw, out: Console): Promise<void> {
  const { materials } = choiceOf(raw)
  const library: MaterialLibrary = await libraryOf(materials)
  const material = materialNamed(name, library, `material ${name}`)
  if (raw.freq === undefined && raw.band === undefined) throw new InputError('give --freq f or --band f0:f1')
  const given = raw.band === undefined ? undefined : parseBand(String(raw.band))
  const band: [number, number] | undefined = given && [given.f0, given.f1]
  const freqHz =
    raw.freq === undefined ? (band![0] + band![1]) / 2 : parseFrequency(String(raw.freq), '--freq')
  const thetaDeg = parseRange(String(raw.theta), '--theta')
  const wrong = thetaDeg.find((theta) => !(theta >= 0 && theta <= 90))
  if (wrong !== undefined)
    throw new InputError(`--theta ${wrong}: give angles from the normal, 0 to 90 degrees`)
  const { materialPlot } = await import('../plots.js')
  const figure = materialPlot(material, { freqHz, band, thetaDeg })
  const place = { ...folderLocation(String(raw.out)), pdf: raw.pdf === true }
  const stem = `material-${name.replace(/[^\w.-]+/g, '-')}`
  const names = filesAt(place, [`${stem}.svg`, `${stem}.png`])
  claimLocation(place, names, { force: raw.force === true })
  await writeFigure(place, stem, figure)
  out.say(`wrote     ${names.map((n) => place.file(n)).join(' ')}`)
  out.json({ command: 'materials plot', figures: names.map(place.file) })
}

/** Rows as JSON, or as a table with these headings. */
function write(raw: Raw, out: Console, rows: Record<string, string | number>[], headings: string[]): void {
  if (raw.json) {
    out.json(rows)
    return
  }
  const text = (cell: string | number): string =>
    typeof cell === 'string' ? printable(cell) : String(Number(cell.toPrecision(6)))
  const lines = [headings, ...rows.map((row) => Object.values(row).map(text))]
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)))
  for (const cells of lines)
    out.print(
      `${cells
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd()}\n`,
    )
}
