import { type Command, Option } from 'commander'
import { MESH_ENDINGS_TEXT } from '../../formats/index.js'
import type { RequestedImage } from '../../run/formed-images.js'
import { targetName } from '../../run/loaded-target.js'
import { folderLocation, resultStore } from '../../run/results.js'
import { optionOf, readDeclared } from '../../run/settings/settings.js'
import { FAST, type Sweep } from '../../run/sweep-job.js'
import { parseFrequency } from '../../formats/expression.js'
import { MAX_PIXELS, pictureOf, render, renderFiles, SWEEP, sweepOf, writeRender } from '../render.js'
import { InputError } from '../../scene/index.js'
import type { Console } from './console.js'
import { advanced, heading, noMeshOption } from './program.js'
import {
  addDeclared,
  addSolverOptions,
  declaredOption,
  formatsOption,
  mergedOptions,
  motionImageOptions,
  parseFormats,
  refuseMotionImage,
  solverOptions,
} from './options.js'
import {
  dynamicRangeOption,
  outlineOption,
  parseBand,
  parseCount,
  parseDynamicRange,
  parsePolarFormat,
  parsePositive,
  pdfOption,
  polarFormatOption,
  reportTheta,
} from './quantity.js'
import { planStore, reportRun } from './run.js'
/** Settings of a preview, by the names of the options. */
const FAST_SOLVER = Object.fromEntries(
  Object.entries(FAST).map(([name, value]) => [
    optionOf(name as keyof typeof FAST),
    Array.isArray(value) ? 'none' : String(value),
  ]),
)

const fastOption = (): Option => new Option('--fast [n]', 'trace rays at n aspects, extrapolate the others')

/** Number of reference aspects; true: the default number; undefined: no extrapolation. */
const parseFast = (text: unknown): number | true | undefined =>
  text === undefined || text === true ? text : parseCount(String(text), '--fast', 1, 1000)

/** Options of the image itself; none of them changes the sweep. */
export const imageOptions = (): Option[] => [
  advanced(declaredOption('window', SWEEP.window)),
  advanced(new Option('--size <ROWSxCOLS>', 'pixels of the image')),
  advanced(dynamicRangeOption()),
  advanced(polarFormatOption()),
  advanced(outlineOption()),
]

/** Adds the options of an ISAR sweep, which render and compare share. */
export function addSweepOptions(command: Command): Command {
  command
    .optionsGroup(heading('Sweep'))
    .option('--band <f0:f1[:n]>', 'frequencies, their number from the size if absent')
    .option('--freq <f>', 'centre frequency, with --resolution')
    .option('--resolution <dr[,dx]>', 'in range, cross-range [m]; fixes band and aperture')
  addDeclared(command, SWEEP, 'thetaDeg', 'apertureDeg')
  return command.addOption(advanced(declaredOption('angles', SWEEP.angles)))
}

/** The sweep that commander's raw options ask for. @throws InputError naming the option */
export function parseSweep(raw: Record<string, string | undefined>): Sweep {
  if (raw.band !== undefined && (raw.resolution !== undefined || raw.freq !== undefined))
    throw new InputError('--band contradicts --freq with --resolution; give one or the other')
  if (raw.band === undefined && (raw.freq === undefined || raw.resolution === undefined))
    throw new InputError('give --band f0:f1, like 9.25e9:10.75e9 (or --freq with --resolution)')
  if (raw.resolution !== undefined && raw.aperture !== undefined)
    throw new InputError(
      '--aperture contradicts --resolution, which fixes it; give one of them, or --resolution dr,dx',
    )
  const resolution = raw.resolution?.split(',').map((x) => parsePositive(x, '--resolution'))
  if (resolution && resolution.length > 2)
    throw new InputError(`--resolution "${raw.resolution}": write dr or dr,dx in metres`)
  return {
    ...sweepOf(readDeclared(SWEEP, raw)),
    ...(raw.band === undefined
      ? {
          resolution: {
            rangeM: resolution![0],
            crossRangeM: resolution![1],
            centreHz: parseFrequency(raw.freq!, '--freq'),
          },
        }
      : { band: parseBand(raw.band) }),
  }
}

