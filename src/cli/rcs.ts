import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { type CentreModelFile, readCentreModel } from '../../formats/centre-model-file.js'
import { parseFrequencies } from '../../formats/expression.js'
import { MESH_ENDINGS_TEXT } from '../../formats/index.js'
import { barsOf, type RcsTable } from '../../formats/rcs-table.js'
import { ModelEvaluator } from '../../isar/index.js'
import { CHANNELS } from '../../rays/index.js'
import { COARSER } from '../../run/error-estimate.js'
import { targetName } from '../../run/loaded-target.js'
import {
  aspectGrid,
  checkRcsFile,
  computeRcs,
  isTurned,
  rcsFormat,
  type RcsRequest,
  uniformFrequencies,
  withFrequencies,
  writeRcs,
  writeTable,
} from '../../run/rcs.js'
import {
  claimLocation,
  fileLocation,
  filesAt,
  folderLocation,
  type ResultLocation,
  resultStore,
} from '../../run/results.js'
import { VERSION } from '../../run/version.js'
import { distinctFrequencies, InputError, wavelength } from '../../scene/index.js'
import { barText } from '../../views/figures/index.js'
import { writeFigure } from '../write-figure.js'
import type { Console } from './console.js'
import { addSolverOptions, solverOptions } from './options.js'
import { parseBand, parseNumber, parseRange, pdfOption, reportTheta } from './quantity.js'
import { planStore, reportRun } from './run.js'
import { advanced, heading, noMeshOption } from './program.js'
/** Options of `isar rcs` that a model leaves to do something. */
const OF_MODELS = new Set(['model', 'freq', 'band', 'theta', 'phi', 'plot', 'out', 'force', 'json', 'quiet'])

/** @throws InputError for an option of the solver beside --model */
function refuseSolverOptions(command: Command): void {
  const given = command.options.find(
    (o) => !OF_MODELS.has(o.attributeName()) && command.getOptionValueSource(o.attributeName()) === 'cli',
  )
  if (given) throw new InputError(`${given.long}: --model evaluates centres, nothing is solved; leave it out`)
}

/** A table of a model's fields. */
interface EvaluatedModel {
  name: string
  table: RcsTable
  /** With each frequency once, in ascending order. */
  ascending: RcsTable
  meta: Record<string, unknown>
  /** Of the evaluation alone [s]. */
  seconds: number
}

/** Ends of a band or sector may be missed by this share of themselves, and by a little [Hz, degrees]. */
const SLACK = 1e-9

/** Evaluates a model at every frequency in every direction. @throws InputError for what lies outside its band or sector */
async function evaluateModel(
  path: string,
  { freqHz, tx }: RcsRequest,
  options: Record<string, unknown>,
): Promise<EvaluatedModel> {
  const model = await readCentreModel(path)
  const ascending = Array.from(distinctFrequencies(freqHz))
  for (const f of ascending) within(f, model.bandHz, { option: '--freq', unit: 'Hz', what: 'band' }, path)
  for (const theta of tx.theta)
    within(theta, model.thetaDeg, { option: '--theta', unit: 'degrees', what: 'sector' }, path)
  const phis = tx.phi.map((phi) => onTurnOf(phi, model))
  phis.forEach((phi, p) =>
    within(phi, model.phiDeg, { option: '--phi', unit: 'degrees', what: 'sector' }, path, tx.phi[p]),
  )
  const aspects = aspectGrid(tx)
  const evaluator = new ModelEvaluator(model)
  const { channels } = model
  const slots = channels.map((c) => 2 * CHANNELS.indexOf(c))
  const out = new Float64Array(2 * channels.length)
  const start = performance.now()
  const total = aspects.map((aspect, a) => {
    const field = new Float64Array(8 * ascending.length)
    ascending.forEach((f, m) => {
      evaluator.field(f, aspect.tx.thetaDeg, phis[a % phis.length], out)
      slots.forEach((slot, c) => {
        field[8 * m + slot] = out[2 * c]
        field[8 * m + slot + 1] = out[2 * c + 1]
      })
    })
    return field
  })
  const seconds = (performance.now() - start) / 1000
  const table = { freqHz: ascending, aspects, bistatic: false, channels, fields: { total } }
  const { centres, target, meshSha256, phaseCentreM, error } = model
  return {
    name: target,
    table: withFrequencies(table, freqHz),
    ascending: table,
    seconds,
    meta: {
      command: 'rcs',
      version: VERSION,
      created: new Date().toISOString(),
      approximate: `${centres.length} scattering centres of ${basename(path)}`,
      mesh: { name: target, sha256: meshSha256 },
      error,
      options: { ...options, freqHz, theta: tx.theta, phi: tx.phi, phaseCentre: phaseCentreM },
    },
  }
}

