import { targetOutline } from '../../isar/index.js'
import { dynamicRange, type ImageGridData, type LayerData } from '../../plots/index.js'
import { type Channel, CHANNELS } from '../../rays/index.js'
import type { Mesh } from '../../scene/index.js'
import type { DoneAnswer } from './messages.js'

/** A layer for each channel. */
export const layersOf = (data: (c: Channel) => Float64Array): LayerData[] =>
  CHANNELS.map((c) => ({ name: c, title: c.toUpperCase(), data: data(c) }))

/** The image of a run, as figures take it. @param mesh  whose outline is drawn */
export function imageData({ formed, plan }: NonNullable<DoneAnswer['image']>, mesh?: Mesh): ImageGridData {
  const { images } = formed
  const { phiDeg, thetaDeg, rangeResolutionM, crossRangeResolutionM } = plan
  const aspect = { thetaDeg, phiDeg: (phiDeg[0] + phiDeg[phiDeg.length - 1]) / 2 }
  return {
    ...aspect,
    ...(mesh && { outline: targetOutline(mesh, aspect) }),
    rangeM: images.vv.rangeM,
    crossRangeM: images.vv.crossRangeM,
    rangeResolutionM,
    crossRangeResolutionM,
    window: 'hamming',
    polarFormat: formed.pointSpread.polarFormat,
    dynamicRangeDb: dynamicRange(CHANNELS.map((c) => images[c].image)),
    phaseCentre: [0, 0, 0],
    layers: layersOf((c) => images[c].image),
  }
}
