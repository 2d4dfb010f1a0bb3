import { basename } from 'node:path'
import type { Command } from 'commander'
import { ModelEvaluator } from '../../isar/index.js'
import { CHANNELS } from '../../rays/index.js'
import { distinctFrequencies, InputError } from '../../scene/index.js'
import { type CentreModelFile, readCentreModel } from '../../formats/centre-model-file.js'
import type { RcsTable } from '../../formats/rcs-table.js'
import { aspectGrid, type RcsRequest, withFrequencies } from '../../run/rcs.js'
import { VERSION } from '../../run/version.js'

/** Options of `isar rcs` that a model leaves to do something. */
const OF_MODELS = new Set(['model', 'freq', 'band', 'theta', 'phi', 'plot', 'out', 'force', 'json', 'quiet'])

/** @throws InputError for an option of the solver beside --model */
export function refuseSolverOptions(command: Command): void {
  const given = command.options.find(
    (o) => !OF_MODELS.has(o.attributeName()) && command.getOptionValueSource(o.attributeName()) === 'cli',
  )
  if (given) throw new InputError(`${given.long}: --model evaluates centres, nothing is solved; leave it out`)
}

/** A table of a model's fields. */
export interface EvaluatedModel {
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
export async function evaluateModel(
  path: string,
  { freqHz, tx }: RcsRequest,
  options: Record<string, unknown>,
): Promise<EvaluatedModel> {
  const model = await readCentreModel(path)
  const ascending = Array.from(distinctFrequencies(freqHz))
  for (const f of ascending) within(f, model.bandHz, '--freq', 'Hz', 'band', path)
  for (const theta of tx.theta) within(theta, model.thetaDeg, '--theta', 'degrees', 'sector', path)
  const phis = tx.phi.map((phi) => onTurnOf(phi, model))
  phis.forEach((phi, p) => within(phi, model.phiDeg, '--phi', 'degrees', 'sector', path, tx.phi[p]))
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
  option: string,
  unit: string,
  what: string,
  path: string,
  given = x,
): void {
  const slack = SLACK * Math.max(1, Math.abs(low), Math.abs(high))
  if (!(x >= low - slack && x <= high + slack))
    throw new InputError(
      `${option}: ${given} ${unit} is outside the ${what} of ${basename(path)}, ${low} to ${high}; stay inside, or solve the mesh`,
    )
}
