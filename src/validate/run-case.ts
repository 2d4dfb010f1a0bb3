import { direction, wavelength } from '../../scene/index.js'
import { slab } from '../../scene/materials/index.js'
import { angles, type Definition, type DefinitionOf, limitOf, type Outcome, rowPasses } from './definition.js'
import { type CaseRecord, complexError, dbErrors, decibels, type Verdict } from './errors.js'
import { runCut, runFaces, runPeaks } from './kinds/cut.js'
import { runImage, runInvariant, runProfile } from './kinds/invariant.js'
import { runLayeredSphere, runSphereBands, runSphereBistatic } from './kinds/sphere.js'
import { definedMesh, type Folders, targetOf } from './meshes.js'
import { amplitudesOf, curveOf, type Machine, solve } from './solve.js'

type BehindSheet = DefinitionOf<'behind-sheet'>

/**
 * A target behind a flat sheet against the bare one times T^2 of the sheet plus the sheet alone, in a plane that has the sheet's normal: T_p for V
 * and T_s for H.
 * Exact for rays that pass once each way; what goes to and fro between target and sheet comes on top.
 */
async function runBehindSheet(d: BehindSheet, folders: Folders, machine: Machine): Promise<Outcome> {
  const { sheet, mesh } = d
  if (!('parts' in mesh)) throw new Error(`validation case ${d.name}: give its mesh in parts`)
  const theta = angles(d.theta)
  const aspects = theta.map((t) => ({ tx: direction(t, sheet.phiDeg), rx: direction(t, sheet.phiDeg) }))
  const solved = async (definition: BehindSheet['mesh']) => {
    const loaded = targetOf(await definedMesh(definition, folders), d.name)
    const settings = { ...d.solver, diffraction: 'none' } as const
    return { loaded, ...(await solve(loaded, aspects, { f0: d.freqHz, df: 0, n: 1 }, machine, settings)) }
  }
  const covered = await solved(mesh)
  const bare = await solved({ parts: mesh.parts.filter(({ name }) => name !== sheet.part) })
  const own = await solved({ ...mesh, parts: mesh.parts.filter(({ name }) => name === sheet.part) })
  const material = covered.loaded.target.materials.find(({ name }) => name === sheet.surface)
  if (!material) throw new Error(`validation case ${d.name}: no facet is of ${sheet.surface}`)
  const coefficients = theta.map((t) => {
    const out = new Float64Array(8)
    slab(material, d.freqHz, Math.cos(((t - sheet.thetaDeg) * Math.PI) / 180), out)
    return out
  })
  const outcome: Outcome = { rows: [], panels: [], device: covered.device }
  for (const channel of ['vv', 'hh'] as const) {
    const at = channel === 'vv' ? 6 : 4
    /** T^2 */
    const twice = coefficients.map((c): [number, number] => [
      c[at] ** 2 - c[at + 1] ** 2,
      2 * c[at] * c[at + 1],
    ])
    const loss = twice.map((t) => 20 * Math.log10(Math.hypot(...t)))
    const alone = amplitudesOf(bare.sbr, channel)
    const sheetAlone = amplitudesOf(own.sbr, channel)
    const expected = alone.map((x, i) => {
      const [re, im] = twice[i >> 1]
      return sheetAlone[i] + (i % 2 ? x * re + alone[i - 1] * im : x * re - alone[i + 1] * im)
    })
    const ours = amplitudesOf(covered.sbr, channel)
    const y = curveOf(covered.sbr, channel)
    const without = curveOf(bare.sbr, channel)
    const reference = theta.map((_, i) =>
      decibels(4 * Math.PI * (expected[2 * i] ** 2 + expected[2 * i + 1] ** 2)),
    )
    const what = channel.toUpperCase()
    const peak = theta.findIndex((t) => Math.abs(t - d.peak.thetaDeg) < 1e-6)
    outcome.rows.push(
      {
        what,
        method: 'SBR',
        errors: { ...dbErrors(y, reference), complex: complexError(ours, expected) },
        ...limitOf(d.limits[channel]),
      },
      {
        what: `${what}, peak against its closed form`,
        method: 'SBR',
        errors: dbErrors([y[peak]], [d.peak.dbsm + loss[peak]]),
        ...(d.peak.limit === undefined ? {} : { limit: { metric: 'max', db: d.peak.limit } }),
      },
    )
    outcome.panels.push({
      title: what,
      xTitle: 'θ [deg]',
      angular: true,
      series: [
        { name: 'SBR', x: theta, y },
        { name: 'bare', x: theta, y: without, style: 'dashed' },
        { name: 'bare times T², and the sheet', x: theta, y: reference, style: 'points' },
      ],
    })
  }
  return outcome
}

