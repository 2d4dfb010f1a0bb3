import { join } from 'node:path'
import { channelMatrix } from '../../../formats/rcs-table.js'
import { formImage, planSweep } from '../../../isar/index.js'
import { C0, direction } from '../../../scene/index.js'
import { imageDbsm, imageSvg, imageTitle, type LineSeries } from '../../../views/figures/node.js'
import { type DefinitionOf, readColumns, limitOf, type Outcome } from '../definition.js'
import { complexError, dbErrors, decibels } from '../errors.js'
import { definedMesh, type Folders, targetOf } from '../meshes.js'
import { amplitudesOf, type Machine, solve } from '../solve.js'

/** Name and columns of a channel, and the sign of F of P: H of a wave from phi has the direction -phi-hat times E, of one to phi the other. */
const POLARISATIONS = {
  vv: { title: 'VV (TM)', columns: ['P_tm_re', 'P_tm_im'], sign: 1 },
  hh: { title: 'HH (TE)', columns: ['P_te_re', 'P_te_im'], sign: -1 },
} as const

/**
 * The middle cut of a plate whose length l lies along z, against two-dimensional solutions P of the same profile, amplitude and phase:
 * F = (j / pi) P l, of physical optics for any length, and with edges where those across the ends are small beside it; sigma_2D = (4 / k)|P|^2.
 * The wavelength is 1 m. Without edges (the default here) the limits hold for the rays, with edges for the whole.
 */
export async function runProfile(
  d: DefinitionOf<'profile'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const outcome: Outcome = { rows: [], panels: [], device: '' }
  for (const cut of d.cuts) {
    const table = readColumns(join(folders.validation, cut.file))
    const phi = table.column(cut.bistatic ? 'phi_obs_deg' : 'phi_deg')
    const from = cut.bistatic ? table.column('phi_inc_deg') : phi
    const rows = Array.from(phi.keys())
      .filter((i) => phi[i] >= cut.from && phi[i] <= cut.to)
      .filter((_, i) => i % cut.every === 0)
    const aspects = rows.map((i) => ({ tx: direction(90, from[i]), rx: direction(90, phi[i]) }))
    const solved = await solve(loaded, aspects, { f0: C0, df: 0, n: 1 }, machine, {
      diffraction: 'none',
      ...d.solver,
    })
    outcome.device = solved.device
    const methods = [{ name: 'SBR', fields: solved.sbr }]
    if (solved.edges) {
      methods.push({ name: solved.whole, fields: solved.total })
      outcome.note = `The profile is ${d.lengthM} wavelengths long, and the edges across its ends count.`
    }
    for (const channel of ['vv', 'hh'] as const) {
      const { title, columns, sign } = POLARISATIONS[channel]
      const [re, im] = columns.map(table.column)
      const scale = (sign * d.lengthM) / Math.PI
      const expected = Float64Array.from(rows.flatMap((i) => [-scale * im[i], scale * re[i]]))
      const sigma = (f: Float64Array): number[] =>
        rows.map((_, i) => decibels((2 * Math.PI * (f[2 * i] ** 2 + f[2 * i + 1] ** 2)) / d.lengthM ** 2))
      const reference = sigma(expected)
      const x = rows.map((i) => phi[i])
      const what = `${title}, ${cut.title}`
      const series = methods.map(({ name, fields }, m): LineSeries => {
        const ours = amplitudesOf(fields, channel)
        const y = sigma(ours)
        outcome.rows.push({
          what,
          method: name,
          errors: { ...dbErrors(y, reference), complex: complexError(ours, expected) },
          ...(m === methods.length - 1 ? limitOf(cut.limits[channel]) : {}),
        })
        return { name, x, y, style: m === methods.length - 1 ? 'line' : 'dashed' }
      })
      outcome.panels.push({
        title: what,
        xTitle: d.xTitle,
        yTitle: 'σ (2-D) / λ [dB]',
        angular: true,
        series: [...series.reverse(), { name: 'method of moments', x, y: reference, style: 'points' }],
      })
    }
  }
  return outcome
}

/** ISAR images in VV, of the rays alone and with edges, and by how much their levels differ. */
export async function runImage(
  d: DefinitionOf<'image'>,
  folders: Folders,
  machine: Machine,
): Promise<Outcome> {
  const loaded = targetOf(await definedMesh(d.mesh, folders), d.name)
  const plan = planSweep({
    points: loaded.target.positions,
    thetaDeg: d.thetaDeg,
    phiDeg: d.phiDeg,
    resolution: { rangeM: d.resolutionM, centreHz: d.centreHz },
  })
  const { freqHz } = plan
  const n = freqHz.length
  const aspects = Array.from(plan.phiDeg, (phi) => {
    const r = direction(d.thetaDeg, phi)
    return { tx: r, rx: r }
  })
  const band = { f0: freqHz[0], df: freqHz[1] - freqHz[0], n }
  const solved = await solve(loaded, aspects, band, machine)
  const pictures: Record<string, string> = {}
  const levels: Float64Array[] = []
  let top: number | undefined
  for (const [suffix, name, fields] of [
    ['edges', solved.whole, solved.total],
    ['sbr', 'SBR', solved.sbr],
  ] as const) {
    const f = channelMatrix(fields, n, 'vv')
    const image = formImage({ ...plan, f }, { ...plan.window, window: 'hamming', polarFormat: true })
    const dbsm = imageDbsm(image.image)
    // Both on the scale of the first, so that they compare.
    top ??= dbsm.reduce((a, b) => Math.max(a, b))
    levels.push(Float64Array.from(dbsm))
    const aspect = { thetaDeg: d.thetaDeg, phiDeg: d.phiDeg }
    const title = imageTitle({
      name: `${d.title}, ${name}`,
      channel: 'vv',
      ...aspect,
      f0: freqHz[0],
      f1: freqHz[n - 1],
      apertureDeg: plan.apertureDeg,
      rangeResolutionM: plan.rangeResolutionM,
      crossRangeResolutionM: plan.crossRangeResolutionM,
      window: 'hamming',
    })
    pictures[suffix] = imageSvg({
      ...image,
      ...title,
      aspect,
      dynamicRangeDb: d.dynamicRangeDb,
      maxDbsm: top,
    })
  }
  const [whole, rays] = levels
  return {
    rows: [
      {
        what: `pixels, VV, against ${solved.whole}`,
        method: 'SBR',
        errors: dbErrors(rays, whole, { floorDb: d.dynamicRangeDb, withinDb: d.dynamicRangeDb }),
      },
    ],
    panels: [],
    pictures,
    device: solved.device,
    note: `${aspects.length} aspects x ${n} frequencies.`,
  }
}
