import { type Command, Option } from 'commander'
import { InputError } from '../../scene/index.js'
import {
  barSummary,
  barText,
  chosenOf,
  drawKind,
  type HistoryData,
  PLOT_KINDS,
  type PlotData,
  type PlotKind,
  plotKinds,
  transmitterName,
} from '../../plots/index.js'
import { claimLocation, folderLocation, writeResult } from '../results.js'
import { openResult, outlineImage } from '../view/open-result.js'
import { Console } from './console.js'
import { parseFrequency } from '../../formats/frequency.js'
import { outlineOption } from './picture-options.js'
import { parseCount, parseNumber, parsePositive } from './quantity.js'

export function plotCommand(command: Command): void {
  command
    .argument('<path>', 'result of isar render, rcs or propagate: a folder, or a table (.csv, .npz)')
    .argument('[other]', 'a second result, to compare: curves together, image difference')
    .option('--kind <list>', `figures: ${PLOT_KINDS.join(', ')} (default: all that there is data for)`)
    .option('--pol <list>', 'channels (or parts of them, like vv_b2), default the first')
    .option('--freq <f>', 'frequency of cuts and aspect maps (default: the middle one)')
    .option('--phi <deg>', 'aspect of range profiles (default: the middle one)')
    .option(
      '--theta <deg>',
      'aspect of range profiles (default: the middle one); the one cut over phi that is drawn',
    )
    .option('--tx-theta <deg>', 'transmitter of a bistatic table of several (default: the first)')
    .option('--tx-phi <deg>', 'transmitter of a bistatic table of several')
    .option('--depth <dB>', 'levels shown below the top (default: 50, or the image’s own; coverage 100)')
    .option('--top <dBsm>', 'top of the scale (default: that of the data)')
    .addOption(
      new Option('--colours <map>', 'of maps').choices(['inferno', 'viridis', 'grey']).default('inferno'),
    )
    .addOption(outlineOption())
    .option('--size <WIDTHxHEIGHT>', 'of the figures [px]', '1000x640')
    .option('--out <folder>', 'where the figures go (default NAME-plot/)')
    .option('--force', 'overwrite figures')
    .option('--json', 'print one JSON summary on stdout')
    .option('--quiet', 'only errors on stderr')
    .action(runPlot)
}

