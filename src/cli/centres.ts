import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { writeCentreModel } from '../../formats/centre-model-file.js'
import { ARRAY_ENDINGS, fieldAttributes, type NpyArray, readNpz, vector } from '../../formats/index.js'
import {
  apertureOf,
  apertureWeights,
  type Centres,
  imagePlane,
  type Outline,
  placeCentre,
  type PlacedCentre,
  PointSpread,
  type PointSpreadOptions,
  type PulseGeometry,
  scatteringCentres,
  targetOutline,
  type WindowName,
} from '../../isar/index.js'
import { CHANNELS } from '../../rays/index.js'
import { readTargetNpz } from '../../run/mesh-source.js'
import {
  claimLocation,
  fileLocation,
  filesAt,
  folderLocation,
  writeArrays,
  writeResult,
} from '../../run/results.js'
import { direction, InputError, type Vec3 } from '../../scene/index.js'
import { openResult } from '../../views/server/open-result.js'
import { fitCentreModel, modelInput } from '../centre-model.js'
import { CENTRES, COUNT } from '../library/centres.js'
import { writeFigure } from '../write-figure.js'
import type { Console } from './console.js'
import { readDeclared } from '../../run/settings/settings.js'
import { addDeclared, formatsOption, parseFormats } from './options.js'
import { outlineOption, outputOptions, parseCount, parsePositive, pdfOption } from './quantity.js'
/** What the file is called, in a result's folder or beside a table. */
const FILE = 'centre-model.json'
/** Most centres where --count does not say. */
const MODEL_COUNT = 200
/** Options of `isar centres` that only images have, and those that only models have. */
const OF_IMAGES = ['floor', 'dynamicRange', 'formats']
const OF_MODELS = ['mesh', 'heldOut']

/** @throws InputError for an option that would be ignored */
function refuseOtherKind(command: Command, model: boolean): void {
  const given = command.options.find(
    (o) =>
      (model ? OF_IMAGES : OF_MODELS).includes(o.attributeName()) &&
      command.getOptionValueSource(o.attributeName()) === 'cli',
  )
  if (given)
    throw new InputError(
      `${given.long}: it is for ${model ? 'centres of an image' : '--model'}; leave it out${model ? '' : ', or give --model'}`,
    )
}

