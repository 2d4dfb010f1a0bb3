import { join } from 'node:path'
import type { AspectField } from '../../../rays/index.js'
import { type Aspect, type Band, C0, direction, wavelength } from '../../../scene/index.js'
import { type Material, slab } from '../../../scene/materials/index.js'
import type { LineSeries } from '../../../views/figures/node.js'
import {
  angles,
  type Columns,
  type DefinitionOf,
  readColumns,
  limitOf,
  type Outcome,
  type Row,
} from '../definition.js'
import { complexError, dbErrors, decibels } from '../errors.js'
import { definedMesh, type Folders, targetOf } from '../meshes.js'
import { amplitudesOf, curveOf, type Machine, sigmaOf, solve } from '../solve.js'

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

/** Peaks of plates and corners of several sizes against their formulas: the formula's own bounce, and everything. */
export async function runPeaks(
  d: DefinitionOf<'peaks'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const table = readColumns(join(folders.validation, d.file))
  const [names, edge, freq, peak] = [
    table.texts('target'),
    table.column('edge_m'),
    table.column('freq_hz'),
    table.column('peak_dbsm'),
  ]
  const size = (i: number): number => (edge[i] * freq[i]) / C0
  const outcome: Outcome = { rows: [], panels: [], device: '' }
  for (const { target, model, bounce, theta, phi } of d.shapes) {
    const rows = names.flatMap((name, i) =>
      name === target && freq[i] === d.freqHz && size(i) >= d.wavelengths[0] && size(i) <= d.wavelengths[1]
        ? [i]
        : [],
    )
    rows.sort((a, b) => size(a) - size(b))
    const r = direction(theta, phi)
    const [alone, all]: [number[], number[]] = [[], []]
    let method = ''
    for (const i of rows) {
      const loaded = targetOf(await definedMesh({ model, size: [edge[i]] }, folders), target)
      const band = { f0: freq[i], df: 0, n: 1 }
      const one = await solve(loaded, [{ tx: r, rx: r }], band, machine, { onlyBounce: bounce })
      const whole = await solve(loaded, [{ tx: r, rx: r }], band, machine)
      outcome.device = one.device
      method = whole.whole
      alone.push(decibels(sigmaOf(one.sbr[0], 'vv')))
      all.push(decibels(sigmaOf(whole.total[0], 'vv')))
    }
    const expected = rows.map((i) => peak[i])
    // Of levels this different each counts for itself.
    const floorDb = 200
    outcome.rows.push(
      {
        what: `${model}, VV, bounce ${bounce}`,
        method: 'SBR',
        errors: dbErrors(alone, expected, { floorDb }),
        limit: { metric: 'max', db: d.limit },
      },
      { what: `${model}, VV`, method, errors: dbErrors(all, expected, { floorDb }) },
    )
    const x = rows.map(size)
    outcome.panels.push({
      title: `${model}, VV`,
      yTitle: 'difference from the formula [dB]',
      xTitle: 'edge [wavelengths]',
      angular: false,
      series: [
        { name: method, x, y: all.map((y, i) => y - expected[i]) },
        { name: `bounce ${bounce}`, x, y: alone.map((y, i) => y - expected[i]), style: 'dashed' },
      ],
    })
  }
  return outcome
}

type Faces = DefinitionOf<'faces'>

const RAD = Math.PI / 180

/**
 * Upright flat faces of one material against the closed form of physical optics: in backscatter that of a conducting rectangle times the
 * slab's coefficient at the angle of incidence, R_s for V and R_p for H; over phi or over frequency.
 */
export async function runFaces(d: Faces, folders: Folders, machine: Machine): Promise<Outcome> {
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const material = loaded.target.materials.find(({ name }) => name === d.surface)
  if (!material) throw new Error(`validation case ${d.name}: no facet is of ${d.surface}`)
  const [phi, freq] = [angles(d.phi), angles(d.freqHz)]
  const aspects = phi.map((p) => ({ tx: direction(90, p), rx: direction(90, p) }))
  const band: Band = { f0: freq[0], df: freq.length > 1 ? freq[1] - freq[0] : 0, n: freq.length }
  const solved = await solve(loaded, aspects, band, machine, { ...d.solver, diffraction: 'none' })
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  // One of the two is a sweep.
  const fields = phi.length > 1 ? solved.sbr : freq.map((_, i) => solved.sbr[0].subarray(8 * i, 8 * i + 8))
  const x = phi.length > 1 ? phi : freq.map((f) => f / 1e9)
  const points = phi.flatMap((p) => freq.map((f) => [p, f]))
  for (const channel of ['vv', 'hh'] as const) {
    const ours = amplitudesOf(fields, channel)
    const expected = Float64Array.from(points.flatMap(([p, f]) => closedForm(d, material, channel, p, f)))
    const sigma = (a: Float64Array): number[] =>
      points.map((_, i) => decibels(4 * Math.PI * (a[2 * i] ** 2 + a[2 * i + 1] ** 2)))
    const [y, reference] = [sigma(ours), sigma(expected)]
    outcome.rows.push({
      what: channel.toUpperCase(),
      method: 'SBR',
      errors: {
        ...dbErrors(y, reference, { floorDb: d.floorDb }),
        complex: complexError(ours, expected),
      },
      ...limitOf(d.limits[channel]),
    })
    outcome.panels.push({
      title: channel.toUpperCase(),
      xTitle: phi.length > 1 ? 'φ [deg]' : 'frequency [GHz]',
      angular: phi.length > 1,
      series: [
        { name: 'SBR', x, y },
        { name: 'closed form', x, y: reference, style: 'points' },
      ],
    })
  }
  return outcome
}

/** F [m] of the faces that are seen: R_s (V) or -R_p (H) times j c A / lambda, sinc and phase of the face. */
function closedForm(
  d: Faces,
  material: Material,
  channel: 'vv' | 'hh',
  phi: number,
  freqHz: number,
): [number, number] {
  const k = (2 * Math.PI) / wavelength(freqHz)
  const coefficients = new Float64Array(8)
  let [re, im] = [0, 0]
  for (const { normalDeg, distanceM, widthM, heightM } of d.faces) {
    const angle = (phi - normalDeg) * RAD
    let c = Math.cos(angle)
    // A sheet is seen from both sides; a coated face from the front.
    if (c <= 0 && material.kind !== 'sheet') continue
    c = Math.abs(c)
    slab(material, freqHz, Math.min(c, 1), coefficients)
    const [at, sign] = channel === 'vv' ? [0, 1] : [2, -1]
    const across = k * widthM * Math.sin(angle)
    const shape = Math.abs(across) < 1e-9 ? 1 : Math.sin(across) / across
    const size = (sign * c * widthM * heightM * shape) / wavelength(freqHz)
    const phase = 2 * k * distanceM * Math.cos(angle)
    // j R exp(j phase)
    const [rr, ri] = [coefficients[at], coefficients[at + 1]]
    re += size * -(rr * Math.sin(phase) + ri * Math.cos(phase))
    im += size * (rr * Math.cos(phase) - ri * Math.sin(phase))
  }
  return [re, im]
}
