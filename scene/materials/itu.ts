import type { Fit, Medium } from './medium.js'

const fit = (low: number, high: number, a: number, b: number, c: number, d: number): Fit => ({
  a,
  b,
  c,
  d,
  low,
  high,
})

/** Table 3 of Recommendation ITU-R P.2040-3. */
const ITU: Record<string, Fit[]> = {
  vacuum: [fit(0.001, 100, 1, 0, 0, 0)],
  concrete: [fit(1, 100, 5.24, 0, 0.0462, 0.7822)],
  brick: [fit(1, 40, 3.91, 0, 0.0238, 0.16)],
  plasterboard: [fit(1, 100, 2.73, 0, 0.0085, 0.9395)],
  wood: [fit(0.001, 100, 1.99, 0, 0.0047, 1.0718)],
  glass: [fit(0.1, 100, 6.31, 0, 0.0036, 1.3394), fit(220, 450, 5.79, 0, 0.0004, 1.658)],
  'ceiling-board': [fit(1, 100, 1.48, 0, 0.0011, 1.075), fit(220, 450, 1.52, 0, 0.0029, 1.029)],
  chipboard: [fit(1, 100, 2.58, 0, 0.0217, 0.78)],
  plywood: [fit(1, 40, 2.71, 0, 0.33, 0)],
  marble: [fit(1, 60, 7.074, 0, 0.0055, 0.9262)],
  floorboard: [fit(50, 100, 3.66, 0, 0.0044, 1.3515)],
  metal: [fit(1, 100, 1, 0, 1e7, 0)],
  'very-dry-ground': [fit(1, 10, 3, 0, 0.00015, 2.52)],
  'medium-dry-ground': [fit(1, 10, 15, -0.1, 0.035, 1.63)],
  'wet-ground': [fit(1, 10, 30, -0.4, 0.15, 1.3)],
}

/** Media of Recommendation ITU-R P.2040-3. */
export const ITU_MEDIA: readonly Medium[] = Object.entries(ITU).map(([name, fits]) => ({ name, fits }))
