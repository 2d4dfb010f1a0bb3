import { type Command, Option } from 'commander'
import { type WindowName, WINDOWS } from '../../isar/index.js'
import { InputError } from '../../scene/index.js'
import { targetName } from '../loaded-target.js'
import { render } from '../render.js'
import type { ImageSettings } from '../formed-images.js'
import { pictureOf, renderFiles, writeRender } from '../rendered.js'
import { folderLocation, resultStore } from '../results.js'
import { Console } from './console.js'
import { FAST_SOLVER, fastOption, parseFast } from './fast.js'
import { formatsOption, parseFormats } from './formats.js'
import { advanced, heading, noMeshOption } from './help.js'
import { mergedOptions } from './merged-options.js'
import { addSolverOptions, solverOptions } from './options.js'
import { parseCount, parsePositive } from './quantity.js'
import { reportRun } from './run.js'
import { addSweepOptions, parseSweep } from './sweep-options.js'
import { reportTheta } from './theta.js'

/** Options of the image itself; none of them changes the sweep. */
export const imageOptions = (): Option[] => [
  advanced(new Option('--window <name>', 'spectral window').choices([...WINDOWS]).default('hamming')),
  advanced(new Option('--size <ROWSxCOLS>', 'pixels of the image')),
  advanced(new Option('--dynamic-range <dB>', 'levels shown below the maximum').default('50')),
  new Option('--polar-format', 'focus wide apertures: resample wavenumbers first'),
]

export function renderCommand(command: Command): void {
  command.argument('<mesh>', '.stl, .obj, .ply, .glb or .gltf')
  addSweepOptions(command)
  command.optionsGroup(heading('Output'))
  for (const option of imageOptions()) command.addOption(option)
  command.addOption(advanced(formatsOption('arrays also as hdf5, mat (npz are always written)')))
  command.addOption(noMeshOption())
  command.optionsGroup(heading('Accuracy')).addOption(fastOption())
  addSolverOptions(command).action(runRender)
}

function imageSettings(raw: Record<string, string | undefined>): ImageSettings {
  return {
    window: raw.window as WindowName,
    polarFormat: Boolean(raw.polarFormat),
    size: raw.size === undefined ? undefined : parseSize(raw.size),
  }
}

function parseSize(text: string): { rows: number; cols: number } {
  const match = /^(\d+)x(\d+)$/i.exec(text.trim())
  if (!match) throw new InputError(`--size "${text}": write ROWSxCOLS, like 512x512`)
  return {
    rows: parseCount(match[1], '--size rows', 2, 16384),
    cols: parseCount(match[2], '--size columns', 2, 16384),
  }
}

async function runRender(mesh: string, raw: Record<string, unknown>, command: Command): Promise<void> {
  const texts = raw as Record<string, string | undefined>
  const preview = parseFast(raw.fast)
  const options = solverOptions(preview === undefined ? raw : mergedOptions(command, FAST_SOLVER))
  const out = new Console(options.quiet)
  const dynamicRangeDb = parsePositive(texts.dynamicRange!, '--dynamic-range')
  const place = folderLocation(options.out ?? `${targetName(mesh)}-render`)
  const formats = parseFormats(raw)
  const store = resultStore(place, renderFiles(options, formats), options)
  const request = { sweep: parseSweep(texts), image: imageSettings(texts), references: preview }
  reportTheta([request.sweep.thetaDeg], '--theta', out)
  const done = await reportRun('render', options, out, (hooks) =>
    render(mesh, request, options, { store, hooks, record: { dynamicRangeDb } }),
  )
  if (!done) return
  const { result, references, closed } = done
  const { images, plan, timing, peaksDbsm } = result
  if (references) out.say(`fast      ${timing.total.toFixed(2)} s after start-up`)
  const remark = references
    ? `approximate: ${references} reference aspect${references === 1 ? '' : 's'}`
    : undefined
  await writeRender(place, result, { dynamicRangeDb, remark, formats, mesh: raw.mesh !== false })
  store.discard()
  await closed
  const pictures = Object.keys(images).map((name) => place.file(pictureOf(name)))
  out.say(`wrote     ${pictures.join(' ')}`)
  if (options.json)
    process.stdout.write(
      JSON.stringify({
        command: 'render',
        out: place.folder,
        images: pictures,
        image_peak_dbsm: peaksDbsm,
        aspects: plan.phiDeg.length,
        frequencies: plan.freqHz.length,
        seconds: timing.total,
        device: timing.device,
      }) + '\n',
    )
}