/** Whether a verdict fails the run. */
export const fails = (verdict: Verdict): boolean => verdict === 'missed' || verdict === 'changed'

/** Computes a case. @throws InputError for reference data that is missing or wrong, or the engine's failure */
export async function runDefinition(d: Definition, folders: Folders, asked: Machine): Promise<Outcome> {
  const onCpu = 'double' in d && d.double
  const machine = onCpu ? { ...asked, device: 'cpu' as const } : asked
  switch (d.kind) {
    case 'cut':
      return runCut(d, folders, machine)
    case 'sphere-bistatic':
      return runSphereBistatic(d, machine)
    case 'sphere-bands':
      return runSphereBands(d, machine)
    case 'peaks':
      return runPeaks(d, folders, machine)
    case 'invariant':
      return runInvariant(d, folders, machine)
    case 'energy':
      return runEnergy(d, folders, machine)
    case 'run':
      return runCase(d, folders, machine)
    case 'image':
      return runImage(d, folders, machine)
    case 'profile':
      return runProfile(d, folders, machine)
    case 'layered-sphere':
      return runLayeredSphere(d, folders, machine)
    case 'faces':
      return runFaces(d, folders, machine)
    case 'behind-sheet':
      return runBehindSheet(d, folders, machine)
  }
}

/** The record of a computed case. */
export function caseRecord(
  d: Definition,
  outcome: Outcome,
  figures: string[],
  seconds: number,
  version: string,
): CaseRecord {
  const rows = outcome.rows.map((row) => ({ ...row, passed: rowPasses(row) }))
  const note = [d.note, outcome.note].filter(Boolean).join(' ')
  return {
    name: d.name,
    title: d.title,
    source: d.source,
    basis: d.basis,
    level: d.level,
    verdict: verdictOf(
      d,
      rows.map((r) => r.passed),
    ),
    seconds,
    device: outcome.device,
    version,
    date: new Date().toISOString().slice(0, 10),
    ...(note ? { note } : {}),
    figures: figures.map((name) => ({ name })),
    rows,
  }
}

function verdictOf({ name, limitsAre }: Definition, passed: (boolean | null)[]): Verdict {
  if (passed.every((p) => p === null)) return 'stated'
  if (!limitsAre) throw new Error(`validation case ${name} has limits; say in limitsAre whose they are`)
  const kept = !passed.includes(false)
  if (limitsAre === 'guard') return kept ? 'unchanged' : 'changed'
  return kept ? 'met' : 'missed'
}

