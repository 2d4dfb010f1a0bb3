import { direction } from '../../../scene/index.js'
import { angles, type DefinitionOf } from '../definition.js'
import { dbErrors } from '../errors.js'
import type { Folders } from '../folders.js'
import { definedMesh, targetOf } from '../meshes.js'
import type { Outcome } from '../result.js'
import { curveOf, solve, type Machine } from '../solve.js'

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
