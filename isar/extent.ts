import { type Box, direction, InputError } from '../scene/index.js'

/** Where a target lies in the image plane, relative to the phase centre: [low, high] of each axis [m]. */
export interface ImageExtent {
  rangeM: [number, number]
  crossRangeM: [number, number]
}

/** The eight corners of a bounding box, x y z each [m]. */
export function boxCorners({ min, max }: Box): Float64Array {
  const corners = new Float64Array(24)
  for (let i = 0; i < 8; i++) for (let a = 0; a < 3; a++) corners[3 * i + a] = (i >> a) & 1 ? max[a] : min[a]
  return corners
}

/**
 * Extent of points in range, -r . r-hat, and cross-range, r . phi-hat, seen from one aspect [m].
 * @param points x y z of each [m]: the target's vertices, or the corners of its bounding box.
 * @throws InputError where there is no point.
 */
export function imageExtent(
  points: Float64Array,
  thetaDeg: number,
  phiDeg: number,
  phaseCentre: readonly [number, number, number] = [0, 0, 0],
): ImageExtent {
  if (points.length < 3) throw new InputError('the target has no vertices: nothing to image')
  const { r, phiHat } = direction(thetaDeg, phiDeg)
  const extent: ImageExtent = { rangeM: [Infinity, -Infinity], crossRangeM: [Infinity, -Infinity] }
  for (let i = 0; i < points.length; i += 3) {
    const x = points[i] - phaseCentre[0]
    const y = points[i + 1] - phaseCentre[1]
    const z = points[i + 2] - phaseCentre[2]
    include(extent.rangeM, -(x * r[0] + y * r[1] + z * r[2]))
    include(extent.crossRangeM, x * phiHat[0] + y * phiHat[1] + z * phiHat[2])
  }
  return extent
}

function include(interval: [number, number], value: number): void {
  if (value < interval[0]) interval[0] = value
  if (value > interval[1]) interval[1] = value
}
