import { goesStraight, roundingNoise, type Faces } from './coplanar.js'
import { openFacets, type Target } from '../scene/index.js'

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

/** Edges whose wedge is sharper than `maxWedgeAngleDeg`; edges of the same two faces that lie in a line are one. */
export function diffractingEdges(target: Target, faces: Faces, maxWedgeAngleDeg: number): MeshEdge[] {
  const groups = new Map<string, Piece[]>()
  for (const piece of pieces(target, maxWedgeAngleDeg)) {
    const [f, g] = piece.facets.map((t) => faces.of[t])
    if (f === g && piece.facets[0] !== piece.facets[1]) continue
    const ends = [`${f} ${piece.side[0]}`, `${g} ${piece.side[1]}`]
    if (f > g) {
      ends.reverse()
      piece.facets.reverse()
      piece.side.reverse()
    }
    const key = ends.join(' ')
    const group = groups.get(key)
    if (group) group.push(piece)
    else groups.set(key, [piece])
  }
  const noise = roundingNoise(target)
  return [...groups.values()].flatMap((group) => joinPieces(target.positions, group, noise))
}

type Piece = MeshEdge

function pieces(target: Target, maxWedgeAngleDeg: number): Piece[] {
  const { edges } = target
  const open = openFacets(target)
  const out: Piece[] = []
  for (let e = 0; e < edges.interiorAngle.length; e++) {
    const [from, to] = [edges.vertices[2 * e], edges.vertices[2 * e + 1]]
    const [f, g] = [edges.facets[2 * e], edges.facets[2 * e + 1]]
    const [a, b] = [edges.side[2 * e], edges.side[2 * e + 1]]
    const angle = edges.interiorAngle[e]
    if (g < 0) {
      out.push({ from, to, facets: [f, f], side: [1, -1], interiorAngle: 0 })
      continue
    }
    if (angle < maxWedgeAngleDeg) out.push({ from, to, facets: [f, g], side: [a, b], interiorAngle: angle })
    // A bent sheet has empty space on both sides of the bend.
    else if (edges.valence[e] === 2 && open[f] && 360 - angle < maxWedgeAngleDeg)
      out.push({ from, to, facets: [f, g], side: [-a, -b], interiorAngle: 360 - angle })
  }
  return out
}

/** Joins pieces of one pair of faces end to end where they go straight on and no third one of the pair meets them. */
function joinPieces(p: Float64Array, pieces: Piece[], noise: number): MeshEdge[] {
  const at = new Map<number, number[]>()
  pieces.forEach(({ from, to }, i) => {
    for (const v of [from, to]) at.set(v, [...(at.get(v) ?? []), i])
  })
  const otherEnd = (i: number, v: number): number => (pieces[i].from === v ? pieces[i].to : pieces[i].from)
  /** The piece that goes on from piece i beyond vertex v, or -1. */
  const onward = (i: number, v: number): number => {
    const both = at.get(v)!
    if (both.length !== 2) return -1
    const j = both[0] === i ? both[1] : both[0]
    return goesStraight(p, otherEnd(i, v), v, otherEnd(j, v), noise) ? j : -1
  }
  const length = (i: number): number =>
    Math.hypot(...[0, 1, 2].map((c) => p[3 * pieces[i].to + c] - p[3 * pieces[i].from + c]))
  const used = new Uint8Array(pieces.length)
  const out: MeshEdge[] = []
  for (let first = 0; first < pieces.length; first++) {
    if (used[first]) continue
    used[first] = 1
    let longest = first
    let moment = length(first) * pieces[first].interiorAngle
    let total = length(first)
    const ends = [pieces[first].from, pieces[first].to].map((v) => {
      for (let i = onward(first, v); i >= 0 && !used[i]; i = onward(i, v)) {
        used[i] = 1
        moment += length(i) * pieces[i].interiorAngle
        total += length(i)
        if (length(i) > length(longest)) longest = i
        v = otherEnd(i, v)
      }
      return v
    })
    out.push({ ...pieces[longest], from: ends[0], to: ends[1], interiorAngle: moment / total })
  }
  return out
}
