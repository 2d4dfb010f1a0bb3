import type { EdgeScene } from '../cpu-diffraction/index.js'
import type { SweepJob, TimingReport } from '../pipeline/index.js'
import { type ArrayFormat, arrayFormat, encodeArrays, fieldAttributes } from '../formats/index.js'
import { type Target, uniformBands, type Vec3 } from '../scene/index.js'
import { curveForBands } from './loaded-target.js'
import { orderOf } from './model-error.js'
import { type MeshSource, openMesh } from './mesh-source.js'
import { type RcsTable, rcsCsv } from './rcs-csv.js'
import { aspectGrid, type Grid, isTurned, rcsTable, type Turned, withFrequencies } from './rcs-sweep.js'
import { tableArrays } from './rcs-table.js'
import { type ResultLocation, writeJson, writeResult } from './results.js'
import { type Caller, run } from './run.js'
import type { RunSettings } from './run-plan.js'
import { withSecondOrder } from './second-order.js'
import { strip } from './settings.js'
import { keepTarget, targetNpz } from './target-file.js'

/** Every frequency in every direction of a grid. */
export interface RcsRequest {
  /** In any order [Hz]. */
  freqHz: number[]
  tx: Grid
  /** For bistatic runs: see `aspectGrid`. */
  rx?: Partial<Grid> | Turned
}

export interface ComputedRcs {
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
  { store, hooks, record }: Caller,
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
export const rcsFormat = (name: string): 'csv' | ArrayFormat | null =>
  /\.csv$/i.test(name) ? 'csv' : (arrayFormat(name) ?? null)

/** Writes a table, in the format of its name, with `meta.json` beside it. @throws InputError */
export async function writeTable(
  place: ResultLocation,
  name: string,
  { table, meta }: Pick<ComputedRcs, 'table' | 'meta'>,
): Promise<void> {
  const { phaseCentre } = meta.options as { phaseCentre?: Vec3 }
  const format = rcsFormat(name)!
  await writeResult(
    place,
    name,
    format === 'csv'
      ? rcsCsv(table)
      : await encodeArrays(format, tableArrays(table), fieldAttributes(phaseCentre)),
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
