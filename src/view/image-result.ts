import type { NpyArray } from '../../formats/npz.js'
import { InputError, type Vec3 } from '../../scene/index.js'
import type { ImageGridData, LayerData } from '../../plots/index.js'
import { mechanismTitle } from '../rcs-csv.js'
import type { RunMeta } from './run-meta.js'

/** An image.npz. @throws InputError where arrays are missing or do not match */
export function imageData(arrays: Record<string, NpyArray>, meta: RunMeta | null): ImageGridData {
  // Of isar image: on the ground, x to the right and y upwards.
  const ground = 'x_m' in arrays && !('range_m' in arrays)
  const rangeM = axis(arrays, ground ? 'y_m' : 'range_m', 'image.npz')
  const crossRangeM = axis(arrays, ground ? 'x_m' : 'cross_range_m', 'image.npz')
  const layers = matrices(arrays, 'image_', [rangeM.length, crossRangeM.length])
  if (layers.length === 0) throw new InputError('image.npz: no image in it; render the target again')
  const sweep = meta?.options?.sweep
  const radar = meta?.motion?.radar
  const plane = meta?.image_plane
  const [x, y, z] = plane?.towards_radar ?? [1, 0, 0]
  const deg = 180 / Math.PI
  return {
    thetaDeg: sweep?.thetaDeg ?? (plane ? deg * Math.acos(z) : (radar?.thetaDeg ?? 90)),
    phiDeg: sweep ? (sweep.phi0 + sweep.phi1) / 2 : plane ? deg * Math.atan2(y, x) : (radar?.phiDeg ?? 0),
    ...(plane && {
      plane: { towardsRadar: plane.towards_radar, crossRange: plane.cross_range, normal: plane.normal },
    }),
    ...(ground && {
      ground: true as const,
      plane: { towardsRadar: [0, -1, 0] as Vec3, crossRange: [1, 0, 0] as Vec3, normal: [0, 0, 1] as Vec3 },
    }),
    ...(meta?.history?.calibrated === false && { unit: 'dB' }),
    rangeM,
    crossRangeM,
    // Without a meta.json: as formImage draws by default, four pixels to a cell.
    rangeResolutionM: sweep?.rangeResolutionM ?? plane?.range_resolution_m ?? 4 * (rangeM[1] - rangeM[0]),
    crossRangeResolutionM:
      sweep?.crossRangeResolutionM ??
      plane?.cross_range_resolution_m ??
      4 * (crossRangeM[1] - crossRangeM[0]),
    window: meta?.options?.window ?? 'hamming',
    polarFormat: meta?.options?.polarFormat ?? false,
    dynamicRangeDb: meta?.options?.dynamicRangeDb ?? 50,
    phaseCentre: meta?.options?.phaseCentre ?? [0, 0, 0],
    layers,
  }
}

/** A real axis of an archive. @throws InputError where it is missing or too short to draw over */
export function axis(arrays: Record<string, NpyArray>, name: string, file: string): Float64Array {
  const data = arrays[name]?.data
  if (data instanceof Float64Array && data.length > 0) return data
  throw new InputError(`${file}: no "${name}" of doubles in it; run the command that made it again`)
}

/** All complex matrices of an archive whose names begin with `head`, in the file's order. */
export function matrices(
  arrays: Record<string, NpyArray>,
  head: string,
  shape: [number, number],
): LayerData[] {
  return Object.entries(arrays).flatMap(([key, { data, shape: has, dtype }]) => {
    if (!key.startsWith(head) || dtype !== '<c16') return []
    if (has.length !== 2 || has[0] !== shape[0] || has[1] !== shape[1])
      throw new InputError(`"${key}" is ${has.join(' x ')} where its axes are ${shape.join(' x ')}`)
    const name = key.slice(head.length)
    return [{ name, title: layerTitle(name), data: data as Float64Array }]
  })
}

/** vv_b2 -> VV, bounce 2 */
function layerTitle(name: string): string {
  const [channel, mechanism] = name.split('_')
  return channel.toUpperCase() + (mechanism === undefined ? '' : `, ${mechanismTitle(mechanism)}`)
}
