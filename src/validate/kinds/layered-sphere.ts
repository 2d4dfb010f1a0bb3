import { join } from 'node:path'
import { sphere } from '../../../samples/models/canonical.js'
import { C0, direction } from '../../../scene/index.js'
import { withMaterials } from '../../../formats/index.js'
import { readColumns } from '../columns.js'
import { angles, type DefinitionOf } from '../definition.js'
import { dbErrors, decibels } from '../errors.js'
import type { Folders } from '../folders.js'
import { targetOf } from '../meshes.js'
import type { Outcome } from '../result.js'
import { curveOf, solve, type Machine } from '../solve.js'

const BAND = { f0: C0, df: 0, n: 1 }
/** ka of the bistatic tables. */
const BISTATIC_KA = 60

/** Subdivisions of the icosahedron that leave facets less than a thousandth of a wavelength below the sphere: they are .2 a / 4^n deep. */
const levelsOf = (ka: number): number => Math.ceil(Math.log2((200 * ka) / (2 * Math.PI)) / 2)

/**
 * A sphere of a material against the layered Mie series: backscatter over ka, its mean and bistatic cuts. The wavelength is 1 m and the radius
 * ka / 2 pi, since coatings are as thick as a part of the wavelength.
 */
export async function runLayeredSphere(
  d: DefinitionOf<'layered-sphere'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const loadedOf = async (ka: number) => {
    const mesh = sphere(ka / (2 * Math.PI), levelsOf(ka))
    return targetOf(await withMaterials(mesh, { materials: d.materials, material: [d.material] }), d.name)
  }
  const settings = { ...d.solver, diffraction: 'none' } as const
  /** sigma [dBsm] over pi a^2. */
  const normal = (db: number, ka: number): number => db - decibels(Math.PI * (ka / (2 * Math.PI)) ** 2)

  const table = readColumns(join(folders.validation, `${d.file}_mono.csv`))
  const [all, sigma] = ['ka', 'sigma_over_pi_a2_db'].map(table.column)
  const ka = angles(d.ka)
  const expected = ka.map((x) => sigma[all.findIndex((y) => Math.abs(x - y) < 1e-6)])
  const r = direction(61, 24)
  const outcome: Outcome = { rows: [], panels: [], device: '' }
  const ours: number[] = []
  for (const x of ka) {
    const solved = await solve(await loadedOf(x), [{ tx: r, rx: r }], BAND, machine, settings)
    outcome.device = solved.device
    ours.push(normal(curveOf(solved.sbr, 'vv')[0], x))
  }
  const mean = (db: number[]): number => decibels(db.reduce((sum, x) => sum + 10 ** (x / 10), 0) / db.length)
  const { limits } = d
  outcome.rows.push(
    {
      what: `mean over ka ${d.ka.from} to ${d.ka.to}`,
      method: 'SBR',
      errors: dbErrors([mean(ours)], [mean(expected)]),
      ...(limits.mean === undefined ? {} : { limit: { metric: 'max', db: limits.mean } }),
    },
    {
      what: `over ka ${d.ka.from} to ${d.ka.to}`,
      method: 'SBR',
      errors: dbErrors(ours, expected),
      ...(limits.rms === undefined ? {} : { limit: { metric: 'rms', db: limits.rms } }),
    },
  )
  const shown = { yTitle: 'σ / πa² [dB]', angular: false }
  const curves = (x: ArrayLike<number>, y: ArrayLike<number>, mie: ArrayLike<number>) => [
    { name: 'SBR', x, y },
    { name: 'Mie', x, y: mie, style: 'points' as const },
  ]
  outcome.panels.push({ title: 'backscatter', xTitle: 'ka', ...shown, series: curves(ka, ours, expected) })

  if (d.bistatic.length === 0) return outcome
  const bistatic = readColumns(join(folders.validation, `${d.file}_bistatic_ka${BISTATIC_KA}.csv`))
  const forward = bistatic.column('theta_from_forward_deg')
  const tx = direction(90, 0)
  const aspects = Array.from(forward, (angle) => ({ tx, rx: direction(90, 180 - angle) }))
  const solved = await solve(await loadedOf(BISTATIC_KA), aspects, BAND, machine, settings)
  // The cut lies in z = 0: H in it, in the plane of E, and V across it.
  for (const [plane, channel] of [
    ['E', 'hh'],
    ['H', 'vv'],
  ] as const) {
    const mie = bistatic.column(`sigma_over_pi_a2_${plane}_db`)
    const y = curveOf(solved.sbr, channel).map((db) => normal(db, BISTATIC_KA))
    for (const { from, to, limit } of d.bistatic)
      outcome.rows.push({
        what: `${plane} plane, ${from}° to ${to}° from forward`,
        method: 'SBR',
        errors: dbErrors(y, mie, { only: (i) => forward[i] >= from && forward[i] <= to }),
        ...(limit === undefined ? {} : { limit: { metric: 'rms', db: limit } }),
      })
    outcome.panels.push({
      title: `${plane} plane, ka ${BISTATIC_KA}`,
      xTitle: 'angle from forward scattering [deg]',
      ...shown,
      series: curves(forward, y, mie),
    })
  }
  return outcome
}