/** The angle plus or less whole turns that lies in the model's sector, where there is one. */
function onTurnOf(phi: number, { phiDeg: [low] }: CentreModelFile): number {
  const turns = Math.ceil((low - phi) / 360 - SLACK)
  return phi + 360 * turns
}

/** @param given  the number as the user gave it, whole turns apart from x
 * @throws InputError for x outside the range */
function within(
  x: number,
  [low, high]: [number, number],
  { option, unit, what }: { option: string; unit: string; what: string },
  path: string,
  given = x,
): void {
  const slack = SLACK * Math.max(1, Math.abs(low), Math.abs(high))
  if (!(x >= low - slack && x <= high + slack))
    throw new InputError(
      `${option}: ${given} ${unit} is outside the ${what} of ${basename(path)}, ${low} to ${high}; stay inside, or solve the mesh`,
    )
}

export function rcsCommand(command: Command, out: Console): void {
  command
    .argument('[mesh]', `${MESH_ENDINGS_TEXT}; or --model FILE`)
    .optionsGroup(heading('Sweep'))
    .option('--freq <list>', 'one frequency or a list a,b,c (Hz, or with a unit)')
    .option('--band <f0:f1:n>', 'n frequencies from f0 to f1')
    .option('--theta <range>', 'from +z [deg]: a, a:b:step or a,b,c', '90')
    .option('--phi <range>', 'from +x towards +y [deg]', '0')
    .addOption(
      advanced(new Option('--rx-theta <range>', 'receiver, for bistatic runs (default: the transmitter’s)')),
    )
    .option('--rx-phi <range>', 'receiver, for bistatic runs')
    .addOption(
      advanced(
        new Option(
          '--bistatic <dphi[,dtheta]>',
          'receiver turned so far from every transmitter [deg]: a fixed bistatic angle',
        ),
      ),
    )
    .addOption(advanced(new Option('--model <file>', 'a model of isar centres --model instead of a mesh')))
    .optionsGroup(heading('Accuracy'))
    .option('--error-estimate', 'error bars, of sampling rays and of the model')
    .optionsGroup(heading('Output'))
    .option('--plot', 'also draw the curves (SVG and PNG; --pdf: PDF too)')
    .addOption(pdfOption())
    .addOption(noMeshOption())
  addSolverOptions(command).action((mesh, raw, self) => runRcs(mesh, raw, self, out))
}

function rcsFrequencies(raw: Record<string, string | undefined>): number[] {
  if (raw.freq !== undefined && raw.band !== undefined)
    throw new InputError('--freq and --band contradict each other; give one of them')
  if (raw.band !== undefined) {
    const { f0, f1, count } = parseBand(raw.band)
    if (count === undefined) throw new InputError(`--band ${raw.band}: rcs needs a count, f0:f1:n`)
    return uniformFrequencies(f0, f1, count)
  }
  if (raw.freq === undefined) throw new InputError('give --freq f or --band f0:f1:n')
  return parseFrequencies(raw.freq.split(','), '--freq')
}

/** The directions that commander's raw options ask for. @throws InputError naming the option */
function rcsGrid(raw: Record<string, string | undefined>): Pick<RcsRequest, 'tx' | 'rx'> {
  const tx = { theta: parseRange(raw.theta!, '--theta'), phi: parseRange(raw.phi!, '--phi') }
  if (raw.bistatic !== undefined) {
    if (raw.rxTheta !== undefined || raw.rxPhi !== undefined)
      throw new InputError(
        '--bistatic: it turns the receiver with the transmitter; leave --rx-theta and --rx-phi out',
      )
    const turned = raw.bistatic.split(',').map((part) => parseNumber(part, '--bistatic', -360, 360))
    if (turned.length > 2)
      throw new InputError(`--bistatic "${raw.bistatic}": write one or two angles, in phi and in theta`)
    return { tx, rx: { phi: turned[0], theta: turned[1] ?? 0 } }
  }
  if (raw.rxTheta === undefined && raw.rxPhi === undefined) return { tx }
  return {
    tx,
    rx: {
      ...(raw.rxTheta !== undefined && { theta: parseRange(raw.rxTheta, '--rx-theta') }),
      ...(raw.rxPhi !== undefined && { phi: parseRange(raw.rxPhi, '--rx-phi') }),
    },
  }
}