/** `isar centres --model`. */
async function runCentreModel(path: string, raw: Record<string, unknown>, out: Console): Promise<void> {
  const { count = MODEL_COUNT } = readDeclared(CENTRES, raw)
  const heldOut = parseCount(String(raw.heldOut), '--held-out', 0, 1_000_000)
  const input = modelInput(await openResult(path, raw.mesh as string | undefined), heldOut)
  const place =
    raw.out !== undefined
      ? folderLocation(raw.out as string)
      : statSync(path).isDirectory()
        ? folderLocation(path)
        : fileLocation(path)
  claimLocation(place, [FILE], { force: raw.force === true })
  const start = performance.now()
  const model = fitCentreModel(input, count, {
    onCandidates: (n) => out.say(`paths     ${n} places where they have their phase centres`),
    onProgress: (n) => out.progress(n, count, 'centres', undefined),
  })
  const { fittedAspects, heldOutAspects, correlation } = model.error
  out.say(
    `model     ${model.centres.length} centres from ${fittedAspects} aspects, ${heldOutAspects} held out, in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  for (const [channel, { fitted, heldOut: other }] of Object.entries(correlation))
    out.say(
      `${channel}        correlation with the solver ${fitted.toFixed(4)}${other === null ? '' : `, at held-out aspects ${other.toFixed(4)}`}`,
    )
  await writeResult(place, FILE, writeCentreModel(model))
  out.say(`wrote     ${place.file(FILE)}`)
  out.json({ command: 'centres', model: place.file(FILE), centres: model.centres.length, ...model.error })
}

/** What `isar render` left in its folder, as far as centres need it. */
interface Rendered {
  name: string
  window: WindowName
  polarFormat: boolean
  /** Of the image's pictures [dB]; absent in results of older versions. */
  dynamicRangeDb?: number
  phaseCentre: Vec3
  thetaDeg: number
  freqHz: Float64Array
  phiDeg: Float64Array
  arrays: Record<string, NpyArray>
  channels: string[]
  resolutionM: [number, number]
  /** Of an image in the ground plane: what it was summed over, and the height of the plane [m]. */
  pulses?: PointSpreadOptions['pulses']
  heightM?: number
}

export function centresCommand(command: Command, out: Console): void {
  command.argument(
    '<path>',
    'folder that isar render or image wrote, or its image.npz; with --model also a table of isar rcs',
  )
  addDeclared(command, CENTRES)
  command
    .option('--dynamic-range <dB>', 'levels that the picture shows below the maximum (default: as the image)')
    .addOption(outlineOption())
    .option(
      '--model',
      'fit one model in three dimensions to band and sector instead: centre-model.json, for isar rcs --model',
    )
    .option('--mesh <file>', 'with --model: the target’s mesh, where the result does not contain it')
    .option(
      '--held-out <n>',
      'with --model: every n-th aspect tests the model and is not fitted; 0 for none',
      '5',
    )
    .addOption(formatsOption('the table also as npz, hdf5, mat'))
    .addOption(pdfOption())
    .option('--out <path>', 'folder of the results (default: that of the image)')
  outputOptions(command).action((path, raw, self) => runCentres(path, raw, self, out))
}

async function runCentres(
  path: string,
  raw: Record<string, unknown>,
  command: Command,
  out: Console,
): Promise<void> {
  refuseOtherKind(command, raw.model === true)
  if (raw.model) return runCentreModel(path, raw, out)
  const { count = COUNT, floorDb } = readDeclared(CENTRES, raw)
  const folder = imageFolder(path)
  const rendered = readRendered(folder)
  const dynamicRangeDb = raw.dynamicRange === undefined ? rendered.dynamicRangeDb : parsePositive(String(raw.dynamicRange), '--dynamic-range') // prettier-ignore
  const outline = raw.outline === true ? readOutline(folder, rendered) : undefined
  const place = { ...folderLocation((raw.out as string | undefined) ?? folder), pdf: raw.pdf === true }
  const formats = parseFormats(raw)
  const endings = ['csv', ...formats.map((f) => ARRAY_ENDINGS[f]), 'png']
  const names = rendered.channels.flatMap((c) => endings.map((ending) => `centres-${c}.${ending}`))
  claimLocation(place, names, { force: raw.force === true })
  const psf = new PointSpread(rendered)
  const { imageSvg, imageTitle } = await import('../../views/figures/node.js')
  const summary: Record<string, { centres: number; residual_energy: number }> = {}
  const rangeM = rendered.arrays.range_m.data as Float64Array
  const crossRangeM = rendered.arrays.cross_range_m.data as Float64Array
  for (const channel of rendered.channels) {
    const image = rendered.arrays[`image_${channel}`].data as Float64Array
    const found = scatteringCentres({ image, rangeM, crossRangeM }, psf, { count, floorDb })
    summary[channel] = { centres: found.centres.length, residual_energy: found.residualEnergy }
    out.say(
      `${channel}        ${found.centres.length} centres, ${(100 * (1 - found.residualEnergy)).toFixed(1)} % of the image's energy`,
    )
    await writeResult(place, `centres-${channel}.csv`, table(rendered, found))
    const attributes = fieldAttributes(rendered.phaseCentre)
    await writeArrays(place, `centres-${channel}`, arraysOf(rendered, found), formats, attributes)
    const { freqHz, phiDeg } = rendered
    const aspect = aspectOf(rendered)
    const title = imageTitle({
      name: `${rendered.name}, ${found.centres.length} scattering centres`,
      channel,
      ...aspect,
      f0: freqHz[0],
      f1: freqHz[freqHz.length - 1],
      apertureDeg: phiDeg[phiDeg.length - 1] - phiDeg[0],
      rangeResolutionM: rendered.resolutionM[0],
      crossRangeResolutionM: rendered.resolutionM[1],
      window: rendered.window,
    })
    const ground = rendered.heightM !== undefined
    const svg = imageSvg({ image, rangeM, crossRangeM, ...title, ...(ground ? { ground } : { aspect }), dynamicRangeDb, outline, marks: found.centres }) // prettier-ignore
    await writeFigure(place, `centres-${channel}`, svg, ['png'])
  }
  out.say(`wrote     ${filesAt(place, names).map(place.file).join(' ')}`)
  out.json({ command: 'centres', out: place.folder, channels: summary })
}