export function renderCommand(command: Command, out: Console): void {
  command.argument('[mesh]', `${MESH_ENDINGS_TEXT}; or --motion FILE`)
  addSweepOptions(command).addOption(
    advanced(new Option('--motion <file>', 'a motion file instead of mesh and sweep, as of isar doppler')),
  )
  command.optionsGroup(heading('Output'))
  for (const option of [...imageOptions(), ...motionImageOptions('with --motion').map(advanced)])
    command.addOption(option)
  command.addOption(advanced(formatsOption('arrays also as hdf5, mat (npz are always written)')))
  command.addOption(pdfOption()).addOption(noMeshOption())
  command.optionsGroup(heading('Accuracy')).addOption(fastOption())
  addSolverOptions(command).action((mesh, raw, self) => runRender(mesh, raw, self, out))
}

function imageSettings(raw: Record<string, string | undefined>): RequestedImage {
  return {
    window: readDeclared(SWEEP, raw).window,
    polarFormat: parsePolarFormat(raw.polarFormat),
    size: raw.size === undefined ? undefined : parseSize(raw.size),
  }
}

function parseSize(text: string): { rows: number; cols: number } {
  const match = /^(\d+)x(\d+)$/i.exec(text.trim())
  if (!match) throw new InputError(`--size "${text}": write ROWSxCOLS, like 512x512`)
  return {
    rows: parseCount(match[1], '--size rows', 2, MAX_PIXELS),
    cols: parseCount(match[2], '--size columns', 2, MAX_PIXELS),
  }
}

async function runRender(
  mesh: string | undefined,
  raw: Record<string, unknown>,
  command: Command,
  out: Console,
): Promise<void> {
  const texts = raw as Record<string, string | undefined>
  if (texts.motion !== undefined) {
    if (mesh !== undefined)
      throw new InputError(`${mesh}: the motion file names the target’s mesh; leave one of them out`)
    return (await import('./doppler.js')).runMotionRender(command, texts.motion, imageSettings(texts), out)
  }
  refuseMotionImage(command, 'is of images of moving targets; give --motion FILE, or leave it out')
  if (mesh === undefined) throw new InputError('missing argument: give a mesh, or --motion FILE')
  const preview = parseFast(raw.fast)
  const options = solverOptions(preview === undefined ? raw : mergedOptions(command, FAST_SOLVER))
  const dynamicRangeDb = parseDynamicRange(texts.dynamicRange!)
  const place = { ...folderLocation(options.out ?? `${targetName(mesh)}-render`), pdf: raw.pdf === true }
  const formats = parseFormats(raw)
  const store = resultStore(place, renderFiles(options, formats), options)
  const request = { sweep: parseSweep(texts), image: imageSettings(texts), references: preview }
  reportTheta([request.sweep.thetaDeg], '--theta', out)
  const done = await reportRun('render', options.plan, out, (reported) =>
    render(mesh, request, options, { ...reported, store: options.plan ? planStore(store) : store }),
  )
  if (!done) return
  const { result, references, closed } = done
  const { images, plan, timing, peaksDbsm } = result
  if (references) out.say(`fast      ${timing.total.toFixed(2)} s after start-up`)
  const remark = references
    ? `approximate: ${references} reference aspect${references === 1 ? '' : 's'}`
    : undefined
  await writeRender(place, result, { dynamicRangeDb, outline: raw.outline === true, remark, formats, mesh: raw.mesh !== false }) // prettier-ignore
  store.discard()
  await closed
  const pictures = Object.keys(images).map((name) => place.file(`${pictureOf(name)}.png`))
  out.say(`wrote     ${pictures.join(' ')}`)
  out.json({
    command: 'render',
    out: place.folder,
    images: pictures,
    image_peak_dbsm: peaksDbsm,
    aspects: plan.phiDeg.length,
    frequencies: plan.freqHz.length,
    seconds: timing.total,
    device: timing.device,
  })
}
