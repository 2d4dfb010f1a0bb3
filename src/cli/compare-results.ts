import type { Command } from 'commander'
import { isMeshFile } from '../../formats/index.js'
import { drawKind } from '../../views/figures/index.js'
import { InputError } from '../../scene/index.js'
import { compareFiles, FLOOR_DB, formatComparison, isResult } from '../compare-results.js'
import { comparedCurves } from '../compare-curves.js'
import { claimLocation, folderLocation, writeJson, filesAt } from '../../run/results.js'
import { VERSION } from '../../run/version.js'
import { openResult } from '../../views/server/open-result.js'
import { Console } from './console.js'
import { writeFigure } from '../write-figure.js'
import { parsePositive } from './quantity.js'

/** Options of a comparison of results; the others are of one of schedules. */
const OF_RESULTS = new Set(['floor', 'pol', 'out', 'pdf', 'force', 'json', 'quiet'])

/** `isar compare RESULT RESULT…`: each against the first. */
export async function runResults(
  paths: string[],
  raw: Record<string, unknown>,
  command: Command,
): Promise<void> {
  const mesh = paths.find((path) => !isResult(path) && isMeshFile(path))
  if (mesh !== undefined)
    throw new InputError(`${mesh} is a mesh: schedules are compared on one mesh, results with results (isar rcs and render make them)`) // prettier-ignore
  if (paths.length === 1)
    throw new InputError(
      `${paths[0]} is a result; give another to compare with, or a mesh to compare schedules`,
    )
  for (const option of command.options)
    if (
      command.getOptionValueSource(option.attributeName()) === 'cli' &&
      !OF_RESULTS.has(option.attributeName())
    )
      // prettier-ignore
      throw new InputError(`${option.long}: nothing is computed to compare results; leave it out`)
  const floor = raw.floor === undefined ? FLOOR_DB : parsePositive(String(raw.floor), '--floor')
  const channels =
    command.getOptionValueSource('pol') === 'cli' && raw.pol !== 'all'
      ? String(raw.pol).toLowerCase().split(',')
      : undefined
  const out = new Console(raw.quiet === true)
  const { names, sets, compared } = await compareFiles(paths, floor, channels)
  const others = paths.slice(1)
  const stems = names.map((name) =>
    name
      .replace(/\.\w+$/, '')
      .replace(/[^\w.-]+/g, '-')
      .replace(/^-+/, ''),
  )
  const location = folderLocation(
    (raw.out as string | undefined) ??
      `${stems.length > 3 ? `${stems[0]}-and-${stems.length - 1}` : stems.join('-')}-compare`,
  )
  const place = { ...location, pdf: raw.pdf === true }
  const figures: { name: string; draw: () => Promise<string> }[] = []
  for (const [s, set] of sets.entries()) {
    const drawn = new Set(compared[s].flatMap(({ differences }) => differences.flatMap((d) => (d.counted > 0 ? [d.channel] : [])))) // prettier-ignore
    for (const channel of drawn) {
      const suffix = channel.replace('_', '-')
      if (set[0].kind !== 'pixels') {
        const draw = async () =>
          (await import('../../views/figures/node.js')).linePlot(comparedCurves(set, compared[s], channel))
        figures.push({ name: `curves-${suffix}`, draw })
      } else
        others.forEach((_, i) =>
          figures.push({
            name: `difference-${suffix}${others.length > 1 ? `-${i + 1}` : ''}`,
            draw: () => imageDifference(paths[i + 1], paths[0], channel, floor),
          }),
        )
    }
  }
  const files = ['compare.json', ...figures.flatMap(({ name }) => [`${name}.svg`, `${name}.png`])]
  claimLocation(place, files, { resume: false, force: raw.force === true })
  for (const { name, draw } of figures) {
    await writeFigure(place, name, await draw())
  }
  const comparisons = compared.flat()
  const report = { command: 'compare', version: VERSION, results: paths, comparisons }
  await writeJson(place, 'compare.json', report)
  const text = comparisons.map(formatComparison).join('\n')
  if (raw.json) {
    for (const line of text.trimEnd().split('\n')) out.say(line)
    process.stdout.write(JSON.stringify({ ...report, out: place.folder }) + '\n')
  } else process.stdout.write(text)
  out.say(`wrote     ${filesAt(place, files).map(place.file).join(' ')}`)
}

/** The map of an image less the reference's. */
async function imageDifference(
  path: string,
  reference: string,
  layer: string,
  depth: number,
): Promise<string> {
  const { paintPng } = await import('../../views/figures/node.js')
  const [one, other] = [await openResult(path), await openResult(reference)]
  const request = { kind: 'image' as const, layer, depth, width: 750, height: 560 }
  return drawKind(one, other, request, paintPng).markup
}
