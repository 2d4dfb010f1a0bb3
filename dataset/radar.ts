import { planSweep } from '../isar/index.js'
import { PURPOSE, Random } from '../math/random.js'
import type { Channel } from '../rays/index.js'
import { backscatter, InputError } from '../scene/index.js'
import type { DatasetConfig } from './config.js'

type Angles = DatasetConfig['aspects']['azimuth']

/** The angles of a configuration; `which` selects the random stream of the list. */
export function anglesOf(angles: Angles, seed: number, which: number): number[] {
  if (Array.isArray(angles)) return angles
  const { from, to } = angles
  if ('count' in angles) {
    const random = new Random(seed, PURPOSE.aspects, which)
    return Array.from({ length: angles.count }, () => from + (to - from) * random.uniform())
  }
  if (to < from)
    throw new InputError(`aspects: ${from} to ${to} degrees is descending; give the lower angle first`)
  const n = Math.floor((to - from) / angles.step + 1e-9) + 1
  if (n > 1_000_000) throw new InputError(`aspects: ${n} angles are too many; take a larger step`)
  const list = Array.from({ length: n }, (_, i) => Number((from + i * angles.step).toPrecision(13)))
  // 360 degrees after the first angle is the first angle.
  if (n > 1 && Math.abs(list[n - 1] - from - 360) < 1e-9) list.pop()
  return list
}

/** Band, aperture and pixels of a dataset, the same for all its images. Lengths in metres. */
export interface Radar {
  /** Uniform and ascending [Hz]. */
  freqHz: number[]
  /** Aspects of an image. */
  angles: number
  /** Span of an image's aspects in azimuth, seen from elevation 0 [degrees]. */
  apertureDeg: number
  /** Whether the span grows with elevation as 1 / cos, which keeps the cross-range resolution. */
  constantResolution: boolean
  rangeResolutionM: number
  /** At elevation 0. */
  crossRangeResolutionM: number
  size: [number, number]
  spacingM: [number, number]
  /** Of whole sweeps: middle of their azimuths [degrees]. */
  centreDeg?: number
}

/** Sampled extent of the scene over the target's largest size. */
const MARGIN = 1.2

/** Frequencies as given in Hz; texts with units are to be resolved before. */
interface Frequencies {
  centreHz?: number
  band?: [number, number]
}

/**
 * Band, sampling and pixels. @param diameterM  largest size of a target, which must be imaged without aliasing [m]
 * @throws InputError
 */
export function resolveRadar(
  config: DatasetConfig,
  { centreHz, band }: Frequencies,
  diameterM: number,
): Radar {
  const { radar, image } = config
  const pair = (x: number | [number, number]): [number, number] => (typeof x === 'number' ? [x, x] : x)
  const resolution = radar.resolutionM === undefined ? undefined : pair(radar.resolutionM)
  const swept = config.product === 'history' ? anglesOf(config.aspects.azimuth, config.seed, 0) : null
  if (swept && swept.length < 2) throw new InputError('aspects.azimuth: a sweep needs at least 2 azimuths')
  // The sweep of a point target checks the request and gives band and aperture.
  const sweep = planSweep({
    points: new Float64Array(3),
    thetaDeg: 90,
    phiDeg: 0,
    ...(band
      ? { band: { f0: band[0], f1: band[1] }, apertureDeg: swept ? 1 : radar.apertureDeg }
      : {
          resolution: { rangeM: resolution![0], crossRangeM: resolution![1], centreHz: centreHz! },
        }),
  })
  const spacingM: [number, number] =
    image.spacingM === undefined
      ? [(2 / 3) * sweep.rangeResolutionM, (2 / 3) * sweep.crossRangeResolutionM]
      : pair(image.spacingM)
  const extent = image.size.map((n, i) => Math.max(n * spacingM[i], MARGIN * diameterM))
  const f0 = sweep.freqHz[0]
  const f1 = f0 + sweep.bandwidthHz
  const frequencies = radar.frequencies ?? Math.ceil(extent[0] / sweep.rangeResolutionM - 1e-9) + 1
  // Unambiguous at the highest frequency, where the spacing of angles counts most.
  const cells = (extent[1] / sweep.crossRangeResolutionM) * ((2 * f1) / (f0 + f1))
  const angles = swept?.length ?? radar.angles ?? Math.ceil(cells - 1e-9) + 1
  if (frequencies > 100_000 || angles > 100_000)
    throw new InputError(
      `radar: a target of ${diameterM.toPrecision(3)} m needs ${frequencies} frequencies and ${angles} aspects; check the units of the meshes`,
    )
  return {
    freqHz: Array.from({ length: frequencies }, (_, i) => f0 + (i * (f1 - f0)) / (frequencies - 1)),
    angles,
    apertureDeg: swept ? swept.at(-1)! - swept[0] : sweep.apertureDeg,
    // A straight path is as long as its angle in the plane of the image, whatever the elevation.
    constantResolution: !band && radar.geometry === 'turntable',
    rangeResolutionM: sweep.rangeResolutionM,
    crossRangeResolutionM: sweep.crossRangeResolutionM,
    size: image.size,
    spacingM,
    ...(swept && { centreDeg: (swept[0] + swept.at(-1)!) / 2 }),
  }
}

/** Span of the azimuths of an image seen from an elevation [degrees]. */
export const apertureAt = (radar: Radar, elevationDeg: number): number =>
  radar.constantResolution ? radar.apertureDeg / Math.cos((elevationDeg * Math.PI) / 180) : radar.apertureDeg

/** Warnings about the sampling, one line each. */
export function radarNotes({ size, spacingM, ...radar }: Radar, diameterM: number): string[] {
  const notes: string[] = []
  const names = ['range', 'cross-range']
  const resolution = [radar.rangeResolutionM, radar.crossRangeResolutionM]
  size.forEach((n, i) => {
    if (n * spacingM[i] < diameterM)
      notes.push(
        `images of ${(n * spacingM[i]).toPrecision(3)} m in ${names[i]} cut off targets of ${diameterM.toPrecision(3)} m; raise image.size or image.spacingM`,
      )
    if (spacingM[i] > resolution[i])
      notes.push(
        `pixels of ${spacingM[i].toPrecision(2)} m in ${names[i]} are coarser than the resolution of ${resolution[i].toPrecision(2)} m: points between pixels are missed`,
      )
  })
  return notes
}

/** Backscatter coefficient of a dataset's ground in a channel, at the middle of the band [m^2/m^2]. @throws InputError */
export function groundSigma0(
  config: DatasetConfig,
  radar: Radar,
  elevationDeg: number,
  channel: Channel,
): number {
  const { freqHz } = radar
  const middle = (freqHz[0] + freqHz[freqHz.length - 1]) / 2
  const { vv, hh, cross } = backscatter(config.ground!.surface, middle, elevationDeg)
  return channel === 'vv' ? vv : channel === 'hh' ? hh : cross
}

/** Slant range over the range that pixels have: 1 in the slant plane, the cosine of the elevation on the ground. */
export const rangeScale = ({ image }: DatasetConfig, { elevationDeg }: { elevationDeg: number }): number =>
  image.plane === 'ground' ? Math.cos((elevationDeg * Math.PI) / 180) : 1
