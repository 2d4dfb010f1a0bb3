import { cross, dot, type Vec3 } from '../../scene/index.js'
import type { EdgeScene } from '../edge-scene.js'

/** Vertices blunter than this half angle are no tips, but rounded ends as facets approximate them [rad]. */
const BLUNTEST = Math.PI / 3

/** A pointed end of a smooth surface: the facets at a vertex bend little into each other, and form a sharp cone. */
export interface Tip {
  point: Vec3
  /** Unit vector out of the body. */
  axis: Vec3
  /** Half angle of the circular cone whose surface subtends the same angle at its apex [rad]. */
  halfAngle: number
  /** Outline edges of the faces around, each starting at the tip with its face on the left; in order, seen from outside. */
  outgoing: number[]
}

/** The tips of a target, in the order of their outline edges. Vertices with a sharp edge are none. */
export function findTips(scene: EdgeScene): Tip[] {
  let tips = found.get(scene)
  if (!tips) found.set(scene, (tips = searchTips(scene)))
  return tips
}

/** Tips of the targets of this thread: the same for all bands. */
const found = new WeakMap<EdgeScene, Tip[]>()

function searchTips(scene: EdgeScene): Tip[] {
  const tips: Tip[] = []
  const around: number[] = []
  for (let o = 0; o < scene.across.length; o++) {
    if (scene.materials && !scene.materials.conducts[scene.outlineFace[o]]) continue
    const angle = goAround(scene, o, around)
    if (!(angle < 2 * Math.PI * Math.sin(BLUNTEST))) continue
    const outgoing = around.slice()
    const axis = axisOf(scene, outgoing)
    if (axis)
      tips.push({ point: startOf(scene, o), axis, halfAngle: Math.asin(angle / (2 * Math.PI)), outgoing })
  }
  return tips
}

/**
 * Sets `around` to the outline edges that start where o does, and returns the sum of the angles of the faces there [rad]; NaN where
 * an edge there is sharp, or where o is not the first of them.
 */
function goAround(scene: EdgeScene, o: number, around: number[]): number {
  around.length = 0
  let angle = 0
  let edge = o
  do {
    const incoming = into(scene, edge)
    if (incoming < 0 || scene.across[incoming] < 0) return NaN
    around.push(edge)
    angle += angleOf(scene, edge, incoming)
    edge = scene.across[incoming]
    if (edge < o || around.length > scene.across.length) return NaN
  } while (edge !== o)
  return angle
}

/** Interior angle of a face at the corner that outline edge `into` enters and `out` leaves [rad]. */
function angleOf(scene: EdgeScene, out: number, into: number): number {
  const { normals, outlineFace } = scene
  const n = 3 * outlineFace[out]
  const a = directionOf(scene, out)
  const b = directionOf(scene, into)
  const sin = dot(cross(b, a), [normals[n], normals[n + 1], normals[n + 2]])
  const angle = Math.atan2(sin, -dot(a, b))
  return angle < 0 ? angle + 2 * Math.PI : angle
}

/** The outline edge of the same face that ends where o starts, or -1. */
function into({ outline, outlineFace, outlineStart }: EdgeScene, o: number): number {
  const a = 6 * o
  const face = outlineFace[o]
  for (let i = outlineStart[face]; i < outlineStart[face + 1]; i++) {
    const b = 6 * i + 3
    if (outline[b] === outline[a] && outline[b + 1] === outline[a + 1] && outline[b + 2] === outline[a + 2])
      return i
  }
  return -1
}

/** Axis of the cone that faces around a tip form; null where they point into the body or do not lie within a half-space. */
function axisOf(scene: EdgeScene, outgoing: number[]): Vec3 | null {
  const axis: Vec3 = [0, 0, 0]
  for (const [i, o] of outgoing.entries()) {
    const a = directionOf(scene, o)
    const b = directionOf(scene, outgoing[(i + 1) % outgoing.length])
    // Of a cone of flat sectors the sum of these is along its axis, however it is cut.
    const n = cross(a, b)
    for (let c = 0; c < 3; c++) axis[c] += n[c]
  }
  const length = Math.hypot(...axis)
  if (!(length > 0)) return null
  for (let c = 0; c < 3; c++) axis[c] /= length
  return outgoing.every((o) => dot(directionOf(scene, o), axis) < 0) ? axis : null
}

export const directionOf = ({ outlineFrames: f }: EdgeScene, o: number): Vec3 => [
  f[6 * o],
  f[6 * o + 1],
  f[6 * o + 2],
]

const startOf = ({ outline }: EdgeScene, o: number): Vec3 => [
  outline[6 * o],
  outline[6 * o + 1],
  outline[6 * o + 2],
]
