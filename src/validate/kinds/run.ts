import { direction, wavelength } from '../../../scene/index.js'
import { angles, type DefinitionOf } from '../definition.js'
import { dbErrors, decibels } from '../errors.js'
import { definedMesh, type Folders, targetOf } from '../meshes.js'
import type { Outcome } from '../result.js'
import { curveOf, type Machine, solve } from '../solve.js'

/** A cut that has no reference: what edges (or further bounces) add, and that a symmetric target's curve is symmetric. */
export async function runCase(d: DefinitionOf<'run'>, folders: Folders, machine: Machine): Promise<Outcome> {
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
export async function runEnergy(
  d: DefinitionOf<'energy'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
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
