import { join } from 'node:path'
import { C0, direction } from '../../../scene/index.js'
import { readColumns } from '../columns.js'
import type { DefinitionOf } from '../definition.js'
import { dbErrors, decibels } from '../errors.js'
import type { Folders } from '../folders.js'
import { definedMesh, targetOf } from '../meshes.js'
import type { Outcome } from '../result.js'
import { sigmaOf, solve, type Machine } from '../solve.js'

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
