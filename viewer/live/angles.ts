import type { Vec3 } from '../../scene/index.js'

/** theta and phi [degrees]. */
export type Angles = [number, number]

/** Directions are taken to this many decimals of a degree: what the page shows is what is computed, and can be asked for again. */
export const DECIMALS = 2

const rounded = (x: number): number => Number(x.toFixed(DECIMALS))

/** phi from 0 up to 360, to `DECIMALS`. */
export const turned = (phiDeg: number): number => rounded(((phiDeg % 360) + 360) % 360) % 360

/** Angles of a direction, from the target to the eye. */
export function anglesOf([x, y, z]: Vec3): Angles {
  const degrees = 180 / Math.PI
  return [rounded(Math.atan2(Math.hypot(x, y), z) * degrees), turned(Math.atan2(y, x) * degrees)]
}
