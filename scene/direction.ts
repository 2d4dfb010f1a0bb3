/** A 3-vector [x, y, z]. */
export type Vec3 = [number, number, number]

export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]

/**
 * A direction from the target to the radar with its polarisation basis. theta is measured from +z, phi from +x
 * towards +y; theta may exceed 180 degrees (the vectors follow the same formulas).
 */
export interface Direction {
  thetaDeg: number
  phiDeg: number
  /** Unit vector from the target to the radar. */
  r: Vec3
  /** Vertical polarisation V, d r / d theta. */
  thetaHat: Vec3
  /** Horizontal polarisation H, (d r / d phi) / sin theta. */
  phiHat: Vec3
}

/** Cosine and sine of an angle in degrees, exact at multiples of 90 degrees. */
function cosSinDeg(deg: number): [number, number] {
  const wrapped = ((deg % 360) + 360) % 360
  if (wrapped % 90 === 0) return ([[1, 0], [0, 1], [-1, 0], [0, -1]] as [number, number][])[wrapped / 90] // prettier-ignore
  const a = (wrapped * Math.PI) / 180
  return [Math.cos(a), Math.sin(a)]
}

/** Direction and polarisation basis from angles in degrees. */
export function direction(thetaDeg: number, phiDeg: number): Direction {
  const [ct, st] = cosSinDeg(thetaDeg)
  const [cp, sp] = cosSinDeg(phiDeg)
  return {
    thetaDeg,
    phiDeg,
    r: [st * cp, st * sp, ct],
    thetaHat: [ct * cp, ct * sp, -st],
    phiHat: [-sp, cp, 0],
  }
}

/** Directions of transmitter and receiver; the same object twice for monostatic runs. */
export interface Aspect {
  tx: Direction
  rx: Direction
}

export const isMonostatic = (aspect: Aspect): boolean =>
  aspect.tx.thetaDeg === aspect.rx.thetaDeg && aspect.tx.phiDeg === aspect.rx.phiDeg
