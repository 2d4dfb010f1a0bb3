import { formImage, planSweep } from '../../../isar/index.js'
import { direction } from '../../../scene/index.js'
import { imageDbsm, imagePng, imageTitle } from '../../../plots/node.js'
import { channelMatrix } from '../../rcs-table.js'
import type { DefinitionOf } from '../definition.js'
import { dbErrors } from '../errors.js'
import type { Folders } from '../folders.js'
import { definedMesh, targetOf } from '../meshes.js'
import type { Outcome } from '../result.js'
import { solve, type Machine } from '../solve.js'

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
  const pictures: Record<string, Uint8Array> = {}
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
    pictures[suffix] = await imagePng({
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
