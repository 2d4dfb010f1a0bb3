import { cross, dot, type Vec3 } from '../../../scene/index.js'
import {
  along,
  awayFromEnd,
  EDGE_SIZE,
  type EdgeScene,
  FRAMES_SIZE,
  halfWay,
  meetingEnds,
  oncePerScene,
  pointOn,
  vectorAt,
} from '../../geometry/edge-scene.js'

/** Edges that go on in a line to within this much of 1 - cos of the angle between them are one (0.5 degrees). */
const STRAIGHT = 4e-5

/** Corners with less than this strength turn back nothing. */
const LEAST = 1e-6
/** Corners sharper than those with this cot of half their angle are as strong as these (decision 016). */
const MOST = 2

/** A corner of one side of a face: two edges that meet, and the angle of the face between them. */
export interface FaceCorner {
  /** Face, and unit vectors along both edges away from the corner, counter-clockwise about y: the normal of the face's side. */
  face: number
  point: Vec3
  /** Of the solid in whose middle the face lies as a sheet [m]; 0 elsewhere. */
  thickness: number
  e1: Vec3
  e2: Vec3
  normal: Vec3
  /** Lengths of the edges [m]. */
  length1: number
  length2: number
  /** cot of half the angle, times the strengths of both edges. */
  strength: number
}

/** How edges end. Ends are numbered 2 e for the start of edge e, 2 e + 1 for its end. */
export interface Corners {
  /** Per end the one of an edge that goes on in the same line, or -1. */
  onward: Int32Array
  /** Per end how strongly it turns back the waves that run along the edge (`strengthOf`), 0 where there is no corner. */
  turn: Float64Array
  /** Per edge the length of the straight line that it is part of [m]. */
  lengths: Float64Array
  /** Per edge the corners of faces that are counted with it. */
  faceCorners: FaceCorner[][]
}

/** Strength of waves along a wedge whose exterior angle is N pi: 1 at a half-plane, nothing at right angles and blunter wedges. */
export const strengthOf = (N: number): number => Math.max(0, 2 * N - 3)

/** Finds the corners at which edges end: vertices where another diffracting edge meets them at an angle. */
export const findCorners = oncePerScene(searchCorners)

function searchCorners(scene: EdgeScene): Corners {
  const { count, edges } = scene
  const onward = new Int32Array(2 * count).fill(-1)
  const turn = new Float64Array(2 * count)
  const faceCorners: FaceCorner[][] = Array.from({ length: count }, () => [])
  for (const list of meetingEnds(scene))
    for (const a of list) {
      let least = Infinity
      for (const b of list) {
        if (b === a) continue
        // 1 - cos of the angle by which the way from a into b turns.
        const turned = 1 + dot(awayFromEnd(edges, a), awayFromEnd(edges, b))
        if (turned < STRAIGHT) onward[a] = b
        const strength = together(scene, a >> 1, b >> 1)
        if (turned < least && strength > LEAST) {
          least = turned
          turn[a] = Math.sqrt(turned) * strength
        }
        if (a < b && strength > LEAST) addFaceCorners(scene, a, b, faceCorners[a >> 1])
      }
      if (onward[a] >= 0) turn[a] = 0
    }
  const lengths = new Float64Array(count)
  for (let e = 0; e < count; e++) {
    let length = edges[EDGE_SIZE * e + 6]
    for (let end = 2 * e; end < 2 * e + 2; end++)
      for (let next = onward[end]; next >= 0 && next >> 1 !== e; next = onward[next ^ 1])
        length += edges[EDGE_SIZE * (next >> 1) + 6]
    lengths[e] = length
  }
  return { onward, turn, lengths, faceCorners }
}

/** Strength of waves at a corner of two edges: that of both, times the cosine between the half-planes in the middle of their wedges. */
function together(scene: EdgeScene, a: number, b: number): number {
  const { edges } = scene
  const strength = strengthOf(edges[EDGE_SIZE * a + 7]) * strengthOf(edges[EDGE_SIZE * b + 7])
  return strength === 0 ? 0 : strength * Math.abs(dot(halfWay(scene, a).normal, halfWay(scene, b).normal))
}

/** Adds the corners of faces between two edges that meet at the ends a and b. */
function addFaceCorners(scene: EdgeScene, a: number, b: number, list: FaceCorner[]): void {
  const { faces, sides } = scene
  for (let i = 0; i < 2; i++)
    for (let j = 0; j < 2; j++) {
      const [f, g] = [(a & ~1) + i, (b & ~1) + j]
      if (faces[f] !== faces[g] || sides[f] !== sides[g]) continue
      // The two sides of a sheet are one.
      if (i === 1 && faces[f] === faces[f - 1]) continue
      const corner = faceCorner(scene, a, b, i)
      if (corner) list.push(corner)
    }
}

/** The corner of the side of face i of one edge at its end a, where end b is; null where it is not convex. */
function faceCorner(scene: EdgeScene, a: number, b: number, i: number): FaceCorner | null {
  const { edges, frames, faces, thickness } = scene
  const [p, q] = [EDGE_SIZE * (a >> 1), EDGE_SIZE * (b >> 1)]
  const f = FRAMES_SIZE * (a >> 1) + 9 * i
  const [u, v] = [awayFromEnd(edges, a), awayFromEnd(edges, b)]
  const cos = dot(u, v)
  // Towards the inside of the face the corner is convex.
  if (cos >= 1 || along(frames, f, v) <= 0) return null
  const normal = vectorAt(frames, f + 3)
  const swap = dot(cross(u, v), normal) < 0
  return {
    face: faces[2 * (a >> 1) + i],
    point: pointOn(scene, a >> 1, a & 1 ? edges[p + 6] : 0),
    thickness: Math.max(thickness[a >> 1], thickness[b >> 1]),
    e1: swap ? v : u,
    e2: swap ? u : v,
    normal,
    length1: edges[(swap ? q : p) + 6],
    length2: edges[(swap ? p : q) + 6],
    strength: together(scene, a >> 1, b >> 1) * Math.min(MOST, Math.sqrt(Math.max(0, 1 + cos) / (1 - cos))),
  }
}