async function runRcs(
  mesh: string | undefined,
  raw: Record<string, unknown>,
  command: Command,
  out: Console,
): Promise<void> {
  if (raw.model !== undefined) {
    if (mesh !== undefined)
      throw new InputError(`${mesh} and --model contradict each other; give one of them`)
    return runModel(raw, command, out)
  }
  if (mesh === undefined) throw new InputError(`give a mesh (${MESH_ENDINGS_TEXT}), or --model FILE`)
  const texts = raw as Record<string, string | undefined>
  const options = {
    ...solverOptions(raw),
    ...(raw.errorEstimate ? { coarser: COARSER, orderChange: true } : {}),
  }
  const request = { freqHz: rcsFrequencies(texts), ...rcsGrid(texts) }
  reportTheta([...new Set(request.tx.theta)], '--theta', out)
  if (request.rx && !isTurned(request.rx) && request.rx.theta)
    reportTheta([...new Set(request.rx.theta)], '--rx-theta', out)
  const { place: files, name } = placeOf(options.out, mesh)
  const place = { ...files, pdf: raw.pdf === true }
  checkRcsFile(name, request, options.channels)
  const plots = raw.plot || raw.pdf ? PLOTS : []
  const store = resultStore(place, [name, 'meta.json', 'timing.json', ...plots], options)
  const { theta, phi, rxTheta, rxPhi, bistatic } = texts
  const record = { theta, phi, rxTheta, rxPhi, ...(bistatic !== undefined && { bistatic }) }
  const computed = await reportRun('rcs', options.plan, out, (reported) =>
    computeRcs(mesh, request, options, {
      ...reported,
      store: options.plan ? planStore(store) : store,
      record,
    }),
  )
  if (!computed) return
  if (plots.length > 0) await writePlot(place, computed)
  await writeRcs(place, name, computed, raw.mesh !== false)
  store.discard()
  await computed.closed
  const errors = Object.fromEntries(
    options.channels.flatMap((channel) => {
      const summary = barsOf(computed.table, channel)
      if (summary) out.say(`errors    ${channel}: ${barText(summary)}`)
      const { medianM, medianDb, reachesZero } = summary ?? {}
      return summary ? [[channel, { median_m: medianM, median_db: Number.isFinite(medianDb) ? medianDb : null, reaches_zero: reachesZero }]] : [] // prettier-ignore
    }),
  )
  out.say(
    `wrote     ${filesAt(place, [name, ...plots])
      .map(place.file)
      .join(' ')}`,
  )
  out.json({
    command: 'rcs',
    out: place.file(name),
    rows: computed.table.aspects.length * request.freqHz.length,
    channels: options.channels,
    ...(options.coarser && { errors }),
    wavelength_m: wavelength(computed.ascending.freqHz[0]),
    seconds: computed.timing.total,
    device: computed.timing.device,
  })
}

const PLOTS = ['plot.svg', 'plot.png']

/** Where the table goes, and its name there: the file that --out names, or `rcs.csv` in a folder. */
function placeOf(out: string | undefined, of: string): { place: ResultLocation; name: string } {
  return out !== undefined && rcsFormat(out) !== null
    ? { place: fileLocation(out), name: basename(out) }
    : { place: folderLocation(out || `${targetName(of)}-rcs`), name: 'rcs.csv' }
}

async function writePlot(
  place: ResultLocation,
  { name, ascending }: { name: string; ascending: RcsTable },
): Promise<void> {
  const { rcsPlot } = await import('../plots.js')
  await writeFigure(place, 'plot', rcsPlot(name, ascending))
}

/** `isar rcs --model`. */
async function runModel(raw: Record<string, unknown>, command: Command, out: Console): Promise<void> {
  refuseSolverOptions(command)
  const texts = raw as Record<string, string | undefined>
  const model = texts.model!
  const request = { freqHz: rcsFrequencies(texts), ...rcsGrid(texts) }
  const { place, name } = placeOf(texts.out, model)
  const plots = raw.plot ? PLOTS : []
  const evaluated = await evaluateModel(model, request, { model, theta: texts.theta, phi: texts.phi })
  checkRcsFile(name, request, evaluated.table.channels)
  claimLocation(place, [name, 'meta.json', ...plots], { force: raw.force === true })
  if (raw.plot) await writePlot(place, evaluated)
  await writeTable(place, name, evaluated)
  const { table, seconds } = evaluated
  const values = table.aspects.length * request.freqHz.length
  out.say(`model     ${values} values in ${(1000 * seconds).toFixed(1)} ms`)
  out.say(`wrote     ${[name, ...plots].map(place.file).join(' ')}`)
  out.json({ command: 'rcs', out: place.file(name), rows: values, channels: table.channels, seconds })
}
