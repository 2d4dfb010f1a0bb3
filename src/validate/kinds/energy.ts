import { direction, wavelength } from '../../../scene/index.js'
import type { DefinitionOf } from '../definition.js'
import { dbErrors, decibels } from '../errors.js'
import type { Folders } from '../folders.js'
import { definedMesh, targetOf } from '../meshes.js'
import type { Outcome } from '../result.js'
import { solve, type Machine } from '../solve.js'

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
