import type { Vec3 } from '../../scene/index.js'

/** theta and phi [degrees]. */
export type Angles = [number, number]

/** Directions are rounded to this many decimals of a degree, so that the displayed direction is exactly the computed one. */
export const DECIMALS = 2

const rounded = (x: number): number => Number(x.toFixed(DECIMALS))

/** phi wrapped to 0 ... 360, rounded to `DECIMALS`. */
export const wrapPhi = (phiDeg: number): number => rounded(((phiDeg % 360) + 360) % 360) % 360

/** Angles of a direction, from the target to the eye. */
export function anglesOf([x, y, z]: Vec3): Angles {
  const degrees = 180 / Math.PI
  return [rounded(Math.atan2(Math.hypot(x, y), z) * degrees), wrapPhi(Math.atan2(y, x) * degrees)]
}
