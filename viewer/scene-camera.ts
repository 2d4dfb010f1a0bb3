import { type PerspectiveCamera, Vector3 } from 'three'

/** Margin around the view's content. */
const MARGIN = 1.04
/** Largest distance of a click from a point to select it [pixels]. */
const NEAR = 12

/**
 * Distance of a camera from a centre at which all points are in view [m], for its current up vector.
 * @param away  unit vector from the centre to the camera
 */
export function standOff(
  { up, fov, aspect }: PerspectiveCamera,
  points: readonly Vector3[],
  centre: Vector3,
  away: Vector3,
): number {
  const right = new Vector3().crossVectors(up, away).normalize()
  const above = new Vector3().crossVectors(away, right)
  const half = Math.tan(((fov / 2) * Math.PI) / 180)
  let most = 0
  for (const point of points) {
    const p = point.clone().sub(centre)
    const across = Math.max(Math.abs(p.dot(right)) / aspect, Math.abs(p.dot(above)))
    most = Math.max(most, p.dot(away) + (MARGIN * across) / half)
  }
  return most
}

/** Number of the point, 3 coordinates each [m], nearest to a screen position; -1 where none is near. */
export function nearestOnScreen(
  points: Float64Array,
  camera: PerspectiveCamera,
  screen: DOMRect,
  x: number,
  y: number,
): number {
  const at = new Vector3()
  let [best, least] = [-1, NEAR]
  for (let i = 0; 3 * i < points.length; i++) {
    at.fromArray(points, 3 * i).project(camera)
    if (at.z > 1) continue
    const right = screen.left + ((at.x + 1) / 2) * screen.width
    const down = screen.top + ((1 - at.y) / 2) * screen.height
    const off = Math.hypot(right - x, down - y)
    if (off < least) [best, least] = [i, off]
  }
  return best
}