function imageFolder(path: string): string {
  const full = resolve(path)
  if (!existsSync(full)) throw new InputError(`${path}: no such folder; give one that isar render wrote`)
  return statSync(full).isDirectory() ? full : dirname(full)
}

const aspectOf = ({ thetaDeg, phiDeg }: Rendered): { thetaDeg: number; phiDeg: number } => ({
  thetaDeg,
  phiDeg: (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2,
})

/** The outline of the target, where the folder contains it. */
function readOutline(folder: string, rendered: Rendered): Outline | undefined {
  const file = join(folder, 'target.npz')
  if (!existsSync(file)) return undefined
  return targetOutline(readTargetNpz(readFileSync(file)).mesh, aspectOf(rendered), rendered.phaseCentre)
}

function readRendered(folder: string): Rendered {
  const bytes = (name: string): Buffer => {
    const file = join(folder, name)
    if (!existsSync(file))
      throw new InputError(`${file} is missing; give a folder that isar render wrote (or render it again)`)
    return readFileSync(file)
  }
  const arrays = readNpz(bytes('image.npz'))
  const meta = JSON.parse(bytes('meta.json').toString()) as {
    mesh: { name: string }
    options: {
      height?: string
      window: WindowName
      polarFormat?: boolean
      dynamicRangeDb?: number
      phaseCentre?: Vec3
      sweep?: { rangeResolutionM: number; crossRangeResolutionM: number } & Record<
        'f0' | 'f1' | 'frequencies' | 'aspects',
        number
      >
    }
  }
  const { window, polarFormat = false, dynamicRangeDb, phaseCentre = [0, 0, 0], sweep } = meta.options
  if (!sweep)
    throw new InputError(
      `${folder}: centres are found in images of a turntable, and this target moved; give one that isar render made without --motion`,
    )
  const channels = CHANNELS.filter((c) => arrays[`image_${c}`])
  if (channels.length === 0) throw new InputError(`${folder}/image.npz holds no image; render it again`)
  const resolutionM: [number, number] = [sweep.rangeResolutionM, sweep.crossRangeResolutionM]
  if ('x_m' in arrays && !('range_m' in arrays)) {
    const heightM = Number(meta.options.height ?? 0)
    const geometry = geometryOf(folder, channels[0], sweep.aspects)
    const { phiDeg, centre, ...aperture } = apertureOf(geometry)
    const { f0, f1, frequencies } = sweep
    return {
      name: meta.mesh.name,
      window,
      polarFormat,
      dynamicRangeDb,
      phaseCentre,
      thetaDeg: centre.thetaDeg,
      freqHz: Float64Array.from({ length: frequencies }, (_, m) => f0 + ((f1 - f0) * m) / (frequencies - 1)),
      phiDeg: phiDeg.toSorted(),
      arrays: { ...arrays, range_m: arrays.y_m, cross_range_m: arrays.x_m },
      channels,
      resolutionM,
      heightM,
      pulses: {
        ...geometry,
        weights: apertureWeights(window, { phiDeg, centre, ...aperture }),
        plane: imagePlane('ground', { phiDeg, centre, ...aperture }, heightM),
      },
    }
  }
  const history = readNpz(bytes('phase-history.npz'))
  return {
    name: meta.mesh.name,
    window,
    polarFormat,
    dynamicRangeDb,
    phaseCentre,
    thetaDeg: history.theta_deg.data[0],
    freqHz: history.freq_hz.data as Float64Array,
    phiDeg: history.phi_deg.data as Float64Array,
    arrays,
    channels,
    resolutionM,
  }
}

/** Where the radar stood at each pulse of an image on the ground. @throws InputError where the folder does not tell it of all */
function geometryOf(folder: string, channel: string, count: number): PulseGeometry {
  const read = (name: string): Record<string, NpyArray> =>
    existsSync(join(folder, name)) ? readNpz(readFileSync(join(folder, name))) : {}
  const referenceM = new Float64Array(count)
  const antenna = read('range-profiles.npz')[`antenna_m_${channel}`]
  if (antenna?.shape[0] === count)
    return { antenna: antenna.data as Float64Array, referenceM, farField: false }
  const { theta_deg, phi_deg } = read('phase-history.npz')
  if (!antenna && theta_deg?.shape[0] === count && phi_deg?.shape[0] === count)
    return {
      antenna: Float64Array.from({ length: 3 * count }, (_, i) => direction(theta_deg.data[Math.floor(i / 3)], phi_deg.data[Math.floor(i / 3)]).r[i % 3]), // prettier-ignore
      referenceM,
      farField: true,
    }
  throw new InputError(
    `${folder}: it does not say where the radar stood at all ${count} pulses, which the centres of an image on the ground need; make it again with isar image, of fewer pulses (--resolution) if they are many`,
  )
}

const placed = (rendered: Rendered, { centres }: Centres): PlacedCentre[] => {
  const { thetaDeg, phiDeg } = aspectOf(rendered)
  const { heightM } = rendered
  if (heightM !== undefined) {
    const { r, phiHat } = direction(thetaDeg, phiDeg)
    return centres.map((centre) => {
      const { rangeM: y, crossRangeM: x, re, im } = centre
      return {
        ...centre,
        rangeM: -(x * r[0] + y * r[1] + heightM * r[2]),
        crossRangeM: x * phiHat[0] + y * phiHat[1],
        sigmaDbsm: 10 * Math.log10(re * re + im * im),
        phaseDeg: (Math.atan2(im, re) * 180) / Math.PI,
        xM: x,
        yM: y,
      }
    })
  }
  return centres.map((centre) => placeCentre(centre, thetaDeg, phiDeg, rendered.phaseCentre))
}

/** Columns of the table as arrays; `amplitude` is sqrt(4 pi) F. */
function arraysOf(rendered: Rendered, found: Centres): Record<string, NpyArray> {
  const centres = placed(rendered, found)
  const column = (of: (c: PlacedCentre) => number): NpyArray => vector(Float64Array.from(centres, of))
  return {
    range_m: column((c) => c.rangeM),
    cross_range_m: column((c) => c.crossRangeM),
    sigma_dbsm: column((c) => c.sigmaDbsm),
    phase_deg: column((c) => c.phaseDeg),
    amplitude: {
      data: Float64Array.from(centres.flatMap((c) => [c.re, c.im])),
      shape: [centres.length],
      dtype: '<c16',
    },
    x_m: column((c) => c.xM),
    y_m: column((c) => c.yM),
  }
}

/** CSV of the centres, the brightest first as found; x, y as in `PlacedCentre`. */
function table(rendered: Rendered, found: Centres): string {
  const lines = placed(rendered, found).map((centre, i) => {
    const { rangeM, crossRangeM, re, im, sigmaDbsm, phaseDeg, xM, yM } = centre
    return [
      i + 1,
      rangeM.toFixed(5),
      crossRangeM.toFixed(5),
      sigmaDbsm.toFixed(3),
      phaseDeg.toFixed(2),
      re.toExponential(8),
      im.toExponential(8),
      xM.toFixed(5),
      yM.toFixed(5),
    ].join()
  })
  return ['number,range_m,cross_range_m,sigma_dbsm,phase_deg,re,im,x_m,y_m', ...lines, ''].join('\n')
}
