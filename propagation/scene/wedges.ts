import { RayCaster, type RayScene } from '../../rays/index.js'
import { type Target } from '../../scene/index.js'

/** Edges whose interior angle is no less than this [degrees] do not diffract. */
const MOST_INTERIOR_DEG = 175
/** Room around an edge that has to be empty, as a part of the box diagonal. */
const CLEARANCE = 1e-5
const ARC_STEPS = 12

/** Edges that diffract, W of them, in the coordinates of the ray scene. */
export interface Wedges {
  /** 16 numbers each: start (3), unit direction (3), length, opening n in half turns, unit vector into the first face (3), unit normal of it (3), 2 spare. */
  numbers: Float64Array
  /** First and last facet of each (both the same of a sheet's rim). */
  facets: Uint32Array
  /** Number of the edge in `Target.edges`. */
  edge: Uint32Array
}

export const WEDGE_NUMBERS = 16

/**
 * The edges of a target that stand free: convex ones and rims of sheets, but for those that lie on another surface (the foot of a
 * house on the ground is no edge for a wave).
 */
export function findWedges(target: Target, scene: RayScene): Wedges {
  const { edges, positions, triangles } = target
  const caster = new RayCaster(scene)
  const numbers: number[] = []
  const facets: number[] = []
  const edge: number[] = []
  for (let e = 0; e < edges.valence.length; e++) {
    if (edges.interiorAngle[e] >= MOST_INTERIOR_DEG) continue
    const [va, vb] = [edges.vertices[2 * e], edges.vertices[2 * e + 1]]
    const a = [0, 1, 2].map((k) => positions[3 * va + k] - scene.origin[k])
    const along = [0, 1, 2].map((k) => positions[3 * vb + k] - scene.origin[k] - a[k])
    const length = Math.hypot(...along)
    const t = along.map((x) => x / length)
    const first = edges.facets[2 * e]
    const last = edges.facets[2 * e + 1] < 0 ? first : edges.facets[2 * e + 1]
    const third = [0, 1, 2].map((i) => triangles[3 * first + i]).find((v) => v !== va && v !== vb)!
    const into = [0, 1, 2].map((k) => positions[3 * third + k] - scene.origin[k] - a[k])
    const part = into[0] * t[0] + into[1] * t[1] + into[2] * t[2]
    const across = into.map((x, k) => x - part * t[k])
    const size = Math.hypot(...across)
    const x = across.map((v) => v / size)
    // Counter-clockwise about the edge, into the empty space.
    const y = [t[1] * x[2] - t[2] * x[1], t[2] * x[0] - t[0] * x[2], t[0] * x[1] - t[1] * x[0]]
    const n = 2 - edges.interiorAngle[e] / 180
    const middle = a.map((v, k) => v + 0.5 * along[k])
    if (!standsFree(caster, middle, x, y, n, CLEARANCE * scene.diagonal)) continue
    numbers.push(...a, ...t, length, n, ...x, ...y, 0, 0)
    facets.push(first, last)
    edge.push(e)
  }
  const shared = new Float64Array(new SharedArrayBuffer(8 * numbers.length))
  shared.set(numbers)
  return { numbers: shared, facets: Uint32Array.from(facets), edge: Uint32Array.from(edge) }
}

/** Whether no surface comes between the two faces near the middle of the edge. */
function standsFree(
  caster: RayCaster,
  middle: number[],
  x: number[],
  y: number[],
  n: number,
  radius: number,
): boolean {
  const at = (step: number): number[] => {
    const angle = n * Math.PI * (0.02 + (0.96 * step) / ARC_STEPS)
    return middle.map((m, k) => m + radius * (Math.cos(angle) * x[k] + Math.sin(angle) * y[k]))
  }
  for (let step = 0; step < ARC_STEPS; step++) {
    const [p, q] = [at(step), at(step + 1)]
    const d = q.map((v, k) => v - p[k])
    const length = Math.hypot(...d)
    if (
      caster.nearest(p[0], p[1], p[2], d[0] / length, d[1] / length, d[2] / length, -1) &&
      caster.t <= length * (1 + 1e-9)
    )
      return false
  }
  return true
}
