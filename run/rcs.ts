import type { EdgeScene } from '../cpu-diffraction/index.js'
import { type ArrayFormat, arrayFormat, encodeArrays, fieldAttributes } from '../formats/index.js'
import {
  checkExchange,
  encodeExchange,
  exchangeFormat,
  type ExchangeFormat,
} from '../formats/rcs-exchange.js'
import { rcsCsv, type RcsTable, tableArrays } from '../formats/rcs-table.js'
import type { Channel } from '../rays/index.js'
import {
  type Aspect,
  direction,
  distinctFrequencies,
  InputError,
  type Target,
  uniformBands,
  type Vec3,
} from '../scene/index.js'
import { COARSER, modelErrors, type Order, orderOf, samplingErrors } from './error-estimate.js'
import { curveForBands } from './loaded-target.js'
import { keepTarget, type MeshSource, openMesh, targetNpz } from './mesh-source.js'
import { type ResultLocation, writeJson, writeResult } from './results.js'
import type { RunSettings } from './job.js'
import { run, type RunCaller } from './run.js'
import { strip } from './settings/settings.js'
import { withSecondOrder } from './solver.js'
import { coarserName, ORDER_CHANGE } from './sweep/aspect-solver.js'
import type { SweepJob, TimingReport } from './sweep/index.js'

/** `count` frequencies from f0 to f1, both included [Hz]. */
export function uniformFrequencies(f0: number, f1: number, count: number): number[] {
  const df = (f1 - f0) / (count - 1)
  return Array.from({ length: count }, (_, i) => f0 + i * df)
}

/** Directions theta x phi [degrees]. */
interface Grid {
  theta: number[]
  phi: number[]
}

/** Most directions of one run: each is an object of some hundred bytes and a row of its own. */
const MAX_ASPECTS = 1_000_000

/** A receiver that keeps its place relative to the transmitter: so much larger angles [degrees]. */
interface Turned {
  theta: number
  phi: number
}

/**
 * Every transmitter direction with every receiver direction: theta outermost, then phi, then the receiver's; or each transmitter with the one
 * receiver that is turned from it.
 * @param rx  an angle that is not given is the transmitter's
 * @throws InputError where they are more than a run can hold, and for a receiver's angle that is missing where the transmitter has several
 */
export function aspectGrid(tx: Grid, rx?: Partial<Grid> | Turned): Aspect[] {
  const transmitters = tx.theta.length * tx.phi.length
  const grid = ({ theta, phi }: Grid): Aspect['tx'][] => theta.flatMap((t) => phi.map((p) => direction(t, p)))
  if (!rx || isTurned(rx)) {
    checkCount(transmitters)
    if (!rx) return grid(tx).map((d) => ({ tx: d, rx: d }))
    return grid(tx).map((d) => ({ tx: d, rx: direction(sum(d.thetaDeg, rx.theta), sum(d.phiDeg, rx.phi)) }))
  }
  const own = (axis: keyof Grid): number[] => {
    if (rx[axis]) return rx[axis]
    if (tx[axis].length === 1) return tx[axis]
    throw new InputError(
      `the transmitter has ${tx[axis].length} values of ${axis}, each of which is combined with every receiver: give the receiver’s ${axis} too, or a fixed bistatic angle`,
    )
  }
  const receivers = { theta: own('theta'), phi: own('phi') }
  checkCount(transmitters * receivers.theta.length * receivers.phi.length)
  const directions = grid(receivers)
  return grid(tx).flatMap((t) => directions.map((r) => ({ tx: t, rx: r })))
}

export const isTurned = (rx: Partial<Grid> | Turned): rx is Turned => typeof rx.phi === 'number'

/** Whether every row has a transmitter of its own, as with a fixed bistatic angle. */
export const isFixedAngle = (aspects: readonly Aspect[]): boolean =>
  aspects.length > 1 &&
  new Set(aspects.map(({ tx }) => `${tx.thetaDeg} ${tx.phiDeg}`)).size === aspects.length

/** Without the binary rounding of a sum of angles. */
const sum = (a: number, b: number): number => Number((a + b).toPrecision(13))

function checkCount(total: number): void {
  if (total > MAX_ASPECTS)
    throw new InputError(
      `${total} directions are too many for one run (at most ${MAX_ASPECTS}); take larger steps, or split the ranges over several runs`,
    )
}

/**
 * The table of a solved sweep, its rows in ascending order of frequency.
 * @param axes  with the frequencies as requested, in any order
 * @param order  order of the run's edges, where its reruns give error bars; null for those of sampling alone
 */
function rcsTable(
  axes: Pick<RcsTable, 'freqHz' | 'aspects' | 'bistatic' | 'channels'>,
  fields: Record<string, Float64Array[]>,
  order?: Order | null,
): RcsTable {
  const reruns = COARSER.map(coarserName)
  const freqHz = Array.from(distinctFrequencies(axes.freqHz))
  return {
    ...axes,
    freqHz,
    fields: Object.fromEntries(
      Object.entries(fields).filter(([name]) => name !== ORDER_CHANGE && !reruns.includes(name)),
    ),
    ...(order !== undefined && {
      bars: {
        sampling: samplingErrors(
          fields.total,
          reruns.map((name) => fields[name]),
        ),
        ...(order && { model: modelErrors(order, fields.total, fields[ORDER_CHANGE] ?? null, freqHz) }),
      },
    }),
  }
}