async function runPlot(
  path: string,
  otherPath: string | undefined,
  raw: Record<string, string | boolean | undefined>,
): Promise<void> {
  const out = new Console(raw.quiet === true)
  const text = (key: string): string | undefined => (raw[key] === undefined ? undefined : String(raw[key]))
  const angle = (key: string): number | undefined =>
    raw[key] === undefined ? undefined : parseNumber(String(raw[key]), `--${key}`, -720, 720)
  const result = await openResult(path)
  if (raw.outline === true) outlineImage(result)
  const other = otherPath === undefined ? null : await openResult(otherPath)
  const tx = { thetaDeg: angle('txTheta'), phiDeg: angle('txPhi') }
  for (const one of [result, other]) if (one) pickTransmitter(one, tx)
  const kinds = readKinds(text('kind')) ?? plotKinds(result)
  const data = result.image ?? result.history ?? result.coverage
  if (!data)
    throw new InputError(
      `${path}: isar doppler has drawn its figures beside it; isar view plays them over time`,
    )
  const first = data.layers[0].name
  const layers = text('pol')?.toLowerCase().split(',') ?? [first]
  const request = {
    freqHz: raw.freq === undefined ? undefined : parseFrequency(String(raw.freq), '--freq'),
    phiDeg: angle('phi'),
    thetaDeg: angle('theta'),
    depth: raw.depth === undefined ? undefined : parsePositive(String(raw.depth), '--depth'),
    top: raw.top === undefined ? undefined : parseNumber(String(raw.top), '--top', -300, 300),
    colours: text('colours') as 'inferno' | 'viridis' | 'grey',
    ...parseSize(String(raw.size)),
  }
  const { paintPng, svgToPng, ZOOM } = await import('../../plots/node.js')
  // Text as large as in other pictures; in small ones it would leave no room.
  const zoom = Math.max(1, Math.min(ZOOM, (ZOOM * request.width) / 1000))
  const size = { width: request.width / zoom, height: request.height / zoom }
  const figures = kinds.flatMap((kind) =>
    setsOf(kind, result).flatMap(({ part, set }) =>
      layers.map((layer) => ({
        name: `${kind}${part}-${layer.replace('_', '-')}`,
        svg: drawKind(result, other, { ...request, ...size, kind, layer, set }, paintPng(6)).markup,
      })),
    ),
  )
  if (result.histories)
    out.say(`transmit  ${transmitterName(result.history!.transmitterDeg!)}, one of ${result.histories.length} transmitters (--tx-theta and --tx-phi take another)`) // prettier-ignore
  for (const kind of kinds) {
    const chosen = chosenOf(result, { ...request, kind, layer: layers[0] })
    if (chosen) out.say(`${kind.padEnd(9)} ${chosen}`)
  }
  const errors = (result.history?.bars ?? []).flatMap(
    ({ name, data: bars }) =>
    layers.includes(name) ? [{ name, ...barSummary(result.history!.layers.find((l) => l.name === name)!.data, bars) }] : [], // prettier-ignore
  )
  for (const { name, ...summary } of errors) out.say(`errors    ${name}: ${barText(summary)}`)
  const place = folderLocation(text('out') ?? `${result.name}-plot`)
  const names = figures.flatMap(({ name }) => [`${name}.svg`, `${name}.png`])
  claimLocation(place, names, { resume: false, force: raw.force === true })
  for (const { name, svg } of figures) {
    await writeResult(place, `${name}.svg`, svg)
    await writeResult(place, `${name}.png`, await svgToPng(svg, zoom))
  }
  out.say(`wrote     ${names.map((n) => place.file(n)).join(' ')}`)
  if (raw.json)
    process.stdout.write(
      JSON.stringify({
        command: 'plot',
        out: place.folder,
        figures: names.map((n) => place.file(n)),
        ...(errors.length > 0 && {
          errors: errors.map(({ name, medianM, medianDb, reachesZero }) => ({
            channel: name,
            median_m: medianM,
            median_db: Number.isFinite(medianDb) ? medianDb : null,
            reaches_zero: reachesZero,
          })),
        }),
      }) + '\n',
    )
}

/** Has one transmitter of a bistatic table drawn. @throws InputError with the nearest for one that it has not */
function pickTransmitter(
  result: PlotData,
  { thetaDeg, phiDeg }: { thetaDeg?: number; phiDeg?: number },
): void {
  if (thetaDeg === undefined && phiDeg === undefined) return
  const { histories = result.history?.transmitterDeg ? [result.history] : [], place } = result
  if (histories.length === 0)
    throw new InputError(
      `--tx-theta, --tx-phi: ${place} is no bistatic table with transmitters to choose from`,
    )
  const off = ({ transmitterDeg: at }: HistoryData): number =>
    Math.hypot((thetaDeg ?? at![0]) - at![0], (phiDeg ?? at![1]) - at![1])
  const best = histories.reduce((a, b) => (off(b) < off(a) ? b : a))
  if (off(best) > 1e-6)
    throw new InputError(`--tx-theta, --tx-phi: ${place} has no such transmitter; the nearest is ${transmitterName(best.transmitterDeg!)}`) // prettier-ignore
  result.history = best
}

/** A figure for each set of receivers, with its name as part of the file's; one of anything else. */
const setsOf = (kind: PlotKind, { coverage }: PlotData): { part: string; set: number }[] =>
  kind === 'coverage' && coverage
    ? coverage.sets.map(({ name }, set) => ({ part: `-${name.replace(/[^\w.-]+/g, '_')}`, set }))
    : [{ part: '', set: 0 }]

function readKinds(text: string | undefined): PlotKind[] | null {
  if (text === undefined) return null
  return text.split(',').map((kind) => {
    const known = PLOT_KINDS.find((k) => k === kind)
    if (!known) throw new InputError(`--kind "${kind}": choose among ${PLOT_KINDS.join(', ')}`)
    return known
  })
}

function parseSize(text: string): { width: number; height: number } {
  const match = /^(\d+)x(\d+)$/i.exec(text.trim())
  if (!match) throw new InputError(`--size "${text}": write WIDTHxHEIGHT, like 1000x640`)
  return {
    width: parseCount(match[1], '--size width', 300, 8000),
    height: parseCount(match[2], '--size height', 300, 8000),
  }
}
