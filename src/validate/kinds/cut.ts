import { join } from 'node:path'
import { type AspectField } from '../../../rays/index.js'
import { type Aspect, direction, wavelength } from '../../../scene/index.js'
import type { LineSeries } from '../../../plots/node.js'
import { readColumns, type Columns } from '../columns.js'
import type { DefinitionOf } from '../definition.js'
import { complexError, dbErrors, decibels } from '../errors.js'
import type { Folders } from '../folders.js'
import { definedMesh, targetOf } from '../meshes.js'
import type { Outcome, Row } from '../result.js'
import { amplitudesOf, curveOf, solve, type Machine } from '../solve.js'

type Cut = DefinitionOf<'cut'>

/** Methods as tables and figures name them. */
const METHOD_NAMES = { sbr: 'SBR', gpueco: 'GPUECO', mom: 'full wave' }

/** The directions of a cut, what it is drawn over, and columns of its reference. */
export function readCut(
  d: Cut,
  folders: Folders,
): { aspects: Aspect[]; x: Float64Array; pick: (column: string) => Float64Array } {
  const { reference } = d
  const table = readColumns(
    reference.data ? folders.data(reference.data) : join(folders.validation, reference.file!),
  )
  const rows = chosenRows(d, table)
  const pick = (name: string): Float64Array => {
    const all = table.column(name)
    return Float64Array.from(rows, (i) => all[i])
  }
  const angleOf = (a: Cut['reference']['theta']): number[] | Float64Array =>
    typeof a === 'number' ? rows.map(() => a) : pick(a.column).map((x) => a.scale * x + a.offset)
  const [theta, phi, x] = [angleOf(reference.theta), angleOf(reference.phi), pick(d.x.column)]
  const tx = reference.tx && { theta: angleOf(reference.tx.theta), phi: angleOf(reference.tx.phi) }
  const aspects = rows.map((_, i) => {
    const rx = direction(theta[i], phi[i])
    return { tx: tx ? direction(tx.theta[i], tx.phi[i]) : rx, rx }
  })
  return { aspects, x, pick }
}

/** A cut, monostatic or with a transmitter of its own, against the curve of a table. */
export async function runCut(d: Cut, folders: Folders, machine: Machine): Promise<Outcome> {
  const { reference } = d
  const { aspects, x, pick } = readCut(d, folders)
  const solved = await solve(
    targetOf(await definedMesh(d.mesh, folders), d.name),
    aspects,
    { f0: d.freqHz, df: 0, n: 1 },
    machine,
    d.solver,
  )
  const toSigma = reference.lengthM === undefined ? 0 : decibels(2 * reference.lengthM ** 2) // sigma_2D / lambda is what the table has
  // Without edges the rays are the whole.
  const methods: { name: string; key: 'sbr' | 'total'; fields: AspectField[] }[] = [
    { name: METHOD_NAMES[d.solver.method ?? 'sbr'], key: solved.edges ? 'sbr' : 'total', fields: solved.sbr },
  ]
  if (solved.edges)
    methods.push({
      name: solved.whole,
      key: 'total',
      fields: solved.total,
    })
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  for (const channel of ['vv', 'hh'] as const) {
    const column = reference.sigma[channel]
    if (column === undefined) continue
    const expected = pick(column).map((v) => v + toSigma)
    const series: LineSeries[] = []
    for (const { name, key, fields } of methods) {
      const ours = curveOf(fields, channel)
      outcome.rows.push(...compare(d, channel, name, key, x, ours, expected))
      const complex = reference.amplitudes?.[channel]
      if (complex) {
        const [re, im] = complex.map(pick)
        outcome.rows[outcome.rows.length - 1].errors.complex = complexError(
          amplitudesOf(fields, channel),
          Float64Array.from({ length: 2 * x.length }, (_, i) => (i % 2 ? im : re)[i >> 1]),
        )
      }
      series.push({ name, x, y: ours, style: key === 'sbr' ? 'dashed' : 'line' })
    }
    series.reverse()
    series.push({ name: reference.label, x, y: expected, style: 'points' })
    outcome.panels.push({ title: channel.toUpperCase(), xTitle: d.x.title, angular: true, series })
  }
  if (reference.lengthM !== undefined)
    outcome.note = `The profile is ${Number((reference.lengthM / wavelength(d.freqHz)).toPrecision(3))} wavelengths long.`
  return outcome
}

function chosenRows(d: Cut, table: Columns): number[] {
  const { where, every } = d.reference
  const column = where && table.column(where.column)
  const rows: number[] = []
  for (let i = 0; i < table.rows; i++)
    if (!where || (column![i] >= where.from - 1e-9 && column![i] <= where.to + 1e-9)) rows.push(i)
  return rows.filter((_, i) => i % every === 0)
}

/** Rows of one curve: those of the parts stated separately, then the remainder, which the limit applies to. */
function compare(
  d: Cut,
  channel: 'vv' | 'hh',
  method: string,
  key: 'sbr' | 'total',
  x: Float64Array,
  ours: Float64Array,
  expected: Float64Array,
): Row[] {
  const { floorDb, withinDb } = d
  const limit = d.limits?.[key]?.[channel]
  const what = channel.toUpperCase()
  const apart = d.apart.filter((a) => a.channels.includes(channel))
  const inside = (i: number): boolean => apart.some((a) => x[i] >= a.from && x[i] <= a.to)
  const errors = dbErrors(ours, expected, { floorDb, withinDb, only: (i) => !inside(i) })
  const mechanisms = [...new Set(apart.map((a) => a.mechanism))].join(', ')
  return [
    ...(apart.length > 0
      ? [{ what: `${what}, whole cut`, method, errors: dbErrors(ours, expected, { floorDb, withinDb }) }]
      : []),
    {
      what: apart.length > 0 ? `${what}, away from ${mechanisms}` : what,
      method,
      errors,
      ...(limit === undefined ? {} : { limit: { metric: d.limits!.metric, db: limit } }),
    },
  ]
}
