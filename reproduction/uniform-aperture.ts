import { type Aperture, fitAperture, type RayScene, TILE } from '../rays/index.js'
import { direction, type Direction } from '../scene/index.js'

/** Direction n of several over 360 degrees of phi, theta between 60 and 120 degrees. */
export const uniformDirection = (n: number, count: number): Direction =>
  direction(60 + ((60 * 0.618 * n) % 60), 7 + (360 * n) / count)

/** The aperture whose larger side is `side` tubes wide. */
export function uniformAperture(scene: RayScene, d: Direction, side: number): Aperture {
  let h = scene.diagonal / side
  const tiles = (): number => {
    const a = fitAperture(scene, d, h)
    return Math.max(a.tilesI, a.tilesJ)
  }
  // Tile size depends on the tube: a few proportional steps, then steps of 1e-4.
  for (let i = 0; i < 8; i++) h *= (TILE * tiles()) / side
  while (TILE * tiles() > side) h *= 1.0001
  return fitAperture(scene, d, h)
}
