import type { Angles } from './angles.js'

/** Step of phi with one result each [degrees]. */
const PHI_STEP = 0.25
/** Results within this of an elevation belong to a cut at it [degrees]. */
export const THETA_REACH = 0.5

interface Point {
  angles: Angles
  field: Float64Array
}

/** Results computed while the view rotated, at one frequency: the last result for each quarter of a degree. */
export class Trace {
  private readonly points = new Map<string, Point>()

  /** @param field  8 numbers, re, im of VV HH VH HV [m] */
  add(angles: Angles, field: Float64Array): void {
    const [theta, phi] = angles
    this.points.set(`${Math.round(theta / THETA_REACH)} ${Math.round(phi / PHI_STEP)}`, { angles, field })
  }

  clear(): void {
    this.points.clear()
  }

  /** Results near an elevation, by ascending phi. */
  near(thetaDeg: number): Point[] {
    return [...this.points.values()]
      .filter(({ angles }) => Math.abs(angles[0] - thetaDeg) <= THETA_REACH)
      .sort((a, b) => a.angles[1] - b.angles[1])
  }
}
