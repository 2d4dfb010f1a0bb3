import { dot, type Vec3 } from '../scene/index.js'
import { EDGE_SIZE, FRAMES_SIZE, type EdgeScene } from './edge-scene.js'

/** Edges this near to a line (sine of the angle) do not meet at an angle. */
const STRAIGHT = 1e-2

/** The wave is taken so far off the second edge [rad], away from its faces, as is reflected light: both agree on a boundary's side. */
const BESIDE = 1e-6

/** Two edges that meet at a vertex and have no face in common. */
export interface Meeting {
  /** Edge that the wave comes to. */
  to: number
  vertex: Vec3
  /** Unit vectors along both edges away from the vertex, and across the first towards the second, in the plane of both. */
  along: Vec3
  onward: Vec3
  across: Vec3
  /** Of the angle between them. */
  sin: number
  cos: number
  /** Azimuth of `across` about the first edge, from its first face [rad]. */
  azimuth: number
  /** Whether the edges begin at the vertex, rather than end there. */
  begins: boolean
  toBegins: boolean
}

/**
 * Per edge the edges that it meets, whose wave comes to them outside the material of both: rims where a seam ends, not the edges of solids,
 * which have a face in common.
 * @param least  length of edges at the least [m]
 */
export function findMeetings(scene: EdgeScene, least: number): Meeting[][] {
  const { count, vertices, edges, faces, materials } = scene
  const out: Meeting[][] = Array.from({ length: count }, () => [])
  const ends = new Map<number, number[]>()
  for (let end = 0; end < 2 * count; end++) {
    if (edges[EDGE_SIZE * (end >> 1) + 6] < least || materials?.kind[end >> 1]) continue
    const list = ends.get(vertices[end])
    if (list) list.push(end)
    else ends.set(vertices[end], [end])
  }
  for (const list of ends.values())
    for (const a of list)
      for (const b of list) {
        const [e, to] = [a >> 1, b >> 1]
        if (e === to) continue
        const [f, g] = [2 * e, 2 * to]
        if (faces[f] === faces[g] || faces[f] === faces[g + 1]) continue
        if (faces[f + 1] === faces[g] || faces[f + 1] === faces[g + 1]) continue
        const along = away(edges, a)
        const onward = away(edges, b)
        const cos = dot(along, onward)
        const sin = Math.sqrt(Math.max(0, 1 - cos * cos))
        if (sin < STRAIGHT) continue
        const across = onward.map((v, c) => (v - cos * along[c]) / sin) as Vec3
        const back = along.map((v, c) => (v - cos * onward[c]) / sin) as Vec3
        const beside = awayFrom(scene, to)
        const azimuth = outside(
          scene,
          e,
          across.map((v, c) => v + BESIDE * beside[c]),
        )
        if (azimuth === null || outside(scene, to, back) === null) continue
        const p = EDGE_SIZE * e
        const t = a & 1 ? edges[p + 6] : 0
        const vertex = [0, 1, 2].map((c) => edges[p + c] + t * edges[p + 3 + c]) as Vec3
        out[e].push({
          to,
          vertex,
          along,
          onward,
          across,
          sin,
          cos,
          azimuth,
          begins: !(a & 1),
          toBegins: !(b & 1),
        })
      }
  return out
}

/** Unit vector away from an edge, half-way between its faces. */
function awayFrom({ edges, frames }: EdgeScene, e: number): Vec3 {
  const half = 0.5 * Math.PI * edges[EDGE_SIZE * e + 7]
  const f = FRAMES_SIZE * e
  return [0, 1, 2].map((c) => Math.cos(half) * frames[f + c] + Math.sin(half) * frames[f + 3 + c]) as Vec3
}

/** Azimuth of a direction across an edge, from its first face [rad]; null inside the material. */
function outside({ edges, frames }: EdgeScene, e: number, v: ArrayLike<number>): number | null {
  const f = FRAMES_SIZE * e
  const along = (at: number): number =>
    v[0] * frames[f + at] + v[1] * frames[f + at + 1] + v[2] * frames[f + at + 2]
  let azimuth = Math.atan2(along(3), along(0))
  if (azimuth < 0) azimuth += 2 * Math.PI
  return azimuth < edges[EDGE_SIZE * e + 7] * Math.PI ? azimuth : null
}

/** Unit vector along an edge away from one of its ends. */
function away(edges: Float64Array, end: number): Vec3 {
  const p = EDGE_SIZE * (end >> 1)
  const sign = end & 1 ? -1 : 1
  return [sign * edges[p + 3], sign * edges[p + 4], sign * edges[p + 5]]
}
