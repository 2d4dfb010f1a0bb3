import { addTo } from '../../math/partition.js'
import { facetsBelow, isMirror } from '../../scene/ground/index.js'
import { cross, dot, openFacets, type Target, type Vec3 } from '../../scene/index.js'
import { difference, type Faces, passStraight, vectorAt } from './plane-faces.js'

/** A straight diffracting edge between two sides of faces (docs/edge-diffraction.md, "Wedges of a mesh"). */
export interface MeshEdge {
  /** First and last vertex. */
  from: number
  to: number
  /** Facets at one of the edge's pieces, the same one twice at the rim of a sheet; they show which way the faces lie. */
  facets: [number, number]
  /** +1 where the facet's outward normal points into the empty space of the wedge, else -1. */
  side: [number, number]
  /** Through the material [degrees]; 0 at a rim. */
  interiorAngle: number
}

/** Edges whose wedge is sharper than `maxWedgeAngleDeg`, and `others`; edges of the same two faces that lie in a line are one. */
export function diffractingEdges(
  target: Target,
  faces: Faces,
  maxWedgeAngleDeg: number,
  others: MeshEdge[] = [],
): MeshEdge[] {
  const sides = 2 * (faces.outlineStart.length - 1)
  const groups = new Map<number, Piece[]>()
  const { ground } = target
  const below = ground && !isMirror(ground) ? facetsBelow(target, ground.height) : undefined
  for (const piece of pieces(target, maxWedgeAngleDeg).concat(others)) {
    const f = faces.of[piece.facets[0]]
    const g = faces.of[piece.facets[1]]
    if (f === g && piece.facets[0] !== piece.facets[1]) continue
    if (f > g) {
      piece.facets.reverse()
      piece.side.reverse()
    }
    // Edges end at a ground that changes waves.
    const part = below?.[piece.facets[0]] ? sides * sides : 0
    const key = part + sideOf(faces, piece, 0) * sides + sideOf(faces, piece, 1)
    addTo(groups, key, piece)
  }
  const out: MeshEdge[] = []
  for (const group of groups.values()) joinPieces(target, group, out)
  return out
}

/** Number of the side of a face that a piece has as its first (0) or second (1). */
const sideOf = (faces: Faces, piece: Piece, i: 0 | 1): number =>
  2 * faces.of[piece.facets[i]] + (piece.side[i] > 0 ? 1 : 0)

type Piece = MeshEdge

function pieces(target: Target, maxWedgeAngleDeg: number): Piece[] {
  const { edges } = target
  const open = openFacets(target)
  const out: Piece[] = []
  for (let e = 0; e < edges.interiorAngle.length; e++) {
    const from = edges.vertices[2 * e]
    const to = edges.vertices[2 * e + 1]
    const f = edges.facets[2 * e]
    const g = edges.facets[2 * e + 1]
    const a = edges.side[2 * e]
    const b = edges.side[2 * e + 1]
    const angle = edges.interiorAngle[e]
    if (g < 0) {
      out.push({ from, to, facets: [f, f], side: [1, -1], interiorAngle: 0 })
      continue
    }
    if (angle < maxWedgeAngleDeg) out.push({ from, to, facets: [f, g], side: [a, b], interiorAngle: angle })
    // A folded sheet has empty space on both sides of the bend.
    else if (edges.valence[e] === 2 && open[f] && 360 - angle < maxWedgeAngleDeg)
      out.push({ from, to, facets: [f, g], side: [-a, -b], interiorAngle: 360 - angle })
  }
  return out
}