/** A cut that has no reference: what edges (or further bounces) add, and that a symmetric target's curve is symmetric. */
async function runCase(d: DefinitionOf<'run'>, folders: Folders, machine: Machine): Promise<Outcome> {
  const [theta, phi] = [angles(d.theta), angles(d.phi)]
  const aspects = theta.flatMap((t) =>
    phi.map((p) => {
      const r = direction(t, p)
      return { tx: r, rx: r }
    }),
  )
  const x = theta.length > 1 ? theta : phi
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const band = { f0: d.freqHz, df: 0, n: 1 }
  const solved = await solve(loaded, aspects, band, machine, d.solver)
  const po = d.po
    ? await solve(loaded, aspects, band, machine, { ...d.solver, maxBounces: 1, diffraction: 'none' })
    : null
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  const { whole } = solved
  for (const channel of d.channels) {
    const what = channel.toUpperCase()
    const [total, sbr] = [curveOf(solved.total, channel), curveOf(solved.sbr, channel)]
    const series = [{ name: whole, x, y: total as ArrayLike<number> }]
    if (d.mirror !== undefined)
      outcome.rows.push({
        what: `${what}, against its mirror image`,
        method: whole,
        errors: dbErrors(total, total.toReversed()),
        limit: { metric: 'rms', db: d.mirror },
      })
    if (solved.edges)
      outcome.rows.push({
        what: `${what}, against ${whole}`,
        method: 'SBR',
        errors: dbErrors(sbr, total),
      })
    const dashed = (name: string, y: Float64Array) => ({ name, x, y, style: 'dashed' as const })
    if (solved.edges) series.push(dashed('SBR', sbr))
    if (po) {
      const alone = curveOf(po.sbr, channel)
      outcome.rows.push({ what: `${what}, against SBR`, method: 'PO', errors: dbErrors(alone, sbr) })
      series.push(dashed('PO (first bounce)', alone))
    }
    outcome.panels.push({
      title: what,
      xTitle: theta.length > 1 ? 'θ [deg]' : 'φ [deg]',
      angular: true,
      series,
    })
  }
  return outcome
}

/**
 * Energy that a planar body symmetric about x = 0 and y = 0 removes from a wave along -z: twice the power incident on its area, for a
 * body of many wavelengths. By the forward amplitude (optical theorem: 2 lambda times its size), and by the scattered
 * power integrated over the sphere (midpoint rule).
 */
async function runEnergy(d: DefinitionOf<'energy'>, folders: Folders, machine: Machine): Promise<Outcome> {
  const [dTheta, dPhi] = d.step
  const tx = direction(0, 0)
  const thetas = Array.from({ length: Math.round(180 / dTheta) }, (_, i) => (i + 0.5) * dTheta)
  const phis = Array.from({ length: Math.round(90 / dPhi) }, (_, i) => (i + 0.5) * dPhi)
  const receivers = [direction(180, 0), ...thetas.flatMap((t) => phis.map((p) => direction(t, p)))]
  const solved = await solve(
    targetOf(await definedMesh(d.mesh, folders), d.name),
    receivers.map((rx) => ({ tx, rx })),
    { f0: d.freqHz, df: 0, n: 1 },
    machine,
  )
  const expected = [decibels(2 * d.area)]
  const outcome: Outcome = { rows: [], panels: [], device: solved.device }
  const step = (Math.PI / 180) ** 2 * dTheta * dPhi
  for (const [method, fields] of [
    ['SBR', solved.sbr],
    [solved.whole, solved.total],
  ] as const) {
    // V is x at theta = 0, and seen forward (theta = 180) minus x.
    const extinction = 2 * wavelength(d.freqHz) * Math.abs(fields[0][1])
    let power = 0
    receivers.forEach((rx, i) => {
      if (i === 0) return
      const [vvRe, vvIm, , , vhRe, vhIm] = fields[i]
      const size = vvRe ** 2 + vvIm ** 2 + vhRe ** 2 + vhIm ** 2
      power += 4 * size * Math.sin((rx.thetaDeg * Math.PI) / 180) * step
    })
    for (const [what, value, limit] of [
      ['extinction by the forward amplitude', extinction, d.limits.extinction],
      ['scattered power over the sphere', power, d.limits.scattered],
    ] as const)
      outcome.rows.push({
        what,
        method,
        errors: dbErrors([decibels(value)], expected),
        ...(limit === undefined || method === 'SBR' ? {} : { limit: { metric: 'max', db: limit } }),
      })
  }
  return outcome
}
