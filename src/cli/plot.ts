import { basename, dirname } from 'node:path'
import { type Command, Option } from 'commander'
import { InputError } from '../../scene/index.js'
import {
  barSummary,
  barText,
  chosenOf,
  drawKind,
  ghz,
  type HistoryData,
  isCurves,
  PLOT_KINDS,
  type PlotData,
  type PlotKind,
  type PlotRequest,
  plotKinds,
  transmitterName,
} from '../../views/figures/index.js'
import { claimLocation, folderLocation, writeResult } from '../../run/results.js'
import { openResults, outlineImage } from '../../views/server/open-result.js'
import type { FigureFormat } from '../../views/figures/node.js'
import type { Console } from './console.js'
import { parseFrequencies } from '../../formats/expression.js'
import { outlineOption, outputOptions, parseCount, parseNumber, parsePositive } from './quantity.js'

export function plotCommand(command: Command, out: Console): void {
  command
    .argument('<path>', 'result of isar render, rcs, doppler or propagate: a folder, or a table (.csv, .npz)')
    .argument('[other]', 'a second result, to compare: curves together, image difference')
    .option('--kind <list>', `figures: ${PLOT_KINDS.join(', ')} (default: all that there is data for)`)
    .option('--pol <list>', 'channels (or parts of them, like vv_b2), curves together (default: the first)')
    .option('--freq <list>', 'frequencies, curves together (default: the middle one)')
    .option('--phi <deg>', 'aspect of range profiles (default: the middle one)')
    .option(
      '--theta <deg>',
      'aspect of range profiles (default: the middle one); the one cut over phi that is drawn',
    )
    .option('--tx-theta <deg>', 'transmitter of a bistatic table of several (default: the first)')
    .option('--tx-phi <deg>', 'transmitter of a bistatic table of several')
    .option('--time <s>', 'of the range-Doppler map (default: the middle)')
    .option('--log', 'path gain over the distance from the transmitter, on a logarithmic axis')
    .option('--title <text>', 'instead of the figure’s own; empty: no lines above the figure')
    .option('--names <list>', 'of the curves, in the order of the legend')
    .option('--xlim <a:b>', 'ends of the horizontal axis, in its units')
    .option('--ylim <a:b>', 'ends of the vertical axis; of curves levels')
    .option('--depth <dB>', 'levels shown below the top (default: 50, or the image’s own; coverage 100)')
    .option('--top <dBsm>', 'top of the scale (default: that of the data)')
    .addOption(
      new Option('--colours <map>', 'of maps').choices(['inferno', 'viridis', 'grey']).default('inferno'),
    )
    .addOption(outlineOption())
    .option('--size <WIDTH[xHEIGHT]>', 'of the figures: px, or as printed (88mm, 3.5in)', '1000x640')
    .option(
      '--out <path>',
      'folder of the figures as SVG and PNG (default NAME-plot/), or a .pdf, .svg or .png file',
    )
  outputOptions(command, 'figures').action((path, other, raw) => runPlot(path, other, raw, out))
}