/** The table with one row for each of `freqHz`, which are the table's own in any order, some perhaps more than once. */
export function withFrequencies(table: RcsTable, freqHz: number[]): RcsTable {
  const rowOf = new Map(table.freqHz.map((f, i) => [f, i]))
  const rows = freqHz.map((f) => rowOf.get(f)!)
  if (rows.length === table.freqHz.length && rows.every((row, i) => row === i)) return table
  const picked = (all: Float64Array, size: number): Float64Array =>
    Float64Array.from(
      { length: size * rows.length },
      (_, i) => all[size * rows[Math.floor(i / size)] + (i % size)],
    )
  return {
    ...table,
    freqHz,
    fields: Object.fromEntries(
      Object.entries(table.fields).map(([name, fields]) => [name, fields.map((field) => picked(field, 8))]),
    ),
    ...(table.bars && {
      bars: {
        sampling: table.bars.sampling.map((bars) => picked(bars, 4)),
        ...(table.bars.model && { model: table.bars.model.map((bars) => picked(bars, 4)) }),
      },
    }),
  }
}

/** Every frequency in every direction of a grid. */
export interface RcsRequest {
  /** In any order [Hz]. */
  freqHz: number[]
  tx: Grid
  /** For bistatic runs: see `aspectGrid`. */
  rx?: Partial<Grid> | Turned
}

interface ComputedRcs {
  name: string
  /** With the frequencies as requested. */
  table: RcsTable
  /** With each frequency once, in ascending order. */
  ascending: RcsTable
  /** The target as solved, and its edges that diffract; null where diffraction was off. */
  target: Target
  edges: EdgeScene | null
  meta: Record<string, unknown>
  timing: TimingReport
  /** See `FinishedRun`. */
  closed: Promise<void>
}

/**
 * Radar cross-sections of a target: what `isar rcs` writes and `rcs` returns.
 * @throws InputError, the signal's reason, or the engines' failure
 */
export async function computeRcs(
  mesh: MeshSource,
  { freqHz, tx, rx }: RcsRequest,
  asked: RunSettings,
  { store, hooks, record, onPlan }: RunCaller,
): Promise<ComputedRcs> {
  const aspects = aspectGrid(tx, rx)
  const job: SweepJob = { aspects, bands: uniformBands(freqHz), phaseCentre: asked.phaseCentre }
  const frequencies = job.bands.reduce((most, { n }) => Math.max(most, n), 1)
  hooks.progress('target', 0, 1)
  const given = await openMesh(mesh, asked, frequencies)
  hooks.check()
  const target = curveForBands(given, asked, job.bands, hooks.to.onNote)
  const settings = withSecondOrder(asked, target.target)
  hooks.progress('target', 1, 1)
  const angles = rx && isTurned(rx) ? { ...tx, bistatic: rx } : { ...tx, rxTheta: rx?.theta, rxPhi: rx?.phi }
  const resolved = strip({ ...settings, freqHz, ...angles, ...record })
  const conducts = target.target.facetMaterial === undefined
  if (settings.orderChange && !conducts)
    hooks.to.onNote?.(
      'errors',
      'error bars are those of the sampling of rays alone: the model error was fitted to conductors, and is left out for a target with materials',
    )
  const solved = await run({
    command: 'rcs',
    target,
    job,
    settings: conducts ? settings : { ...settings, orderChange: false },
    record: resolved,
    store,
    hooks,
    onPlan,
  })
  const axes = { freqHz, aspects, bistatic: rx !== undefined, channels: settings.channels }
  const ascending = rcsTable(
    axes,
    solved.fields,
    settings.orderChange
      ? conducts
        ? orderOf(settings.diffraction, settings.secondOrder)
        : null
      : undefined,
  )
  const { meta, timing, closed } = solved
  const table = withFrequencies(ascending, freqHz)
  const { edgeScene: edges } = solved
  return { name: target.name, table, ascending, target: target.target, edges, meta, timing, closed }
}

/** Format of a table by its name's ending; null for another one. */
export const rcsFormat = (name: string): 'csv' | ArrayFormat | ExchangeFormat | null =>
  exchangeFormat(name) ?? (/\.csv$/i.test(name) ? 'csv' : (arrayFormat(name) ?? null))

/** Refuses a file that cannot hold the table, before anything is computed. @throws InputError */
export function checkRcsFile(
  name: string,
  { tx, rx }: Pick<RcsRequest, 'tx' | 'rx'>,
  channels: Channel[],
): void {
  const format = exchangeFormat(name)
  if (format) checkExchange(format, aspectGrid(tx, rx), channels)
}

/** Writes a table, in the format of its name, with `meta.json` beside it. @throws InputError */
export async function writeTable(
  place: ResultLocation,
  name: string,
  { table, meta }: Pick<ComputedRcs, 'table' | 'meta'>,
): Promise<void> {
  const { phaseCentre } = meta.options as { phaseCentre?: Vec3 }
  const format = rcsFormat(name)!
  const exchange = exchangeFormat(name)
  if (exchange) checkExchange(exchange, table.aspects, table.channels)
  await writeResult(
    place,
    name,
    exchange
      ? encodeExchange(exchange, table)
      : format === 'csv'
        ? rcsCsv(table)
        : await encodeArrays(format as ArrayFormat, tableArrays(table), fieldAttributes(phaseCentre)),
  )
  await writeJson(place, 'meta.json', meta)
}

/** The same with the target (unless `mesh` is false) and `timing.json`. */
export async function writeRcs(
  place: ResultLocation,
  name: string,
  { table, target, edges, meta, timing }: Omit<ComputedRcs, 'name' | 'ascending' | 'closed'>,
  mesh = true,
): Promise<void> {
  await writeTable(place, name, { table, meta })
  await keepTarget(place, mesh ? target.triangles.length / 3 : 0, () => targetNpz(target, edges))
  await writeJson(place, 'timing.json', timing)
}