/** Joins pieces of one pair of faces end to end where they go straight on and no third one of the pair meets them. */
function joinPieces({ positions: p, tolerance }: Target, pieces: Piece[], out: MeshEdge[]): void {
  if (pieces.length === 1) {
    const length = lengthOf(p, pieces[0])
    // The mean over the lengths, rounded as it is for more pieces.
    out.push({ ...pieces[0], interiorAngle: (length * pieces[0].interiorAngle) / length })
    return
  }
  const at = new Map<number, number[]>()
  for (let i = 0; i < pieces.length; i++) {
    addTo(at, pieces[i].from, i)
    addTo(at, pieces[i].to, i)
  }
  const otherEnd = (i: number, v: number): number => (pieces[i].from === v ? pieces[i].to : pieces[i].from)
  /** The one piece that meets piece i at vertex v, or -1. */
  const beside = (i: number, v: number): number => {
    const both = at.get(v)!
    return both.length !== 2 ? -1 : both[0] === i ? both[1] : both[0]
  }
  const through = new Set<number>()
  const seen = new Uint8Array(pieces.length)
  /** Follows pieces from vertex a, piece i first, to where they branch or come back, and notes the vertices they pass. */
  const pass = (a: number, i: number): void => {
    const chain = [a]
    for (let v = a; i >= 0 && !seen[i]; i = beside(i, v)) {
      seen[i] = 1
      v = otherEnd(i, v)
      chain.push(v)
    }
    passStraight(p, chain, tolerance, at.get(a)!.length === 2, (v) => through.add(v))
  }
  for (const [v, meeting] of at) if (meeting.length !== 2) for (const i of meeting) if (!seen[i]) pass(v, i)
  // What is left are rings.
  for (let i = 0; i < pieces.length; i++) if (!seen[i]) pass(pieces[i].from, i)
  /** The piece that goes straight on from piece i beyond vertex v, or -1. */
  const onward = (i: number, v: number): number => (through.has(v) ? beside(i, v) : -1)
  const used = new Uint8Array(pieces.length)
  for (let first = 0; first < pieces.length; first++) {
    if (used[first]) continue
    used[first] = 1
    let longest = first
    let total = lengthOf(p, pieces[first])
    let greatest = total
    let moment = total * pieces[first].interiorAngle
    /** Goes on from a vertex of the first piece as far as pieces do. */
    const follow = (v: number): number => {
      for (let i = onward(first, v); i >= 0 && !used[i]; i = onward(i, v)) {
        used[i] = 1
        const length = lengthOf(p, pieces[i])
        moment += length * pieces[i].interiorAngle
        total += length
        if (length > greatest) {
          longest = i
          greatest = length
        }
        v = otherEnd(i, v)
      }
      return v
    }
    const from = follow(pieces[first].from)
    const to = follow(pieces[first].to)
    out.push({ ...pieces[longest], from, to, interiorAngle: moment / total })
  }
}

const lengthOf = (p: Float64Array, { from, to }: Piece): number =>
  Math.hypot(...difference(p, 3 * to, 3 * from))

/**
 * The edges turned round, and their faces in the order, in which they run towards the middle of all of them and the empty space lies to
 * the right of the first face's outside: neither depends on the order and the winding of facets.
 */
export function directed(target: Target, faces: Faces, edges: MeshEdge[]): MeshEdge[] {
  const { positions: p, tolerance } = target
  const middle = [0, 0, 0]
  let total = 0
  for (const edge of edges) {
    const length = lengthOf(p, edge)
    total += length
    for (let c = 0; c < 3; c++) middle[c] += 0.5 * length * (p[3 * edge.from + c] + p[3 * edge.to + c])
  }
  const far = (v: number): number => Math.hypot(...middle.map((sum, c) => p[3 * v + c] - sum / total))
  return edges.map(({ from, to, facets, side, interiorAngle }) => {
    // Where both ends are as far: by the first coordinate in which they differ.
    const by = [far(from) - far(to), ...[0, 1, 2].map((c) => p[3 * from + c] - p[3 * to + c])]
    const farther = by.find((x) => Math.abs(x) > 4 * tolerance) ?? 0
    const edge: MeshEdge = {
      ...(farther < 0 ? { from: to, to: from } : { from, to }),
      facets,
      side,
      interiorAngle,
    }
    if (side[0] * leftOf(target, faces, edge, 0) < 0) return edge
    return { ...edge, facets: [facets[1], facets[0]], side: [side[1], side[0]] }
  })
}

/** +1 where face i lies to the left of the edge, as seen with its normal towards the eye, else -1. */
export function leftOf(
  { positions: p, triangles }: Target,
  { of, normals }: Faces,
  edge: MeshEdge,
  i: 0 | 1,
): 1 | -1 {
  const from = 3 * edge.from
  const facet = edge.facets[i]
  const corners = [0, 1, 2].map((v) => 3 * triangles[3 * facet + v])
  // The facet's centre seen from the edge says which way the face lies.
  const centre = [0, 1, 2].map((c) => corners.reduce((sum, v) => sum + p[v + c], 0) / 3 - p[from + c]) as Vec3
  const left = cross(difference(p, 3 * edge.to, from), vectorAt(normals, 3 * of[facet]))
  return dot(centre, left) < 0 ? -1 : 1
}