async function runPlot(
  path: string,
  otherPath: string | undefined,
  raw: Record<string, string | boolean | undefined>,
  out: Console,
): Promise<void> {
  const text = (key: string): string | undefined => (raw[key] === undefined ? undefined : String(raw[key]))
  const angle = (key: string): number | undefined =>
    raw[key] === undefined ? undefined : parseNumber(String(raw[key]), `--${key}`, -720, 720)
  const [result, other = null] = await openResults(otherPath === undefined ? [path] : [path, otherPath])
  if (raw.outline === true) outlineImage(result)
  const tx = { thetaDeg: angle('txTheta'), phiDeg: angle('txPhi') }
  for (const one of [result, other]) if (one) pickTransmitter(one, tx)
  const kinds = readKinds(text('kind')) ?? plotKinds(result)
  const data = (result.image ?? result.history ?? result.coverage ?? result.motion)!
  const first = data.layers[0].name
  const layers = text('pol')?.toLowerCase().split(',') ?? [first]
  const freqsHz = raw.freq === undefined ? [] : parseFrequencies(String(raw.freq).split(','), '--freq')
  const request = {
    timeS: raw.time === undefined ? undefined : parseNumber(String(raw.time), '--time', 0, 1e9),
    log: raw.log === true,
    title: text('title'),
    names: text('names')?.split(',').map((name) => name.trim()), // prettier-ignore
    xlim: parseLimits(text('xlim'), '--xlim'),
    ylim: parseLimits(text('ylim'), '--ylim'),
    phiDeg: angle('phi'),
    thetaDeg: angle('theta'),
    depth: raw.depth === undefined ? undefined : parsePositive(String(raw.depth), '--depth'),
    top: raw.top === undefined ? undefined : parseNumber(String(raw.top), '--top', -300, 300),
    colours: text('colours') as 'inferno' | 'viridis' | 'grey',
  }
  const { paintPng } = await import('../../views/figures/node.js')
  const { width, height, zoom, grows, say } = parseSize(String(raw.size))
  const one = (['names', 'xlim', 'ylim'] as const).find((option) => request[option] && kinds.length > 1)
  if (one) throw new InputError(`--${one} is for one kind of figure: add --kind, one of ${kinds.join(', ')}`)
  const figures = kinds.flatMap((kind) => {
    const sets = setsOf(kind, result)
    const lines = sets.filter(({ set }) => isCurves(result, { kind, set }))
    const mixed = lines.length > 0 && lines.length < sets.length
    if (mixed && (request.xlim ?? request.ylim))
      throw new InputError(`--xlim, --ylim: ${result.place} has receivers drawn as curves and as maps, which have no axis in common`) // prettier-ignore
    return sets.flatMap(({ part, set }) => {
      const curves = lines.some((l) => l.set === set)
      // Of several sets these are for those drawn as curves.
      const own = mixed && !curves ? { ...request, log: false, names: undefined } : request
      const draw = (of: Pick<PlotRequest, 'layers' | 'freqHz' | 'freqsHz'>): string => {
        // Maps have no room for titles and scale in less: they are drawn wider and made smaller.
        const shrunk = curves ? 1 : Math.min(1, width / NARROWEST_MAP)
        const sized = (high: number) => {
          const figure = drawKind(result, other, { ...own, ...of, layer: of.layers![0], width: width / shrunk, height: high / shrunk, kind, set }, paintPng) // prettier-ignore
          const markup = shrunk < 1 ? figure.markup.replace(/ width="[\d.]+" height="[\d.]+"/, ` width="${width}" height="${high}"`) : figure.markup // prettier-ignore
          return { markup, leastHeight: shrunk * (figure.leastHeight ?? 0) }
        }
        const { markup, leastHeight } = sized(height)
        if (leastHeight <= height) return markup
        if (!grows)
          throw new InputError(`--size ${String(raw.size)}: ${kind} needs a height of ${say(leastHeight)} at this width; give that, or the width alone`) // prettier-ignore
        return sized(leastHeight).markup
      }
      const named = (of: readonly string[]): string => `${kind}${part}-${of.join('-').replaceAll('_', '-')}`
      if (curves) return [{ name: named(layers), svg: draw({ layers, freqHz: freqsHz[0], freqsHz }) }]
      const maps = freqsHz.length > 1 && hasFrequencies(kind) ? freqsHz : [freqsHz[0]]
      return layers.flatMap((layer) =>
        maps.map((freqHz) => ({
          name: named(maps.length > 1 ? [layer, ghz(freqHz).replace(' ', '')] : [layer]),
          svg: draw({ layers: [layer], freqHz }),
        })),
      )
    })
  })
  if (result.histories)
    out.say(`transmit  ${transmitterName(result.history!.transmitterDeg!)}, one of ${result.histories.length} transmitters (--tx-theta and --tx-phi take another)`) // prettier-ignore
  for (const kind of kinds) {
    const chosen = chosenOf(result, { ...request, freqHz: freqsHz[0], freqsHz, width, height, kind, layer: layers[0] }) // prettier-ignore
    if (chosen) out.say(`${kind.padEnd(9)} ${chosen}`)
  }
  const errors = (result.history?.bars ?? []).flatMap(
    ({ name, data: bars }) =>
    layers.includes(name) ? [{ name, ...barSummary(result.history!.layers.find((l) => l.name === name)!.data, bars) }] : [], // prettier-ignore
  )
  for (const { name, ...summary } of errors) out.say(`errors    ${name}: ${barText(summary)}`)
  const { place, files } = outputs(text('out') ?? `${result.name}-plot`, figures, zoom)
  const names = files.map(({ name }) => name)
  claimLocation(place, names, { force: raw.force === true })
  for (const { name, make } of files) await writeResult(place, name, await make())
  out.say(`wrote     ${names.map((n) => place.file(n)).join(' ')}`)
  out.json({
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
  })
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

/** Kinds of maps that are drawn at a frequency. */
const hasFrequencies = (kind: PlotKind): boolean => kind === 'aspect-map' || kind === 'coverage'

/** The files of a folder, or the one file that `--out` names: of PDF with a page for each figure. */
function outputs(out: string, figures: { name: string; svg: string }[], zoom: number) {
  const pictures = import('../../views/figures/node.js')
  const encode = async (svg: string, format: FigureFormat): Promise<string | Uint8Array> =>
    (await pictures).encodeFigure(svg, format, basename(out), zoom)
  const ending = /\.(pdf|svg|png)$/i.exec(out)?.[1].toLowerCase()
  if (ending === undefined)
    return {
      place: folderLocation(out),
      files: figures.flatMap(({ name, svg }) =>
        (['svg', 'png'] as const).map((kind) => ({ name: `${name}.${kind}`, make: () => encode(svg, kind) })),
      ),
    }
  const name = basename(out)
  const place = folderLocation(dirname(out))
  if (ending === 'pdf') {
    const pages = async (): Promise<Uint8Array> => (await pictures).svgToPdf(figures.map(({ svg }) => svg), name) // prettier-ignore
    return { place, files: [{ name, make: pages }] }
  }
  if (figures.length > 1)
    throw new InputError(
      `--out ${out} holds one figure, and these are ${figures.length} (${figures.map((f) => f.name).join(', ')}): choose by --kind and --pol, or give a folder or a .pdf`,
    )
  return { place, files: [{ name, make: () => encode(figures[0].svg, ending as FigureFormat) }] }
}

function parseLimits(text: string | undefined, what: string): [number, number] | undefined {
  if (text === undefined) return undefined
  const parts = text.split(':')
  const [low, high] = parts.map((part) => parseNumber(part, what, -1e12, 1e12))
  if (parts.length !== 2 || !(low < high))
    throw new InputError(`${what} "${text}": write the lower and the upper end, like -40:0`)
  return [low, high]
}

/** Units of printed sizes [CSS px]. */
const PRINTED: Record<string, number> = { mm: 96 / 25.4, cm: 960 / 25.4, in: 96 }
/** Least width in which maps are drawn [px]. */
const NARROWEST_MAP = 65 * PRINTED.mm
/** PNG of a printed size: 300 points to the inch. */
const PRINTED_ZOOM = 300 / 96
/** Height over width where only the latter is given. */
const SHAPE = 0.64
const SMALLEST = 300

/** Size of figures as they are drawn [px], how many times larger their PNG is, whether they may be higher, and heights as they were asked for. */
function parseSize(text: string): {
  width: number
  height: number
  zoom: number
  grows: boolean
  say: (px: number) => string
} {
  const match = /^([\d.]+)(?:(mm|cm|in)?x([\d.]+))?(mm|cm|in)?$/i.exec(text.trim())
  const unit = match?.[4]?.toLowerCase()
  if (!match || (match[2] && match[2].toLowerCase() !== unit))
    throw new InputError(`--size "${text}": write WIDTHxHEIGHT, like 1000x640, 88mmx60mm or 3.5in`)
  const grows = match[3] === undefined
  if (unit !== undefined) {
    const size = (value: string, what: string): number => parseNumber(value, what, 0, 1e4) * PRINTED[unit]
    const width = size(match[1], '--size width')
    const height = grows ? SHAPE * width : size(match[3], '--size height')
    if (width < 50 * PRINTED.mm || height < 30 * PRINTED.mm || Math.max(width, height) > 1000 * PRINTED.mm)
      throw new InputError(`--size "${text}": figures are 50 mm to 1 m wide and 30 mm to 1 m high`)
    return { width, height, zoom: PRINTED_ZOOM, grows, say: (px) => `${Math.ceil((100 * px) / PRINTED[unit]) / 100} ${unit}` } // prettier-ignore
  }
  const width = parseCount(match[1], '--size width', SMALLEST, 8000)
  const height = grows ? Math.max(SMALLEST, Math.round(SHAPE * width)) : parseCount(match[3], '--size height', SMALLEST, 8000) // prettier-ignore
  // Text as large as in other pictures; in small ones it would leave no room.
  const zoom = Math.max(1, Math.min(4 / 3, (4 / 3) * (width / 1000)))
  return { width: width / zoom, height: height / zoom, zoom, grows, say: (px) => `${Math.ceil(px * zoom)} px` } // prettier-ignore
}
